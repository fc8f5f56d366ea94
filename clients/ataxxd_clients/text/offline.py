"""Offline play of a line language, from an open input to an exit code."""

import asyncio
from collections.abc import Sequence
from typing import TextIO

from ataxxd.node.control import EditableTable
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.output import Output
from ataxxd_clients.text.session import Options, run_line_language
from ataxxd_clients.text.source import DescriptorLines, InTurn, LineSource, LoggedLines
from ataxxd_clients.text.terminal import Terminal


def play_offline(
    table: EditableTable,
    *,
    inputs: Sequence[TextIO],
    output: TextIO,
    errors: TextIO,
    options: Options | None = None,
    terminal: Terminal | None = None,
    log: TextIO | None = None,
) -> int:
    """Play at an offline table by its game's line language; returns the exit code.

    Args:
        table: the table; nothing else may use it meanwhile.
        inputs: open files, pipes or a terminal, of which nothing has been read yet; they are read
            one after the other.
        output: where the language's own lines go.
        errors: where everything else goes.
        options: see `Options`.
        terminal: what the terminal behind `output` can show, for the friendly mode; None for
            the line language itself.
        log: gets every command and move that is entered.
    """

    async def play() -> int:
        descriptors = [DescriptorLines(each.fileno()) for each in inputs]
        joined: LineSource = descriptors[0] if len(descriptors) == 1 else InTurn(descriptors)
        source: LineSource = joined if log is None else LoggedLines(joined, log)
        language = line_language(table.position.ruleset)
        try:
            speaker = Output(output, errors)
            if terminal is not None:
                return await run_friendly(table, language, source, speaker, terminal, options)
            return await run_line_language(table, language, source, speaker, options)
        finally:
            for each in descriptors:
                each.close()

    return asyncio.run(play())
