"""Two messages with one number: the proof, and who may use what as one."""

import pytest

from ataxxd.session.events import Effect, Ignored, Over
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import AnyLogMessage, Score
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    OTHER_KEY,
    Pair,
    craft,
    forge,
    of_kind,
    sends,
)


def dealt_double(*, answered: bool = False) -> tuple[Pair, AnyLogMessage]:
    """A game in which the host has moved b6, and another message with the same number."""
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6")
    if answered:
        pair.play("b1")
    return pair, second


def refused(effects: list[Effect]) -> bool:
    """Whether a message was ignored with a reason, and nothing else."""
    return [type(effect) for effect in effects] == [Ignored]


@pytest.mark.requirement("MP-FAULT-3", "MP-FAULT-1")
@pytest.mark.parametrize("answered", [False, True])
def test_two_messages_of_one_number_are_proof_that_everybody_judges_the_same(
    answered: bool,
) -> None:
    pair, second = dealt_double(answered=answered)
    effects = pair.guest.receive(second)
    (ended,) = of_kind(effects, Over)
    assert ended.outcome.score == "0-1"
    assert ended.outcome.termination == "double-dealing"
    assert ended.fault is not None
    assert ended.fault.role is Role.HOST
    (score,) = sends(effects)
    assert isinstance(score, Score)
    assert score.proof is not None
    assert score.proof.digest == second.digest
    ledger = verify_record(dump_record(pair.guest.ledger)).ledger
    assert ledger.outcome == ended.outcome
    assert ledger.fault == ended.fault


@pytest.mark.requirement("MP-FAULT-3", "MP-SCORE-1")
def test_the_accused_takes_the_same_verdict_from_the_proof_and_scores_second() -> None:
    pair, second = dealt_double()
    pair.carry(Role.GUEST, pair.guest.receive(second))
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)
    assert verify_record(dump_record(pair.host.ledger)).standing is Standing.AGREED
    assert [entry.by for entry in pair.host.ledger.entries[-2:]] == ["guest", "host"]


@pytest.mark.requirement("MP-FAULT-3")
def test_a_guest_is_caught_as_a_host_is() -> None:
    pair = Pair.started()
    pair.play("b6")
    second = craft(pair.host.ledger, Role.GUEST, "resign")
    pair.play("b1")
    pair.carry(Role.HOST, pair.host.receive(second))
    for player in pair.players.values():
        assert player.ledger.fault is not None
        assert player.ledger.fault.role is Role.GUEST
        assert player.ledger.outcome is not None
        assert player.ledger.outcome.score == "1-0"


@pytest.mark.requirement("MP-LOG-3")
def test_the_same_message_again_is_no_proof_of_anything() -> None:
    pair, _ = dealt_double()
    repeated = decode(encode(pair.host.ledger.log(Role.HOST)[-1]))
    assert pair.guest.receive(repeated) == []
    resigned = pair.host.ledger.log(Role.HOST)[-1].model_copy(update={"sig": "0" * 128})
    assert pair.guest.receive(resigned) == []


@pytest.mark.requirement("MP-LOG-1")
def test_a_forged_second_message_accuses_nobody() -> None:
    pair, second = dealt_double()
    assert refused(pair.guest.receive(forge(second, OTHER_KEY)))
    assert pair.guest.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-FAULT-3", "MP-FAULT-1")
@pytest.mark.parametrize("what", ["same", "forged", "future", "other game", "own"])
def test_an_accusation_without_proof_loses_the_game(what: str) -> None:
    pair, second = dealt_double()
    ledger = pair.host.ledger
    proof = {
        "same": ledger.log(Role.HOST)[-1],
        "forged": forge(second, GUEST_KEY),
        "future": forge(second, HOST_KEY, n=3),
        "other game": forge(second, HOST_KEY, game="0" * 64),
        "own": craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=0),
    }[what]
    accusation = craft(
        ledger,
        Role.GUEST,
        "score",
        score="0-1",
        termination="double-dealing",
        proof=proof.fields(),
    )
    pair.carry(Role.HOST, pair.host.receive(accusation))
    assert ledger.fault is not None
    assert (ledger.fault.role, ledger.fault.code) == (Role.GUEST, "score/false-proof")
    verified = verify_record(dump_record(ledger)).ledger
    assert verified.fault == ledger.fault
    assert verified.outcome is not None
    assert verified.outcome.score == "1-0"


@pytest.mark.requirement("MP-LOG-8")
def test_an_accusation_may_have_been_written_before_the_newest_message_was_seen() -> None:
    pair, second = dealt_double(answered=True)
    accusation = sends(pair.guest.receive(second))[0]
    # Meanwhile the host has moved again.
    pair.host.play(pair.host.ledger.position.legal_moves[0], 0)
    pair.host.receive(accusation)
    assert pair.host.ledger.fault is not None
    assert pair.host.ledger.fault.code == "chain/double-dealing"
    assert verify_record(dump_record(pair.host.ledger)).ledger.fault == pair.host.ledger.fault


@pytest.mark.requirement("MP-LOG-8")
def test_an_accusation_that_has_seen_what_nobody_here_knows_has_no_effect() -> None:
    pair, second = dealt_double()
    accusation = craft(
        pair.host.ledger,
        Role.GUEST,
        "score",
        score="0-1",
        termination="double-dealing",
        proof=second.fields(),
        seen="0" * 64,
    )
    assert refused(pair.host.receive(accusation))
    assert pair.host.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-FAULT-3")
def test_a_next_message_after_another_previous_one_is_proof_as_well() -> None:
    pair, second = dealt_double(answered=True)
    # The host goes on from the move it did not send.
    other_story = craft(pair.guest.ledger, Role.HOST, "resign", prev=second.digest)
    effects = pair.guest.receive(other_story)
    (ended,) = of_kind(effects, Over)
    assert ended.outcome.termination == "double-dealing"
    assert ended.fault is not None
    assert ended.fault.role is Role.HOST
    assert "number 1" in ended.fault.text
    verified = verify_record(dump_record(pair.guest.ledger)).ledger
    assert verified.fault == ended.fault


@pytest.mark.requirement("MP-FAULT-4")
def test_a_guest_that_asked_twice_to_join_is_no_double_dealer() -> None:
    pair = Pair.started()
    join = pair.guest.ledger.join
    assert join is not None
    again = forge(join, GUEST_KEY, nonce="0b" * 16)
    pair.host.receive(again)
    assert pair.host.ledger.phase is Phase.PLAYING
    with pytest.raises(ValueError, match="proof"):
        craft(
            pair.host.ledger,
            Role.HOST,
            "score",
            score="1-0",
            termination="double-dealing",
            proof=again.fields(),
        )


@pytest.mark.requirement("MP-FAULT-4")
def test_what_cannot_be_a_proof_is_ignored_and_the_game_goes_on() -> None:
    pair, second = dealt_double()
    unusable = craft(
        Pair.started().guest.ledger,
        Role.HOST,
        "score",
        score="1-0",
        termination="double-dealing",
        proof=second.fields(),
    )
    assert refused(pair.guest.receive(unusable))
    join = craft(
        Pair.make().host.ledger,
        Role.HOST,
        "join",
        **{"from": HOST_KEY.node, "key": HOST_KEY.public_key, "nonce": NONCE, "agent": "x"},
    )
    assert refused(pair.guest.receive(join))
    pair.play("b1")
    assert pair.guest.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-FAULT-5")
def test_a_second_message_after_the_game_changes_nothing() -> None:
    pair, second = dealt_double()
    pair.carry(Role.GUEST, pair.guest.resign())
    before = dump_record(pair.guest.ledger)
    assert refused(pair.guest.receive(second))
    assert dump_record(pair.guest.ledger) == before


def test_an_accusation_always_fits_a_payload() -> None:
    # Every field of a proof is bounded, and proofs do not nest.
    pair = Pair.started(agent="x" * 64)
    longest = forge(
        craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=2**53 - 1),
        HOST_KEY,
        move="x" * 64,
    )
    pair.play("b6")
    (score,) = sends(pair.guest.receive(longest))
    assert len(encode(score)) < 3000
