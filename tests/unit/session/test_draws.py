"""Draws by agreement, and games that begin with moves already made."""

import pytest

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import Outcome, Position, Side
from ataxxd.session.events import DrawAsked, DrawRefused, Over
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import position_digest
from tests.conformance.games import Pair, craft, make_offer, of_kind

CHECKERS = "checkers/cs61b-2004"


def checkers_pair() -> Pair:
    start = Position.start(CHECKERS)
    digest = position_digest(CHECKERS, start.text)
    return Pair.started(ruleset=CHECKERS, start=start.text, start_hash=digest)


@pytest.mark.requirement("MP-DRAW-2", "MP-DRAW-3")
def test_an_accepted_draw_ends_the_game_without_a_winner() -> None:
    pair = checkers_pair()
    pair.play("11-15", "24-20")
    pair.carry(Role.HOST, pair.host.offer_draw())
    assert of_kind(pair.effects[Role.GUEST], DrawAsked) == [DrawAsked(Side.FIRST)]
    assert pair.guest.ledger.on_turn is Role.GUEST
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=True))
    for role in Role:
        assert pair.players[role].ledger.phase is Phase.CLOSED
        assert of_kind(pair.effects[role], Over)[0].outcome == Outcome("draw-agreed", None)
    verdict = verify_record(dump_record(pair.host.ledger))
    assert verdict.standing is Standing.AGREED
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)


@pytest.mark.requirement("MP-DRAW-4")
def test_after_a_rejected_draw_the_offerer_can_only_move() -> None:
    pair = checkers_pair()
    pair.carry(Role.HOST, pair.host.offer_draw())
    with pytest.raises(LocalProtocolError, match="wait for the answer"):
        pair.host.play(pair.host.ledger.position.legal_moves[0], 0)
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=False))
    assert of_kind(pair.effects[Role.HOST], DrawRefused) == [DrawRefused(Side.SECOND)]
    for forbidden in (pair.host.offer_draw, pair.host.resign):
        with pytest.raises(LocalProtocolError, match="now you must move"):
            forbidden()
    pair.play("11-15", "24-20")
    assert pair.host.offer_draw()


@pytest.mark.requirement("MP-DRAW-4")
@pytest.mark.parametrize("kind", ["draw", "resign"])
def test_a_cheat_that_does_not_move_after_a_rejected_draw_loses(kind: str) -> None:
    pair = checkers_pair()
    pair.carry(Role.HOST, pair.host.offer_draw())
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=False))
    pair.carry(Role.GUEST, pair.guest.receive(craft(pair.guest.ledger, Role.HOST, kind)))
    assert pair.guest.ledger.fault is not None
    assert pair.guest.ledger.fault.code == "draw/must-move"
    assert pair.guest.ledger.outcome == Outcome("protocol-violation", Side.SECOND)


@pytest.mark.requirement("MP-DRAW-2")
def test_an_offered_draw_is_answered_before_anything_else() -> None:
    pair = checkers_pair()
    pair.carry(Role.HOST, pair.host.offer_draw())
    for forbidden in (
        pair.guest.resign,
        pair.guest.offer_draw,
        pair.guest.agree,  # as to a takeback
        lambda: pair.guest.refuse(0),
    ):
        with pytest.raises(LocalProtocolError, match="accept or reject it first"):
            forbidden()
    pair.carry(Role.HOST, pair.host.receive(craft(pair.host.ledger, Role.GUEST, "resign")))
    assert pair.host.ledger.fault is not None
    assert pair.host.ledger.fault.code == "order/unexpected"


@pytest.mark.requirement("MP-DRAW-2")
def test_nobody_answers_their_own_offer_of_a_draw() -> None:
    pair = checkers_pair()
    pair.carry(Role.HOST, pair.host.offer_draw())
    answer = craft(pair.guest.ledger, Role.HOST, "draw-answer", answer="accept")
    pair.carry(Role.GUEST, pair.guest.receive(answer))
    assert pair.guest.ledger.fault is not None
    assert pair.guest.ledger.fault.code == "draw/own-offer"


@pytest.mark.requirement("MP-DRAW-1")
def test_a_draw_in_a_game_without_agreed_draws_is_refused_here_and_a_fault_there() -> None:
    pair = Pair.started()
    with pytest.raises(LocalProtocolError, match="has no agreed draws"):
        pair.host.offer_draw()
    pair.carry(Role.GUEST, pair.guest.receive(craft(pair.guest.ledger, Role.HOST, "draw")))
    assert pair.guest.ledger.fault is not None
    assert pair.guest.ledger.fault.code == "draw/unknown-here"


@pytest.mark.requirement("MP-DRAW-1")
def test_a_draw_is_offered_on_turn() -> None:
    pair = checkers_pair()
    with pytest.raises(LocalProtocolError, match="opponent's turn"):
        pair.guest.offer_draw()
    with pytest.raises(LocalProtocolError, match="No draw was offered"):
        pair.guest.answer_draw(accept=True)


@pytest.mark.requirement("MP-HAND-12")
def test_a_game_may_begin_with_moves_already_made() -> None:
    start = Position.start(CHECKERS)
    opening = ("11-15", "24-20", "8-11")
    position = start
    for text in opening:
        position = position.play(position.parse_move(text))
    digest = position_digest(CHECKERS, position.text)
    pair = Pair.started(
        ruleset=CHECKERS, start=start.text, start_hash=digest, opening=list(opening)
    )
    assert pair.host.ledger.position == position
    assert pair.host.ledger.on_turn is Role.GUEST
    pair.play("28-24")
    assert [str(move) for move in pair.guest.ledger.moves] == [*opening, "28-24"]
    assert pair.guest.ledger.ply == 5
    verdict = verify_record(dump_record(pair.guest.ledger))
    assert verdict.ledger.position == pair.host.ledger.position
    assert SpectatorSession(Ledger(pair.offer)).ledger.position == position


@pytest.mark.requirement("MP-HAND-12")
@pytest.mark.parametrize(
    ("opening", "fault"),
    [
        (["11-15", "11-15"], "move 2"),
        (["11-16", "24-20", "11-18"], "move 3"),
        (["11x15"], "opening"),
    ],
)
def test_an_opening_that_is_not_legal_or_not_canonical_is_not_played(
    opening: list[str], fault: str
) -> None:
    start = Position.start(CHECKERS)
    offer = make_offer(ruleset=CHECKERS, start=start.text, opening=opening)
    with pytest.raises(RemoteProtocolError, match=fault) as refusal:
        Ledger(offer)
    assert refusal.value.code == "handshake/opening"
