"""Words and sentences for people."""

import pytest

from ataxxd.wording import did_you_mean, sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("your opponent is back", "Your opponent is back."),
        ("No rematch: it is over.", "No rematch: it is over."),
        ("why?", "Why?"),
        ("open it: ataxxd host cup", "Open it: ataxxd host cup"),
        ("open it with `ataxxd host cup`", "Open it with `ataxxd host cup`."),
    ],
)
def test_a_text_that_stands_alone_is_a_sentence(text: str, told: str) -> None:
    assert sentence(text) == told


@pytest.mark.parametrize(
    ("word", "meant"), [("chekers", "checkers"), ("chess", None), ("go", None), ("ataxxx", "ataxx")]
)
def test_a_word_is_taken_for_a_known_one_only_where_it_is_much_like_it(
    word: str, meant: str | None
) -> None:
    hint = did_you_mean(word, ["ataxx", "reversi", "checkers", "loa"])
    assert hint == ("" if meant is None else f' Did you mean "{meant}"?')
