"""Laws of SPSA: it climbs, and its course does not depend on what was finished first."""

import math
import random
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from ataxxd.engines.tuning import Parameter, Spsa

LEAST, MOST, STEP = 0, 1000, 10.0
Goal = Mapping[str, int]


def run_of(start: Goal, iterations: int, window: int, seed: int, rate: float) -> Spsa:
    parameters = [Parameter(name, at, LEAST, MOST, STEP, rate) for name, at in start.items()]
    return Spsa(parameters, iterations, window, seed)


def strength(sides: Mapping[str, int], goal: Goal) -> float:
    """A hill whose top is the goal; so steep that a step down from it costs a tenth of a point."""
    return -sum(((sides[name] - best) / STEP) ** 2 for name, best in goal.items()) / 10


def distance(values: Mapping[str, int], goal: Goal) -> float:
    return max(abs(values[name] - best) for name, best in goal.items())


NUMBERS = st.dictionaries(st.sampled_from("abcde"), st.integers(300, 700), min_size=1)


@settings(max_examples=30, deadline=None)
@given(NUMBERS, st.integers(1, 20), st.integers(0, 2**64 - 1))
def test_on_a_hill_without_noise_it_comes_to_the_top(goal: Goal, window: int, seed: int) -> None:
    start = {name: best + 60 * (-1) ** index for index, (name, best) in enumerate(goal.items())}
    spsa = run_of(start, 2000, window, seed, rate=0.02)
    for iteration in range(2000):
        first, second = spsa.sides(iteration)
        spsa.add(iteration, strength(first, goal) - strength(second, goal))
    assert distance(spsa.settings, goal) <= STEP / 2


def test_by_games_that_chance_decides_it_comes_near_the_top() -> None:
    goal = {"a": 450, "b": 610, "c": 340}
    for seed in range(5):
        chance = random.Random(seed)
        spsa = run_of(dict.fromkeys(goal, 500), 20_000, 8, seed, rate=0.01)
        for iteration in range(20_000):
            first, second = spsa.sides(iteration)
            share = 1 / (1 + math.exp(strength(second, goal) - strength(first, goal)))
            spsa.add(iteration, sum(1 if chance.random() < share else -1 for _ in range(2)))
        # It began eleven to sixteen steps away.
        assert distance(spsa.settings, goal) <= 2 * STEP


@settings(max_examples=50, deadline=None)
@given(NUMBERS, st.integers(1, 9), st.integers(0, 2**64 - 1), st.randoms(use_true_random=False))
def test_iterations_that_come_in_in_any_order_count_in_theirs(
    start: Goal, window: int, seed: int, chance: random.Random
) -> None:
    iterations = 60
    scores = [chance.randint(-2, 2) for _ in range(iterations)]
    orderly = run_of(start, iterations, window, seed, rate=0.1)
    expected = []
    for iteration, score in enumerate(scores):
        expected.append(orderly.sides(iteration))
        orderly.add(iteration, score)
    mixed = run_of(start, iterations, window, seed, rate=0.1)
    played, under_way, begun = dict[int, object](), list[int](), 0
    while mixed.counted < iterations:
        while begun < iterations and mixed.can_begin(begun):
            played[begun] = mixed.sides(begun)
            under_way.append(begun)
            begun += 1
        assert len(under_way) <= window
        done = under_way.pop(chance.randrange(len(under_way)))
        mixed.add(done, scores[done])
    assert mixed.values == orderly.values
    assert [played[iteration] for iteration in range(iterations)] == expected


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(0, 12), st.sampled_from((0.5, 3.0, 40.0)))
def test_both_sides_stay_within_the_range_and_differ_evenly(
    seed: int, start: int, step: float
) -> None:
    spsa = Spsa([Parameter("a", start, 0, 12, step, 0.5)], 40, 1, seed)
    for iteration in range(40):
        first, second = spsa.sides(iteration)
        assert 0 <= first["a"] <= 12
        assert 0 <= second["a"] <= 12
        wide = 2 * spsa.perturbation(spsa.parameters[0], iteration)
        assert abs(first["a"] - second["a"]) <= math.ceil(wide)
        spsa.add(iteration, (-1) ** iteration * 2)
        assert 0 <= spsa.values[0] <= 12
