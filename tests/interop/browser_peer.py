"""Where the browser's node is, and whether its tests can be run here."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.time_limits import BUILT

PEER = Path(__file__).parents[2] / "clients" / "browser"
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"

_MISSING = shutil.which("node") is None or not (PEER / "build" / "engine.wasm").exists()
# In CI its absence fails the tests, for there it is to be built.
needs_browser_peer = pytest.mark.skipif(
    _MISSING and not os.environ.get("CI"),
    reason="the browser's node is not built: make peer, with Node.js 20 or newer",
)


class PeerProgram:
    """A program of the browser's node for the tests: asked a line of JSON, it answers one."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, **question: Any) -> Any:
        """The answer to a question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"it ended, asked {question}"
        return json.loads(answer)


@contextmanager
def peer_program(name: str) -> Iterator[PeerProgram]:
    """``clients/browser/test/NAME.ts``, until the block ends."""
    with subprocess.Popen(
        ["node", f"build/test/{name}.js"],
        cwd=PEER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield PeerProgram(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0


@cache
def vectors_in_node() -> tuple[Sequence[str], Mapping[str, int]]:
    """The names of the tests of the vectors, which all pass in Node.js, and what they counted."""
    told = run_in_node("vectors")
    names = re.findall(r"^ok \d+ - (.*)$", told, re.MULTILINE)
    counted = {name: int(number) for name, number in re.findall(r"#   (\w+): (\d+)", told)}
    return names, counted


def run_in_node(name: str) -> str:
    """What Node.js tells of the tests in a file of `clients/browser/test`, which all pass."""
    ran = subprocess.run(
        ["node", "--test", "--test-reporter=tap", f"build/test/{name}.test.js"],
        cwd=PEER,
        capture_output=True,
        text=True,
        timeout=BUILT,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    return ran.stdout


def answers_in_node(program: str, questions: Sequence[Any]) -> list[Any]:
    """What a program of `clients/browser/test` answers to a list of questions, in Node.js."""
    ran = subprocess.run(
        ["node", f"build/test/{program}.js"],
        cwd=PEER,
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=BUILT,
        check=True,
    )
    answers: list[Any] = json.loads(ran.stdout)
    return answers


def searches(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the page's engine finds: see `clients/browser/test/search.ts`."""
    return answers_in_node("search", questions)
