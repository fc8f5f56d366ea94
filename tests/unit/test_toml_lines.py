"""Lines of TOML files."""

import tomllib

import pytest

from ataxxd.toml_lines import explain_toml_error


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a = 1\na = 2\n", 2, "a key or a section is there twice"),
        ("[a]\n[a]\n", 2, "a key or a section is there twice"),
        ("a = {b = 1, b = 2}\n", 1, "a key or a section is there twice"),
        ('a = "b\n', 1, "a quotation mark is not closed"),
        ("a = 'b\n", 2, "a quotation mark is not closed"),
        ("a = 'b\nc = 'd'\n", 1, "a quotation mark is not closed"),
        ('a = """b\n\n', 3, "a quotation mark is not closed"),
        ("a = [1\n", 2, "a bracket is not closed"),
        ("[a\n", 1, "a bracket is not closed"),
        ("[[a]\n", 1, "a bracket is not closed"),
        ("a = {b = 1\n", 1, "a bracket is not closed"),
        ('a = "C:\\dir"\n', 1, 'in a text "…" a backslash is written twice'),
        ("a = 'b\x01'\n", 1, "a character has no place in such a file"),
        ("a = 1 b\n", 1, "something follows where the value or section has ended"),
        ("a = club\n", 1, "what follows = is no value"),
        ("\n= 1\n", 2, "a line is a [section], or a key, = and a value"),
        ("a\n", 1, "a line is a [section], or a key, = and a value"),
    ],
)
def test_why_a_text_is_not_toml_is_told_in_our_words(text: str, line: int, why: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refused:
        tomllib.loads(text)
    told = f'this is not TOML: {why}. Text needs quotes, as in name = "club"; see toml.io.'
    assert explain_toml_error(text, refused.value) == (line, told)
