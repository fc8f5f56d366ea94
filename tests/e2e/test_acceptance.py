"""The acceptance scripts of ``tests/data/acceptance``, run by our own runner."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.time_limits import DEADLINE

SCRIPTS = Path(__file__).parents[1] / "data" / "acceptance"
# Of two programs that play each other, naming the first script runs both.
TESTS = sorted(path for path in SCRIPTS.glob("*.in") if not path.stem.endswith("-2"))


@pytest.mark.gate("ataxx-01", "ataxx-08", "ataxx-13", "loa-02", "loa-11", "loa-50")
@pytest.mark.parametrize("script", TESTS, ids=lambda path: path.stem)
def test_the_program_follows_the_script_and_prints_its_standard(script: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "ataxxd", "accept", "--show=1", str(script)],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
