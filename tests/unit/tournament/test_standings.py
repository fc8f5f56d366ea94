"""The table of an event: what decides where points are equal."""

from ataxxd.tournament.pairing import FIRST, SECOND, Encounter, Entrant
from ataxxd.tournament.tournament import standings


def entrants(count: int, *games: tuple[int, int, int]) -> list[Entrant]:
    """Players by their games: first, second, and what the first got in halves of a point."""
    met: dict[int, list[Encounter]] = {seat: [] for seat in range(count)}
    for first, second, points in games:
        met[first].append(Encounter(second, FIRST, points))
        met[second].append(Encounter(first, SECOND, 2 - points))
    return [Entrant(seat, tuple(met[seat])) for seat in range(count)]


def test_points_come_first_and_a_bye_is_worth_what_its_system_gives() -> None:
    players = [
        *entrants(2, (0, 1, 1)),
        Entrant(2, (), byes=1, bye_points=2),
        Entrant(3, (), byes=1),
    ]
    lines = [(line.seat, line.points, line.byes) for line in standings(players)]
    assert lines == [(2, 2, 1), (0, 1, 0), (1, 1, 0), (3, 0, 1)]


def test_then_whoever_met_the_stronger_opponents() -> None:
    # 1 and 2 have a win each; 2 also met the winner of all.
    lines = standings(entrants(4, (0, 2, 2), (0, 3, 2), (1, 3, 2), (2, 3, 2)))
    assert [line.seat for line in lines] == [0, 2, 1, 3]
    assert [line.buchholz for line in lines] == [2, 4, 0, 8]


def test_then_whoever_beat_the_stronger_ones() -> None:
    # Both 0 and 1 met 2 and 3 and have a win; 1 won against the better of them.
    lines = standings(entrants(4, (0, 2, 0), (0, 3, 2), (1, 2, 2), (1, 3, 0), (2, 3, 2)))
    assert [line.seat for line in lines if line.seat < 2] == [1, 0]
    zero, one = sorted((line for line in lines if line.seat < 2), key=lambda line: line.seat)
    assert (zero.points, zero.buchholz) == (one.points, one.buchholz)
    assert zero.sonneborn_berger < one.sonneborn_berger


def test_then_the_game_between_them_and_at_last_the_seeding() -> None:
    alike = entrants(4, (0, 2, 2), (1, 3, 2), (1, 0, 2), (0, 3, 2), (2, 1, 2), (3, 2, 2))
    lines = standings(alike)
    assert {line.seat: line.points for line in lines} == {0: 4, 1: 4, 2: 2, 3: 2}
    assert [line.seat for line in lines[:2]] == [1, 0]
    circle = entrants(3, (0, 1, 2), (1, 2, 2), (2, 0, 2))
    assert [(line.seat, line.direct) for line in standings(circle)] == [(0, 2), (1, 2), (2, 2)]


def test_a_direct_encounter_counts_only_where_all_who_stand_alike_have_met() -> None:
    lines = standings(entrants(4, (1, 0, 1), (2, 3, 1)))
    assert [line.seat for line in lines] == [0, 1, 2, 3]
    assert {line.direct for line in lines} == {0}


def test_who_met_all_who_stand_alike_gains_nothing_where_two_of_them_have_not_met() -> None:
    # 0, 1 and 4 stand alike; 1 has met both others, who have not met each other.
    lines = standings(entrants(5, (0, 1, 0), (0, 2, 2), (1, 4, 0), (2, 3, 0), (2, 4, 2)))
    alike = [line for line in lines if line.seat in (0, 1, 4)]
    assert len({line.rank_key for line in alike}) == 1
    assert [(line.seat, line.direct) for line in alike] == [(0, 0), (1, 0), (4, 0)]
