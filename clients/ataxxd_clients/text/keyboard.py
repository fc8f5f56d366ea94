"""The input and output of a session: with a line editor where the terminal can show one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ataxxd_clients.text.console import (
    ChainedLines,
    DescriptorLines,
    LineSource,
    Output,
    Terminal,
)


@contextmanager
def at_keyboard(
    readers: Sequence[TextIO],
    writer: TextIO,
    errors: TextIO,
    terminal: Terminal | None,
    history: Path | None = None,
) -> Iterator[tuple[LineSource, Output]]:
    """Open the input and output of a session, with a line editor if the terminal can show one.

    Args:
        readers: open files, pipes or a terminal, of which nothing has been read yet; they are
            read one after the other.
        writer: where the session prints its own lines.
        errors: where everything else is printed.
        terminal: what the terminal can show; None for the line language, which has no editor.
        history: the file for the lines typed with the editor; None for no file.
    """
    if terminal is not None and terminal.cursor and len(readers) == 1:
        # Imported only here: it loads slowly, and a program at a pipe should not wait for it.
        from ataxxd_clients.text.editing import EditedOutput, Editor  # noqa: PLC0415 - see above

        editor = Editor(readers[0], writer, history)
        yield editor, EditedOutput(writer, errors, editor)
        return
    descriptors = [DescriptorLines(each.fileno()) for each in readers]
    lines = descriptors[0] if len(descriptors) == 1 else ChainedLines(descriptors)
    try:
        yield lines, Output(writer, errors, wraps=terminal is not None)
    finally:
        for each in descriptors:
            each.close()
