"""Laws of judgement: whatever a player with a program of its own signs, all judges agree."""

import contextlib
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.rules import RulesError
from ataxxd.session.events import Keep
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd_protocol import MalformedMessage, SigningKey, decode, encode, signature_holds
from ataxxd_protocol.messages import AnyLogMessage, LogMessage, Score, Signatures
from tests.conformance.games import (
    GUEST_KEY,
    KEYS,
    NONCE,
    SECRET,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
    of_kind,
    restored,
)

roles = st.sampled_from(Role)
seeds = st.integers(0, 2**32)
digests = st.sampled_from(["0" * 64, "f" * 64])
# What each kind of message needs beyond what the ledger predicts; all of it as a cheat likes.
KINDS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "join": st.just({"key": GUEST_KEY.public_key, "nonce": NONCE, "agent": "x"}),
    "start": st.fixed_dictionaries(
        {"host_side": st.sampled_from(["first", "second"]), "secret": st.just(SECRET)}
    ),
    "move": st.fixed_dictionaries(
        {
            "move": st.sampled_from(["b6", "g2", "g6", "a2", "a7a5", "0000", "d4", "-", "zz"]),
            "elapsed_ms": st.integers(0, 9),
        }
    ),
    "resign": st.just({}),
    "score": st.fixed_dictionaries(
        {
            "score": st.sampled_from(["1-0", "0-1", "1/2-1/2"]),
            "termination": st.sampled_from(["resignation", "double-dealing"]),
        }
    ),
}


def a_game(seed: int, plies: int, **changes: str) -> Pair:
    """A game after some random plies, which may have ended it."""
    pair = Pair.started(**changes)
    choices = random.Random(seed)
    while len(pair.host.ledger.moves) < plies and pair.host.ledger.on_turn is not None:
        moves = pair.host.ledger.position.legal_moves
        pair.play(moves[choices.randrange(len(moves))].text)
    return pair


def anything(
    data: st.DataObject, ledger: Ledger, role: Role, *, forgers: Mapping[Role, SigningKey] = KEYS
) -> AnyLogMessage:
    """A message that a player signs, true to the game or not; `forgers` sign its proofs."""
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    fields = data.draw(KINDS[kind])
    if kind == "move":
        fields = {"position": "0" * 64} | fields
        try:
            ledger.position.play(ledger.position.parse_move(fields["move"]))
        except RulesError:
            pass
        else:
            del fields["position"]
    if kind == "score" and data.draw(st.booleans()):
        other = role.other
        proof = data.draw(st.sampled_from(ledger.log(other)))
        assume(proof.type in ("start", "move", "resign"))
        # Half of the proofs are another message with the same number, signed as the other.
        key = forgers[other] if data.draw(st.booleans()) else KEYS[role]
        fields["proof"] = forge(proof, key, seen="e" * 64).fields()
    tampered = data.draw(
        st.dictionaries(
            st.sampled_from(["prev", "seen", "position", "ply", "n"]), st.just(None), max_size=1
        )
    )
    for name in tampered:
        if name in ("prev", "seen") or (name == "position" and kind in ("move", "score")):
            fields[name] = data.draw(digests)
        elif name == "n" or (name == "ply" and kind in ("move", "resign")):
            fields[name] = data.draw(st.integers(1, 9))
    return craft(ledger, role, kind, **fields)


@given(seeds, st.integers(0, 6), roles, st.booleans(), st.data())
def test_the_victim_a_spectator_and_a_verifier_come_to_one_verdict(
    seed: int, plies: int, cheat: Role, short: bool, data: st.DataObject
) -> None:
    pair = a_game(seed, plies, **({"start": SHORT_ENDGAME} if short else {}))
    victim = pair.players[cheat.other]
    watching = SpectatorSession(Ledger(pair.offer))
    for spoken in pair.wire:
        watching.receive(spoken)
    message = decode(encode(anything(data, victim.ledger, cheat)))
    before = dump_record(victim.ledger)
    effects = victim.receive(message)
    watching.receive(message)
    kept = of_kind(effects, Keep)
    if not kept:
        assert dump_record(victim.ledger) == before
    for effect in kept:
        watching.receive(effect.message)
    # What a spectator cannot know, it waits for; what it takes, it judges as the victim does.
    if not watching.behind and isinstance(message, LogMessage):
        assert dump_record(watching.ledger) == dump_record(victim.ledger)
    verified = verify_record(dump_record(victim.ledger)).ledger
    assert verified.outcome == victim.ledger.outcome
    assert verified.fault == victim.ledger.fault
    assert verified.disputed == victim.ledger.disputed
    fault, outcome = victim.ledger.fault, victim.ledger.outcome
    if fault is not None:
        assert outcome is not None
        assert outcome.winner is victim.ledger.side_of(fault.role.other)
        if fault.role is not cheat:
            # Only what the victim really signed can turn against it.
            assert isinstance(message, Score)
            assert message.proof is not None
            assert signature_holds(message.proof, KEYS[cheat.other].public_key)


@given(seeds, st.integers(0, 4), st.data())
@settings(max_examples=200)
def test_any_changed_byte_of_any_record_fails_verification(
    seed: int, plies: int, data: st.DataObject
) -> None:
    record = bytearray(dump_record(a_game(seed, plies, color="random").host.ledger))
    record[data.draw(st.integers(0, len(record) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(VerificationError):
        verify_record(bytes(record))


@given(seeds, st.integers(0, 8), roles, st.data())
def test_a_restart_at_any_point_gives_the_same_session(
    seed: int, plies: int, role: Role, data: st.DataObject
) -> None:
    pair = a_game(seed, plies, start=SHORT_ENDGAME)
    kept = of_kind(pair.effects[role], Keep)
    count = data.draw(st.integers(1, len(kept)))
    session = restored(pair.players[role], kept[:count])
    assert session.ledger.entries == pair.players[role].ledger.entries[:count]
    # Everything the old session signed and the new one lost comes out the same again.
    for effect in [*session.complete_pending(), *session.on_connected()]:
        if isinstance(effect, Keep):
            assert encode(effect.message) == encode(
                pair.players[role].ledger.log(role)[effect.message.n]
            )
    for message in pair.players[role.other].ledger.log(role.other):
        # Answers to what the old session kept but the new one lost cannot exist: keeping
        # comes before sending.
        if session.ledger.count_up_to(role, message.seen) is not None:
            session.receive(message)
    entries = session.ledger.entries
    assert entries == pair.players[role].ledger.entries[: len(entries)]
    assert session.ledger.fault is None


@given(st.binary(max_size=200), st.data())
def test_no_file_makes_the_verifier_raise_anything_else(junk: bytes, data: st.DataObject) -> None:
    record = dump_record(a_game(1, 2).host.ledger)
    cut = data.draw(st.integers(0, len(record)))
    for file in (junk, record[:cut] + junk + record[cut + len(junk) :]):
        if file != record:
            with pytest.raises(VerificationError):
                verify_record(file)


@given(roles, st.binary(max_size=60), st.data())
def test_no_payload_makes_a_player_raise(role: Role, junk: bytes, data: st.DataObject) -> None:
    pair = a_game(2, 3)
    payload = encode(data.draw(st.sampled_from(pair.wire)))
    cut = data.draw(st.integers(0, len(payload)))
    before = dump_record(pair.players[role].ledger)
    try:
        message = decode(payload[:cut] + junk + payload[cut + len(junk) :])
    except MalformedMessage:
        return
    pair.players[role].receive(message)
    assert dump_record(pair.players[role].ledger) == before


@given(seeds, st.integers(1, 8), roles, st.data())
@settings(max_examples=200)
@pytest.mark.requirement("MP-FAULT-6")
def test_nobody_who_keeps_the_rules_is_blamed_by_any_record(
    seed: int, plies: int, villain: Role, data: st.DataObject
) -> None:
    # The villain has its own key and everything its honest opponent ever signed, and may
    # leave out, reorder, invent and add as it likes; only signatures it cannot make.
    pair = a_game(seed, plies)
    honest = villain.other
    genuine = pair.host.ledger.log(honest)
    true = pair.players[honest].ledger
    ledger = Ledger(pair.offer)
    for entry in true.entries[: data.draw(st.integers(2, len(true.entries)))]:
        role, message = ledger.expand(entry)
        ledger.accept(role, true.log(role)[message.n])
    for _ in range(data.draw(st.integers(0, 4))):
        role = data.draw(roles)
        if role is honest and data.draw(st.booleans()):
            message = data.draw(st.sampled_from(genuine))
        else:
            message = anything(data, ledger, role, forgers=dict.fromkeys(Role, KEYS[villain]))
        with contextlib.suppress(RemoteProtocolError):
            ledger.accept(role, message)
    signed_by_honest = {message.digest: message.sig for message in genuine}
    newest = ledger.log(honest)[-1]
    sigs = {
        honest.value: signed_by_honest.get(newest.digest, genuine[-1].sig),
        villain.value: ledger.log(villain)[-1].sig,
    }
    ledger.add_signatures(Signatures.model_validate(sigs))
    try:
        verified = verify_record(dump_record(ledger)).ledger
    except VerificationError:
        return
    if verified.fault is not None:
        assert verified.fault.role is villain
    elif verified.outcome is not None and verified.outcome != true.outcome:
        # Giving up is the villain's own affair.
        assert verified.outcome.winner is verified.side_of(honest)
