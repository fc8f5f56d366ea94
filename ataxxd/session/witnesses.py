"""The statements of a game's witnesses on a claim, and the majority's verdict.

An offer can name witnesses: nodes that watch the game and, when it is claimed, sign how long the
accused player was silent. docs/design/disputes.md explains why they sign only this, and what they
can and cannot decide.

A silence is time in which a player could have answered but did not: it begins when the witness
hears the message to be answered, and ends with the answer or the claim. A player that asks for that
message in vain is not silent. And if the claimant asks in vain for an answer, nobody can tell what
it has heard.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import GameState, Role
from ataxxd_protocol import SigningKey, node_id, signature_holds, signed
from ataxxd_protocol.messages import AnyMessage, Claim, LogMessage, Statement, Sync

# Statements kept of each witness: for a claim by each player, one and one that contradicts it.
_MAX_OF_ONE = 4
# Allowance for messages on their way to the player and to the witness, on top of a hundredth of
# the time waited; at most a quarter of that time.
_WIRES_MS = 5_000
# Messages that come this soon after a connection was made may have been sent before it.
_CATCHING_UP_S = 10.0
# A player need not answer a request for a message that it sent this short a time ago (MP-SYNC-2).
_JUST_SAID_S = 2.0
# A player who keeps the rules lacks at most the two newest messages.
_MAX_LACKED = 2


def add_statement(game: GameState, statement: Statement) -> bool:
    """Add a witness's statement.

    Returns:
        False if it is already known, or the witness has made too many.

    Raises:
        RemoteProtocolError: ``statement/…``: it is not a statement by a witness of this game.
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
    if len(of_one) >= _MAX_OF_ONE or any(each.digest == statement.digest for each in of_one):
        return False
    game.statements = (*game.statements, statement)
    return True


def claim_digest(game: GameState) -> str | None:
    """The digest of the claim that ended the game; None if none did."""
    if game.claim is None or game.decided_at is None:
        return None
    return game.line[game.decided_at][1].digest


def claim_statements(game: GameState) -> tuple[Statement, ...]:
    """The statements on the claim that ended the game, in the order of the record."""
    claim = claim_digest(game)
    found = {each.digest: each for each in game.statements if each.claim == claim}
    return tuple(
        sorted(found.values(), key=lambda each: (each.author, each.silence_ms, each.digest))
    )


def has_missing_statements(game: GameState) -> bool:
    """Whether the game was claimed, and some witnesses have made no statement yet."""
    heard = {each.author for each in claim_statements(game)}
    return claim_digest(game) is not None and not heard.issuperset(game.offer.witnesses or ())


def merge_statements(games: Iterable[GameState]) -> tuple[Statement, ...]:
    """The statements in several records of one game."""
    return tuple({each.digest: each for game in games for each in game.statements}.values())


def justifies_claim(claim: Claim, silence_ms: int) -> bool:
    """Whether the silence that a witness observed justifies the claim."""
    waited = claim.waited_ms
    return silence_ms + waited // 100 + min(_WIRES_MS, waited // 4) >= waited


def find_player_at_fault(game: GameState) -> Role | None:
    """The player whom a majority of the witnesses finds wrong about the claim.

    Returns:
        The claimant, or the player claimed against; None without a claim, or if fewer than a
        majority of all witnesses agree. A witness that contradicts itself does not count.
    """
    claim, claimant = game.claim, game.decision
    if claim is None or claimant is None:
        return None
    said: dict[str, set[int]] = defaultdict(set)
    for each in claim_statements(game):
        said[each.author].add(each.silence_ms)
    verdicts = [justifies_claim(claim, *times) for times in said.values() if len(times) == 1]
    most = len(game.offer.witnesses or ()) // 2 + 1
    if verdicts.count(False) >= most:
        return claimant
    return claimant.other if verdicts.count(True) >= most else None


class _HeardMessage:
    """A message of the game.

    Attributes:
        first_heard: when, in seconds; None if it may have been sent earlier.
        last_heard: when, in seconds.
        asked_since: since when the other player has been asking for it in vain; None if it is not.
        past_wait_s: for how many seconds the other player asked in vain before that.
    """

    __slots__ = ("asked_since", "first_heard", "last_heard", "past_wait_s")

    def __init__(self, at: float | None, now: float) -> None:
        self.first_heard = at
        self.last_heard = now
        self.asked_since: float | None = None
        self.past_wait_s = 0.0

    def on_repeat(self, now: float) -> None:
        self.past_wait_s = self.total_wait_s(now)
        self.asked_since, self.last_heard = None, now

    def on_request(self, now: float) -> None:
        if self.asked_since is None and now - self.last_heard > _JUST_SAID_S:
            self.asked_since = now

    def total_wait_s(self, until: float) -> float:
        return self.past_wait_s + (
            0.0 if self.asked_since is None else max(0.0, until - self.asked_since)
        )


class Witness:
    """One witness of one game; pure, except for the clock that it is given."""

    def __init__(self, key: SigningKey, now: Callable[[], float]) -> None:
        """Begin to listen.

        Args:
            key: the witness's key.
            now: a monotonic clock, in seconds.
        """
        self._key = key
        self._now = now
        self._since = now()
        self._heard: dict[str, _HeardMessage] = {}
        self._judged: set[str] = set()

    def on_interrupted(self) -> None:
        """Note that the connection was made or lost: the next messages may be older."""
        self._since = self._now()

    def receive(
        self, ledger: Ledger, message: AnyMessage | None = None, *, retained: bool = False
    ) -> Statement | None:
        """Take in a message.

        Args:
            ledger: the game, which includes the message if it belongs to it.
            message: the message, new or not; None to look at the ledger alone.
            retained: whether the broker had retained it, so that it may be older.

        Returns:
            This witness's statement on a claim; None if there is nothing to state.
        """
        now = self._now()
        certain = now - self._since > _CATCHING_UP_S and not retained
        match message:
            case LogMessage() if message.digest in self._heard:
                self._on_repeat(ledger, message, now)
            case Sync():
                self._on_request(ledger, message, now)
            case _:
                pass
        for _, each in ledger.line:
            if each.digest not in self._heard:
                self._heard[each.digest] = _HeardMessage(now if certain else None, now)
        claim = claim_digest(ledger)
        if claim is None or claim in self._judged:
            return None
        self._judged.add(claim)
        silence_s = self._silence_s(ledger)
        if silence_s is None:
            return None
        return signed(
            Statement(
                game=ledger.game,
                author=self._key.node,
                key=self._key.public_key,
                claim=claim,
                silence_ms=round(max(0.0, silence_s) * 1000),
            ),
            self._key,
        )

    def _on_repeat(self, ledger: Ledger, message: LogMessage, now: float) -> None:
        role = ledger.role_of(message.author)
        key = None if role is None else ledger.key_of(role)
        if key is not None and signature_holds(message, key):
            self._heard[message.digest].on_repeat(now)

    def _on_request(self, ledger: Ledger, request: Sync, now: float) -> None:
        role = ledger.role_of(request.author)
        key = None if role is None else ledger.key_of(role)
        if role is None or key is None or request.game != ledger.game:
            return
        lacked = ledger.log(role.other)[request.need :]
        if len(lacked) <= _MAX_LACKED and signature_holds(request, key):
            for each in lacked:
                if (heard := self._heard.get(each.digest)) is not None:
                    heard.on_request(now)

    def _silence_s(self, ledger: Ledger) -> float | None:
        place, claimant = ledger.decided_at, ledger.decision
        assert place is not None
        assert claimant is not None
        by, awaited = ledger.line[place - 1]
        begins, claimed = self._heard[awaited.digest], self._heard[ledger.line[place][1].digest]
        after = [each for role, each in ledger.line[place:] if role is not claimant]
        answer = self._heard[after[0].digest] if after else claimed
        ends = [claimed.first_heard, answer.first_heard]
        if begins.first_heard is None or None in ends or begins.first_heard < self._since:
            return None
        if answer.asked_since is not None:
            return None
        end = min(each for each in ends if each is not None)
        wanted_s = begins.total_wait_s(end) if by is claimant else 0.0
        return end - begins.first_heard - wanted_s
