"""`ataxxd bench`: the nodes by which a search is known."""

from pathlib import Path
from typing import get_args

import pytest

from ataxxd.cli import options
from ataxxd.cli.commands.engines import BenchOptions
from ataxxd.cli.engines import run_bench
from ataxxd.engines.benchmark import TASKS, run_benchmark, signature_lines
from ataxxd.errors import UsageError
from ataxxd.rules import Position, rulesets
from ataxxd.rules.limits import DEFAULT_HASH_MB

# Renewed with `ataxxd bench > tests/data/bench.txt`, in the commit that changes the search;
# CONTRIBUTING.md says what that commit has to carry.
KNOWN = Path(__file__).parents[2] / "data" / "bench.txt"


def test_the_search_visits_as_many_nodes_as_recorded() -> None:
    assert list(signature_lines(map(run_benchmark, TASKS))) == KNOWN.read_text().splitlines()


def test_two_runs_give_the_same_counts() -> None:
    assert run_benchmark("loa").nodes == run_benchmark("loa").nodes


def test_every_game_is_measured_at_positions_where_there_is_something_to_find() -> None:
    assert set(TASKS) == {info.game for info in rulesets()}
    for task in TASKS.values():
        for text in task.positions:
            assert len(Position.from_text(task.ruleset, text).legal_moves) > 1


def test_one_game_alone_is_told_with_its_sum(capsys: pytest.CaptureFixture[str]) -> None:
    run_bench(BenchOptions(game="loa"))
    told, said = capsys.readouterr()
    nodes = run_benchmark("loa").nodes
    assert told == f"loa {nodes}\ntotal {nodes}\n"
    assert [line.split(":")[0] for line in said.splitlines()] == ["loa", "total"]


def test_the_usual_table_is_as_large_as_the_options_say() -> None:
    _, option = get_args(options.Hash)
    assert option.help.endswith(f"[default: {DEFAULT_HASH_MB}]")


def test_a_game_that_is_not_searched_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no game 'go'; this node plays ataxx"):
        run_bench(BenchOptions(game="go"))
