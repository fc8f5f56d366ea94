"""No test hangs for ever: see `tests.time_limits`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.time_limits import DEADLINE

ROOT = Path(__file__).parents[2]

BUSY_ELSEWHERE = """
import asyncio

async def busy():
    while True:
        pass

async def test_waits_for_ever():
    task = asyncio.create_task(busy())
    await asyncio.Event().wait()
"""

STUCK_AFTERWARDS = """
import threading
import pytest

@pytest.fixture
def stuck():
    yield
    threading.Event().wait()

def test_fails(stuck):
    raise AssertionError
"""


@pytest.mark.parametrize(
    ("text", "summary"),
    [(BUSY_ELSEWHERE, "1 failed"), (STUCK_AFTERWARDS, "1 failed, 1 error")],
    ids=["in the loop", "after a failure"],
)
def test_a_test_that_hangs_ends_as_a_failure(text: str, summary: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(text)
    plugins = ("pytest_asyncio.plugin", "pytest_timeout", "tests.time_limits")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", tmp_path),
            *(word for name in plugins for word in ("-p", name)),
            *("-o", "asyncio_mode=auto", "-p", "no:cacheprovider"),
            # Of the test only: on a busy machine a loop takes as long to make, and a report, too.
            *("--timeout=5", "-o", "timeout_func_only=true", tmp_path),
        ],
        cwd=ROOT,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert f"{summary} in" in done.stdout, done.stdout + done.stderr
    assert "Timeout (>5.0s)" in done.stdout
