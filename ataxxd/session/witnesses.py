"""What the witnesses of a game say of a claim, and whom most of them find in the wrong.

An offer can name witnesses: nodes that look on and, when the game is claimed, sign how long the
player was silent against whom it is claimed. Why they say no more than this, and what they can and
cannot decide, is in docs/design/disputes.md.
"""

from collections import defaultdict
from collections.abc import Iterable

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.state import GameState, Role
from ataxxd_protocol import node_id, signature_holds
from ataxxd_protocol.messages import Claim, Statement

# Of each witness so many are kept: of a claim by each player one, and one that contradicts it.
_MOST_OF_ONE = 4
# What the wires of a player and of a witness may take, beside a hundredth: so much, or a quarter.
_WIRES_MS = 5_000


def take_statement(game: GameState, statement: Statement) -> bool:
    """Keep what a witness says.

    Returns:
        False when it is known already, or the witness has said too much.

    Raises:
        RemoteProtocolError: ``statement/…``: it is no statement of a witness of this game.
    """
    if statement.game != game.game:
        raise RemoteProtocolError("statement/other-game", "it belongs to another game")
    if statement.author not in (game.offer.witnesses or ()):
        raise RemoteProtocolError(
            "statement/stranger", f"{statement.author} is no witness of the game"
        )
    if node_id(statement.key) != statement.author or not signature_holds(statement, statement.key):
        raise RemoteProtocolError("statement/forged", f"it is not signed by {statement.author}")
    of_one = [each for each in game.statements if each.author == statement.author]
    if len(of_one) >= _MOST_OF_ONE or any(each.digest == statement.digest for each in of_one):
        return False
    game.statements = (*game.statements, statement)
    return True


def claim_at(game: GameState) -> str | None:
    """The digest of the claim that stands; None where none does."""
    if game.claim is None or game.decided_at is None:
        return None
    return game.line[game.decided_at][1].digest


def on_the_claim(game: GameState) -> tuple[Statement, ...]:
    """The statements on the claim that stands, in the order of a record."""
    claim = claim_at(game)
    found = {each.digest: each for each in game.statements if each.claim == claim}
    return tuple(
        sorted(found.values(), key=lambda each: (each.author, each.silence_ms, each.digest))
    )


def lacks_statements(game: GameState) -> bool:
    """Whether the game was claimed, and some of its witnesses have said nothing of it yet."""
    heard = {each.author for each in on_the_claim(game)}
    return claim_at(game) is not None and not heard.issuperset(game.offer.witnesses or ())


def gathered(games: Iterable[GameState]) -> tuple[Statement, ...]:
    """All that the witnesses say in several records of one game."""
    return tuple({each.digest: each for game in games for each in game.statements}.values())


def long_enough(claim: Claim, silence_ms: int) -> bool:
    """Whether a silence that a witness heard bears a claim out."""
    waited = claim.waited_ms
    return silence_ms + waited // 100 + min(_WIRES_MS, waited // 4) >= waited


def found_wrong(game: GameState) -> Role | None:
    """Who is wrong about the claim that stands, in the eyes of most of the witnesses.

    Returns:
        The claimant, or the player claimed against; None where fewer than the half of them, and
        one, say the same, or nobody has claimed. A witness that says two things says nothing.
    """
    claim, claimant = game.claim, game.decision
    if claim is None or claimant is None:
        return None
    said: dict[str, set[int]] = defaultdict(set)
    for each in on_the_claim(game):
        said[each.author].add(each.silence_ms)
    verdicts = [long_enough(claim, *times) for times in said.values() if len(times) == 1]
    most = len(game.offer.witnesses or ()) // 2 + 1
    if verdicts.count(False) >= most:
        return claimant
    return claimant.other if verdicts.count(True) >= most else None
