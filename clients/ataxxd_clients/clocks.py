"""What the clocks of a game show, as every user interface writes it."""

from ataxxd.node.control import Game
from ataxxd.rules import Side


def clock_text(table: Game, side: Side) -> str:
    """What a side has left, such as ``4:59`` or ``1:04:59``; empty where there are no clocks."""
    return time_text(table.remaining_ms(side))


def time_text(left_ms: int | None) -> str:
    """The same of so many milliseconds."""
    if left_ms is None:
        return ""
    minutes, seconds = divmod(left_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
