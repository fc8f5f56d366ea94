"""Lines for people and for programs, printed by several threads."""

import io
import sys
from collections.abc import Callable

import pytest

from ataxxd.cli.output import print_message, print_result


class Writes(io.StringIO):
    """A stream that keeps each write by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[str] = []

    def write(self, text: str) -> int:
        """Keep a write, but for that of nothing, which print makes of no end of a line."""
        if text:
            self.made.append(text)
        return len(text)


@pytest.mark.parametrize(("stream", "put"), [("stderr", print_message), ("stdout", print_result)])
def test_a_line_and_its_end_are_one_write_so_that_no_other_thread_comes_between(
    stream: str, put: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = Writes()
    monkeypatch.setattr(sys, stream, writes)
    put("Open: http://127.0.0.1:4000/?ticket=x")
    assert writes.made == ["Open: http://127.0.0.1:4000/?ticket=x\n"]
