"""`ataxxd study` in a real terminal, and what it says where it cannot be shown."""

import json
import sys
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import verify_record
from tests.docs.pages import ROOT
from tests.e2e.nodes import Nodes
from tests.e2e.terminals import in_terminal


@pytest.mark.gate
def test_a_game_is_stepped_through_and_the_terminal_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "game.f5d6"
    file.write_text("f5d6c3d3c4\n")
    with in_terminal(["study", str(file)]) as terminal:
        terminal.read_until("F1 is help")
        terminal.type(b"\x1b[6~\x1b[6~")
        terminal.read_until("Move 2 of 5")
        terminal.type(b"c4\r")
        terminal.read_until("in a variation")
        terminal.type(f"save {tmp_path / 'again.ggf'}\r".encode())
        terminal.read_until("as ggf")
        terminal.type(b"\x11")
        assert terminal.wait() == ExitCode.OK
        assert terminal.settings == terminal.before
        assert b"\x1b[?1049l" in terminal.output
    assert "B[f5]W[d6]" in (tmp_path / "again.ggf").read_text()


def test_a_game_from_standard_input_leaves_the_keyboard_to_the_person() -> None:
    pipe = f"printf f5d6c3 | {sys.executable} -m ataxxd study - --from moves"
    with in_terminal([], program=("/bin/sh", "-c", pipe)) as terminal:
        terminal.read_until("Move 0 of 3")
        terminal.type(b"\x1b[F")
        terminal.read_until("Move 3 of 3")
        terminal.type(b"\x11")
        assert terminal.wait() == ExitCode.OK


def test_a_signed_record_is_verified_and_shown_with_its_result(tmp_path: Path) -> None:
    vectors = json.loads((ROOT / "protocol" / "vectors" / "records.json").read_text())
    record = tmp_path / "game.json"
    record.write_text(vectors["valid"][0]["record"])
    moves = len(verify_record(record.read_bytes()).ledger.moves)
    with in_terminal(["study", str(record)]) as terminal:
        terminal.read_until(f"Move 0 of {moves}")
        terminal.type(b"\x11")
        assert terminal.wait() == ExitCode.OK
    record.write_text(vectors["broken"][0]["record"])
    with in_terminal(["study", str(record)]) as terminal:
        assert terminal.wait() == ExitCode.VERIFICATION_FAILED


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "ataxxd: study draws on a terminal: standard input and standard error must lead to "),
        ((), "Or study in the browser: add --display."),
        (("--tui",), "--tui draws on a terminal"),
        (("--tui", "--display"), "choose one"),
        (("--ascii", "--display"), "--ascii is for boards in a terminal"),
        (("--position", "nonsense"), "nonsense"),
        (("missing.pgn",), "missing.pgn cannot be read"),
        (("evening",), "write it to a file first: ataxxd archive evening --export"),
        (("game.xyz",), "Name the format: --from FORMAT"),
        (("game.pgn", "--game", "loa"), "leave out --game"),
        (("--from", "pgn"), "no FILE is named"),
    ],
)
async def test_what_cannot_be_studied_is_explained(
    arguments: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, None)
    missing = arguments[:1] in (("missing.pgn",), ("evening",))
    code = ExitCode.STORAGE if missing else ExitCode.USAGE
    refused = await nodes.node("me").run("study", *arguments, code=code)
    assert expected in str(refused.err)
    await nodes.close()
