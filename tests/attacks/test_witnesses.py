"""Attacks on games with witnesses: by a player, by a witness, or by both together."""

import json

import pytest

from ataxxd.errors import VerificationError
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import Points, count_points_of_all
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.session.witnesses import add_statement
from ataxxd_protocol.messages import Statement
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import HOST_KEY, OTHER_KEY, WITNESS_KEYS, Pair, forge
from tests.conformance.scenarios import claimed
from tests.conformance.witnessed import (
    GRACE_MS,
    LONG,
    SHORT,
    WITNESSES,
    attested,
    make_statement,
    witnessed,
)
from tests.unit.session.deviations import BOARD, ON_TURN, Table, told_by_witnesses

CONTESTED, AGREED = {"since_ms": 5_000}, {"since_ms": GRACE_MS}
HOST_WINS, GUEST_WINS = (2, 0), (0, 2)


def halves(*ledgers: Ledger) -> tuple[int, int]:
    """What the host, who moves first, and the guest get, by records of a game."""
    count = count_points_of_all(ledgers)
    assert isinstance(count, Points)
    return count.first, count.second


@pytest.mark.attack("A-45")
@pytest.mark.parametrize(("truth", "lie"), [(LONG, SHORT), (SHORT, LONG)])
def test_fewer_than_half_of_the_witnesses_lie_to_no_effect(truth: int, lie: int) -> None:
    for answer in (CONTESTED, AGREED):
        game = witnessed(**answer)
        before = halves(attested(game, truth, truth))
        assert before == (HOST_WINS if truth is LONG else GUEST_WINS)
        assert halves(attested(game, truth, truth, lie)) == before
        # Where the others say nothing, what a liar says is as good as nothing, too.
        assert halves(attested(game, lie)) == halves(game)
        assert halves(attested(game, lie, truth)) == halves(game)


@pytest.mark.attack("A-46")
def test_a_witness_that_says_two_things_helps_nobody_whoever_shows_which() -> None:
    game = witnessed(**CONTESTED)
    first, second = attested(game, None, LONG, SHORT), attested(game, None, SHORT, SHORT)
    assert halves(first) == (0, 0)
    assert halves(second) == GUEST_WINS
    assert halves(first, second) == halves(second, first) == (0, 0)


@pytest.mark.attack("A-47")
@pytest.mark.parametrize("answer", [CONTESTED, AGREED, {}])
def test_witnesses_that_are_cut_off_or_kept_from_speaking_leave_a_game_as_it_is_without(
    answer: dict[str, int],
) -> None:
    unwatched = halves(claimed(None, **answer))
    game = witnessed(**answer)
    assert halves(game) == unwatched
    assert halves(attested(game, SHORT)) == halves(attested(game, LONG)) == unwatched


def statements_of_another_game() -> list[Statement]:
    """By the same witnesses, on the same claim in another game of the same players."""
    other = Pair.started(grace_ms=GRACE_MS, witnesses=WITNESSES, name="theirs")
    other.play("g2")
    other.carry(Role.HOST, other.host.claim("silence", GRACE_MS))
    return [make_statement(other.host.ledger, key, LONG) for key in WITNESS_KEYS]


@pytest.mark.attack("A-48")
def test_statements_of_another_game_or_on_another_claim_say_nothing_of_this_one() -> None:
    game = witnessed(**CONTESTED)
    onlooker = SpectatorSession(game.copy())
    for statement in statements_of_another_game():
        onlooker.receive(statement)
    assert onlooker.ledger.statements == ()
    for key in WITNESS_KEYS:
        onlooker.receive(make_statement(game, key, LONG, claim=game.line[2][1].digest))
    assert halves(onlooker.ledger) == (0, 0)
    record = json.loads(dump_record(game))
    for statements in (statements_of_another_game(), onlooker.ledger.statements):
        record["statements"] = [each.fields() for each in statements]
        with pytest.raises(VerificationError, match="statement"):
            verify_record(canonical_json(record) + b"\n")


@pytest.mark.attack("A-49")
def test_statements_that_no_witness_has_signed_say_nothing() -> None:
    game = witnessed(**CONTESTED)
    onlooker = SpectatorSession(game.copy())
    for key in WITNESS_KEYS:
        true = make_statement(game, key, LONG)
        onlooker.receive(true.model_copy(update={"silence_ms": SHORT}))
        onlooker.receive(forge(true, OTHER_KEY))
        onlooker.receive(forge(true, OTHER_KEY, key=OTHER_KEY.public_key))
        onlooker.receive(forge(true, HOST_KEY, key=HOST_KEY.public_key, **{"from": HOST_KEY.node}))
    assert onlooker.ledger.statements == ()


@pytest.mark.attack("A-51")
@pytest.mark.parametrize("act", [name for name in ON_TURN if "repeats nothing" in name])
def test_a_move_that_only_witnesses_hear_wins_nothing(act: str) -> None:
    table = Table.started(start=f"{BOARD} x 0 1", grace_ms=GRACE_MS, witnesses=WITNESSES)
    ON_TURN[act](table, Role.HOST)
    honest = table.ledger(Role.GUEST)
    assert honest.claim is not None
    for told in told_by_witnesses(honest, table.statements):
        for shown in ([told], [told, table.ledger(Role.HOST)]):
            assert halves(*shown)[0] == 0


@pytest.mark.attack("A-50")
def test_a_statement_said_again_counts_once() -> None:
    game = witnessed(**CONTESTED)
    statement = make_statement(game, WITNESS_KEYS[0], SHORT)
    for _ in range(3):
        add_statement(game, statement)
    assert game.statements == (statement,)
    assert halves(game, game, game.copy()) == (0, 0)
