"""Laws of pairings: everybody plays or is free, nobody meets twice while it can be helped."""

from functools import lru_cache
from itertools import combinations, zip_longest

from hypothesis import given, settings
from hypothesis import strategies as st

from ataxxd.errors import RemoteProtocolError
from ataxxd.tournament.pairing import FIRST, Entrant, find_perfect_matching, round_robin, swiss
from ataxxd.tournament.tournament import Tournament
from tests.conformance import by_the_page
from tests.conformance.games import HOST_KEY, forge
from tests.conformance.tournaments import NODES, make_plan, one_more

SCORE = st.sampled_from(("1-0", "0-1", "1/2-1/2", "*"))
SCORES = st.lists(SCORE, min_size=32, max_size=32)


@st.composite
def tournaments(draw: st.DrawFn, most: int = 64, most_rounds: int = 9) -> Tournament:
    """A Swiss event some rounds on, with any results, now and then a withdrawal."""
    count = draw(st.integers(2, most))
    rounds = draw(st.integers(1, most_rounds))
    tournament = Tournament(make_plan(count, rounds=rounds, seed=draw(st.integers(0, 3))))
    for _ in range(rounds):
        here = [node for node in tournament.plan.players if node not in tournament.withdrawn]
        leaves = draw(st.integers(0, 9)) == 0 and len(here) > 1
        gone = [draw(st.sampled_from(here))] if leaves else []
        one_more(tournament, draw(SCORES), withdrawn=gone)
    return tournament


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_in_every_swiss_round_everybody_plays_once_or_is_free(tournament: Tournament) -> None:
    gone: set[str] = set()
    for each in tournament.rounds:
        gone |= set(each.withdrawn)
        nodes = [node for pair in each.pairings for node in (pair.first, pair.second)]
        nodes += each.byes
        assert sorted(nodes) == sorted(set(tournament.plan.players) - gone)
        assert len(each.byes) == len(nodes) % 2


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_the_same_rounds_give_the_same_pairings(tournament: Tournament) -> None:
    again = Tournament(tournament.plan)
    for each in tournament.rounds:
        again.accept_round(each)
    assert again.rounds == tournament.rounds
    entrants = tournament._entrants(tournament.rounds)
    assert swiss(entrants, 0) == swiss(entrants[::-1], 0)


@settings(max_examples=40, deadline=None)
@given(tournaments(most_rounds=5))
def test_sides_stay_within_bounds_while_there_are_enough_players(tournament: Tournament) -> None:
    entrants = tournament._entrants(tournament.rounds)
    # With fewer players the last rounds may have no other way.
    if len(entrants) >= 4 * tournament.plan.rounds:
        for each in entrants:
            assert abs(each.side_balance) <= 2
            sides = [met.side for met in each.encounters]
            assert all(len(set(sides[i : i + 3])) > 1 for i in range(len(sides) - 2))


@settings(max_examples=60, deadline=None)
@given(tournaments(most=8, most_rounds=8))
def test_nobody_meets_twice_while_another_pairing_is_possible(tournament: Tournament) -> None:
    entrants = tournament._entrants(tournament.rounds)
    active = [
        each for each in entrants if tournament.plan.players[each.seat] not in tournament.withdrawn
    ]
    if not active:
        return
    paired = swiss(active, tournament.plan.seed)
    by_seat = {each.seat: each for each in active}
    again = max((by_seat[one].times_met(two) for one, two in paired.pairings), default=0)
    assert again == least_repetition(active)


def least_repetition(active: list[Entrant]) -> int:
    """How often those who meet have met at most, in the best of all pairings."""
    fewest = min(each.byes for each in active)

    @lru_cache(None)
    def best(seats: frozenset[int]) -> int:
        if not seats:
            return 0
        first = min(seats)
        return min(
            max(by_seat[first].times_met(other), best(seats - {first, other}))
            for other in seats
            if other != first
        )

    by_seat = {each.seat: each for each in active}
    everybody = frozenset(by_seat)
    if len(active) % 2 == 0:
        return best(everybody)
    return min(best(everybody - {each.seat}) for each in active if each.byes == fewest)


@settings(max_examples=40, deadline=None)
@given(tournaments(most=9))
def test_nobody_is_free_twice_while_somebody_was_not_free_yet(tournament: Tournament) -> None:
    byes: dict[str, int] = dict.fromkeys(tournament.plan.players, 0)
    gone: set[str] = set()
    for each in tournament.rounds:
        gone |= set(each.withdrawn)
        for node in each.byes:
            assert byes[node] == min(byes[other] for other in byes if other not in gone)
            byes[node] += 1


@given(st.integers(2, 64), st.integers(0, 1))
def test_in_a_round_robin_everybody_meets_everybody_once_and_sides_are_even(
    count: int, seed: int
) -> None:
    met: set[frozenset[int]] = set()
    surplus = dict.fromkeys(range(count), 0)
    rounds = count - 1 + count % 2
    for number in range(1, rounds + 1):
        paired = round_robin(count, number, seed)
        seats = [seat for pair in paired.pairings for seat in pair] + list(paired.byes)
        assert sorted(seats) == list(range(count))
        for first, second in paired.pairings:
            surplus[first] += 1
            surplus[second] -= 1
        met |= {frozenset(pair) for pair in paired.pairings}
    assert met == {frozenset(pair) for pair in combinations(range(count), 2)}
    assert all(abs(each) == 1 - count % 2 for each in surplus.values())


@given(st.integers(2, 64))
def test_the_second_time_around_sides_are_changed(count: int) -> None:
    cycle = count - 1 + count % 2
    for number in (1, cycle):
        turned = tuple((two, one) for one, two in round_robin(count, number, 0).pairings)
        assert round_robin(count, number + cycle, 0).pairings == turned


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, list[int]]:
    count = draw(st.integers(0, 4)) * 2
    edges = [pair for pair in combinations(range(count), 2) if draw(st.booleans())]
    return {node: [a + b - node for a, b in edges if node in (a, b)] for node in range(count)}


@settings(max_examples=300)
@given(graphs())
def test_a_perfect_matching_is_found_exactly_when_there_is_one(graph: dict[int, list[int]]) -> None:
    def exists(left: frozenset[int]) -> bool:
        if not left:
            return True
        one = min(left)
        return any(exists(left - {one, other}) for other in graph[one] if other in left)

    found = find_perfect_matching(graph, {})
    assert (found is not None) == exists(frozenset(graph))
    if found is not None:
        assert all(found[found[node]] == node and found[node] in graph[node] for node in graph)


def test_who_moves_first_in_the_first_round_is_the_seeds_word() -> None:
    fresh = [Entrant(seat) for seat in range(4)]
    assert swiss(fresh, 0).pairings == ((0, 2), (3, 1))
    assert swiss(fresh, 1).pairings == ((2, 0), (1, 3))
    assert FIRST == 0


@settings(max_examples=120, deadline=None)
@given(tournaments(most=9, most_rounds=8))
def test_pairings_are_those_of_whoever_has_only_read_the_page(tournament: Tournament) -> None:
    plan = tournament.plan
    seat = {node: number for number, node in enumerate(plan.players)}
    players = {number: by_the_page.Player(number) for number in seat.values()}
    gone: set[str] = set()
    for each, after in zip_longest(tournament.rounds, tournament.rounds[1:]):
        gone |= set(each.withdrawn)
        active = [players[seat[node]] for node in plan.players if node not in gone]
        pairs, byes = by_the_page.swiss(active, plan.seed) if active else ([], [])
        assert [(seat[pair.first], seat[pair.second]) for pair in each.pairings] == pairs
        assert [seat[node] for node in each.byes] == byes
        for number in byes:
            players[number].points += 2
            players[number].byes += 1
        if after is None:
            continue
        for index, (first, second) in enumerate(pairs):
            halves = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "*": (0, 0)}
            mine, yours = halves[after.results[index].score]
            for one, other, side, points in (
                (first, second, by_the_page.FIRST, mine),
                (second, first, by_the_page.SECOND, yours),
            ):
                players[one].points += points
                players[one].sides.append(side)
                players[one].opponents.append(other)


@given(st.integers(2, 64), st.integers(1, 99), st.integers(0, 3))
def test_round_robins_are_those_of_whoever_has_only_read_the_page(
    players: int, number: int, seed: int
) -> None:
    paired = round_robin(players, number, seed)
    pairs, byes = by_the_page.berger(players, number, seed)
    assert (list(paired.pairings), list(paired.byes)) == (pairs, byes)


@settings(max_examples=60, deadline=None)
@given(tournaments(most=12, most_rounds=4), st.data())
def test_no_signed_round_makes_a_follower_raise_anything_else(
    tournament: Tournament, data: st.DataObject
) -> None:
    known = Tournament(tournament.plan)
    *before, last = tournament.rounds
    for each in before:
        known.accept_round(each)
    nodes = st.sampled_from([*NODES[:14]])
    pairing = st.builds(lambda one, two: {"first": one, "second": two}, nodes, nodes)
    changes = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "number": st.integers(1, 100),
                "results": st.lists(st.builds(lambda score: {"score": score}, SCORE), max_size=7),
                "withdrawn": st.lists(nodes, max_size=4),
                "pairings": st.lists(pairing, max_size=7),
                "byes": st.lists(nodes, max_size=3),
                "created_ms": st.integers(0, 2**53 - 1),
            },
        )
    )
    wrong = forge(last, HOST_KEY, **changes)
    try:
        known.accept_round(wrong)
    except RemoteProtocolError:
        assert known.rounds == before
    else:
        # Then it follows, whatever was changed: others come to it by themselves.
        assert known.rounds == [*before, wrong]
        again = Tournament(tournament.plan)
        for each in before:
            again.accept_round(each)
        made = again.next_round(
            wrong.results, created_ms=wrong.created_ms, withdrawn=wrong.withdrawn
        )
        assert (made.pairings, made.byes) == (wrong.pairings, wrong.byes)
