"""What a witness says of a claim, and when it says nothing; whose statements are taken."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.receiving import Admission, Incoming, statement_topics
from ataxxd.session.events import Ignored
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.session.witnesses import Witness, add_statement, claim_statements, justifies_claim
from ataxxd_protocol import Topics, encode, signed
from ataxxd_protocol.messages import AnyMessage, Claim, Join, Offer, Reject, Statement
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    WITNESS_KEYS,
    Pair,
    craft,
    forge,
    make_offer,
    of_version,
    sends,
)
from tests.conformance.scenarios import decision
from tests.conformance.witnessed import (
    GRACE_MS,
    LONG,
    SHORT,
    WITNESSES,
    attested,
    make_statement,
    witnessed,
)

KEY = WITNESS_KEYS[0]


@dataclass
class Watched:
    """A game that its host is about to claim, as a witness hears it.

    Attributes:
        now: seconds.
        said: what the witness has signed.
    """

    now: float = 0.0
    said: list[Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pair = Pair.make(grace_ms=GRACE_MS, witnesses=WITNESSES)
        self.onlooker = SpectatorSession(Ledger(self.pair.offer))
        self.witness = Witness(KEY, lambda: self.now)
        self.now += 11
        self.pair.carry(Role.GUEST, self.pair.guest.ask_to_join("0a" * 16, "tests/1"))
        self.hear(*self.pair.wire)
        self.host_ledger = self.pair.host.ledger
        self.moves(Role.HOST, "g2")

    def hear(self, *messages: AnyMessage) -> None:
        for message in messages:
            self.onlooker.receive(message)
            statement = self.witness.receive(self.onlooker.ledger, message)
            self.said += [] if statement is None else [statement]

    def moves(self, role: Role, text: str) -> None:
        move = craft(self.pair.players[role].ledger, role, "move", move=text, elapsed_ms=1)
        for player in self.pair.players.values():
            player.ledger.accept(role, move)
        self.hear(move)

    def asks(self, role: Role, need: int) -> None:
        """A player asks for the other's messages, which come in the answer or do not."""
        (*_, sync) = sends(self.pair.players[role].on_connected())
        key = HOST_KEY if role is Role.HOST else GUEST_KEY
        self.hear(forge(sync, key, need=need))  # type: ignore[type-var]

    def repeats(self, role: Role) -> None:
        self.hear(self.pair.players[role].ledger.log(role)[-1])

    def claims(self, before: Ledger | None = None) -> list[int]:
        """The host claims the game; returns how long the silence was, if anything is said."""
        ledger = before or self.pair.host.ledger
        self.hear(decision(ledger, Role.HOST, "silence", GRACE_MS))
        assert self.onlooker.ledger.claim is not None
        return [each.silence_ms for each in self.said]


@pytest.mark.requirement("MP-WITNESS-2")
def test_a_silence_begins_with_the_message_before_the_claim_and_ends_with_the_claim() -> None:
    game = Watched()
    game.now += 60
    assert game.claims() == [60_000]
    (statement,) = game.said
    assert add_statement(game.onlooker.ledger, statement)
    assert claim_statements(game.onlooker.ledger) == (statement,)


@pytest.mark.requirement("MP-WITNESS-2")
def test_an_answer_ends_a_silence_though_the_claim_leaves_it_out() -> None:
    game = Watched()
    before = game.pair.host.ledger.copy()
    game.now += 20
    game.moves(Role.GUEST, "b1")
    game.now += 40
    assert game.claims(before) == [20_000]


@pytest.mark.requirement("MP-WITNESS-2")
def test_whoever_asks_in_vain_for_the_message_that_it_is_to_answer_is_not_silent() -> None:
    game = Watched()
    game.now += 10
    game.asks(Role.GUEST, 1)
    game.now += 30
    game.asks(Role.GUEST, 1)
    game.now += 5
    game.repeats(Role.HOST)
    game.now += 15
    assert game.claims() == [25_000]


@pytest.mark.requirement("MP-WITNESS-2")
@pytest.mark.parametrize("need", [2, 99, 0])
def test_who_asks_for_what_it_cannot_lack_is_silent_all_the_same(need: int) -> None:
    game = Watched()
    game.moves(Role.GUEST, "b1")
    game.moves(Role.HOST, "b6")
    assert len(game.pair.host.ledger.log(Role.HOST)) == 3
    game.now += 10
    game.asks(Role.GUEST, 3 if need == 2 else need)
    game.now += 50
    assert game.claims() == [60_000]


@pytest.mark.requirement("MP-WITNESS-2")
def test_a_request_just_after_what_it_asks_for_was_said_is_answered() -> None:
    game = Watched()
    game.now += 1
    game.asks(Role.GUEST, 1)
    game.now += 59
    assert game.claims() == [60_000]


@pytest.mark.requirement("MP-WITNESS-2")
def test_a_request_and_a_repetition_that_others_have_signed_are_nothing() -> None:
    game = Watched()
    (*_, sync) = sends(game.pair.guest.on_connected())
    game.now += 10
    game.hear(forge(sync, OTHER_KEY, need=1))  # type: ignore[type-var]
    game.now += 10
    game.asks(Role.GUEST, 1)
    newest = game.pair.host.ledger.log(Role.HOST)[-1]
    game.now += 10
    game.hear(newest.model_copy(update={"sig": "0" * 128}))
    game.now += 30
    assert game.claims() == [20_000]


@pytest.mark.requirement("MP-WITNESS-3")
def test_nothing_is_said_of_a_silence_in_which_the_witness_was_cut_off() -> None:
    game = Watched()
    game.now += 30
    game.witness.on_interrupted()
    game.now += 30
    assert game.claims() == []


@pytest.mark.requirement("MP-WITNESS-3")
def test_nothing_is_said_of_a_message_that_came_just_after_the_connection() -> None:
    game = Watched()
    game.witness.on_interrupted()
    game.now += 9
    game.moves(Role.GUEST, "b1")
    game.moves(Role.HOST, "b6")
    game.now += 60
    assert game.claims() == []
    late = Watched()
    late.witness = Witness(KEY, lambda: late.now)
    late.witness.receive(late.onlooker.ledger)
    late.now += 60
    assert late.claims() == [], "it began to listen in mid-game"


@pytest.mark.requirement("MP-WITNESS-3")
@pytest.mark.parametrize("retained", [False, True])
def test_nothing_is_said_of_a_message_that_a_retained_state_brings_first(retained: bool) -> None:
    game = Watched()
    claim = decision(game.pair.host.ledger, Role.HOST, "silence", GRACE_MS)
    game.pair.host.ledger.accept(Role.HOST, claim)
    game.now += 60
    (part,) = (signed(part, HOST_KEY) for part in state_parts(game.pair.host.ledger))
    game.onlooker.receive(part)
    statement = game.witness.receive(game.onlooker.ledger, part, retained=retained)
    assert game.onlooker.ledger.claim is not None
    assert (statement is None) == retained


@pytest.mark.requirement("MP-WITNESS-3")
@pytest.mark.parametrize("repeated", [False, True])
def test_nothing_is_said_where_the_claimant_asks_in_vain_for_the_answer(repeated: bool) -> None:
    game = Watched()
    before = game.pair.host.ledger.copy()
    game.now += 20
    game.moves(Role.GUEST, "b1")
    game.now += 5
    game.asks(Role.HOST, 1)
    if repeated:
        game.repeats(Role.GUEST)
    game.now += 60
    assert game.claims(before) == ([20_000] if repeated else [])


@pytest.mark.requirement("MP-WITNESS-3")
def test_one_claim_is_spoken_of_once() -> None:
    game = Watched()
    game.now += 60
    assert len(game.claims()) == 1
    game.now += 5
    game.hear(game.onlooker.ledger.line[-1][1])
    game.repeats(Role.HOST)
    assert len(game.said) == 1


@pytest.mark.requirement("MP-WITNESS-1")
def test_no_offer_of_an_earlier_version_names_witnesses_and_no_witness_plays() -> None:
    for version in ("1.0", "1.1"):
        with of_version(version), pytest.raises(RemoteProtocolError, match="names no witnesses"):
            Ledger(make_offer(witnesses=WITNESSES))
    host = Pair.make(witnesses=[GUEST_KEY.node]).host
    (join,) = sends(Pair.make().guest.ask_to_join("0a" * 16, "tests/1"))
    assert isinstance(join, Join)
    game = host.ledger.game
    (refusal,) = sends(host.receive(forge(join, GUEST_KEY, game=game, prev=game, seen=game)))
    assert isinstance(refusal, Reject)
    assert refusal.code == "seat/reserved"
    assert host.ledger.join is None
    for witnesses in ([], [HOST_KEY.node], [KEY.node] * 2, [f"{'a' * 19}{n}" for n in "234567ab"]):
        with pytest.raises(ValueError, match="witnesses"):
            make_offer(witnesses=witnesses)


@pytest.mark.requirement("MP-WITNESS-4", "MP-WITNESS-5")
def test_players_and_spectators_hear_what_the_witnesses_of_their_game_say() -> None:
    ledger = witnessed()
    topics, door = Topics(), Admission(lambda: ledger)
    assert statement_topics(ledger.offer) == tuple(
        topics.statement("ourgame", HOST_KEY.node, each) for each in WITNESSES
    )
    for key in (*WITNESS_KEYS, OTHER_KEY):
        statement = make_statement(ledger, key, SHORT)
        topic = topics.statement("ourgame", HOST_KEY.node, key.node)
        address = topics.parse(topic)
        assert address is not None
        incoming = Incoming(address, encode(statement), retained=True)
        assert (door.read(incoming) is not None) == (key is not OTHER_KEY)
        elsewhere = topics.parse(topics.statement("ourgame", HOST_KEY.node, WITNESSES[0]))
        assert elsewhere is not None
        assert (Incoming(elsewhere, encode(statement)).message is None) == (key is not KEY)
    pair = Pair.started(grace_ms=GRACE_MS, witnesses=WITNESSES)
    pair.play("g2")
    pair.carry(Role.HOST, pair.host.claim("silence", GRACE_MS))
    told = make_statement(pair.host.ledger, KEY, SHORT)
    onlooker = SpectatorSession(pair.host.ledger.copy())
    for session in (pair.host, pair.guest, onlooker):
        assert session.receive(told) == []
        assert session.ledger.statements == (told,)


@pytest.mark.requirement("MP-WITNESS-5")
@pytest.mark.parametrize(
    ("key", "changes", "code"),
    [
        (KEY, {"game": "0" * 64}, "statement/other-game"),
        (OTHER_KEY, {}, "statement/stranger"),
        (HOST_KEY, {}, "statement/stranger"),
        (OTHER_KEY, {"from": KEY.node}, "statement/forged"),
        (OTHER_KEY, {"from": KEY.node, "key": KEY.public_key}, "statement/forged"),
    ],
)
def test_what_is_no_statement_of_a_witness_of_the_game_is_ignored(
    key: Any, changes: dict[str, str], code: str
) -> None:
    onlooker = SpectatorSession(witnessed())
    statement = forge(make_statement(onlooker.ledger, key, SHORT), key, **changes)
    (ignored,) = onlooker.receive(statement)
    assert isinstance(ignored, Ignored)
    assert ignored.code == code
    assert onlooker.ledger.statements == ()


@pytest.mark.requirement("MP-WITNESS-5")
def test_of_each_witness_a_few_statements_are_kept_and_each_once() -> None:
    ledger = attested(witnessed(), LONG)
    assert not add_statement(ledger, ledger.statements[0])
    for number in range(9):
        add_statement(ledger, make_statement(ledger, KEY, number))
        add_statement(ledger, make_statement(ledger, WITNESS_KEYS[1], number))
    assert len(ledger.statements) == 8


def test_a_decision_that_goes_before_keeps_what_the_witnesses_say() -> None:
    pair = Pair.started(grace_ms=GRACE_MS, witnesses=WITNESSES)
    pair.play("g2")
    before = pair.host.ledger.copy()
    pair.play("b1")
    ledger = pair.guest.ledger
    claim = decision(before, Role.HOST, "silence", GRACE_MS)
    early = make_statement(ledger, KEY, SHORT, claim=claim.digest)
    assert add_statement(ledger, early)
    ledger.accept(Role.HOST, claim)
    assert claim_statements(ledger) == (early,)


@pytest.mark.requirement("MP-WITNESS-6")
@pytest.mark.parametrize(
    ("waited_ms", "least_ms"), [(60_000, 54_400), (3_000, 2_220), (1, 1), (3_600_000, 3_559_000)]
)
def test_a_silence_may_be_shorter_by_what_the_wires_take(waited_ms: int, least_ms: int) -> None:
    claim = Claim(reason="silence", waited_ms=waited_ms)
    assert justifies_claim(claim, least_ms)
    assert not justifies_claim(claim, least_ms - 1)


def test_an_offer_with_witnesses_fits_a_payload() -> None:
    offer = make_offer(witnesses=[f"{'a' * 19}{n}" for n in "234567a"])
    assert isinstance(offer, Offer)
    assert len(encode(offer)) < 1_024
