"""Tables of positions: a machine that cannot give the memory is asked before it is taken."""

import subprocess
import sys
from pathlib import Path

import pytest

from ataxxd.engines import tablebases
from ataxxd.engines.benchmark import run_benchmark
from ataxxd.engines.native import EnginePool
from ataxxd.engines.registry import make_bot
from ataxxd.engines.search_thread import SearchRequest, SearchThread
from ataxxd.engines.tablebases import TableTooLargeError, largest_table_mb, new_engine
from ataxxd.errors import ConfigError, UsageError
from ataxxd.rules import Engine, Position
from ataxxd.rules.limits import DEFAULT_HASH_MB, Limits
from tests.time_limits import DEADLINE

START = Position.start("ataxx/uai")
TOO_LARGE = """
from ataxxd.rules import Engine
try:
    Engine(8192)
except MemoryError as error:
    print(error)
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container of a hundred mebibytes."""
    told = tmp_path / "memory.max"
    told.write_text(f"{100 << 20}\n")
    monkeypatch.setattr(tablebases, "_CONTAINER", told)


def test_this_machine_has_the_memory_for_the_usual_table() -> None:
    largest = largest_table_mb()
    assert largest is None or largest > 16
    assert new_engine(16).search(START, depth=2).move in START.legal_moves


def test_a_container_without_a_limit_has_what_its_machine_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "memory.max"
    told.write_text("max\n")
    monkeypatch.setattr(tablebases, "_CONTAINER", told)
    largest = largest_table_mb()
    assert largest is None or largest > 16


@pytest.mark.usefixtures("small")
def test_a_table_larger_than_its_container_is_refused_whoever_asks() -> None:
    assert largest_table_mb() == 90
    new_engine(90)
    with pytest.raises(TableTooLargeError, match=r"table of 91 mebibytes; this machine has 90"):
        new_engine(91)
    with pytest.raises(UsageError, match="not enough memory for a table of 4096"):
        make_bot("native:hash=4096")
    with pytest.raises(ConfigError, match="not enough memory for a table of 4096"):
        run_benchmark("loa", hash_mb=4096)
    with pytest.raises(ConfigError, match="not enough memory for a table of 4096"):
        EnginePool(4096)


@pytest.mark.usefixtures("small")
def test_a_search_goes_on_with_the_table_that_it_had() -> None:
    thread = SearchThread()
    with pytest.raises(ValueError, match="Use a smaller one"):
        thread.resize(hash_mb=4096)
    answers: list[str] = []
    thread.start(
        SearchRequest(START, Limits(2), str, lambda result: answers.append(result.move.text))
    )
    thread.wait()
    assert len(answers) == 1


def test_a_number_of_threads_that_is_refused_leaves_the_table_as_large_as_it_was() -> None:
    small, usual = (Engine(size).search(START, depth=12).nodes for size in (1, DEFAULT_HASH_MB))
    assert small != usual
    thread = SearchThread()
    with pytest.raises(ValueError, match="threads is 100000"):
        thread.resize(threads=100_000)
    nodes: list[int] = []
    thread.start(SearchRequest(START, Limits(12), str, lambda result: nodes.append(result.nodes)))
    thread.wait()
    assert nodes == [usual]


@pytest.mark.skipif(sys.platform == "win32", reason="sets a limit of Unix")
def test_an_engine_without_room_for_its_table_is_an_error_and_not_the_end_of_the_process() -> None:
    # Of addresses there are four gibibytes, whatever memory the machine has.
    limited = ["sh", "-c", 'ulimit -v 4194304; exec "$@"', "sh", sys.executable, "-c", TOO_LARGE]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.stdout == "There is not enough memory for a table of 8192 mebibytes.\n", done.stderr
