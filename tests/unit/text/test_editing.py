"""What the line editor remembers and offers, and who does without it."""

import subprocess
import sys
from pathlib import Path

import pytest

from ataxxd.session.events import Seat
from ataxxd_clients.text.console import Output, Terminal
from ataxxd_clients.text.editing import LineHistory
from ataxxd_clients.text.friendly import FriendlySession
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import RED, local_table
from tests.unit.text.script_lines import ScriptLines


def offered(
    typed: str,
    *,
    ruleset: str = "ataxx/cs61b-2022",
    position: str | None = None,
    begun: tuple[str, ...] = (),
) -> list[str]:
    """The moves offered, without the commands."""
    table = local_table(position, ruleset=ruleset, seats={RED: Seat.HUMAN})
    output = Output(sys.stdout, sys.stderr)
    language = line_language(ruleset)
    session = FriendlySession(
        table, language, ScriptLines([]), output, SessionOptions(), Terminal()
    )
    session.set_entered(begun)
    names = {command.name for command in session.commands}
    return [line for line in session.completions(typed) if line.split(" ")[0] not in names]


def of_captures(typed: str, begun: tuple[str, ...] = ()) -> list[str]:
    """The same where a jump over one man goes on over one of two others."""
    position = "B:W18,25,26:B15,7"
    return offered(typed, ruleset="checkers/cs61b-2004", position=position, begun=begun)


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("", ["a7", "g1"]),
        ("G", ["g1"]),
        ("a7-b", ["a7-b5", "a7-b6", "a7-b7"]),
        ("a7-b6", ["a7-b6"]),
        ("d", []),
    ],
)
def test_moves_are_offered_square_by_square(typed: str, lines: list[str]) -> None:
    assert offered(typed) == lines


def test_of_a_move_that_is_half_entered_the_rest_is_offered() -> None:
    assert offered("b", begun=("a7",)) == ["b5", "b6", "b7"]
    assert of_captures("", begun=("15", "22")) == ["29", "31"]


def test_captures_are_offered_to_their_next_square() -> None:
    assert of_captures("15-") == ["15-22"]
    assert of_captures("15-22-") == ["15-22-29", "15-22-31"]


def test_who_can_only_pass_is_offered_that() -> None:
    assert offered("", position="xoooooo/ooooooo/ooooooo/7/7/7/7 x 0 1") == ["pass"]
    assert offered("", ruleset="reversi/standard") == ["c4", "d3", "e6", "f5"]


def test_commands_are_offered_with_the_sides_that_they_ask_for() -> None:
    table = local_table()
    output = Output(sys.stdout, sys.stderr)
    language = line_language("ataxx/cs61b-2022")
    session = FriendlySession(
        table, language, ScriptLines([]), output, SessionOptions(), Terminal()
    )
    assert list(session.completions("au")) == ["auto "]
    assert list(session.completions("auto ")) == ["auto red", "auto blue"]
    assert list(session.completions("res")) == ["resign"]


def test_on_the_other_sides_turn_no_move_is_offered() -> None:
    _, blue = linked_tables(local_table().position)
    output = Output(sys.stdout, sys.stderr)
    language = line_language("ataxx/cs61b-2022")
    session = FriendlySession(blue, language, ScriptLines([]), output, SessionOptions(), Terminal())
    assert list(session.completions("a")) == []


def test_the_history_is_kept_in_order_and_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "typed" / "ataxx.txt"
    history = LineHistory(path)
    for number in range(1500):
        history.store_string(f"say {number}")
    history.store_string("  ")
    assert [*LineHistory(path).load_history_strings()][:2] == ["say 1499", "say 1498"]
    assert len(path.read_text().splitlines()) == 500


def test_a_history_that_cannot_be_kept_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "typed").write_text("a file where a folder should be")
    history = LineHistory(tmp_path / "typed" / "ataxx.txt")
    history.store_string("a7-b6")
    assert [*history.load_history_strings()] == []


def test_a_program_at_a_pipe_does_not_wait_for_the_editor_to_load() -> None:
    script = (
        "import sys; from ataxxd.__main__ import main\n"
        "try: main()\n"
        "finally: print('prompt_toolkit' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "play"], input=b"quit\n", capture_output=True, check=False
    )
    assert done.stderr.decode().splitlines()[-1] == "False"
