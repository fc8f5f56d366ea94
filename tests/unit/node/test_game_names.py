"""Names of games as people type them."""

import pytest

from ataxxd.errors import UsageError
from ataxxd.node.game_finder import GameName
from ataxxd.node.offers import shown_name, wire_name
from ataxxd.node.seats import parse_name, split_broker


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
    assert parse_name(typed) == name
    for place in (typed, f"{typed}#k7fq-3xa2", f"{typed}@127.0.0.1"):
        wanted, _ = split_broker(place)
        assert (wanted.name, wanted.typed) == (name, typed.strip())
    assert shown_name(typed, name) == typed
    assert shown_name(typed, f"{name}-2") == f"{name}-2"


@pytest.mark.parametrize("typed", ["", "_x", "naïve", "x" * 33, "a/b"])
def test_what_is_no_name_then_is_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="up to 32 letters, digits and dashes") as hosted:
        parse_name(typed)
    with pytest.raises(UsageError) as joined:
        split_broker(typed)
    assert str(joined.value).startswith(f"{hosted.value} To name its host or broker")


HOST, SECRET = "gr2q7gf5lh6pzfdnurnk", "5ec2e7" * 4


@pytest.mark.parametrize("page", ["https://play.example/ataxxd/", "http://192.168.1.5:8083/"])
def test_a_link_says_what_an_invitation_does(page: str) -> None:
    wanted, broker = split_broker(f" {page}#ourgame~{HOST}.{SECRET}~wss://broker.example/mqtt\n")
    assert (wanted, broker) == (GameName("ourgame", HOST, SECRET), "wss://broker.example/mqtt")
    assert wanted.host == HOST
    assert SECRET not in repr(wanted)


@pytest.mark.parametrize(
    ("fragment", "advice"),
    [
        ("", "Ask for it again"),
        ("#ourgame", "Ask for it again"),
        (f"#ourgame~{HOST}.{SECRET}~", "Ask for it again"),
        (f"#2!ourgame~{HOST}.{SECRET}~wss://broker.example/mqtt", "Update the program"),
    ],
)
def test_a_bad_link_says_what_to_do_and_tells_no_secret(fragment: str, advice: str) -> None:
    with pytest.raises(UsageError, match=advice) as failed:
        split_broker(f"https://play.example/{fragment}")
    assert SECRET not in str(failed.value)
