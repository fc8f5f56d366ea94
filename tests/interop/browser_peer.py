"""Where the browser's node is, and whether its tests can be run here."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

PEER = Path(__file__).parents[2] / "clients" / "browser"
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"

_MISSING = shutil.which("node") is None or not (PEER / "build" / "engine.wasm").exists()
# In CI its absence fails the tests, for there it is to be built.
needs_browser_peer = pytest.mark.skipif(
    _MISSING and not os.environ.get("CI"),
    reason="the browser's node is not built: make peer, with Node.js 20 or newer",
)


def searches(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the page's engine finds, in Node.js: see `clients/browser/test/search.ts`."""
    ran = subprocess.run(
        ["node", "build/test/search.js"],
        cwd=PEER,
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=280,
        check=True,
    )
    answers: list[dict[str, Any]] = json.loads(ran.stdout)
    return answers
