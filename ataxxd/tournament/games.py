"""The games of an event: by which terms they are played, and what their records say.

Also whether the results of the event are those of its games, as far as there are records.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.rules import Position, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import LOSS, count_of, unsettled_claim
from ataxxd.session.record import Standing, Verdict, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd.tournament.tournament import Board, Tournament
from ataxxd_protocol.messages import Abort, EventPlan, Offer, Result
from ataxxd_protocol.signing import digest
from ataxxd_protocol.version import abort_loses

_TERMS = ("ruleset", "clock", "grace_ms", "takebacks")


def check_offer_fits(plan: EventPlan, board: Board, offer: Offer) -> None:
    """Check that an offer is of the game that a pairing is about.

    Raises:
        RemoteProtocolError: ``event/game``: it is not; says where it differs.
    """
    wanted = {
        "name": board.name,
        "host": board.pairing.first,
        "access": board.pairing.second,
        "color": "first",
        "start": Position.start(plan.ruleset).text,
        "opening": None,
        "rematch_of": None,
        "witnesses": None,
        **{term: getattr(plan, term) for term in _TERMS},
    }
    for field, value in wanted.items():
        if getattr(offer, field) != value:
            raise RemoteProtocolError(
                "event/game", f"the offer's {field} is not what the event demands"
            )
    if offer.created_ms < plan.created_ms:
        raise RemoteProtocolError("event/game", "the game was offered before there was the event")


def fits(plan: EventPlan, board: Board, offer: Offer) -> bool:
    """Whether an offer is of the game that a pairing is about."""
    try:
        check_offer_fits(plan, board, offer)
    except RemoteProtocolError:
        return False
    return True


def begun(ledger: Ledger) -> bool:
    """Whether both players are at the board."""
    return ledger.phase not in (Phase.OPEN, Phase.JOINED)


def result_of(ledger: Ledger, loser: Role | None = None) -> Result:
    """What a game that has begun counts for, whether it is over or not.

    Args:
        ledger: the game.
        loser: whom the event's host has seen to be wrong about a claim that is not agreed to.

    Where the time of the round is up before the game is over, who had to act has lost; and so has
    who aborted the game alone, or it would take a rival's point by not playing.
    """
    if loser is None or not unsettled_claim(ledger):
        loser = _aborted_alone(ledger)
    if loser is not None:
        score = "1-0" if ledger.side_of(loser) is Side.SECOND else "0-1"
    elif ledger.outcome is not None:
        count = count_of(ledger)
        both_lost = isinstance(count, str) or (count.first, count.second) == (LOSS, LOSS)
        score = "*" if both_lost else ledger.outcome.score
    else:
        assert ledger.on_turn is not None
        winner = ledger.on_turn.other
        score = "1-0" if ledger.side_of(winner) is Side.FIRST else "0-1"
    return Result.model_validate(
        {"score": score, "game": ledger.game, "record": digest(dump_record(ledger))}
    )


def voided(ledger: Ledger) -> bool:
    """Whether a game was aborted so that another one may take its place."""
    ended = ledger.outcome is not None and ledger.outcome.termination == "aborted"
    return ended and _aborted_alone(ledger) is None


def _aborted_alone(ledger: Ledger) -> Role | None:
    """Who aborted a game without the other's consent, and loses it by that; None for nobody."""
    outcome = ledger.outcome
    if outcome is None or outcome.termination != "aborted" or not abort_loses(ledger.offer.v):
        return None
    by, abort = next(each for each in reversed(ledger.line) if isinstance(each[1], Abort))
    return by if isinstance(abort, Abort) and abort.consent is None else None


def forfeited(*, offered: bool) -> Result:
    """What a pairing counts for whose game has not begun when the time of the round is up.

    Args:
        offered: who moves first has offered it, and the other player has not come.
    """
    return Result(score="1-0" if offered else "0-1")


class Finding(Enum):
    """What is known of a result.

    It holds by its record; no record is at hand; the players' own record of the game says another
    one, and the host has to show its own; or the very record that it names says another.
    """

    HOLDS = "holds"
    UNSEEN = "unseen"
    DISPUTED = "disputed"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Checked:
    """A result and what is known of it.

    Attributes:
        board: the pairing and its result.
        finding: whether the record bears it out.
        why: in words; empty where it holds by its record alone.
    """

    board: Board
    finding: Finding
    why: str = ""


def audited(tournament: Tournament, records: Mapping[str, bytes]) -> list[Checked]:
    """Check every result of an event that is known.

    Args:
        tournament: the event.
        records: record files by the names of the games; what is missing is told.
    """
    checked = []
    for board in tournament.boards:
        if board.result is not None:
            finding, why = _judged(tournament, board, board.result, records.get(board.name))
            checked.append(Checked(board, finding, why))
    return checked


def _judged(
    tournament: Tournament, board: Board, result: Result, record: bytes | None
) -> tuple[Finding, str]:
    if record is None:
        what = "no game began, the host says" if result.record is None else "there is no record"
        return Finding.UNSEEN, what
    try:
        verdict = verify_record(record)
        check_offer_fits(tournament.plan, board, verdict.ledger.offer)
    except (VerificationError, RemoteProtocolError) as error:
        return Finding.UNSEEN, f"the record at hand says nothing of it: {error}"
    return _compared(result, verdict)


def _compared(result: Result, verdict: Verdict) -> tuple[Finding, str]:
    """A result and a record of the pairing's own game."""
    ledger = verdict.ledger
    if not begun(ledger):
        return Finding.UNSEEN, "the record at hand ends before the game began"
    shown = result_of(ledger)
    if result == shown:
        return Finding.HOLDS, ""
    if result in (result_of(ledger, role) for role in Role):
        return Finding.HOLDS, "the host decided about the claim, by what it has seen"
    if result.record == shown.record:
        return Finding.WRONG, f"its own record gives {shown.score}, the host says {result.score}"
    over = ledger.outcome is not None
    if over and result.game == ledger.game and result.score == shown.score:
        # The players signed it after the host had looked.
        return Finding.HOLDS, ""
    if verdict.standing is Standing.AGREED:
        # The host may have a reason: a game that was over only after the time of the round.
        return Finding.DISPUTED, f"both players signed {shown.score}, the host says {result.score}"
    return Finding.UNSEEN, "the record at hand is not the one that the result rests on"
