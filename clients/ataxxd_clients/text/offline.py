"""Offline play of a line language, from an open input to an exit code."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from ataxxd.node.control import Game
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.keyboard import at_keyboard
from ataxxd_clients.text.session import Options, run_line_language
from ataxxd_clients.text.source import LoggedLines
from ataxxd_clients.text.terminal import Terminal


def play_offline(
    game: Game,
    *,
    inputs: Sequence[TextIO],
    output: TextIO,
    errors: TextIO,
    options: Options | None = None,
    terminal: Terminal | None = None,
    history: Path | None = None,
    log: TextIO | None = None,
) -> int:
    """Play an offline game by its line language; returns the exit code.

    Args:
        game: the game; nothing else may use it meanwhile.
        inputs: open files, pipes or a terminal, of which nothing has been read yet; they are read
            one after the other.
        output: where the language's own lines go.
        errors: where everything else goes.
        options: see `Options`.
        terminal: what the terminal behind `output` can show, for the friendly mode; None for
            the line language itself.
        history: keeps what is typed in the friendly mode, from one game to the next.
        log: gets every command and move that is entered.
    """

    async def play() -> int:
        language = line_language(game.position.ruleset)
        with at_keyboard(inputs, output, errors, terminal, history) as (lines, speaker):
            source = lines if log is None else LoggedLines(lines, log)
            if terminal is not None:
                return await run_friendly(game, language, source, speaker, terminal, options)
            return await run_line_language(game, language, source, speaker, options)

    return asyncio.run(play())
