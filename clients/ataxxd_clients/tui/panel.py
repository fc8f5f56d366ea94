"""The panel beside the board: the players, whose turn it is, and the moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, Side
from ataxxd.sanitize import sanitized
from ataxxd.session.events import Seat
from ataxxd.wording import counted
from ataxxd_clients.labels import clock_text, move_name, who_plays
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.tui.board import SIGN, Painter


@dataclass(frozen=True, slots=True)
class Played:
    """One move of the game that is looked at.

    Attributes:
        ply: its number, from 1.
        move: the move.
        before: where it was played.
        after: where it led.
    """

    ply: int
    move: Move
    before: Position
    after: Position


class Browser:
    """The moves of a game, and how far back one looks.

    Attributes:
        played: the moves in order.
    """

    def __init__(self, start: Position, moves: Sequence[Move] = ()) -> None:
        self._start = start
        self.played: list[Played] = []
        self._shown: int | None = None
        self.follow(start, moves)

    def follow(self, start: Position, moves: Sequence[Move]) -> None:
        """Take over the moves of the game as it is now; one who looks back goes on doing so."""
        if start != self._start:
            self._start, self.played, self._shown = start, [], None
        same = 0
        for known, move in zip(self.played, moves, strict=False):
            if known.move != move:
                break
            same += 1
        del self.played[same:]
        for move in moves[same:]:
            before = self.live
            self.played.append(Played(len(self.played) + 1, move, before, before.play(move)))
        if self._shown is not None and self._shown >= len(self.played):
            self._shown = None

    @property
    def live(self) -> Position:
        """The newest position."""
        return self.played[-1].after if self.played else self._start

    @property
    def ply(self) -> int:
        """How many moves led to the position that is shown."""
        return len(self.played) if self._shown is None else self._shown

    @property
    def is_live(self) -> bool:
        """Whether the newest position is shown."""
        return self._shown is None

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.last.after if self.last is not None else self._start

    @property
    def last(self) -> Played | None:
        """The move that led to it; None at the start."""
        return self.played[self.ply - 1] if self.ply else None

    def go(self, ply: int) -> None:
        """Show the position after so many moves; the nearest there is."""
        ply = max(ply, 0)
        self._shown = None if ply >= len(self.played) else ply


_BAR = 20
# Columns of the panel in the smallest terminal.
_NARROW = 31
# Of them, those that a side and its pieces take.
_COUNTED = 16


class Looked(Message):
    """A position was chosen: the one after so many moves."""

    def __init__(self, ply: int) -> None:
        super().__init__()
        self.ply = ply


class MoveList(OptionList):
    """The moves of the game, to go back to with the arrow keys or the mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.live", show=False)]

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
            self.post_message(Looked(event.option_index + 1))


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
        offered = game.draw_offered_by is not None
        return f"{name} must answer the offer of a draw" if offered else f"{name} is to move"
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
    if game.draw_offered_by is not None:
        return f"{turn}: {'you' if yours else language.names[side]} must answer"
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
