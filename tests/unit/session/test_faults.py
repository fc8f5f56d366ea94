"""Moves, turns and breaches of the rules: who loses, why, and what stays as evidence."""

from typing import Any

import pytest

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import IllegalMoveError, Move, Side
from ataxxd.session.events import Ignored, Keep, Moved, Over, PublishState, Send
from ataxxd.session.ledger import TRANSITIONS, Ledger
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd_protocol.messages import Score
from tests.conformance.games import (
    GUEST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    SECRET,
    Pair,
    craft,
    forge,
    of_kind,
    sends,
)

TAMPERED = "0" * 64
# Texts of a legal move for the host after a2, b1, in whatever spelling.
LEGAL = {"b7", "B7", "a7-b7"}


def cheat(pair: Pair, role: Role, kind: str, **fields: Any) -> Pair:
    """Let a player write what no honest program would; the other one judges it."""
    victim = pair.players[role.other]
    pair.carry(role.other, victim.receive(craft(victim.ledger, role, kind, **fields)))
    return pair


def verdict(pair: Pair, victim: Role) -> tuple[str, str, str]:
    """Termination, score and fault as the victim's own record tells them to anybody."""
    ledger = verify_record(dump_record(pair.players[victim].ledger)).ledger
    mine = pair.players[victim].ledger
    assert ledger.outcome == mine.outcome
    assert ledger.fault == mine.fault
    assert ledger.outcome is not None
    assert ledger.fault is not None
    assert ledger.fault.role is victim.other
    return ledger.outcome.termination, ledger.outcome.score, ledger.fault.code


def test_a_move_reaches_the_other_side_and_the_turn_passes() -> None:
    pair = Pair.started()
    pair.play("g2")
    (played,) = of_kind(pair.effects[Role.GUEST], Moved)
    assert played.role is Role.HOST
    assert played.side is Side.FIRST
    assert played.move.text == "g2"
    assert played.elapsed_ms == 1000
    assert played.before == pair.guest.ledger.start
    assert pair.guest.ledger.position == pair.host.ledger.position
    assert pair.guest.ledger.on_turn is Role.GUEST


def test_our_own_move_is_kept_before_it_is_sent() -> None:
    pair = Pair.started()
    move = pair.host.ledger.position.parse_move("g2")
    kinds = [type(effect) for effect in pair.host.play(move, 5)]
    assert kinds == [Keep, Send, Moved, PublishState]


def test_we_cannot_move_out_of_turn_illegally_or_after_the_end() -> None:
    pair = Pair.started()
    move = pair.host.ledger.position.parse_move("g2")
    before = dump_record(pair.guest.ledger)
    with pytest.raises(LocalProtocolError, match="opponent's turn") as caught:
        pair.guest.play(move, 0)
    assert caught.value.code == "order/not-your-turn"
    with pytest.raises(IllegalMoveError, match="d4"):
        pair.host.play(Move("ataxx", "d4"), 0)
    assert dump_record(pair.guest.ledger) == before
    pair.carry(Role.HOST, pair.host.resign())
    with pytest.raises(LocalProtocolError, match="The game is over"):
        pair.host.play(move, 0)


@pytest.mark.requirement("MP-LOG-10")
def test_when_the_rules_end_the_game_both_know_without_a_word() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    for role in Role:
        (ended,) = of_kind(pair.effects[role], Over)
        assert ended.outcome.termination == "no-moves"
        assert ended.outcome == pair.host.ledger.position.outcome
        assert ended.fault is None


@pytest.mark.requirement("MP-LOG-9", "MP-FAULT-1", "MP-FAULT-2")
@pytest.mark.parametrize(
    ("fields", "code", "termination"),
    [
        ({"move": "d4"}, "move/illegal", "illegal-move"),
        ({"move": "zz9"}, "move/illegal", "illegal-move"),
        ({"move": "0000"}, "move/illegal", "illegal-move"),
        ({"move": "a7-b7"}, "move/illegal", "illegal-move"),
        ({"move": "B7"}, "move/illegal", "illegal-move"),
        ({"move": "b7", "position": TAMPERED}, "move/wrong-position", "desync"),
        ({"move": "b7", "ply": 2}, "move/wrong-ply", "protocol-violation"),
    ],
)
def test_a_move_that_breaks_a_rule_loses_and_is_evidence_in_the_record(
    fields: dict[str, Any], code: str, termination: str
) -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    before = pair.guest.ledger.position
    # An illegal move has no position after it, and its author must write something there.
    predicted = {} if fields["move"] in LEGAL else {"position": TAMPERED}
    bad = craft(pair.guest.ledger, Role.HOST, "move", elapsed_ms=1, **(predicted | fields))
    pair.carry(Role.GUEST, pair.guest.receive(bad))
    assert verdict(pair, Role.GUEST) == (termination, "0-1", code)
    assert pair.guest.ledger.position == before
    assert bad in pair.guest.ledger.log(Role.HOST)
    (ended,) = of_kind(pair.effects[Role.GUEST], Over)
    assert ended.fault is not None
    assert ended.fault.text


@pytest.mark.requirement("MP-FAULT-1")
def test_what_was_wrong_is_explained_with_squares() -> None:
    pair = cheat(Pair.started(), Role.HOST, "move", move="d4", position=TAMPERED, elapsed_ms=1)
    fault = pair.guest.ledger.fault
    assert fault is not None
    assert fault.text.startswith("ply 1: ")
    assert "d4" in fault.text


@pytest.mark.requirement("MP-LOG-6", "MP-FAULT-1")
@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("move", {"move": "g6", "position": TAMPERED, "elapsed_ms": 0}, "move/not-your-turn"),
        ("resign", {}, "resign/not-your-turn"),
        ("score", {"score": "0-1", "termination": "resignation"}, "score/too-early"),
        (
            "join",
            {"key": GUEST_KEY.public_key, "nonce": NONCE, "agent": "x"},
            "order/unexpected",
        ),
        ("start", {"host_side": "first", "secret": SECRET}, "order/unexpected"),
    ],
)
def test_whoever_writes_what_is_not_theirs_to_write_loses(
    kind: str, fields: dict[str, Any], code: str
) -> None:
    pair = cheat(Pair.started(), Role.GUEST, kind, **fields)
    assert verdict(pair, Role.HOST) == ("protocol-violation", "1-0", code)


@pytest.mark.requirement("MP-LOG-6")
def test_a_host_that_joins_in_mid_game_loses_as_a_guest_would() -> None:
    pair = cheat(
        Pair.started(), Role.HOST, "join", key=OTHER_KEY.public_key, nonce=NONCE, agent="x"
    )
    assert verdict(pair, Role.GUEST) == ("protocol-violation", "0-1", "order/unexpected")


@pytest.mark.requirement("MP-LOG-9")
def test_the_first_breach_counts_in_the_order_of_the_specification() -> None:
    everything: dict[str, Any] = {"move": "d4", "position": TAMPERED, "elapsed_ms": 0, "ply": 9}
    pair = Pair.started()
    early = {"seen": pair.offer.digest}
    cheat(pair, Role.GUEST, "move", **(everything | early))
    assert verdict(pair, Role.HOST)[2] == "chain/wrong-seen"
    pair = cheat(Pair.started(), Role.GUEST, "move", **everything)
    assert verdict(pair, Role.HOST)[2] == "move/not-your-turn"
    pair = cheat(Pair.started(), Role.HOST, "move", **everything)
    assert verdict(pair, Role.GUEST)[2] == "move/wrong-ply"


@pytest.mark.requirement("MP-LOG-11")
def test_whoever_resigns_loses() -> None:
    pair = Pair.started()
    pair.play("g2")
    pair.carry(Role.GUEST, pair.guest.resign())
    for player in pair.players.values():
        outcome = player.ledger.outcome
        assert outcome is not None
        assert (outcome.termination, outcome.score) == ("resignation", "1-0")
        assert player.ledger.phase is Phase.CLOSED


@pytest.mark.requirement("MP-LOG-11", "MP-FAULT-1")
def test_a_resignation_of_another_ply_is_a_fault() -> None:
    pair = cheat(Pair.started(), Role.HOST, "resign", ply=3)
    assert verdict(pair, Role.GUEST) == ("protocol-violation", "0-1", "move/wrong-ply")


@pytest.mark.requirement("MP-LOG-1", "MP-LOG-4")
@pytest.mark.parametrize("key", [OTHER_KEY, GUEST_KEY])
def test_a_forged_move_has_no_effect(key: Any) -> None:
    pair = Pair.started()
    true = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    before = dump_record(pair.guest.ledger)
    (ignored,) = pair.guest.receive(forge(true, key, move="d4"))
    assert isinstance(ignored, Ignored)
    assert ignored.code == "chain/forged"
    assert dump_record(pair.guest.ledger) == before
    assert of_kind(pair.guest.receive(true), Moved)


@pytest.mark.requirement("MP-LOG-1", "MP-LOG-4")
def test_a_stranger_and_another_game_have_no_effect() -> None:
    pair = Pair.started()
    true = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    before = dump_record(pair.guest.ledger)
    for message in (
        forge(true, OTHER_KEY, **{"from": OTHER_KEY.node}),
        forge(true, GUEST_KEY, **{"from": GUEST_KEY.node}),
        craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1, game=TAMPERED),
    ):
        assert [type(effect) for effect in pair.guest.receive(message)] == [Ignored]
        assert dump_record(pair.guest.ledger) == before


@pytest.mark.requirement("MP-LOG-7")
def test_the_table_of_transitions_is_all_there_is() -> None:
    # Every message type in every phase but mid-game: what is not in the table is refused.
    for phase in set(Phase) - IN_PLAY:
        for kind in ("join", "start", "move", "resign", "score"):
            pair = Pair.make()
            if phase is not Phase.OPEN:
                pair.guest.ask_to_join(NONCE, "x")
            ledger = pair.guest.ledger
            if phase in (Phase.OVER, Phase.SCORED, Phase.CLOSED):
                pair = Pair.started()
                ledger = pair.guest.ledger
                ledger.accept(Role.HOST, craft(ledger, Role.HOST, "resign"))
                for role in (Role.HOST, Role.GUEST)[
                    : [Phase.OVER, Phase.SCORED, Phase.CLOSED].index(phase)
                ]:
                    ledger.accept(role, craft(ledger, role, "score"))
            assert ledger.phase is phase
            if (phase, kind) in TRANSITIONS:
                continue
            possible: dict[str, dict[str, Any]] = {
                "join": {"key": OTHER_KEY.public_key, "nonce": NONCE, "agent": "x"},
                "start": {"guest": GUEST_KEY.node, "host_side": "first", "secret": SECRET},
                "move": {"move": "g2", "elapsed_ms": 0},
                "resign": {},
                "score": {"score": "1-0", "termination": "resignation"},
            }
            before = dump_record(ledger)
            with pytest.raises(RemoteProtocolError):
                ledger.accept(Role.HOST, craft(ledger, Role.HOST, kind, **possible[kind]))
            assert ledger.phase is phase
            assert dump_record(ledger) == before


@pytest.mark.requirement("MP-LOG-8", "MP-FAULT-1")
def test_whoever_writes_again_without_waiting_for_the_answer_loses() -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "f1")
    seen = pair.host.ledger.log(Role.HOST)[1].digest
    cheat(pair, Role.GUEST, "move", move="a2", elapsed_ms=0, seen=seen)
    assert verdict(pair, Role.HOST) == ("protocol-violation", "1-0", "chain/wrong-seen")


@pytest.mark.requirement("MP-LOG-8", "MP-LOG-5")
def test_an_answer_to_a_message_that_is_not_here_blames_nobody() -> None:
    pair = Pair.started()
    bad = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1, seen=TAMPERED)
    before = dump_record(pair.guest.ledger)
    (ignored,) = pair.guest.receive(bad)
    assert isinstance(ignored, Ignored)
    assert ignored.code == "chain/unknown-seen"
    assert dump_record(pair.guest.ledger) == before


@pytest.mark.requirement("MP-FAULT-6")
def test_nobody_is_blamed_by_a_record_that_leaves_out_the_blamers_own_move() -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "f1", "a2")
    genuine = pair.host.ledger.log(Role.GUEST)
    ledger = Ledger(pair.offer)
    host_log = pair.host.ledger.log(Role.HOST)
    for role, message in (
        (Role.GUEST, genuine[0]),
        (Role.HOST, host_log[0]),
        (Role.HOST, host_log[1]),
        (Role.GUEST, genuine[1]),
    ):
        ledger.accept(role, message)
    # The guest's answer to f1, shown by a host that pretends never to have played f1.
    with pytest.raises(RemoteProtocolError) as caught:
        ledger.accept(Role.GUEST, genuine[2])
    assert caught.value.code == "chain/unknown-seen"
    assert ledger.outcome is None


@pytest.mark.requirement("MP-FAULT-6")
def test_nobody_is_blamed_by_a_record_that_invents_their_messages() -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "f1", "a2")
    genuine = pair.host.ledger.log(Role.GUEST)
    ledger = Ledger(pair.offer)
    for role, message in (
        (Role.GUEST, genuine[0]),
        (Role.HOST, pair.host.ledger.log(Role.HOST)[0]),
        (Role.HOST, pair.host.ledger.log(Role.HOST)[1]),
    ):
        ledger.accept(role, message)
    # In a record only the newest message of each side needs its signature.
    invented = craft(ledger, Role.GUEST, "move", move="b2", elapsed_ms=1).model_copy(
        update={"sig": None}
    )
    ledger.accept(Role.GUEST, invented)
    ledger.accept(Role.HOST, craft(ledger, Role.HOST, "move", move="f1", elapsed_ms=1))
    with pytest.raises(RemoteProtocolError) as caught:
        ledger.accept(Role.GUEST, genuine[2])
    assert caught.value.code == "chain/not-next"
    assert ledger.outcome is None


def test_a_ledger_takes_only_the_next_message_of_its_own_game() -> None:
    pair = Pair.started()
    pair.play("g2")
    ledger: Ledger = pair.guest.ledger
    with pytest.raises(RemoteProtocolError, match="not the next"):
        ledger.accept(Role.HOST, ledger.log(Role.HOST)[1])
    with pytest.raises(RemoteProtocolError, match="another game"):
        ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "resign", game=TAMPERED))


def test_the_result_of_a_fault_is_agreed_when_both_score_it() -> None:
    pair = Pair.started()
    cheat(pair, Role.HOST, "move", move="d4", position=TAMPERED, elapsed_ms=1)
    mine = pair.guest.ledger
    assert mine.scorer is Role.HOST
    pair.guest.receive(craft(mine, Role.HOST, "score"))
    assert verify_record(dump_record(mine)).standing is Standing.AGREED
    scores = [message for message in sends(pair.effects[Role.GUEST]) if isinstance(message, Score)]
    assert [(score.score, score.termination) for score in scores] == [("0-1", "illegal-move")]
