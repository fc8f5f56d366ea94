"""Who reads the output of a game: a person at a terminal, a program at a pipe, or nobody."""

import asyncio
import io
import os
import select
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from ataxxd.cli.options import obstacle_to_tui
from ataxxd.cli.output import print_message
from ataxxd.node.game import Game
from ataxxd.node.settings import Settings
from ataxxd.rules import Side
from ataxxd.session.events import Seat
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.console import LineSource, LoggedLines, Output, Terminal
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.keyboard import at_keyboard
from ataxxd_clients.text.session import SessionOptions, run_line_language


async def show_in_browser(
    game: Game,
    *,
    title: str = "",
    log: TextIO | None = None,
    invitation: Invitation | None = None,
) -> int:
    """Show a game in the browser until somebody leaves it there.

    Args:
        game: the game; see `ataxxd_clients.web.server.show_game`.
        title: the game's name; empty if it has none.
        log: the file to write each command and move to, one per line; None to write none.
        invitation: the invitation for others; None if nobody can join.

    Returns:
        The exit code.
    """
    from ataxxd_clients.web.server import show_game

    def write(line: str) -> None:
        if log is not None:
            log.write(line + "\n")
            log.flush()

    await show_game(game, print_line=print_message, title=title, log=write, invitation=invitation)
    return 0


async def show_tui(
    game: Game, *, log: TextIO | None = None, news: str = "", ascii_only: bool
) -> int:
    """Show a game in the terminal UI until the person leaves it; returns the exit code."""
    from ataxxd_clients.tui.app import run_tui  # Textual takes its time to load

    return await run_tui(game, log=log, news=news, ascii_only=ascii_only)


# Seconds: the input of a script may end while the other side is still thinking.
_PATIENCE_S = 30.0


class SilentInput:
    """The input of a seat that the engine plays: it says nothing and never ends."""

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line."""
        return False

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input."""
        await asyncio.Event().wait()
        return None

    async def wait_until_closed(self) -> None:
        """Never return, as no input ever ends."""
        await asyncio.Event().wait()


async def play_at_terminal(game: Game, settings: Settings, *, news: str, history: Path) -> int:
    """Play a network game until it is over or the input ends.

    On a terminal this is the friendly mode; on a pipe, or with ``--line``, the line language. If
    the engine plays, the input is not read, and the moves are printed.

    Args:
        game: the game.
        settings: the settings of the seat. The terminal UI is shown until the person leaves it.
        news: what has just happened, in words.
        history: the file for the lines typed in the friendly mode.

    Returns:
        The exit code of the input: 0, or 1 after the first error with ``--strict``.
    """
    line, ascii_only = settings.text, settings.ascii_only
    if should_show_tui(settings):
        return await show_tui(game, news=news, ascii_only=ascii_only)
    if all(game.seat(side) is not Seat.HUMAN for side in Side):
        terminal = terminal_of(None, sys.stdout, line=line, ascii_only=ascii_only)
        # If the transcript will be printed, do not print each move too.
        silent = terminal is None and line_language(game.position.ruleset).tells_by_transcript
        writer = io.StringIO() if silent else sys.stdout
        output = Output(writer, sys.stderr, wraps=terminal is not None)
        return await print_game_live(game, output, terminal)
    terminal = terminal_of(sys.stdin, sys.stdout, line=line, ascii_only=ascii_only)
    options = SessionOptions(
        strict=settings.strict,
        prompts=sys.stdin.isatty(),
        patience_s=_PATIENCE_S,
        leaves_when_over=True,
    )
    with at_keyboard([sys.stdin], sys.stdout, sys.stderr, terminal, history) as (source, output):
        return await _play_in_text(game, source, output, options, terminal)


def play_offline(
    game: Game,
    *,
    inputs: Sequence[TextIO],
    output: TextIO,
    errors: TextIO,
    options: SessionOptions,
    terminal: Terminal | None = None,
    history: Path | None = None,
    log: TextIO | None = None,
) -> int:
    """Play an offline game in the line language or the friendly mode; returns the exit code.

    Args:
        game: the game; nothing else may use it meanwhile.
        inputs: open files, pipes or a terminal, of which nothing has been read yet; they are read
            one after the other.
        output: where the session prints its own lines.
        errors: where everything else is printed.
        options: the options of the session.
        terminal: what the terminal of `output` can show, for the friendly mode; None for the
            line language.
        history: the file for the lines typed in the friendly mode; None for no file.
        log: the file to write each command and move to; None to write none.
    """

    async def play() -> int:
        with at_keyboard(inputs, output, errors, terminal, history) as (lines, speaker):
            source = lines if log is None else LoggedLines(lines, log)
            return await _play_in_text(game, source, speaker, options, terminal)

    return asyncio.run(play())


async def _play_in_text(
    game: Game,
    source: LineSource,
    output: Output,
    options: SessionOptions,
    terminal: Terminal | None,
) -> int:
    """Play in the friendly mode on a terminal, and without one in the line language."""
    language = line_language(game.position.ruleset)
    if terminal is not None:
        return await run_friendly(game, language, source, output, terminal, options)
    return await run_line_language(game, language, source, output, options)


def should_show_tui(settings: Settings) -> bool:
    """Whether to show the terminal UI for a seat: it was chosen, and works on this terminal."""
    return settings.tui and obstacle_to_tui() is None


def has_ended(reader: TextIO) -> bool:
    """Whether the input has ended: the null device, a file at its end, or a closed pipe."""
    status = os.fstat(reader.fileno())
    if stat.S_ISREG(status.st_mode):
        return os.lseek(reader.fileno(), 0, os.SEEK_CUR) >= status.st_size
    if stat.S_ISFIFO(status.st_mode):
        pipe = select.poll()
        pipe.register(reader, select.POLLIN)
        return any(not event & select.POLLIN for _, event in pipe.poll(0))
    return status.st_rdev == os.stat(os.devnull).st_rdev  # noqa: PTH116 -- beside the other


def should_stay_when_over(settings: Settings, *, person: bool) -> bool:
    """Whether `play_at_terminal` or the board in the browser continues after the end of a game.

    Args:
        settings: how the seat was taken.
        person: a person has it, and not the engine.
    """
    if settings.display or should_show_tui(settings):
        return True
    return person and terminal_of(sys.stdin, sys.stdout, line=settings.text) is not None


def has_printed_end(settings: Settings, *, person: bool) -> bool:
    """Whether `play_at_terminal` prints boards line by line, and so has told how the game ended.

    Args:
        settings: how the seat was taken.
        person: a person has it, and not the engine.
    """
    reader = sys.stdin if person else None
    on_paper = not settings.display and not should_show_tui(settings)
    return on_paper and terminal_of(reader, sys.stdout, line=settings.text) is not None


async def print_game_live(game: Game, output: Output, terminal: Terminal | None = None) -> int:
    """Print the moves of a game that no person here plays, until its end.

    Args:
        game: the game.
        output: where to print them.
        terminal: the terminal, to show the board after every move; None for the line language.
    """
    options = SessionOptions(leaves_when_over=True, is_spectator=True)
    return await _play_in_text(game, SilentInput(), output, options, terminal)


def terminal_of(
    reader: TextIO | None, writer: TextIO, *, line: bool, ascii_only: bool = False
) -> Terminal | None:
    """The terminal for the friendly mode; None for pipes and files, or with `line`.

    Args:
        reader: where a person types; None if nobody does.
        writer: where the board is shown.
        line: whether the line language was chosen.
        ascii_only: use ASCII only, whatever the terminal can show.
    """
    if line or not writer.isatty() or (reader is not None and not reader.isatty()):
        return None
    return Terminal.of(writer, ascii_only=ascii_only)
