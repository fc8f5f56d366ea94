"""A broker knows one game of a name, and a table has several: its name leads to the right one."""

import itertools
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ataxxd.engines.native import EnginePool
from ataxxd.node.errors import AmbiguousGame, NoSuchGame
from ataxxd.node.game_finder import FoundGame, GameFinder, GameName
from ataxxd.node.game_run import GameContext
from ataxxd.node.names import NameBook
from ataxxd.node.node import Node
from ataxxd.node.offers import Terms, is_at, numbered_name
from ataxxd.node.thinking import SearchScheduler
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.serve.games import Games
from ataxxd.serve.plan import Plan, TablePlan
from ataxxd.serve.tables import Tables
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd_protocol import grouped
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import GUEST_KEY, OTHER_KEY, RULESET, SHORT_ENDGAME, Pair
from tests.unit.node.test_game_finder_bounds import leave, live_offer
from tests.unit.node.test_names import learn
from tests.unit.serve.test_cleanup import HOUR_MS, Host

US = GUEST_KEY.node


class Club(Host):
    """A node that keeps tables, as it leaves their games on the broker."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.age = 0

    def open(self, name: str) -> None:
        leave(self.broker, live_offer(name=name))

    def playing(self, name: str) -> Pair:
        self.age += 1
        pair = Pair.started(name=name, created_ms=self.age)
        pair.play(pair.host.ledger.position.legal_moves[0].text)
        self.retain(pair)
        return pair

    def over(self, name: str) -> Pair:
        self.age += 1
        pair = Pair.started(name=name, created_ms=self.age, start=SHORT_ENDGAME)
        pair.play_out()
        self.retain(pair)
        return pair

    def seat(self, name: str, known: str | None = None) -> str:
        """The name of the game that a guest joins, who asks for `name`.

        `known` has hosted that name before, as far as the guest knows.
        """
        hosts = () if known is None else (known,)
        wanted = GameName.parse(name)
        return self.look(
            lambda finder: finder.find_seat(wanted, us=US), known_hosts=lambda _: hosts
        )

    def sight(self, name: str) -> str:
        """The name of the game that is shown to who asks for `name`."""
        return self.look(lambda finder: finder.find_watchable(GameName.parse(name)))

    def look(
        self, find: Callable[[GameFinder], Coroutine[Any, Any, FoundGame]], **known: Any
    ) -> str:
        """The name of a game that is looked for; on no clock but its own."""

        async def looking() -> str:
            async with self.broker.connect() as line:
                return (await find(GameFinder(line, **known))).offer.name

        return run_virtually(looking(), VirtualLoop())


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    made = Club(tmp_path)
    yield made
    made.close()


def test_an_offer_that_has_expired_by_our_clock_is_told_as_that(club: Club) -> None:
    offer = live_offer(name="club")
    leave(club.broker, offer)

    # 90 seconds beyond its end.
    fast = Clock(wall=lambda: offer.expires_ms / 1000 + 90)
    with pytest.raises(NoSuchGame, match="expired 1m 30s ago by the clock of this machine"):
        club.look(lambda finder: finder.find_seat(GameName("club"), us=US), clock=fast)


def test_a_long_name_is_cut_for_its_number() -> None:
    longest = "a" * 32
    assert [numbered_name("club", 1), numbered_name("club", 12)] == ["club", "club-12"]
    assert numbered_name(longest, 100) == "a" * 28 + "-100"
    assert is_at(longest, numbered_name(longest, 100))


@pytest.mark.parametrize("name", ["club-1", "club-02", "club-", "club-x", "clubs", "my-club-2"])
def test_what_only_looks_like_a_game_of_a_table_is_none(name: str) -> None:
    assert not is_at("club", name)


def test_the_open_game_is_joined_whatever_it_is_called(club: Club) -> None:
    club.over("club")
    club.playing("club-2")
    club.open("club-3")
    assert club.seat("club") == "club-3"
    assert club.seat(f"club#{club.profile.key.node}") == "club-3"
    assert club.seat("club-2") == "club-2", "this one is meant"


def test_the_game_that_has_the_name_goes_first(club: Club) -> None:
    club.open("club")
    club.open("club-2")
    assert club.seat("club") == "club"


def test_a_table_whose_own_name_is_gone_is_found(club: Club) -> None:
    club.open("club-2")
    assert club.seat("club") == "club-2"
    with pytest.raises(NoSuchGame):
        club.seat("clubs")


def test_a_seat_that_is_kept_for_somebody_else_is_none(club: Club) -> None:
    club.over("club")
    leave(club.broker, live_offer(name="club-2", access=OTHER_KEY.node))
    leave(club.broker, live_offer(name="club-3", access=US))
    assert club.seat("club") == "club-3"


def test_the_table_of_another_host_is_not_led_to(club: Club) -> None:
    club.over("club")
    leave(club.broker, live_offer(OTHER_KEY, name="club-2"))
    assert club.seat("club") == "club"


def test_two_tables_of_a_name_are_told_apart(club: Club) -> None:
    club.open("club-2")
    leave(club.broker, live_offer(OTHER_KEY, name="club-3"))
    with pytest.raises(AmbiguousGame, match="2 hosts"):
        club.seat("club")
    assert club.seat(f"club#{OTHER_KEY.node}") == "club-3"


def test_a_host_who_has_only_a_finished_game_of_a_name_does_not_offer_it(club: Club) -> None:
    club.over("club")
    leave(club.broker, live_offer(OTHER_KEY, name="club"))

    async def host(finder: GameFinder) -> FoundGame:
        found = await finder.find(GameName("club"))
        assert found.offer.host == OTHER_KEY.node
        return found

    assert club.look(host) == "club"


def test_a_game_of_a_stranger_that_takes_the_name_of_a_table_is_not_joined_for_it(
    club: Club,
) -> None:
    us = club.profile.key.node
    club.over("club")
    club.open("club-2")
    leave(club.broker, live_offer(OTHER_KEY, name="club"))
    assert club.seat("club", us) == "club-2", "who has been there comes back there"
    with pytest.raises(AmbiguousGame, match=f"club-2#{grouped(us)}"):
        club.seat("club")
    assert club.seat(f"club#{OTHER_KEY.node}") == "club"
    assert club.seat("club", OTHER_KEY.node) == "club"


def test_whoever_bears_the_nickname_of_another_host_is_not_joined_for_its_table(
    club: Club,
) -> None:
    club.open("club-2")
    leave(club.broker, live_offer(OTHER_KEY, name="club"))
    with closing(NameBook(None, Clock(wall=itertools.count().__next__))) as book:
        learn(book, club.profile.key, name="ourclub")
        learn(book, OTHER_KEY, name="0urclub")

        def seat(name: str) -> str:
            wanted = GameName.parse(name)
            return club.look(lambda finder: finder.find_seat(wanted, us=US), names=book)

        with pytest.raises(AmbiguousGame, match=r"0urclub \(.*, new key\)"):
            seat("club")
        assert seat(f"club#{OTHER_KEY.node}") == "club"


def test_the_table_of_a_host_we_know_is_found_though_its_own_name_is_gone(
    club: Club,
) -> None:
    leave(club.broker, live_offer(OTHER_KEY, name="club"))
    us = club.profile.key.node
    assert club.seat("club", us) == "club", "there is no other; whoever asks for it is told"
    club.open("club-7")
    assert club.seat("club", us) == "club-7"


def test_the_table_of_a_host_we_know_is_found_though_others_play_under_its_name(
    club: Club,
) -> None:
    club.playing("club")
    leave(club.broker, live_offer(OTHER_KEY, name="club-7"))
    assert club.seat("club") == "club", "the table of another host is not led to"
    assert club.seat("club", OTHER_KEY.node) == "club-7"


def test_who_looks_on_sees_what_is_played(club: Club) -> None:
    first = club.over("club")
    club.open("club-4")
    assert club.sight("club") == "club-4", "nothing is played: what is played next"
    club.playing("club-2")
    newest = club.playing("club-3")
    club.over("club-5")
    assert club.sight("club") == "club-3"
    assert club.sight(f"club#{first.offer.digest[:12]}") == "club"
    assert club.sight(f"club#{newest.offer.digest}") == "club-3"


def test_a_game_that_is_over_is_shown_where_no_other_follows(club: Club) -> None:
    club.over("club")
    assert club.sight("club") == "club"


class Names:
    """The names that a serving node would give to its next game."""

    def __init__(self, club: Club) -> None:
        place = GameContext(club.profile, lambda _: club.broker.connect(), lambda *_: b"", print)
        node = Node(place, "mqtt://broker")
        games = Games(node, EnginePool(1), SearchScheduler(1), lambda: None)
        self._tables = Tables(node, games)
        start = GameRecord(Position.start(RULESET))
        self._table = TablePlan("club", start, "first", Terms(), "random", None, 4, HOUR_MS)

    def next(self, shown_ms: int | None = HOUR_MS) -> str:
        return self._tables._free_name(self._table, Plan([self._table], shown_ms=shown_ms))


def test_a_game_keeps_its_name_for_as_long_as_it_is_shown(club: Club) -> None:
    names = Names(club)
    assert names.next() == "club"
    club.put_up("club", hours_ago=0.5)
    club.put_up("club-2", plies=1, finished=False)
    assert names.next() == "club-3"
    assert names.next(HOUR_MS // 4) == "club", "it was shown for long enough"
    assert names.next(None) == "club-3"


def test_of_many_that_are_shown_the_oldest_makes_way(club: Club) -> None:
    names = Names(club)
    for number in range(1, 17):
        club.put_up(numbered_name("club", number), hours_ago=0.9 if number == 5 else 0.1)
        assert names.next() == ("club-5" if number == 16 else numbered_name("club", number + 1))
    assert names.next(None) == "club-5"


def test_an_offer_that_nobody_took_keeps_no_name(club: Club) -> None:
    club.put_up("club", hours_ago=0.5)
    club.profile.journal.begin(live_offer(name="club"), Role.HOST, {})
    assert Names(club).next() == "club"
