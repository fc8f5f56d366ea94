"""``make fifth-game``, which adds Clobber to a copy of the tree and plays it there."""

import subprocess
import sys

from tests.brokers import Mosquitto
from tests.conftest import require
from tests.fifth_game.__main__ import ROOT
from tests.time_limits import BUILT
from tests.web.browser import needs_chromium


@needs_chromium
def test_a_fifth_game_takes_a_rules_file_a_language_a_piece_set_and_lines_in_lists() -> None:
    require(Mosquitto)
    done = subprocess.run(
        [sys.executable, "-m", "tests.fifth_game"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILT,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("A fifth game works with these files and lines.\n"), done.stdout
