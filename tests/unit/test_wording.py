"""Words and sentences for people."""

import pytest

from ataxxd.wording import sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("your opponent is back", "Your opponent is back."),
        ("No rematch: it is over.", "No rematch: it is over."),
        ("why?", "Why?"),
    ],
)
def test_a_text_that_stands_alone_is_a_sentence(text: str, told: str) -> None:
    assert sentence(text) == told
