"""What stands beside the board: the players, whose turn it is, and the moves."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ataxxd.node.control import Game, Seat
from ataxxd.rules import Side
from ataxxd.sanitize import sanitized
from ataxxd.wording import counted
from ataxxd_clients.labels import clock_text, move_name, who_plays
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.tui.browsing import Browser, Played
from ataxxd_clients.tui.pieces import SIGN, Painter

_BAR = 20
# Columns of the panel in the smallest terminal.
_NARROW = 31
# Of them, those that a side and its pieces take.
_COUNTED = 16


class MoveList(OptionList):
    """The moves of the game, to go back to with the arrow keys or the mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.live", show=False)]

    class Looked(Message):
        """A position was chosen: the one after so many moves."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self) -> None:
        super().__init__(id="moves", compact=True, markup=False)
        self._shown: list[str] = []
        self._ply = 0

    def follow(
        self, browser: Browser, language: LineLanguage, notes: Sequence[str] | None = None
    ) -> None:
        """Show the moves, and which of them is looked at.

        Args:
            browser: the moves.
            language: their words.
            notes: what is said beside each.
        """
        said = [""] * len(browser.played) if notes is None else notes
        lines = [
            f"{_line(played, language):17} {note}".rstrip()
            for played, note in zip(browser.played, said, strict=True)
        ]
        for index, (old, new) in enumerate(zip(self._shown, lines, strict=False)):
            if old != new:
                self.replace_option_prompt_at_index(index, new)
        for index in range(len(self._shown) - 1, len(lines) - 1, -1):
            self.remove_option_at_index(index)
        self.add_options([Option(line) for line in lines[len(self._shown) :]])
        self._shown = lines
        self._ply = browser.ply
        self.highlighted = browser.ply - 1 if browser.ply else None

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say which position is wanted, unless it is shown already."""
        event.stop()
        # What was queued before the list changed says nothing of what a person wants.
        if self.highlighted == event.option_index and event.option_index + 1 != self._ply:
            self.post_message(self.Looked(event.option_index + 1))


def _line(played: Played, language: LineLanguage) -> str:
    return f"{played.ply:3}. {language.names[played.before.turn]:5} {move_name(played.move)}"


def summary(
    game: Game,
    browser: Browser,
    language: LineLanguage,
    painter: Painter,
    result: str,
    advice: tuple[str, float] | None,
) -> Content:
    """Players, counts, turn, last move and connection, in at most ten lines.

    Args:
        game: the game.
        browser: which of its positions is looked at.
        language: its words.
        painter: its pieces.
        result: how the game ended; empty while it goes on.
        advice: an evaluation in words and as the first side's share; None for none.
    """
    position = browser.position
    parts: list[str | tuple[str, str]] = []
    acting = game.acting_side if game.outcome is None else None
    ground = painter.set.grounds[0]
    for side, sign in zip(Side, "xo", strict=True):
        arrow = ">" if side is acting else " "
        parts += [
            f"{arrow} ",
            (f" {painter.piece(sign)} ", f"bold {painter.set.pieces[side]} on {ground}"),
            (f" {language.names[side]:5} {position.counts[side]:2}", "bold"),
            f"  {_beside(clock_text(game, side), who_plays(game, side))}\n",
        ]
    parts.append(_turn(game, browser, language, result) + "\n")
    if browser.last is not None:
        name = language.names[browser.last.before.turn]
        parts.append(f"Last: {name} {move_name(browser.last.move)}\n")
    if advice is not None:
        text, first = advice
        parts += [*bar(first, painter), f" {text}\n"]
    if (broker := game.broker) is not None:
        parts += _link(game, broker)
    return Content.assemble(*parts)


def _beside(clock: str, who: str) -> str:
    """What a side has left and who plays it, below each other where one line is too short."""
    clock = clock and f"{clock}  "
    fits = _COUNTED + len(clock) + len(who) <= _NARROW
    return f"{clock}{who}" if fits else f"{clock.rstrip()}\n     {who[: _NARROW - 5]}"


def _link(game: Game, broker: str) -> Sequence[str | tuple[str, str]]:
    """Whether there is a connection, to what, and how much of the game is proved."""
    verified = f"Verified: {counted(game.verified, 'message')}\n"
    if game.outcome is not None:
        return [verified]
    state = "Connected" if game.connected else "No connection"
    style = "" if game.connected else f"bold {SIGN}"
    # An address of which a part is missing leads nowhere: it has a line of its own where it must.
    address = sanitized(broker)
    between = " " if len(state) + 2 + len(address) <= _NARROW else "\n"
    return [(f"{state}:{between}{address}\n", style), verified]


def request(game: Game, language: LineLanguage, *, can_move: bool) -> str:
    """What is asked of the person in a game now, in a few words.

    Args:
        game: the game.
        language: its words.
        can_move: whether there is more to do than to pass.
    """
    if game.outcome is not None:
        can, again = game.can, "quit?"
        if "new" in can:
            again = "new, undo, or quit?"
        elif "rematch" in can:
            again = "rematch, or quit?"
        return f"The game is over. {again}"
    side = game.acting_side
    name = language.names[side]
    if game.seat(side) is not Seat.HUMAN:
        return f"{name} is to move"
    if game.draw_offered_by is not None:
        return f"{name}: accept or reject?"
    if not can_move:
        return f"{name} can only pass: Enter, or type -"
    return f"{name} to move"


def _turn(game: Game, browser: Browser, language: LineLanguage, result: str) -> str:
    if not browser.is_live:
        return f"Looking back: {browser.ply} of {len(browser.played)}. End: live"
    if result:
        return result
    side = game.acting_side
    turn = language.turn_text(game.position, len(game.moves))
    yours = [each for each in Side if game.seat(each) is Seat.HUMAN] == [side]
    return f"{turn}: {'you are' if yours else f'{language.names[side]} is'} to move"


def bar(first: float, painter: Painter) -> Sequence[tuple[str, str]]:
    """Two shares of a bar; told apart by their signs where colours are not."""
    length = round(first * _BAR)
    signs = "#-" if painter.ascii else "█░"
    one, other = painter.set.pieces
    ground = painter.set.grounds[0]
    return [
        (signs[0] * length, f"{one} on {ground}"),
        (signs[1] * (_BAR - length), f"{other} on {ground}"),
    ]
