"""Endgame tables made by command: stopped, gone on with, checked, used."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ataxxd._engine import check_tables, make_tables
from ataxxd.cli import engines
from ataxxd.cli.commands.engines import TablesMakeOptions
from ataxxd.engines.tablebases import VARIABLE, count_pieces, use_own_tables
from ataxxd.errors import ExitCode, StorageError
from tests.e2e.nodes import Nodes

PAIRS = 9


class StoppedError(Exception):
    """Somebody had enough."""


def steps_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.steps")


def made(file: Path, stops_at: int = PAIRS + 1) -> None:
    def hear(made: int, pairs: int, *_: int) -> None:
        assert pairs == PAIRS
        if made >= stops_at:
            raise StoppedError

    make_tables(file, steps_of(file), 3, hear)


async def test_tables_that_were_stopped_twice_are_those_that_were_not(
    nodes: Nodes, tmp_path: Path
) -> None:
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    for at in (2, 6):
        with pytest.raises(StoppedError):
            made(stopped, at)
        assert not stopped.exists()
    made_now = await nodes.node("maker").run("tables", "make", stopped, "--pieces", "3")
    assert f"export {VARIABLE}={stopped}" in str(made_now.err)
    assert "9 of 9 pairs" in str(made_now.err)
    await nodes.node("maker").run("tables", "make", whole, "--pieces", "3")
    assert stopped.read_bytes() == whole.read_bytes()
    assert not steps_of(whole).exists()
    assert not steps_of(stopped).exists()
    checked = await nodes.node("maker").run("tables", "check", whole)
    assert "whole, up to 3 pieces" in str(checked.out)


@pytest.mark.gate
async def test_without_a_file_they_are_in_the_folder_of_the_node(nodes: Nodes) -> None:
    maker = nodes.node("maker")
    await maker.run("tables", "make", "--pieces", "2")
    assert check_tables(maker.home / "tables" / "checkers-2.tables") == 2
    missing = await maker.run("tables", "check", code=ExitCode.STORAGE)
    assert "ataxxd tables make" in str(missing.err)


async def test_ctrl_c_stops_the_work_and_keeps_what_is_finished(
    nodes: Nodes, tmp_path: Path
) -> None:
    file = tmp_path / "tables"
    maker = await nodes.node("maker").start("tables", "make", file)
    steps = steps_of(file)
    await maker.says("pairs of materials")  # which is said of a pair that is made
    assert list(steps.glob("*.pair"))
    maker.send(signal.SIGINT)
    await maker.ends(ExitCode.INTERRUPTED)
    assert "the same command continues" in str(maker.err)
    assert list(steps.glob("*.pair"))
    assert not file.exists()


@pytest.mark.parametrize("damage", ["cut", "changed", "other"])
def test_a_damaged_file_is_refused_with_what_to_do(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "tables"
    made(file)
    data = bytearray(file.read_bytes())
    if damage == "cut":
        del data[-100:]
    elif damage == "changed":
        data[len(data) // 2] ^= 1
    else:
        data[:6] = b"tables"
    file.write_bytes(data)
    with pytest.raises(StorageError, match=r"not whole endgame tables.*ataxxd tables make"):
        count_pieces(file)
    script = "from ataxxd.engines.native import NativeBot; NativeBot()"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, VARIABLE: str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "StorageError" in ended.stderr


def test_a_missing_file_is_told_of_with_its_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as raised:
        check_tables(missing)
    assert raised.value.errno == errno.ENOENT
    assert raised.value.filename == missing
    with pytest.raises(StorageError, match="cannot be read: No such file or directory"):
        count_pieces(missing)


def test_a_place_where_no_tables_can_be_made_is_told_of_with_its_reason(tmp_path: Path) -> None:
    # A file where a folder would have to be stops everybody, root as well.
    (tmp_path / "taken").write_text("")
    with pytest.raises(StorageError, match="cannot be written: Not a directory"):
        engines.run_tables_make(TablesMakeOptions(file=tmp_path / "taken" / "tables", pieces=2))


def test_tables_of_no_more_pieces_than_the_programs_own_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tables"
    made(file)
    monkeypatch.setenv(VARIABLE, str(file))
    with pytest.raises(StorageError, match=r"up to 3 pieces, and those of the program to 4"):
        # Around its cache, which other tests have their answer from.
        use_own_tables.__wrapped__()


def test_no_tables_are_made_of_six_pieces(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 to 5"):
        make_tables(tmp_path / "tables", tmp_path / "steps", 6, lambda *_: None)
