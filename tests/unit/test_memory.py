"""Tables of positions: a machine that cannot give the memory is asked before it is taken."""

import subprocess
import sys

import pytest

TOO_LARGE = """
from ataxxd.rules import Engine
try:
    Engine(8192)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sets a limit of Unix")
def test_an_engine_without_room_for_its_table_is_an_error_and_not_the_end_of_the_process() -> None:
    # Of addresses there are four gibibytes, whatever memory the machine has.
    limited = ["sh", "-c", 'ulimit -v 4194304; exec "$@"', "sh", sys.executable, "-c", TOO_LARGE]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=50, check=False)
    assert done.stdout == "There is no memory for a table of 8192 mebibytes.\n", done.stderr
