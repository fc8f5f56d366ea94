"""Who plays a side, in words: the same in text, in the terminal UI and in the page."""

from ataxxd.node.control import Game, Seat
from ataxxd.rules import Side
from ataxxd.sanitize import sanitized

_HERE = {Seat.HUMAN: "you", Seat.AUTO: "the machine", Seat.REMOTE: "your opponent"}


def who_plays(table: Game, side: Side) -> str:
    """Who has the seat of a side: ``you``, ``the machine``, or ``ana (k7fq-3xa2)``.

    Empty for whoever watches, as long as nobody is known to have it.
    """
    seat = table.seat(side)
    people = sum(table.seat(each) is Seat.HUMAN for each in Side)
    if seat is Seat.HUMAN and people > 1:
        return "by hand"
    if seat is Seat.REMOTE and (name := table.player(side)):
        return sanitized(name)
    if all(table.seat(each) is Seat.REMOTE for each in Side):
        return ""  # whoever watches has no opponent
    return _HERE[seat]


def own_side(table: Game) -> Side | None:
    """The side that is played here against somebody elsewhere; None where there is no such."""
    here = [side for side in Side if table.seat(side) is not Seat.REMOTE]
    return here[0] if len(here) == 1 else None
