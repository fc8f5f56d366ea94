"""A tuning as games of a match: each iteration is some pairs of games between both its sides."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ataxxd.engines.match.checkpoint import Result, Standings
from ataxxd.engines.match.progress import TUNED_SIDES, Progress, Tuned
from ataxxd.engines.tuning.spsa import Parameter, Spsa


class Tuner:
    """Says of each game of a match when it may begin and with which numbers of the search.

    Used as `ataxxd.engines.match.run.Guide`; results may be added in one thread while others ask.

    Args:
        spsa: the run.
        pairs: of games in an iteration.
    """

    def __init__(self, spsa: Spsa, pairs: int) -> None:
        self.spsa = spsa
        self._games = 2 * pairs
        self._open = dict[int, list[int]]()

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Tuner":
        """The tuner of a run, before its first game, by what the file of its games says of it.

        Raises:
            KeyError, TypeError, ValueError: it is no file of a tuning.
        """
        parameters = [Parameter(**each) for each in settings["parameters"]]
        games, pairs = int(settings["games"]), int(settings["pairs"])
        iterations = games // (2 * pairs)
        return cls(Spsa(parameters, iterations, settings["window"], settings["seed"]), pairs)

    @property
    def tuned(self) -> tuple[Tuned, ...]:
        """What is tuned, and what it has come to."""
        pairs = zip(self.spsa.parameters, self.spsa.values, strict=True)
        return tuple(Tuned(each.name, each.start, value) for each, value in pairs)

    def ready(self, number: int) -> bool:
        """Whether a game, from 0, may begin."""
        return self.spsa.may_begin(number // self._games)

    def settings(self, number: int) -> tuple[dict[str, int], dict[str, int]]:
        """The numbers of both players in a game that may begin."""
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
    """How a tuning of so many games stands, for whoever looks on."""
    return replace(Progress.of(TUNED_SIDES, planned, standings), tuned=tuner.tuned)
