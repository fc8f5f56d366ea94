"""A serving node through hours of coming and going: see `tests.chaos.churn`."""

from tests.chaos.churn import live


def test_a_node_that_serves_for_hours_is_as_it_was_when_it_began() -> None:
    day = live(2, 2, seed=3, vanish=0)
    assert day.played >= 5
    assert day.kills >= 1
    first, last = day.readings[0], day.readings[-1]
    assert last.tasks <= first.tasks
    assert last.files <= first.files
    assert day.left == [], "nothing is retained when all is over"
