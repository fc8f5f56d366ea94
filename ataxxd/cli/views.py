"""How a watched game is shown: as lines of JSON, as lines of text, or as a live board."""

import json
import sys
from typing import Protocol, TypeAlias

from ataxxd.cli.endings import result_text, standing_text
from ataxxd.cli.say import say, tell
from ataxxd.cli.watch_lines import line_of
from ataxxd.node.ledger_game import player_of
from ataxxd.node.names import NameBook
from ataxxd.node.runtime import RuntimeEvent
from ataxxd.rules import Position, Side
from ataxxd.session.events import (
    Begun,
    Closed,
    DrawAsked,
    DrawRefused,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    Said,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.wording import sentence
from ataxxd_clients.labels import time_text
from ataxxd_clients.text.console import Terminal
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.grid import Brush, draw
from ataxxd_clients.text.language import side_names

Shown: TypeAlias = RuntimeEvent


class View(Protocol):
    """Shows the events of one game, in order."""

    def show(self, event: Shown, ledger: Ledger) -> None:
        """Show `event`; `ledger` is the game after it."""
        ...


class JsonView:
    """One JSON object a line; docs/reference/watch-json.md describes them."""

    def show(self, event: Shown, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        line = line_of(event, ledger)
        if line is not None:
            # ASCII alone: a reader in any locale has it as it was written.
            tell(json.dumps(line.model_dump(exclude_none=True)))


class TextView:
    """One line a move, and the board at the end.

    Args:
        names: the nicknames that are known here.
    """

    def __init__(self, names: NameBook | None = None) -> None:
        self._names = names

    def show(self, event: Shown, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        match event:
            case Moved(side, move, before, _, ply):
                name = side_names(before.ruleset)[side]
                counts = _counts(before.play(move))
                left = _clock(ledger, side, ply)
                tell(f"{ply:4}. {name:5} {move!s:6} {counts}" + (f"   {left} left" if left else ""))
            case Over():
                tell("\n".join(_board(ledger.position)))
                tell(result_text(ledger))
            case _:
                _tell(event, ledger, self._names)


class LiveView:
    """The board on a terminal, drawn after every move.

    Args:
        names: the nicknames that are known here.
        ascii_only: use no signs beyond ASCII, whatever the terminal could show.
        note: stands below every board.
        scrolls: boards stand below each other, with what is said between them.
    """

    def __init__(
        self,
        names: NameBook | None = None,
        *,
        ascii_only: bool = False,
        note: str = "",
        scrolls: bool = False,
    ) -> None:
        self._names = names
        self._ascii = ascii_only
        self._note = note
        self._start = "\n" if scrolls else "\x1b[H\x1b[2J"

    def show(self, event: Shown, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        match event:
            case Moved():
                self._draw(event, ledger)
            case Over():
                tell(result_text(ledger))
            case _:
                _tell(event, ledger, self._names)

    def _draw(self, event: Moved, ledger: Ledger) -> None:
        position = event.before.play(event.move)
        language = line_language(position.ruleset)
        board = draw(
            position,
            Brush(Terminal.of(sys.stdout, ascii_only=self._ascii), language.names),
            last=event.move,
            beside=self._players(ledger, language.names, event.ply),
        )
        # Colours of our own making: `tell` would not let them through.
        sys.stdout.write(self._start + "".join(f"{line}\n" for line in board))
        said = f"played {event.move}" if event.move.squares else "passed"
        tell(f"\n{event.ply}. {language.names[event.side]} {said}.   {_counts(position)}")
        if self._note:
            tell(self._note)

    def _players(self, ledger: Ledger, names: tuple[str, str], ply: int) -> list[str]:
        players = [player_of(ledger, side, self._names) for side in Side]
        clocks = [_clock(ledger, side, ply) for side in Side]
        longest, latest = max(map(len, players)), max(map(len, clocks))
        return [
            f"{name:5}  {player:{longest}}  {clock:>{latest}}".rstrip()
            for name, player, clock in zip(names, players, clocks, strict=True)
        ]


def _tell(event: Shown, ledger: Ledger, names: NameBook | None) -> None:
    red, blue = side_names(ledger.offer.ruleset)
    match event:
        case Started():
            first, second = (player_of(ledger, side, names) for side in Side)
            say(f"{red} is {first}, {blue} is {second}.")
        case Named(Side() as side, name):
            say(f"{(red, blue)[side]} is {name}.")
        case DrawAsked(side):
            say(f"{(red, blue)[side]} offers a draw.")
        case TakenBack(moves):
            say(f"Taken back: {', '.join(move.text for move in moves)}.")
        case Said(side, text):
            say(f"{(red, blue)[side]}: {text}")
        case DrawRefused(side):
            say(f"{(red, blue)[side]} rejects the draw.")
        case Closed(standing):
            say(standing_text(standing))
        case Overheard(speaker, text):
            say(f"{speaker}: {text}")
        case Begun():
            say("A rematch begins.")
        case Notice(text):
            say(f"[{sentence(text)}]")
        case _:
            pass


def _clock(ledger: Ledger, side: Side, ply: int) -> str:
    """What a side has left after a move; empty where there are no clocks, or more moves since."""
    if ply < len(ledger.moves):
        return ""
    return time_text(ledger.clock_ms(ledger.role_playing(side), 0))


def _board(position: Position) -> list[str]:
    return list(line_language(position.ruleset).board(position))


def _counts(position: Position) -> str:
    names = side_names(position.ruleset)
    return ", ".join(f"{name} {count}" for name, count in zip(names, position.counts, strict=True))
