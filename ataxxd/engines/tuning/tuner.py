"""A tuning as games of a match: each iteration is some pairs of games between both its sides."""

from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.tuning.spsa import Spsa


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
