"""Nicknames: what is believed, what is shown, and what is remembered of whom."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import UsageError
from ataxxd.nicknames import lookalike_key, parse_nickname, player_name
from ataxxd.node.home import Home, load_identity
from ataxxd.node.names import LEARN_S, Introductions, NameBook
from ataxxd.node.receiving import Incoming
from ataxxd.rules import Side
from ataxxd.session.events import Moved, Named
from ataxxd.times import Clock
from ataxxd_protocol import SigningKey, Topics, encode
from ataxxd_protocol.messages import Card, Nickname
from ataxxd_protocol.topics import Address
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import HOST_KEY, OTHER_KEY
from tests.conformance.letters import CREATED_MS, make_card, make_nickname
from tests.memory_broker import MemoryBroker
from tests.unit.node.seated import two

TOPICS = Topics()
ANA, OTHER = HOST_KEY.node, OTHER_KEY.node


class Hand:
    """The hands of a clock that is moved by hand."""

    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def book(hand: Hand) -> Iterator[NameBook]:
    with closing(NameBook(clock=Clock(hand, hand), max_names=5)) as made:
        yield made


def at(key: SigningKey) -> Address:
    return Address("nickname", "_", writer=key.node)


def learn(book: NameBook, key: SigningKey, **changes: Any) -> bool:
    return book.receive(Incoming(at(key), encode(make_nickname(key, **changes))))


@pytest.mark.requirement("MP-NICK-1")
def test_the_newest_signed_nickname_counts(book: NameBook) -> None:
    assert learn(book, HOST_KEY)
    assert book.name_of(ANA) == "ana"
    assert not learn(book, HOST_KEY)
    assert not learn(book, HOST_KEY, name="older", at_ms=CREATED_MS - 1)
    assert not learn(book, HOST_KEY, name="same", at_ms=CREATED_MS)
    assert not book.receive(Incoming(at(HOST_KEY), b""))
    assert learn(book, HOST_KEY, name="anna", at_ms=CREATED_MS + 1)
    assert book.name_of(ANA) == "anna"


@pytest.mark.requirement("MP-NICK-1")
@pytest.mark.parametrize(
    "message",
    [
        make_nickname(OTHER_KEY),
        make_nickname(HOST_KEY).model_copy(update={"name": "bo"}),
        make_nickname(OTHER_KEY, **{"from": ANA}),
        make_nickname(OTHER_KEY, **{"from": ANA, "key": HOST_KEY.public_key}),
        make_card(HOST_KEY),
    ],
    ids=["another's topic", "altered", "another's id", "forged", "a card"],
)
def test_what_its_node_has_not_signed_is_ignored(book: NameBook, message: Nickname | Card) -> None:
    assert not book.receive(Incoming(at(HOST_KEY), encode(message)))
    assert book.name_of(ANA) is None


@pytest.mark.requirement("MP-NICK-2")
def test_a_name_is_shown_with_the_beginning_of_its_id(book: NameBook) -> None:
    learn(book, HOST_KEY)
    shown = book.display_name(ANA)
    assert shown.startswith("ana (")
    assert ANA.startswith(shown.removeprefix("ana (").removesuffix(")").replace("-", ""))
    assert len(shown.removeprefix("ana (").removesuffix(")").replace("-", "")) == 8
    assert book.display_name(ANA, full_id=True).replace("-", "").endswith(f"{ANA})")
    assert book.display_name(OTHER) == player_name(OTHER)
    assert player_name(OTHER).startswith("unnamed (")


@pytest.mark.requirement("MP-NICK-2")
@pytest.mark.parametrize("name", ["ana", "a-na"])
def test_a_name_that_another_key_had_first_is_marked(book: NameBook, hand: Hand, name: str) -> None:
    learn(book, HOST_KEY)
    hand.seconds += 1
    learn(book, OTHER_KEY, name=name)
    assert book.display_name(OTHER).endswith(", new key)")
    assert not book.display_name(ANA).endswith(", new key)")
    # Who is marked is not rid of it by signing the same again.
    hand.seconds += 1
    learn(book, OTHER_KEY, name=name, at_ms=CREATED_MS + 1)
    assert book.is_new_key(OTHER)


@pytest.mark.requirement("MP-NICK-2")
def test_who_calls_itself_as_we_do_is_marked_whoever_was_first(book: NameBook, hand: Hand) -> None:
    learn(book, OTHER_KEY)
    hand.seconds += 1
    book.set_nickname(HOST_KEY, "Ana")
    assert book.is_new_key(OTHER)
    assert not book.is_new_key(ANA)


def test_names_that_are_taken_for_each_other_look_the_same() -> None:
    assert lookalike_key("bill") == lookalike_key("b1ll") == lookalike_key("biil")
    assert lookalike_key("moon") == lookalike_key("rnoon") == lookalike_key("m00n")
    assert lookalike_key("ana") != lookalike_key("anna")


@pytest.mark.parametrize(
    "text", ["", "-x", "ana bo", "\u0430na", "a\x1b[2J", "x" * 33, "you", "Host"]
)
def test_what_cannot_be_a_nickname_is_explained(book: NameBook, text: str) -> None:
    assert parse_nickname(text) is None
    with pytest.raises(UsageError, match=r"a nickname.*such as ana"):
        book.set_nickname(HOST_KEY, text)


def test_a_reserved_word_of_a_stranger_is_not_shown_as_a_name() -> None:
    assert player_name(ANA, "you") == player_name(ANA)


def test_a_nickname_is_signed_once_and_stays(tmp_path: Path) -> None:
    book = NameBook(tmp_path / "names.db")
    first = book.set_nickname(HOST_KEY, "Ana")
    assert first.name == "ana"
    assert book.set_nickname(HOST_KEY, "ana") == first
    changed = book.set_nickname(HOST_KEY, "bo")
    assert changed.at_ms > first.at_ms
    book.close()
    again = NameBook(tmp_path / "names.db")
    assert again.signed_nickname(ANA) == encode(changed)
    again.close()


def test_a_file_that_is_no_book_costs_no_game(tmp_path: Path) -> None:
    path = tmp_path / "names.db"
    path.write_bytes(b"nonsense, and not a database" * 100)
    with closing(NameBook(path)) as book:
        assert learn(book, HOST_KEY)
        assert book.name_of(ANA) == "ana"


@pytest.mark.requirement("MP-NICK-4")
def test_of_very_many_names_the_book_keeps_few_and_ours(book: NameBook, hand: Hand) -> None:
    book.set_nickname(HOST_KEY, "ana")
    keys = [SigningKey(bytes([number]) * 32) for number in range(51, 70)]
    for key in keys:
        hand.seconds += 1
        learn(book, key, name="crowd")
    assert [key for key in keys if book.name_of(key.node)] == keys[-4:]
    assert book.name_of(ANA) == "ana"


@pytest.mark.requirement("MP-NICK-4")
def test_only_who_is_met_is_heard_and_only_a_little(book: NameBook, hand: Hand) -> None:
    here = Introductions(book, MemoryBroker().connect(), None, Clock(hand, hand))
    assert not here.receive(Incoming(at(OTHER_KEY), encode(make_nickname(OTHER_KEY))))
    here.meet(OTHER)
    heard = [
        here.receive(
            Incoming(at(OTHER_KEY), encode(make_nickname(OTHER_KEY, at_ms=CREATED_MS + number)))
        )
        for number in range(100)
    ]
    assert sum(heard) == 8


@pytest.mark.requirement("MP-NICK-3", "MP-NICK-4")
async def test_players_are_named_to_each_other(tmp_path: Path) -> None:
    broker = MemoryBroker()
    for home, name in (("host", "ana"), ("guest", "bo")):
        _give_name(tmp_path / home, name)
    async with two(tmp_path, broker) as (host, guest):
        await host.hears(Named, lambda named: named.side is Side.SECOND)
        await guest.hears(Named, lambda named: named.side is Side.FIRST)
        assert host.game.player(Side.SECOND) == player_name(guest.profile.key.node, "bo")
        assert guest.game.player(Side.FIRST) == player_name(host.profile.key.node, "ana")
        for each in (host, guest):
            assert TOPICS.nickname(each.profile.key.node) in broker.retained


@pytest.mark.requirement("MP-NICK-3")
async def test_a_broker_that_carries_no_nicknames_carries_the_game(tmp_path: Path) -> None:
    broker = MemoryBroker()
    broker.interfere = lambda carried: [] if carried.topic.endswith("/nickname") else [carried]
    _give_name(tmp_path / "host", "ana")
    async with two(tmp_path, broker) as (host, guest):
        await host.game.play(host.game.position.legal_moves[0])
        await guest.hears(Moved)
        assert guest.game.player(Side.FIRST) == player_name(host.profile.key.node)


@pytest.mark.requirement("MP-NICK-3")
async def test_a_broker_that_lets_nobody_read_nicknames_carries_the_game(tmp_path: Path) -> None:
    broker = MemoryBroker()
    _give_name(tmp_path / "host", "ana")
    node = _give_name(tmp_path / "guest", "bo")
    broker.refused = {TOPICS.nickname(node)}
    async with two(tmp_path, broker) as (host, guest):
        await host.game.play(host.game.position.legal_moves[0])
        await guest.hears(Moved)
        await guest.game.play(guest.game.position.legal_moves[0])
        await host.hears(Moved, lambda moved: moved.side is Side.SECOND)


def _give_name(home: Path, name: str) -> str:
    """Call the node of a home so; its id."""
    place = Home(home)
    key = load_identity(place.identity)
    book = NameBook(place.names)
    book.set_nickname(key, name)
    book.close()
    return key.node


def test_a_name_that_comes_at_once_is_waited_for_and_one_that_never_comes_is_not() -> None:
    async def story() -> None:
        with closing(NameBook()) as names:
            here = Introductions(names, MemoryBroker().connect(), None)
            here.meet(ANA)
            began = asyncio.get_running_loop().time()
            learning = asyncio.create_task(here.wait_for_name(ANA))
            await asyncio.sleep(LEARN_S / 2)
            assert not learning.done()
            assert here.receive(Incoming(at(HOST_KEY), encode(make_nickname(HOST_KEY))))
            await learning
            assert asyncio.get_running_loop().time() == began + LEARN_S / 2
            await here.wait_for_name(OTHER)
            assert asyncio.get_running_loop().time() == began + LEARN_S * 3 / 2

    run_virtually(story(), VirtualLoop())
