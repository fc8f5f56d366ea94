"""What examples run in: an empty home, a broker of their own, the installed `ataxxd`."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.time_limits import DEADLINE

BIN = Path(sys.executable).parent


@pytest.fixture
def broker_url() -> Iterator[str]:
    """The address of the program's own broker, on a free port of 127.0.0.1."""
    with subprocess.Popen(
        [BIN / "ataxxd", "broker", "--port", "0"], stderr=subprocess.PIPE, text=True
    ) as broker:
        try:
            assert broker.stderr is not None
            greeting = broker.stderr.readline()
            address = re.search(r"mqtt://127\.0\.0\.1:\d+", greeting)
            assert address is not None, greeting + broker.stderr.read()
            yield address[0]
        finally:
            broker.terminate()
            try:
                broker.wait(timeout=DEADLINE)
            except subprocess.TimeoutExpired:
                broker.kill()
                pytest.fail("the broker did not stop when asked to")


@pytest.fixture
def environment(tmp_path: Path, broker_url: str) -> Mapping[str, str]:
    """Environment variables: nothing of the developer's settings is left."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ATAXXD_")}
    return kept | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "ATAXXD_BROKER": broker_url,
        "COLUMNS": "100",
        "TERM": "dumb",
    }
