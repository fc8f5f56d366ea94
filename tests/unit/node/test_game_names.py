"""Names of games as people type them."""

import pytest

from ataxxd.errors import UsageError
from ataxxd.node.game_names import shown_name, wire_name
from ataxxd.node.hosting import check_name
from ataxxd.node.joining import split_place


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("ourgame", "ourgame"),
        ("Foo", "foo"),
        ("our_game", "our-game"),
        (" Our.Game 2 ", "our-game-2"),
        ("MAILBOX_1", "mailbox-1"),
    ],
)
def test_names_of_mailboxes_are_names_of_games_and_shown_as_typed(typed: str, name: str) -> None:
    assert wire_name(typed) == name
    check_name(name)
    for place in (typed, f"{typed}#k7fq-3xa2", f"{typed}@127.0.0.1"):
        wanted, _ = split_place(place)
        assert (wanted.name, wanted.typed) == (name, typed.strip())
    assert shown_name(typed, name) == typed
    assert shown_name(typed, f"{name}-2") == f"{name}-2"


@pytest.mark.parametrize("typed", ["", "_x", "naïve", "x" * 33, "a/b"])
def test_what_is_no_name_then_is_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="up to 32 letters, digits and dashes"):
        check_name(wire_name(typed))
    with pytest.raises(UsageError):
        split_place(typed)
