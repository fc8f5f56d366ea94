"""Games that were played with another implementation, as the broker carried them.

That program was written from SPEC.md alone; `protocol/vectors/played.json` is not made by this
one, and is never made anew.
"""

import json
from typing import Any

import pytest

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd_protocol import SigningKey, Topics, decode, encode, signature_holds, signed
from ataxxd_protocol.messages import AnyMessage, Offer, SignedMessage, StatePart
from tests.conformance.make_vectors import FOLDER

GAMES: list[dict[str, Any]] = json.loads((FOLDER / "played.json").read_bytes())
TOPICS = Topics()

pytestmark = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game["name"]))


def carried(game: dict[str, Any]) -> list[AnyMessage]:
    return [decode(each["payload"].encode()) for each in game["carried"]]


def offer_of(game: dict[str, Any]) -> Offer:
    return next(message for message in carried(game) if isinstance(message, Offer))


@pytest.mark.requirement("MP-TOPIC-2", "MP-CODEC-1")
def test_everything_is_on_its_writers_topic_in_canonical_form(game: dict[str, Any]) -> None:
    for each, message in zip(game["carried"], carried(game), strict=True):
        address = TOPICS.parse(each["topic"])
        assert address is not None
        assert encode(message).decode() == each["payload"]
        author = message.host if isinstance(message, Offer) else getattr(message, "author", None)
        assert author == address.writer


@pytest.mark.requirement("MP-SIGN-1")
def test_who_has_the_seeds_signs_every_message_with_the_same_bytes(game: dict[str, Any]) -> None:
    keys = {key.node: key for key in map(SigningKey, map(bytes.fromhex, game["seeds"].values()))}
    assert len(keys) == 2
    for message in carried(game):
        if isinstance(message, SignedMessage):
            author = str(message.fields().get("from", message.fields().get("host")))
            assert signature_holds(message, keys[author].public_key)
            assert signed(message, keys[author]) == message


@pytest.mark.requirement("MP-STATE-3", "MP-REC-2", "MP-REC-6")
@pytest.mark.parametrize("hears", ["everything", "states", "mailboxes"])
def test_whatever_a_spectator_hears_it_comes_to_the_record_of_the_players(
    game: dict[str, Any], hears: str
) -> None:
    watching = SpectatorSession(Ledger(offer_of(game)))
    for message in carried(game):
        if hears == "everything" or isinstance(message, StatePart) == (hears == "states"):
            watching.receive(message)
    assert dump_record(watching.ledger).decode() == game["record"]
    assert verify_record(game["record"].encode()).standing.value == game["standing"]
