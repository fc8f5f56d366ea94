"""Where the browser's node is, and whether its tests can be run here."""

import os
import shutil
from pathlib import Path

import pytest

PEER = Path(__file__).parents[2] / "clients" / "browser"
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"

_MISSING = shutil.which("node") is None or not (PEER / "build" / "engine.wasm").exists()
# In CI its absence fails the tests, for there it is to be built.
needs_browser_peer = pytest.mark.skipif(
    _MISSING and not os.environ.get("CI"),
    reason="the browser's node is not built: make peer, with Node.js 20 or newer",
)
