"""The sessions of checkers and reversi in ``tests/data/sessions``: every line that is printed.

The first line of ``T.in`` is the command line, as in acceptance scripts; ``T.std`` has the
whole standard output and ``T.err`` the errors, in which times are ``N secs``.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.e2e.line_program import PROGRAM
from tests.time_limits import DEADLINE

SESSIONS = sorted((Path(__file__).parents[1] / "data" / "sessions").glob("*.in"))


@pytest.mark.gate("checkers-01", "reversi-05")
@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_the_program_prints_what_the_session_has(session: Path) -> None:
    text = session.read_text(encoding="utf-8")
    program, *arguments = shlex.split(text.partition("\n")[0].removeprefix("#*"))
    assert program == "ataxxd"
    run = subprocess.run(
        [*PROGRAM, *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert run.returncode == 0
    assert run.stdout == session.with_suffix(".std").read_text(encoding="utf-8")
    errors = re.sub(r"\d+\.\d secs", "N secs", run.stderr)
    assert errors == session.with_suffix(".err").read_text(encoding="utf-8")
