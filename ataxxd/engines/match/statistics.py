"""What the results of games say about strength.

Each opening is played twice, with sides changed, and the two games are one observation: what
the opening favours cancels out, and the error is the smaller for it. The five possible results
of a pair (0, ½, 1, 1½ and 2 points) make the pentanomial model of cutechess, fishtest and
fastchess. The log-likelihood ratio of the sequential test is the generalised one for a
multinomial distribution with a given mean: Michel Van den Bergh, "Comments on normalized Elo"
(section 1), as fishtest and fastchess compute it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_Z95 = 1.959963984540054
_NEVER_SEEN = 1e-3
"""What a result that has not happened yet counts for; without it its likelihood would be zero."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The strength of the first player against the second.

    Attributes:
        elo: the difference of ratings (logistic).
        error: half of the 95 % interval, in Elo; infinite while that reaches a score of nothing
            or of everything, as it does after few games or where nearly all are won.
        normalized: Elo in units of the spread of one game, which does not depend on how drawish
            the openings are.
        superiority: the probability, from 0 to 1, that the first player is stronger; None while
            all results are the same.
    """

    elo: float
    error: float
    normalized: float
    superiority: float | None


def elo_from_score(score: float) -> float:
    """The difference of ratings at which a score, from 0 to 1, is the expected one."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    # Adding 0.0 turns the -0.0 of an even score into 0.0.
    return -400 * math.log10(1 / score - 1) + 0.0


def score_from_elo(elo: float) -> float:
    """The expected score, from 0 to 1, at a difference of ratings."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate(counts: Sequence[int]) -> Estimate | None:
    """Estimate the strength from results; None without results.

    Args:
        counts: how often each result occurred, from all points lost to all won: five numbers for
            pairs of games, three (lost, drawn, won) for single games.
    """
    total = sum(counts)
    if total == 0:
        return None
    mean, variance = _moments([count / total for count in counts])
    deviation = math.sqrt(variance / total)
    games = (len(counts) - 1) // 2
    if deviation == 0:
        elo = elo_from_score(mean)
        return Estimate(elo, math.inf, elo, None)
    low, high = (elo_from_score(mean + side * _Z95 * deviation) for side in (-1, 1))
    return Estimate(
        elo_from_score(mean),
        (high - low) / 2,
        (mean - 0.5) / math.sqrt(games * variance) * 800 / math.log(10),
        (1 + math.erf((mean - 0.5) / deviation / math.sqrt(2))) / 2,
    )


def elo_interval(counts: Sequence[int]) -> tuple[float, float]:
    """The ends of the 95 % interval, in Elo; `counts` as for `estimate`.

    An end is infinite if it reaches a score of nothing or of everything. Both are if all results
    are the same, or there are none.
    """
    total = sum(counts)
    mean, variance = _moments([count / (total or 1) for count in counts])
    if variance == 0:
        return -math.inf, math.inf
    reach = _Z95 * math.sqrt(variance / total)
    return elo_from_score(mean - reach), elo_from_score(mean + reach)


class Verdict(StrEnum):
    """The state of a sequential test."""

    GOES_ON = "goes on"
    SHOWN = "shown"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Wald's sequential probability ratio test (SPRT) of the first player's advantage.

    Attributes:
        elo0: the null hypothesis, in logistic Elo.
        elo1: the alternative hypothesis, in logistic Elo; more than `elo0`.
        alpha: the probability of accepting `elo1` if `elo0` is true.
        beta: the probability of accepting `elo0` if `elo1` is true.

    Raises:
        ValueError: `elo0` is not less than `elo1`, or `alpha` or `beta` is out of range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check them."""
        if not self.elo0 < self.elo1:
            msg = f"the first Elo must be less than the second, not {self.elo0:g} and {self.elo1:g}"
            raise ValueError(msg)
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            msg = f"both risks of error must be between 0 and 0.5, not {self.alpha} and {self.beta}"
            raise ValueError(msg)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios that end the test: refuted below, shown above."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio after results; `counts` as for `estimate`."""
        if not any(counts):
            return 0.0
        seen = [count or _NEVER_SEEN for count in counts]
        total = sum(seen)
        shares = [count / total for count in seen]
        likely0 = _likeliest_shares(shares, score_from_elo(self.elo0))
        likely1 = _likeliest_shares(shares, score_from_elo(self.elo1))
        return total * sum(
            share * math.log(one / zero)
            for share, zero, one in zip(shares, likely0, likely1, strict=True)
        )

    def verdict(self, counts: Sequence[int]) -> Verdict:
        """The state of the test after results."""
        low, high = self.bounds
        ratio = self.ratio(counts)
        if ratio >= high:
            return Verdict.SHOWN
        return Verdict.REFUTED if ratio <= low else Verdict.GOES_ON


def _points(results: int) -> list[float]:
    return [index / (results - 1) for index in range(results)]


def _moments(shares: Sequence[float]) -> tuple[float, float]:
    points = _points(len(shares))
    mean = sum(share * point for share, point in zip(shares, points, strict=True))
    variance = sum(share * (point - mean) ** 2 for share, point in zip(shares, points, strict=True))
    return mean, variance


def _likeliest_shares(shares: Sequence[float], mean: float) -> list[float]:
    """The distribution of this mean under which what was seen is likeliest.

    It is ``share / (1 + theta * (point - mean))``, where theta makes its mean right; that
    equation falls strictly between its two poles, so bisection finds its only root.
    """
    distances = [point - mean for point in _points(len(shares))]
    low, high = -1 / distances[-1], -1 / distances[0]
    theta = (low + high) / 2
    for _ in range(200):
        slope = sum(
            share * distance / (1 + theta * distance)
            for share, distance in zip(shares, distances, strict=True)
        )
        if slope > 0:
            low = theta
        else:
            high = theta
        theta = (low + high) / 2
    return [
        share / (1 + theta * distance) for share, distance in zip(shares, distances, strict=True)
    ]
