"""The browser's node: its own tests, which Node.js runs, and what they have counted.

It is written from SPEC.md, its schemas and its vectors; `make peer` builds it.
"""

import json

from tests.interop.browser_peer import VECTORS, needs_browser_peer, run_in_node, vectors_in_node

pytestmark = needs_browser_peer


def test_the_browsers_node_passes_its_own_tests_and_every_file_of_vectors() -> None:
    _, counted = vectors_in_node()
    files = {path.stem for path in VECTORS.glob("*.json")}
    assert set(counted) == files
    messages = json.loads((VECTORS / "messages.json").read_bytes())
    assert counted["messages"] == sum(map(len, messages.values()))


def test_what_it_says_about_a_claim_goes_by_what_the_broker_has_and_when_it_spoke_last() -> None:
    assert "# pass 3" in run_in_node("stopwatch")


def test_what_the_witnesses_of_a_game_say_is_kept_in_its_record() -> None:
    assert "# pass 3" in run_in_node("witnesses")


def test_requests_and_absence_are_shown_as_long_as_they_stand_and_no_longer() -> None:
    assert "# pass 8" in run_in_node("table")
