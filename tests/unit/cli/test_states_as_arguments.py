"""A state of reversi among the arguments of a command, whole or in pieces."""

import pytest

from ataxxd.cli.game_options import split_state
from ataxxd.errors import UsageError


@pytest.mark.parametrize(
    ("words", "state", "others"),
    [
        (["{w|b}"], "{w|b}", []),
        (["[w|b]"], "[w|b]", []),
        (["{w|", "b|", ".}"], "{w| b| .}", []),
        (["in", "{w|", "b}", "out"], "{w| b}", ["in", "out"]),
        # One that does not end is told so by who reads it.
        (["{w|", "b"], "{w| b", []),
        ([""], "", []),
        (["./{w|b}"], None, ["./{w|b}"]),
        (["in", "out"], None, ["in", "out"]),
        ([], None, []),
    ],
)
def test_a_state_is_told_from_files(words: list[str], state: str | None, others: list[str]) -> None:
    assert split_state(words, "reversi") == (state, others)


def test_a_state_in_another_game_is_refused_with_what_to_add() -> None:
    with pytest.raises(UsageError, match="add --game reversi"):
        split_state(["{w|b}"], "ataxx")
    assert split_state(["in", ""], "ataxx") == (None, ["in", ""])
