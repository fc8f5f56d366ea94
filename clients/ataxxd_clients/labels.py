"""The words for moves, clocks, players and turns that all clients share."""

from ataxxd.node.game import Game
from ataxxd.rules import Move, Side
from ataxxd.sanitize import sanitized
from ataxxd.session.events import WISHES, Asked, Moved, Seat
from ataxxd.times import format_deadline

ASKED = "Asked. The request stands until the next move."
"""What a person is told after asking for a takeback or an abort."""


def move_name(move: Move) -> str:
    """A move in its canonical text, as every client, record and program writes it, or ``pass``."""
    return str(move) if move.squares else "pass"


def end_squares(move: Move) -> tuple[str, ...]:
    """The squares that a move left and reached, to mark them: two, one or none."""
    return tuple(each for each in (move.from_square, move.to_square) if each is not None)


def clock_text(table: Game, side: Side) -> str:
    """A side's remaining time, such as ``4:59`` or ``1:04:59``; empty without a clock."""
    return time_text(table.remaining_ms(side))


def time_text(left_ms: int | None) -> str:
    """The same for a number of milliseconds."""
    if left_ms is None:
        return ""
    minutes, seconds = divmod(left_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


_HERE = {Seat.HUMAN: "you", Seat.AUTO: "the computer", Seat.REMOTE: "your opponent"}


def player_text(game: Game, side: Side) -> str:
    """Who plays a side: ``you``, ``the computer``, or ``ana (k7fq-3xa2)``.

    With a known rating, ``ana (k7fq-3xa2) 1612``. Empty for a spectator as long as the player is
    not known.
    """
    seat = game.seat(side)
    people = sum(game.seat(each) is Seat.HUMAN for each in Side)
    if seat is Seat.HUMAN and people > 1:
        return "by hand"
    if seat is Seat.REMOTE and (name := game.player(side)):
        rating = game.rating(side)
        return sanitized(name) if rating is None else f"{sanitized(name)} {rating}"
    if all(game.seat(each) is Seat.REMOTE for each in Side):
        return ""  # a spectator has no opponent
    return _HERE[seat]


def own_side(game: Game) -> Side | None:
    """The side played here against somebody elsewhere; None if there is none."""
    here = [side for side in Side if game.seat(side) is not Seat.REMOTE]
    return here[0] if len(here) == 1 else None


def person_on_turn(game: Game) -> bool:
    """Whether a person here acts next."""
    return game.outcome is None and game.seat(game.acting_side) is Seat.HUMAN


def may_move(game: Game) -> bool:
    """Whether a person here is to make a move now."""
    return person_on_turn(game) and game.draw_offered_by is None


def moved_text(event: Moved, names: tuple[str, str]) -> str:
    """A sentence about a move: ``Red plays a7a5 and takes 2.``."""
    other = event.side.opponent
    taken = event.before.counts[other] - event.before.play(event.move).counts[other]
    said = f"plays {event.move}" if event.move.squares else "passes"
    return f"{names[event.side]} {said}" + (f" and takes {taken}." if taken > 0 else ".")


def begun_text(names: tuple[str, str], side: Side | None) -> str:
    """A sentence about a new game; `side` is ours, or None if nobody here plays."""
    ours = "" if side is None else f"; you play {names[side]}"
    return f"A new game begins{ours}."


def asked_text(names: tuple[str, str], event: Asked) -> str:
    """A sentence about a request: ``Red asks to take a move back.``."""
    return f"{names[event.side]} asks {WISHES[event.what]}."


def claim_warning_text(left_s: float) -> str:
    """A sentence to a player whose silence may be claimed in `left_s` seconds, or already."""
    return f"Move {format_deadline(left_s * 1000)}, or your opponent may claim the game."


def rejected_text(names: tuple[str, str], side: Side) -> str:
    """A sentence about a draw offer that `side` rejects."""
    return f"{names[side]} rejects the draw; {names[side.opponent]} must move."


def draw_text(names: tuple[str, str], side: Side, own: Side | None) -> str:
    """A sentence about a draw offer by `side`; `own` is the reader's side, if any."""
    if side is own:
        return f"Your offer of a draw waits for {names[side.opponent]}'s answer."
    return f"{names[side]} offers a draw."
