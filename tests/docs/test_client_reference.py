"""The reference page of the Python client is what its modules say, and leaves out nothing."""

from ataxxd import client
from ataxxd.client import reference


def test_the_page_is_current() -> None:
    page = reference.FILE.read_text(encoding="utf-8")
    assert page == reference.page(), "run: python -m ataxxd.client.reference"


def test_everything_that_is_exported_is_on_the_page() -> None:
    page = reference.page()
    told = {"GameEvent", "TableEvent", "Progress"}  # what events and lists are made of
    missing = [name for name in client.__all__ if name not in told and f"# {name}\n" not in page]
    assert not missing
