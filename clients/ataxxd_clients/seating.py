"""Who plays a side, in words: the same in text, in the terminal UI and in the page."""

from ataxxd.node.control import Game, Seat
from ataxxd.rules import Side
from ataxxd.sanitize import sanitized

_HERE = {Seat.HUMAN: "you", Seat.AUTO: "the machine", Seat.REMOTE: "your opponent"}


def who_plays(game: Game, side: Side) -> str:
    """Who has the seat of a side: ``you``, ``the machine``, or ``ana (k7fq-3xa2)``.

    Empty for whoever watches, as long as nobody is known to have it.
    """
    seat = game.seat(side)
    people = sum(game.seat(each) is Seat.HUMAN for each in Side)
    if seat is Seat.HUMAN and people > 1:
        return "by hand"
    if seat is Seat.REMOTE and (name := game.player(side)):
        return sanitized(name)
    if all(game.seat(each) is Seat.REMOTE for each in Side):
        return ""  # whoever watches has no opponent
    return _HERE[seat]


def own_side(game: Game) -> Side | None:
    """The side that is played here against somebody elsewhere; None where there is no such."""
    here = [side for side in Side if game.seat(side) is not Seat.REMOTE]
    return here[0] if len(here) == 1 else None
