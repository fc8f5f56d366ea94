"""Whether the results of an event are those of its games, as far as there are records."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.session.record import Standing, Verdict, verify_record
from ataxxd.session.roles import Role
from ataxxd.tournament.games import begun, check_offer_fits, game_name, result_of
from ataxxd.tournament.tournament import Board, Tournament
from ataxxd_protocol.messages import Result


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
        name: of its game.
        finding: whether the record bears it out.
        why: in words; empty where it holds by its record alone.
    """

    board: Board
    name: str
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
            name = game_name(tournament.plan, board.number, board.board)
            finding, why = _judged(tournament, board, board.result, records.get(name))
            checked.append(Checked(board, name, finding, why))
    return checked


def _judged(
    tournament: Tournament, board: Board, result: Result, record: bytes | None
) -> tuple[Finding, str]:
    if record is None:
        what = "no game began, the host says" if result.record is None else "there is no record"
        return Finding.UNSEEN, what
    try:
        verdict = verify_record(record)
        check_offer_fits(
            tournament.plan, board.number, board.board, board.pairing, verdict.ledger.offer
        )
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
