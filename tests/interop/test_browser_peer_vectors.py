"""The browser's node: its own tests, which Node.js runs, and what they have counted.

It is written from SPEC.md, its schemas and its vectors; `make peer` builds it.
"""

import json
import re
import subprocess

from tests.interop.browser_peer import PEER, VECTORS, needs_browser_peer

pytestmark = needs_browser_peer


def test_the_browsers_node_passes_its_own_tests_and_every_file_of_vectors() -> None:
    ran = subprocess.run(
        ["node", "--test", "--test-reporter=tap", "build/test/vectors.test.js"],
        cwd=PEER,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    counted = {name: int(number) for name, number in re.findall(r"#   (\w+): (\d+)", ran.stdout)}
    files = {path.stem for path in VECTORS.glob("*.json")}
    assert set(counted) == files
    messages = json.loads((VECTORS / "messages.json").read_bytes())
    assert counted["messages"] == sum(map(len, messages.values()))
