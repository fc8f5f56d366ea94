"""What `watch` says of the games of other hosts."""

from ataxxd.cli.watch import how_to_watch
from ataxxd.node.game_finder import FoundGame
from ataxxd_protocol import grouped
from tests.conformance.games import GUEST_KEY, HOST_KEY, make_offer

FIRST, SECOND = (f"ataxxd watch ourgame#{grouped(key.node)}" for key in (HOST_KEY, GUEST_KEY))


def test_one_command_ends_the_hint_and_of_two_each_is_quoted() -> None:
    games = [FoundGame(make_offer(key, name="ourgame")) for key in (HOST_KEY, GUEST_KEY)]
    assert how_to_watch(games[:1]) == f"To watch the other: {FIRST}"
    assert how_to_watch(games) == f"To watch another: `{FIRST}` or `{SECOND}`."
