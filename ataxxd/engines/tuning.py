"""Tuning of the search by SPSA (simultaneous perturbation stochastic approximation).

It uses only the results of games; each iteration is some games of a match. All parameters move at
once, each up or down at random. The search with these values plays against the search with the
opposite moves, and all parameters move a little towards the winner. The schedule is Spall's
("Implementation of the simultaneous perturbation algorithm for stochastic optimization", 1998),
given by its final values, as in fishtest and OpenBench.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from ataxxd.engines.base import seed_for
from ataxxd.engines.match import TUNED_SIDES, Progress, TunedParameter
from ataxxd.engines.match.checkpoint import Result, Standings

_ALPHA: Final = 0.602
_GAMMA: Final = 0.101
_STABILITY: Final = 0.1
"""The share of the iterations by which the first steps are held back (Spall's A)."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter to tune: its range, step and value.

    Attributes:
        name: its name.
        start: its first value.
        least: its least value.
        most: its greatest value.
        step: the perturbation in the last iteration (c_end).
        rate: the learning rate in the last iteration, relative to the step (r_end).
    """

    name: str
    start: int
    least: int
    most: int
    step: float
    rate: float


class Spsa:
    """A run of SPSA whose iterations may finish in any order, but count in their own.

    An iteration begins once all but the last `window` - 1 before it have counted, from the values
    these have led to. So the run does not depend on which iteration finishes first.

    Args:
        parameters: at least one.
        iterations: how many iterations.
        window: how many may be under way at once.
        seed: the seed of the perturbations.
    """

    def __init__(
        self, parameters: Sequence[Parameter], iterations: int, window: int, seed: int
    ) -> None:
        self.parameters = (*parameters,)
        self._iterations = iterations
        self._window = window
        self._seed = seed
        self._values = tuple(float(each.start) for each in parameters)
        # The values after each number of iterations, for as long as one may begin from them.
        self._reached = {0: self._values}
        self._waiting = dict[int, float]()
        self.counted = 0
        """How many iterations have counted."""

    @property
    def values(self) -> tuple[float, ...]:
        """The present values of the parameters."""
        return self._values

    @property
    def settings(self) -> dict[str, int]:
        """The same as integers, by name."""
        pairs = zip(self.parameters, self._values, strict=True)
        return {each.name: math.floor(value + 0.5) for each, value in pairs}

    def can_begin(self, iteration: int) -> bool:
        """Whether an iteration, from 0, can begin now."""
        return self.counted > iteration - self._window

    def sides(self, iteration: int) -> tuple[dict[str, int], dict[str, int]]:
        """The two sets of parameters that play each other in an iteration."""
        begin = self._reached[max(0, iteration - self._window + 1)]
        # Both sides are rounded by the same random offset, so that their difference is unbiased.
        lot = self._lot(iteration, len(self.parameters)) / 2**64
        flips = self._flips(iteration)

        def side(sign: int) -> dict[str, int]:
            return {
                each.name: math.floor(
                    _clamp(value + sign * flip * self.perturbation(each, iteration), each) + lot
                )
                for each, value, flip in zip(self.parameters, begin, flips, strict=True)
            }

        return side(1), side(-1)

    def add(self, iteration: int, score: float) -> None:
        """Count an iteration, once.

        Args:
            iteration: from 0.
            score: games won minus games lost by the first of its `sides`.
        """
        self._waiting[iteration] = score
        while (found := self._waiting.pop(self.counted, None)) is not None:
            flips = self._flips(self.counted)
            moved = zip(self.parameters, self._values, flips, strict=True)
            self._values = tuple(
                _clamp(value + found * flip * self.gain(each, self.counted), each)
                for each, value, flip in moved
            )
            self.counted += 1
            self._reached[self.counted] = self._values
            self._reached.pop(self.counted - self._window, None)

    def perturbation(self, parameter: Parameter, iteration: int) -> float:
        """The perturbation of a parameter (c_k)."""
        return parameter.step * math.pow(self._iterations / (iteration + 1), _GAMMA)

    def gain(self, parameter: Parameter, iteration: int) -> float:
        """The change of a parameter per point (a_k / c_k)."""
        held = _STABILITY * self._iterations
        growth = math.pow((held + self._iterations) / (held + iteration + 1), _ALPHA)
        return parameter.rate * parameter.step**2 * growth / self.perturbation(parameter, iteration)

    def _flips(self, iteration: int) -> list[int]:
        lots = (self._lot(iteration, index) for index in range(len(self.parameters)))
        return [1 if lot >> 63 else -1 for lot in lots]

    def _lot(self, iteration: int, index: int) -> int:
        return seed_for(seed_for(self._seed, iteration), index)


def _clamp(value: float, parameter: Parameter) -> float:
    return min(max(value, float(parameter.least)), float(parameter.most))


class Tuner:
    """Decides when each game of a tuning match may begin, and with which search parameters.

    It is a `ataxxd.engines.match.TuningGuide`; one thread may add results while others ask.

    Args:
        spsa: the run.
        pairs: pairs of games in an iteration.
    """

    def __init__(self, spsa: Spsa, pairs: int) -> None:
        self.spsa = spsa
        self._games = 2 * pairs
        self._open = dict[int, list[int]]()

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Create the tuner of a run from the header of its file, before the first game.

        Raises:
            KeyError, TypeError, ValueError: it is not the file of a tuning.
        """
        parameters = [Parameter(**each) for each in settings["parameters"]]
        games, pairs = int(settings["games"]), int(settings["pairs"])
        iterations = games // (2 * pairs)
        return cls(Spsa(parameters, iterations, settings["window"], settings["seed"]), pairs)

    @property
    def tuned(self) -> tuple[TunedParameter, ...]:
        """The parameters being tuned, with their present values."""
        pairs = zip(self.spsa.parameters, self.spsa.values, strict=True)
        return tuple(TunedParameter(each.name, each.start, value) for each, value in pairs)

    def is_ready(self, number: int) -> bool:
        """Whether a game, from 0, may begin."""
        return self.spsa.can_begin(number // self._games)

    def settings(self, number: int) -> tuple[dict[str, int], dict[str, int]]:
        """Both players' search parameters in a game that may begin."""
        return self.spsa.sides(number // self._games)

    def add(self, result: Result) -> None:
        """Count a game, once."""
        iteration = result.number // self._games
        points = self._open.setdefault(iteration, [])
        points.append(result.half_points - 1)
        if len(points) == self._games:
            del self._open[iteration]
            self.spsa.add(iteration, sum(points))


def tuning_progress(tuner: Tuner, planned: int, standings: Standings) -> Progress:
    """The progress of a tuning of so many games."""
    return replace(Progress.of(TUNED_SIDES, planned, standings), tuned=tuner.tuned)
