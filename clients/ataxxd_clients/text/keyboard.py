"""What a person types with, or a program: the lines that come in, and the output beside them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ataxxd_clients.text.output import Output
from ataxxd_clients.text.source import DescriptorLines, InTurn, LineSource
from ataxxd_clients.text.terminal import Terminal


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
        yield lines, Output(writer, errors)
    finally:
        for each in descriptors:
            each.close()
