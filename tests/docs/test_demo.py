"""`make demo` is the first thing anybody sees."""

import subprocess
from collections.abc import Mapping

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.gate


def test_the_demo_plays_a_watched_game_and_verifies_three_records(
    environment: Mapping[str, str],
) -> None:
    done = subprocess.run(
        ["bash", ROOT / "docs" / "tutorial" / "demo.sh"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "the same record, byte for byte" in done.stdout
    assert done.stdout.count("every rule holds") == 3, done.stdout
