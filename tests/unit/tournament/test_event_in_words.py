"""An event as people read it: who plays whom, who has a bye, and who stands where."""

import pytest

from ataxxd.cli.event_show import (
    describe_place,
    event_lines,
    event_to_json,
    find_player,
    table_lines,
)
from ataxxd.errors import UsageError
from ataxxd.node.names import NameBook
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import grouped
from tests.conformance.games import HOST_KEY
from tests.conformance.tournaments import NODES, make_plan, one_more


def test_each_player_is_told_its_place() -> None:
    tournament = Tournament(make_plan(3, system="round-robin", rounds=3))
    for _ in range(4):
        one_more(tournament, ["1-0", "1-0"])
    said = [describe_place(tournament, node) for node, _ in tournament.standings()]
    assert [line.points for _, line in tournament.standings()] == [2, 2, 2]
    assert said == [
        f"You are {place} of 3 with 1 point, by the seeding." for place in ("1st", "2nd", "3rd")
    ]


def test_where_only_the_seeding_orders_players_the_table_says_so() -> None:
    def below(tournament: Tournament) -> list[str]:
        names = NameBook()
        lines = [*table_lines(tournament, names)][1 + len(tournament.plan.players) :]
        names.close()
        rows = event_to_json(tournament)["table"]
        marked = [place for place, row in enumerate(rows, 1) if row["by_seeding"]]
        assert marked == [place for places in tournament.level_places() for place in places]
        return lines

    tournament = Tournament(make_plan(4, system="swiss", rounds=2))
    assert below(tournament) == ["places 1 to 4 are level: the seeding orders them"]
    one_more(tournament)
    one_more(tournament, ["1-0", "1-0"])
    assert below(tournament) == [
        "places 1 and 2 are level: the seeding orders them",
        "places 3 and 4 are level: the seeding orders them",
    ]
    one_more(tournament, ["1-0", "1/2-1/2"])
    assert below(tournament) == []
    said = [describe_place(tournament, node) for node, _ in tournament.standings()]
    assert not any("seeding" in each for each in said)


def test_teens_have_their_own_ordinals() -> None:
    tournament = Tournament(make_plan(22))
    said = [describe_place(tournament, node).split()[2] for node in NODES[:22]]
    assert said[10:13] == ["11th", "12th", "13th"]
    assert said[19:22] == ["20th", "21st", "22nd"]


def test_a_bye_is_told_in_the_table() -> None:
    tournament = Tournament(make_plan(3, system="swiss", rounds=2))
    one_more(tournament)
    one_more(tournament, ["1-0"])
    free = tournament.rounds[0].byes[0]
    names = NameBook()
    rows = list(table_lines(tournament, names))[1:]
    assert [grouped(free)[:9] in row for row in rows] == [row.endswith("  1 bye") for row in rows]
    assert any(row.endswith("  1 bye") for row in rows)
    names.close()


def test_a_player_has_its_nickname_and_the_beginning_of_its_id() -> None:
    tournament = Tournament(make_plan(3, system="round-robin", rounds=1))
    one_more(tournament)
    names = NameBook()
    names.set_nickname(HOST_KEY, "ann")
    lines = list(table_lines(tournament, names))
    assert lines[1].split("  ")[2].strip() == f"ann ({grouped(HOST_KEY.node)[:9]})"
    assert lines[2].split("  ")[2].strip() == f"unnamed ({grouped(NODES[1])[:9]})"
    assert len({line.index("Buchholz") for line in lines[1:4]}) == 1
    told = list(event_lines(tournament, names))
    assert f"  bye: ann ({grouped(HOST_KEY.node)[:9]})" in told
    assert "\n".join(told).count(grouped(HOST_KEY.node)[:9]) == 3
    assert not any(grouped(node) in line for node in NODES for line in told)
    names.close()


def test_a_player_is_meant_by_what_the_table_shows_of_it() -> None:
    plan = make_plan(3, system="round-robin", rounds=1)
    names = NameBook()
    names.set_nickname(HOST_KEY, "ann")
    for word in ("ann", HOST_KEY.node, grouped(HOST_KEY.node)[:9]):
        assert find_player(word, plan, names) == HOST_KEY.node
    for word in ("bea", ""):
        with pytest.raises(UsageError, match=r"is not a player of .*There are ann \("):
            find_player(word, plan, names)
    names.close()
