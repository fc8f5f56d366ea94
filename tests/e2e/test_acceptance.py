"""The acceptance scripts of ``tests/data/acceptance``, run by our own runner."""

import asyncio
import sys
from pathlib import Path

import pytest

from ataxxd_clients.accept import Limits, Options, collect, run_test
from tests.time_limits import DEADLINE

SCRIPTS = Path(__file__).parents[1] / "data" / "acceptance"
# Of two programs that play each other, naming the first script runs both.
TESTS = sorted(path for path in SCRIPTS.glob("*.in") if not path.stem.endswith("-2"))
OPTIONS = Options(
    aliases={"ataxxd": (sys.executable, "-m", "ataxxd")},
    limits=Limits(move_s=DEADLINE, game_s=DEADLINE, result_s=DEADLINE),
)


def without_bounds(line: str) -> str:
    """A line of a script, but for the seconds that it allows: a busy machine needs more."""
    return f"# {line}" if line.startswith("#*time") else line


@pytest.mark.gate("ataxx-01", "ataxx-08", "ataxx-13", "loa-02", "loa-11", "loa-50")
@pytest.mark.parametrize("script", TESTS, ids=lambda path: path.stem)
def test_the_program_follows_the_script_and_prints_its_standard(
    script: Path, tmp_path: Path
) -> None:
    for file in SCRIPTS.glob(f"{script.stem.removesuffix('-1')}*"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / file.name).write_text("".join(map(without_bounds, lines)), encoding="utf-8")
    (test,) = collect([tmp_path])
    verdict = asyncio.run(run_test(test, OPTIONS))
    assert verdict.failure is None, verdict
