"""Record files: one form, verified by anybody, broken by any change."""

import json
import random
from typing import Any

import pytest

from ataxxd.errors import VerificationError
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import decode_record
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import ONE_MOVE_LEFT, OTHER_KEY, SHORT_ENDGAME, Pair, craft

TAMPERED = "0" * 64


def a_record(*, moves: int | None = None) -> bytes:
    """A short whole game, or one cut off after some moves."""
    pair = Pair.started(start=SHORT_ENDGAME, color="second")
    while pair.host.ledger.on_turn is not None and moves != len(pair.host.ledger.moves):
        pair.play(pair.host.ledger.position.legal_moves[0].text)
    return dump_record(pair.host.ledger)


def edited(record: bytes, edit: Any) -> bytes:
    """The record after `edit` has changed its JSON value; canonical again."""
    value = json.loads(record)
    edit(value)
    return canonical_json(value) + b"\n"


def fault(record: bytes) -> str:
    with pytest.raises(VerificationError) as caught:
        verify_record(record)
    return str(caught.value)


def test_a_record_tells_the_whole_game() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    verdict = verify_record(dump_record(pair.host.ledger))
    assert [move.text for move in verdict.ledger.moves] == ["0000", "g1"]
    assert verdict.ledger.position == pair.host.ledger.position
    assert verdict.ledger.outcome == pair.host.ledger.outcome
    assert verdict.standing is Standing.AGREED


@pytest.mark.requirement("MP-REC-2")
def test_both_players_write_the_same_bytes_and_reading_gives_them_again() -> None:
    for seed in range(5):
        pair = Pair.started(color="random")
        choices = random.Random(seed)
        pair.play_out(choices.randrange(1000) for _ in range(400))
        record = dump_record(pair.host.ledger)
        assert dump_record(pair.guest.ledger) == record
        again = verify_record(record).ledger
        again.add_signatures(decode_record(record).sigs)
        assert dump_record(again) == record


@pytest.mark.requirement("MP-REC-2")
def test_an_entry_holds_only_what_cannot_be_computed() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    assert [sorted(entry.set) for entry in pair.host.ledger.entries] == [
        ["agent", "from", "key", "nonce"],
        ["host_side", "secret"] if pair.offer.color == "random" else ["secret"],
        ["elapsed_ms", "move"],
        ["elapsed_ms", "move"],
        [],
        [],
    ]


@pytest.mark.requirement("MP-REC-7")
def test_any_changed_byte_makes_a_record_fail() -> None:
    record = a_record(moves=2)
    for index in range(len(record)):
        for change in (1, 0x20):
            altered = bytearray(record)
            altered[index] ^= change
            with pytest.raises(VerificationError):
                verify_record(bytes(altered))


@pytest.mark.requirement("MP-REC-1")
def test_a_record_that_is_cut_short_anywhere_fails() -> None:
    record = a_record(moves=1)
    for length in range(len(record)):
        with pytest.raises(VerificationError, match="this is not a record"):
            verify_record(record[:length])


@pytest.mark.requirement("MP-REC-5", "MP-REC-3")
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda r: r["entries"][3]["set"].update(move="b3"), "entry 4 (host): b3 is not legal"),
        (lambda r: r["entries"][3]["set"].update(elapsed_ms=7), "entry 4 (host): its content"),
        (lambda r: r["entries"][2].update(check="0" * 16), "entry 3 (guest): its content"),
        (lambda r: r["entries"][2].update(by="host"), "entry 3 (host): its content"),
        (lambda r: r["entries"][2]["set"].pop("move"), "entry 3 (guest): move: it is missing"),
        (lambda r: r["entries"][2]["set"].update(type="shout"), "entry 3 (guest): "),
        (lambda r: r["entries"].pop(0), "entry 1 (host): "),
        (lambda r: r["entries"].pop(2), "entry 3 (host): "),
        (lambda r: r["entries"].insert(0, r["entries"][0]), "entry 2 (guest): "),
        (
            lambda r: r["entries"][2]["set"].update(nonsense=1),
            'entry 3 (guest): there is no field "nonsense"',
        ),
        (lambda r: r["offer"].update(name="theirs"), "offer: the signature on the offer"),
        (lambda r: r["offer"].pop("sig"), "offer: the signature on the offer"),
        (
            lambda r: r.update(v="1.3"),
            "the record is of protocol 1.3; this node reads 1.0, 1.1, 1.2",
        ),
        (
            lambda r: r.update(v="0.9"),
            "the record is of protocol 0.9; this node reads 1.0, 1.1, 1.2",
        ),
        (lambda r: r.update(v="1.0"), "the record is of protocol 1.0, and its offer of 1.2"),
    ],
)
def test_a_broken_record_names_the_entry_and_the_fault(edit: Any, words: str) -> None:
    assert words in fault(edited(a_record(), edit))


@pytest.mark.requirement("MP-REC-2")
@pytest.mark.parametrize("redundant", ["game", "n", "ply", "type", "seen"])
def test_an_entry_that_says_what_is_known_anyway_is_refused(redundant: str) -> None:
    record = a_record()
    ledger = Ledger(decode_record(record).offer)
    for entry in decode_record(record).entries[:2]:
        ledger.accept(*ledger.expand(entry))
    known = ledger.predict(Role.GUEST, "move")[redundant]
    text = fault(edited(record, lambda r: r["entries"][2]["set"].update({redundant: known})))
    assert text == "entry 3 (guest): it is not in the shortest form"


@pytest.mark.requirement("MP-REC-4")
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda r: r["sigs"].pop("host"), "the signature of the host is missing"),
        (lambda r: r["sigs"].pop("guest"), "the signature of the guest is missing"),
        (
            lambda r: r["sigs"].update(host=r["sigs"]["guest"]),
            "the signature of the host does not cover its messages 0 to",
        ),
        (lambda r: r["entries"].pop(), "the signature of the guest does not cover"),
        (lambda r: r["entries"].clear(), "a signature of the host, who wrote nothing"),
    ],
)
def test_the_newest_signature_of_each_side_must_hold(edit: Any, words: str) -> None:
    assert words in fault(edited(a_record(), edit))


@pytest.mark.requirement("MP-REC-7")
def test_moves_that_fit_the_rules_but_were_never_signed_do_not_pass() -> None:
    # A forger with the whole program: the guest's last moves are replaced, checks and all.
    pair = Pair.started()
    pair.play("g2", "b1", "f1")
    ledger = pair.host.ledger.copy()
    forged = craft(ledger, Role.GUEST, "move", move="a2", elapsed_ms=1)
    ledger.accept(Role.GUEST, forged.model_copy(update={"sig": OTHER_KEY.sign(b"")}))
    assert "the signature of the guest does not cover" in fault(dump_record(ledger))


@pytest.mark.requirement("MP-REC-6")
def test_the_standing_says_how_far_a_record_goes() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-")
    standings = [verify_record(dump_record(pair.host.ledger)).standing]
    assert standings == [Standing.UNFINISHED]
    ledger = pair.host.ledger
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "move", move="g1", elapsed_ms=1))
    assert verify_record(dump_record(ledger)).standing is Standing.UNCONFIRMED
    ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score"))
    assert verify_record(dump_record(ledger)).standing is Standing.UNCONFIRMED
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "score"))
    assert verify_record(dump_record(ledger)).standing is Standing.AGREED


def test_a_record_of_an_offer_alone_is_one() -> None:
    verdict = verify_record(dump_record(Pair.make().host.ledger))
    assert verdict.standing is Standing.UNFINISHED
    assert verdict.ledger.phase is Phase.OPEN


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"[]\n", b"\xff\n", b'{"type":"who"}\n'])
def test_what_is_no_record_is_said_to_be_none(data: bytes) -> None:
    assert fault(data).startswith("this is not a record: ")


def test_copies_of_a_ledger_go_their_own_ways() -> None:
    pair = Pair.started()
    twin = pair.host.ledger.copy()
    twin.accept(Role.HOST, craft(twin, Role.HOST, "resign"))
    assert twin.phase is Phase.OVER
    assert pair.host.ledger.phase is Phase.PLAYING
    assert len(pair.host.ledger.log(Role.HOST)) == 1


def test_a_record_that_was_verified_is_written_again_byte_for_byte() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    data = dump_record(pair.host.ledger)
    assert dump_record(verify_record(data).ledger) == data
