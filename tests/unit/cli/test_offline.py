"""Offline play from an open input to an exit code, on real files and terminals."""

import os
import pty
import threading
from pathlib import Path

from ataxxd.cli.screen import play_offline
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import Terminal
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.playing import RED, START_DUMP, local_table


def test_a_file_of_commands_is_answered_into_files(tmp_path: Path) -> None:
    script = tmp_path / "in"
    script.write_text("dump\nbogus\n")
    with (
        script.open() as reader,
        (tmp_path / "out").open("w") as output,
        (tmp_path / "err").open("w") as errors,
    ):
        code = play_offline(
            local_table(),
            inputs=[reader],
            output=output,
            errors=errors,
            options=SessionOptions(),
        )
    assert code == 0
    assert (tmp_path / "out").read_text() == START_DUMP
    assert (tmp_path / "err").read_text().startswith('Error: "bogus"')


def on_a_terminal(typed: str, *, friendly: bool) -> str:
    """What a person sees who types all this at once; ends when the program does."""
    here, there = pty.openpty()
    seen = bytearray()

    def watch() -> None:
        try:
            while chunk := os.read(here, 4096):
                seen.extend(chunk)
        except OSError:
            pass  # the other end of the terminal is closed

    watching = threading.Thread(target=watch)
    watching.start()
    with (
        os.fdopen(there, "w", encoding="utf-8") as screen,
        os.fdopen(there, "r", closefd=False) as keyboard,
    ):
        os.write(here, typed.encode())
        terminal = Terminal.of(screen, {"TERM": "xterm"}) if friendly else None
        table = local_table(seats={RED: Seat.HUMAN})
        code = play_offline(
            table,
            inputs=[keyboard],
            output=screen,
            errors=screen,
            options=SessionOptions(prompts=True),
            terminal=terminal,
        )
    watching.join()
    os.close(here)
    assert code == 0
    return seen.decode()


def test_the_line_language_on_a_terminal_prompts_with_a_colon() -> None:
    seen = on_a_terminal("a7-b6\nquit\n", friendly=False)
    assert "Red: " in seen
    assert seen.rstrip().endswith("Blue:")


def test_the_friendly_mode_on_a_terminal_draws_boards_in_colour() -> None:
    seen = on_a_terminal("a7\na7-b6\nq\n", friendly=True)
    assert "\x1b[1;31m●\x1b[0m" in seen
    assert "grow onto a6, b6, b7" in seen
    assert "Red plays b6." in seen


def test_the_end_of_input_on_a_terminal_leaves_the_cursor_on_a_new_line() -> None:
    assert on_a_terminal("\x04", friendly=False).endswith("Red: \r\n")
