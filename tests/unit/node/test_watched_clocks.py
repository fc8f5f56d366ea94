"""The clocks that a spectator sees run by what the players signed, and by its own clock since."""

import pytest

from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd_protocol import signed
from tests.conformance.games import HOST_KEY, Pair
from tests.conformance.scenarios import CLOCK
from tests.memory_broker import MemoryBroker


class Hand:
    """The hands of a clock that is moved by hand."""

    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


class Looking:
    """A spectator of a game between two players, told of each move."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.hand = Hand()
        self.session = SpectatorSession(Ledger(pair.offer))
        self.look()
        watcher = Watcher(self.session, MemoryBroker().connect())
        self.game = WatchedGame(watcher, clock=Clock(self.hand, self.hand))

    def look(self) -> None:
        for part in state_parts(self.pair.host.ledger):
            self.session.receive(signed(part, HOST_KEY))

    def shown(self) -> tuple[int | None, int | None]:
        left = [self.game.remaining_ms(side) for side in Side]
        return left[0], left[1]


@pytest.mark.requirement("MP-TIME-4")
async def test_a_watched_clock_stands_before_its_first_move_and_runs_after_it() -> None:
    looking = Looking(Pair.started(clock=CLOCK))
    looking.hand.seconds += 29
    assert looking.shown() == (10_000, 10_000)
    assert looking.game.starts_in_ms(Side.FIRST) == 1_000
    assert looking.game.starts_in_ms(Side.SECOND) == 30_000
    looking.hand.seconds += 5
    assert looking.shown() == (6_000, 10_000)
    looking.pair.play("g2", "b1")
    looking.look()
    assert looking.shown() == (11_000, 11_000)
    looking.hand.seconds += 4
    assert looking.shown() == (7_000, 11_000)
    assert looking.game.starts_in_ms(Side.FIRST) == 0


async def test_a_watched_clock_that_ran_out_stands_at_nothing() -> None:
    looking = Looking(Pair.started(clock=CLOCK))
    looking.pair.play("g2")
    looking.look()
    looking.pair.carry(Role.HOST, looking.pair.host.claim("flag", 42_001))
    looking.look()
    looking.hand.seconds += 60
    assert looking.shown() == (11_000, 0)


async def test_without_a_clock_none_is_shown() -> None:
    assert Looking(Pair.started()).shown() == (None, None)
