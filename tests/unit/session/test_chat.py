"""Players talk: once each, only to each other, and nothing that steers a terminal."""

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import Side
from ataxxd.session.events import Said
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd_protocol import MalformedMessage, decode, encode
from ataxxd_protocol.messages import Chat
from tests.conformance.games import HOST_KEY, OTHER_KEY, Pair, forge, of_kind, sends


@pytest.mark.requirement("MP-CHAT-1", "MP-CODEC-5")
def test_what_a_player_says_reaches_the_other_once_and_changes_nothing() -> None:
    pair = Pair.started()
    before = dump_record(pair.guest.ledger)
    pair.carry(Role.HOST, pair.host.say("schönes Spiel, 幸運を! 👍", 5))
    pair.carry(Role.HOST, pair.host.say("and again", 5))
    said = [Said(Side.FIRST, "schönes Spiel, 幸運を! 👍"), Said(Side.FIRST, "and again")]
    assert of_kind(pair.effects[Role.GUEST], Said) == said
    for message in list(pair.wire):
        assert not of_kind(pair.guest.receive(message), Said)
    assert dump_record(pair.guest.ledger) == before


@pytest.mark.requirement("MP-CHAT-1")
def test_nobody_speaks_in_a_players_name() -> None:
    pair = Pair.started()
    (chat,) = sends(pair.host.say("hello", 5))
    assert isinstance(chat, Chat)
    for forged in (forge(chat, OTHER_KEY), forge(chat, OTHER_KEY, **{"from": OTHER_KEY.node})):
        assert not of_kind(pair.guest.receive(forged), Said)
    assert not of_kind(pair.guest.receive(forge(chat, HOST_KEY, game="0" * 64)), Said)


@pytest.mark.requirement("MP-CODEC-5")
@pytest.mark.parametrize(
    "text",
    ["", "a\x1b[2J", "a\nb", "a\x9bm", "\u202egnp.exe", "a\u200bb", "\u2066x", "\U000e0041"],
    ids=ascii,
)
def test_what_steers_hides_or_turns_cannot_be_said(text: str) -> None:
    pair = Pair.started()
    with pytest.raises(LocalProtocolError, match="one line"):
        pair.host.say(text, 5)
    (chat,) = sends(pair.host.say("X", 5))
    payload = encode(chat).decode().replace('"X"', f'"{text}"')
    with pytest.raises(MalformedMessage):
        decode(payload.encode())


def test_there_must_be_somebody_to_talk_to() -> None:
    with pytest.raises(LocalProtocolError, match="nobody to talk to"):
        Pair.make().host.say("hello?", 5)
