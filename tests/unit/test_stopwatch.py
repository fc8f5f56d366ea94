"""What a stopwatch says of thinking, waiting and claims, over connections and restarts."""

import pytest

from ataxxd.node.claims import Stopwatch
from ataxxd.session.player import Times
from ataxxd.times import Clock

OURS, THEIRS = True, False


class Hands:
    """Clocks that go when they are told to."""

    def __init__(self) -> None:
        self.monotonic, self.wall = 100.0, 1_700_000_000.0

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.monotonic, lambda: self.wall)

    def pass_s(self, seconds: float) -> None:
        self.monotonic += seconds
        self.wall += seconds


def connected(hands: Hands, *kept: tuple[bool, int]) -> Stopwatch:
    watch = Stopwatch(hands.clock, kept)
    watch.on_connected()
    return watch


def told(hands: Hands, *steps: float | str) -> Stopwatch:
    """A stopwatch that was told of `steps`: seconds that pass, and what happens."""
    watch = connected(hands)
    for step in steps:
        match step:
            case "wrote":
                watch.on_message(ours=OURS)
            case "came":
                watch.on_message(ours=THEIRS)
            case "lost":
                watch.on_disconnected()
            case "lost at once":
                watch.on_disconnected(2.0)
            case "lost, all delivered":
                watch.on_disconnected(delivered=True)
            case "back":
                watch.on_connected()
            case seconds:
                hands.pass_s(float(seconds))
    return watch


@pytest.mark.requirement("MP-TIME-3")
def test_thinking_goes_on_over_a_lost_connection_and_a_restart() -> None:
    hands = Hands()
    watch = told(hands, "came", 5, "lost", "back", 2)
    assert watch.elapsed_ms == 7_000
    assert Stopwatch(hands.clock, [(OURS, 11_000), (THEIRS, 9_000)]).elapsed_ms == 9_000


@pytest.mark.requirement("MP-CLAIM-5")
def test_waiting_begins_anew_with_a_connection_and_a_restart() -> None:
    hands = Hands()
    watch = told(hands, "wrote", 5)
    assert watch.waited_ms == 5_000
    watch.on_connected()
    hands.pass_s(2)
    assert watch.waited_ms == 2_000
    assert Stopwatch(hands.clock, [(OURS, 9_000)]).waited_ms == 0


@pytest.mark.requirement("MP-CLAIM-6", "MP-CLAIM-7")
@pytest.mark.parametrize(
    ("steps", "times"),
    [
        # Connected all the time: as long as the message was there, however long the other thought.
        (("wrote", 900, "came", 3), (3_000, 903_000)),
        # What was answered was had until then, however long the other waits.
        (("wrote", 1, "came", 2, "wrote", 60), (2_000, 63_000)),
        # A message that lay at the broker while we were away counts from the beginning of that.
        (("wrote", 100, "lost", 900, "back", "came", 1), (946_000, 1_001_000)),
        # So does an answer that may have been lost, but not for longer than we were away.
        (("wrote", 1_000, "came", 1, "wrote", 100, "lost", 3, "back", 1), (49_000, 1_105_000)),
        # Until the broker last spoke the connection was there.
        (
            ("wrote", 1_000, "came", 1, "wrote", 100, "lost at once", 3, "back", 1),
            (6_000, 1_105_000),
        ),
        (("wrote", 100, "lost at once", 900, "back", "came", 1), (903_000, 1_001_000)),
        # An answer that the broker had was not lost, however long we were away after that.
        (
            ("wrote", "came", 1, "wrote", 100, "lost, all delivered", 600, "back", 1),
            (1_000, 702_000),
        ),
        # From then on: before that it may have been lost, too.
        (
            ("wrote", "came", 1, "wrote", "lost", 5, "back", 9, "lost, all delivered", 600, "back"),
            (7_000, 615_000),
        ),
        # What the broker had before says nothing of what was written later.
        (
            ("wrote", "came", 1, "lost, all delivered", "back", "wrote", 9, "lost", 90, "back"),
            (100_000, 100_000),
        ),
        # And never for longer than there was something to wait for.
        (("wrote", 1, "came", 1, "wrote", 1, "lost", 3, "back", 1), (7_000, 7_000)),
    ],
)
def test_what_is_said_of_a_claim_is_the_most_that_it_can_be(
    steps: tuple[float | str, ...], times: tuple[int, int]
) -> None:
    # A join, or a start, that everything begins with.
    assert told(Hands(), "came", *steps).times(0, 1) == Times(*times)


@pytest.mark.requirement("MP-CLAIM-6")
def test_a_takeback_of_ours_is_what_we_were_to_go_on_from() -> None:
    watch = told(Hands(), "came", "wrote", 1, "came", 50, "wrote", 4)
    assert watch.times(1, 1) == Times(4_000, 4_000)


@pytest.mark.requirement("MP-CLAIM-6", "MP-CLAIM-7")
def test_the_times_of_a_claim_go_on_over_a_restart() -> None:
    hands = Hands()
    before = [(THEIRS, 90_000), (OURS, 70_000), (THEIRS, 10_000), (OURS, 9_000)]
    watch = connected(hands, *before)
    hands.pass_s(1)
    # Connected again, an answer that was lost is known to be missing.
    assert watch.times(0, 1) == Times(70_000, 71_000)
    # A claim that came before the restart and was not answered.
    assert connected(hands, *before, (THEIRS, 2_000)).times(0, 1) == Times(68_000, 68_000)


@pytest.mark.requirement("MP-CLAIM-6")
def test_the_times_of_a_claim_go_on_while_the_machine_sleeps() -> None:
    hands = Hands()
    watch = told(hands, "came", "wrote", "came")
    hands.wall += 900
    watch.on_disconnected()
    watch.on_connected()
    hands.pass_s(1)
    assert watch.times(0, 1) == Times(901_000, 901_000)


def test_a_clock_that_is_set_back_shortens_nothing() -> None:
    hands = Hands()
    watch = told(hands, "came", "wrote", 5, "came", 5)
    hands.wall -= 3_600
    assert watch.times(0, 1) == Times(5_000, 10_000)
