"""Play by text from start to end: what a person or a program types with, and offline games."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ataxxd.node.game import Game
from ataxxd_clients.text.console import (
    DescriptorLines,
    InTurn,
    LineSource,
    LoggedLines,
    Output,
    Terminal,
)
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import Options, run_line_language


@contextmanager
def at_keyboard(
    readers: Sequence[TextIO],
    writer: TextIO,
    errors: TextIO,
    terminal: Terminal | None,
    history: Path | None = None,
) -> Iterator[tuple[LineSource, Output]]:
    """The lines that are read, with an editor where the terminal can show one.

    Args:
        readers: open files, pipes or a terminal, of which nothing has been read yet; they are
            read one after the other.
        writer: where a session speaks.
        errors: where everything else goes.
        terminal: what the terminal can show; None for the line language, which has no editor.
        history: keeps what is typed with the editor.
    """
    if terminal is not None and terminal.cursor and len(readers) == 1:
        # Only now: it takes a moment to load, which no program at a pipe should wait for.
        from ataxxd_clients.text.editing import EditedOutput, Editor  # noqa: PLC0415 - needs prompt_toolkit, slow to load

        editor = Editor(readers[0], writer, history)
        yield editor, EditedOutput(writer, errors, editor)
        return
    descriptors = [DescriptorLines(each.fileno()) for each in readers]
    lines = descriptors[0] if len(descriptors) == 1 else InTurn(descriptors)
    try:
        yield lines, Output(writer, errors, folds=terminal is not None)
    finally:
        for each in descriptors:
            each.close()


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
