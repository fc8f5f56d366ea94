"""A signed record as other notations tell it: players, start, moves, offers and result."""

import pytest

from ataxxd.rules import Outcome, Position, Side
from ataxxd.rules.notation.transcript import read_transcript, write_transcript
from ataxxd.session.record import make_game_record
from ataxxd.session.state import Role
from ataxxd_protocol import position_digest
from tests.conformance.games import Pair

CHECKERS = "checkers/cs61b-2004"


@pytest.fixture
def pair() -> Pair:
    """A game of checkers that has begun; the host moves first."""
    start = Position.start(CHECKERS)
    digest = position_digest(CHECKERS, start.text)
    return Pair.started(ruleset=CHECKERS, start=start.text, start_hash=digest)


def offer_and_reject(pair: Pair, role: Role) -> None:
    pair.carry(role, pair.players[role].offer_draw())
    pair.carry(role.other, pair.players[role.other].answer_draw(accept=False))


def test_offers_of_both_players_stand_where_they_were_made(pair: Pair) -> None:
    offer_and_reject(pair, Role.HOST)
    pair.play("11-15")
    offer_and_reject(pair, Role.GUEST)
    pair.play("24-20", "8-11")
    pair.carry(Role.GUEST, pair.guest.resign())
    game = make_game_record(pair.host.ledger)
    assert game == make_game_record(pair.guest.ledger)
    assert game.refused == (0, 1)
    assert game.outcome == Outcome("resignation", Side.FIRST)
    assert game.players == (pair.host.ledger.offer.host, pair.guest.ledger.join.author)  # type: ignore[union-attr]
    text = write_transcript(game)
    assert text == "1. draw reject\n1. 11-15 draw\n1. reject 24-20\n2. 8-11 resign\n1-0\n"
    assert read_transcript(text).moves == game.moves


def test_an_accepted_draw_is_written_with_its_answer(pair: Pair) -> None:
    offer_and_reject(pair, Role.HOST)
    pair.play("11-15", "24-20")
    pair.carry(Role.HOST, pair.host.offer_draw())
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=True))
    text = write_transcript(make_game_record(pair.host.ledger))
    assert text == "1. draw reject\n1. 11-15 24-20\n2. draw accept\n1/2-1/2\n"


def test_an_offer_that_nobody_has_answered_is_left_out(pair: Pair) -> None:
    pair.play("11-15")
    pair.carry(Role.GUEST, pair.guest.offer_draw())
    game = make_game_record(pair.host.ledger)
    assert (game.refused, game.outcome) == ((), None)
    assert write_transcript(game) == "1. 11-15\n"
