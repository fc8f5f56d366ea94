"""The board that a spectator sees on a terminal."""

import pytest

from ataxxd.cli.watch import LiveView, TextView, View
from ataxxd.rules import Position
from ataxxd.session.events import Moved, Seat
from ataxxd.session.state import Role
from tests.conformance.games import Pair

SHOWN = {
    "ataxx/cs61b-2022": ("a7-b6", "1. Red played b6.   Red 3, Blue 2", "[●]"),
    "checkers/cs61b-2004": ("11-15", "1. Black played 11-15.   Black 12, White 12", "13-16"),
    "loa/cs61b": ("b1-b3", "1. Black played b1-b3.   Black 12, White 12", "(·)"),
    "reversi/standard": ("(2,3)", "1. Black played c4.   Black 4, White 1", " 4  ·  · [●]"),
}


@pytest.mark.parametrize("ruleset", SHOWN)
def test_a_move_is_drawn_on_the_board_and_named_as_on_it(
    ruleset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed, line, part = SHOWN[ruleset]
    before = Position.start(ruleset)
    move = before.parse_move(typed)
    LiveView().show(Moved(before.turn, move, before, Seat.REMOTE, 1), Pair.started().host.ledger)
    shown = capsys.readouterr().out
    assert shown.startswith("\x1b[H\x1b[2J")
    assert shown.splitlines()[-1] == line
    assert part in shown


@pytest.mark.parametrize(("view", "told"), [(TextView(), "4:59 left"), (LiveView(), "4:59\n")])
def test_what_a_player_has_left_stands_beside_the_newest_move(
    view: View, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = Pair.started(clock={"base_ms": 300_000, "increment_ms": 0, "lag_ms": 0})
    # The first move of each costs nothing, and each of these takes a second.
    pair.play("a7a6", "a1a2", "a6a5")
    played = [each for each in pair.effects[Role.HOST] if isinstance(each, Moved)]
    for event in played:
        view.show(event, pair.host.ledger)
    shown = capsys.readouterr().out
    assert "3. Red" in shown
    assert shown.count(told) == 1
