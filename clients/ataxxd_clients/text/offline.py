"""Offline play of a line language, from an open input to an exit code."""

import asyncio
from typing import TextIO

from ataxxd.node.control import EditableTable
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.output import Output
from ataxxd_clients.text.session import Options, run_line_language
from ataxxd_clients.text.source import DescriptorLines, LineSource, LoggedLines
from ataxxd_clients.text.terminal import Terminal


def play_offline(
    table: EditableTable,
    *,
    input: TextIO,  # noqa: A002 -- as subprocess and print name theirs
    output: TextIO,
    errors: TextIO,
    options: Options | None = None,
    terminal: Terminal | None = None,
    log: TextIO | None = None,
) -> int:
    """Play at an offline table by its game's line language; returns the exit code.

    Args:
        table: the table; nothing else may use it meanwhile.
        input: an open file, pipe or terminal, of which nothing has been read yet.
        output: where the language's own lines go.
        errors: where everything else goes.
        options: see `Options`.
        terminal: what the terminal behind `output` can show, for the friendly mode; None for
            the line language itself.
        log: gets every command and move that is entered.
    """

    async def play() -> int:
        descriptor = DescriptorLines(input.fileno())
        source: LineSource = descriptor if log is None else LoggedLines(descriptor, log)
        language = line_language(table.position.ruleset)
        try:
            speaker = Output(output, errors)
            if terminal is not None:
                return await run_friendly(table, language, source, speaker, terminal, options)
            return await run_line_language(table, language, source, speaker, options)
        finally:
            descriptor.close()

    return asyncio.run(play())
