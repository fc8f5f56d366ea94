"""The words that the browser's node is built with."""

from importlib.resources import files

from ataxxd.session.events import WISHES
from tools.browser_words import PATH, as_text


def test_the_words_of_the_browsers_node_are_those_of_the_program() -> None:
    assert PATH.read_text() == as_text(), "run: make reference"


def test_the_page_says_what_is_asked_for_as_every_other_client_does() -> None:
    page = (files("ataxxd_clients.web") / "static" / "panel.js").read_text()
    for wish in WISHES.values():
        assert f'"{wish}"' in page
