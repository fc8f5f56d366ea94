"""The words that the browser's node is built with."""

from tools.browser_words import PATH, as_text


def test_the_words_of_the_browsers_node_are_those_of_the_program() -> None:
    assert PATH.read_text() == as_text(), "run: make reference"
