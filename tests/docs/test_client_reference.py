"""The reference pages of the client and the rules are what their modules say, all of it."""

import pytest

from ataxxd import client, rules
from tools import client_reference

pytestmark = pytest.mark.gate


def test_the_pages_are_current() -> None:
    for file, page in (
        (client_reference.FILE, client_reference.page()),
        (client_reference.RULES_FILE, client_reference.rules_page()),
    ):
        assert file.read_text(encoding="utf-8") == page, "run: python -m tools.client_reference"


def test_every_name_of_the_rules_is_on_their_page() -> None:
    page = client_reference.rules_page()
    assert not [name for name in rules.__all__ if f"# {name}\n" not in page]


def test_everything_that_is_exported_is_on_the_page() -> None:
    page = client_reference.page()
    told = {"GameEvent", "TableEvent", "Progress"}  # what events and lists are made of
    missing = [name for name in client.__all__ if name not in told and f"# {name}\n" not in page]
    assert not missing
