"""The brokers of tests end with the tests, also when those are killed."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brokers import Mosquitto
from tests.time_limits import DEADLINE

STARTS_ONE = """
import sys
from pathlib import Path
from tests.brokers import Mosquitto
with Mosquitto(Path(sys.argv[1])) as broker:
    print(broker.pid, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process of another's")
def test_a_broker_whose_tests_are_killed_ends(tmp_path: Path) -> None:
    if why := Mosquitto.missing():
        pytest.skip(why)
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_ONE, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as tests:
        assert tests.stdout is not None
        broker = os.pidfd_open(int(tests.stdout.readline()))
        try:
            tests.kill()
            assert select.select([broker], [], [], DEADLINE)[0]
        finally:
            os.close(broker)
