"""The points that a game counts, for ratings and events.

A game with complete records has one result. If a player withholds its last message, signs two
versions, or makes a claim that the other contradicts, these rules decide what the game counts, so
that no act of a single player gains more than playing on. docs/design/disputes.md gives the
reasons, and what each act is worth.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Outcome, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.session.witnesses import find_player_at_fault, merge_statements
from ataxxd_protocol.messages import AnyLogMessage, Join

WIN, LOSS = 2, 0
NOT_OVER = "the game is not over"
"""Why an unfinished game does not count; a later record of it may."""


@dataclass(frozen=True, slots=True)
class Points:
    """The points that a game gives each player.

    Attributes:
        first: half points for the player who moved first: 0, 1 or 2.
        second: half points for the other.
        why: the reason in words, if it differs from what both players' scores say; else empty.
    """

    first: int
    second: int
    why: str = ""

    @property
    def text(self) -> str:
        """The points as a score; ``0-0`` if both have lost."""
        return "-".join(("0", "1/2", "1")[half] for half in (self.first, self.second))

    def of(self, side: Side) -> int:
        """The half points of a side."""
        return self.first if side is Side.FIRST else self.second


def count_points(ledger: Ledger) -> Points | str:
    """The points of a game by one record, or why it does not count."""
    outcome = ledger.outcome
    if outcome is None:
        return NOT_OVER
    if outcome.score == "*":
        return "it was aborted, so it has no result"
    wrong = find_player_at_fault(ledger)
    if wrong is ledger.decision and wrong is not None:
        why = "most of its witnesses heard no such silence as was claimed"
        return _points(Outcome(outcome.termination, ledger.side_of(wrong.other)), why)
    if ledger.claim is not None and _is_claim_denied(ledger):
        if wrong is not None:
            return _points(outcome, "most of its witnesses heard the silence that was claimed")
        return Points(LOSS, LOSS, "the claim is contested, so both have lost")
    why = ""
    if ledger.claim is not None and ledger.phase is not Phase.CLOSED and wrong is None:
        why = "unless another record shows an answer to the claim"
    elif ledger.disputed:
        why = "the result does not rest on what the scores say"
    elif ledger.phase is not Phase.CLOSED:
        why = "the result does not need the missing score"
    return _points(outcome, why)


def count_points_of_all(ledgers: Sequence[Ledger]) -> Points | str:
    """The points of a game by one or more records of it with the same players.

    Consistent records are parts of one game. If they are not, a player has signed two messages
    with one number, and has lost. If both players have, the game counts only if all records agree
    on the result.
    """
    ledgers = find_started(ledgers)
    cheats = find_double_dealers(ledgers)
    if len(cheats) == len(Role):
        one, *others = map(count_points, ledgers)
        agreed = all(not _is_different(one, other) for other in others)
        return one if agreed else "both players signed another result of the same game, too"
    for cheat in cheats:
        side = ledgers[0].side_of(cheat)
        assert side is not None  # the game has started
        why = f"the {cheat} signed two different messages with one number"
        return _points(Outcome("double-dealing", side.opponent), why)
    return count_points(merge_records(ledgers))


def find_started(ledgers: Sequence[Ledger]) -> Sequence[Ledger]:
    """The records in which the game has started; all of them if it has in none.

    The others only have a join, which proves nothing and names no sides.
    """
    return [each for each in ledgers if each.host_side is not None] or ledgers


def _is_different(one: Points | str, other: Points | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is not type(other)
    return (one.first, one.second) != (other.first, other.second)


def find_double_dealers(ledgers: Iterable[Ledger]) -> list[Role]:
    """The players who have signed two different messages with one number, by records of one game.

    Each message is signed: a player's newest signature in a record covers all earlier ones. Joins
    are left out: a guest that has lost its state may join again (SPEC.md, MP-FAULT-4).
    """
    stories = [
        {
            role: [each.digest for each in ledger.log(role) if not isinstance(each, Join)]
            for role in Role
        }
        for ledger in ledgers
    ]
    longest = {role: max((story[role] for story in stories), key=len) for role in Role}
    return [
        role
        for role in Role
        if any(story[role] != longest[role][: len(story[role])] for story in stories)
    ]


def merge_records(ledgers: Sequence[Ledger]) -> Ledger:
    """One game merged from consistent records of it."""
    whole = Ledger(ledgers[0].offer)
    logs: dict[Role, Sequence[AnyLogMessage]] = {
        role: max((ledger.log(role) for ledger in ledgers), key=len) for role in Role
    }
    whole.statements = merge_statements(ledgers)
    while any(_accepts_next(whole, role, logs[role]) for role in Role):
        pass
    return whole


def _accepts_next(ledger: Ledger, role: Role, log: Sequence[AnyLogMessage]) -> bool:
    n = len(ledger.log(role))
    if n == len(log):
        return False
    try:
        ledger.accept(role, log[n])
    except RemoteProtocolError:
        return False  # it needs a message of the other player first, or has no effect
    return True


def has_unsettled_claim(ledger: Ledger) -> bool:
    """Whether a game was claimed, and the other player has not agreed to the claim."""
    return ledger.claim is not None and (ledger.contested or ledger.phase is not Phase.CLOSED)


def _is_claim_denied(ledger: Ledger) -> bool:
    """Whether the accused contradicts a claim: by its times, or by having answered in play."""
    if ledger.contested:
        return True
    assert ledger.decision is not None
    assert ledger.decided_at is not None
    crossed = any(by is ledger.decision.other for by, _ in ledger.line[ledger.decided_at :])
    return crossed and ledger.phase is not Phase.CLOSED


def _points(outcome: Outcome, why: str) -> Points:
    if outcome.winner is None:
        return Points(1, 1, why)
    won = outcome.winner is Side.FIRST
    return Points(WIN * won, WIN * (not won), why)
