"""The Glicko-2 rating system.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (30 November 2013), steps 1 to 8; the
names of the variables are his.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Step 1: what a player has who has played nothing, and how fast volatility may change.
_RATING, _DEVIATION, _VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5
"""The system's constant: how much the volatility may change; that of Glickman's example."""
_SCALE = 173.7178
# Where the iteration of step 5 stops; far below what can be seen in a rating.
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a player is thought to be.

    Attributes:
        rating: the usual scale, 1500 for a newcomer.
        deviation: the 95 % interval is the rating plus or minus twice this; at most 350.
        volatility: how much the strength is expected to change in a rating period.
    """

    rating: float = _RATING
    deviation: float = _DEVIATION
    volatility: float = _VOLATILITY


@dataclass(frozen=True, slots=True)
class Meeting:
    """One game of a rating period.

    Attributes:
        opponent: as the other player was rated before the period.
        score: 1 for a win, 0.5 for a draw, 0 for a loss.
    """

    opponent: Rating
    score: float


def updated(player: Rating, meetings: Sequence[Meeting]) -> Rating:
    """A player's rating after a rating period.

    Args:
        player: as rated before it.
        meetings: its games in the period; none lets only the deviation grow.
    """
    if not meetings:
        return idle(player, 1)
    mu, phi = (player.rating - _RATING) / _SCALE, player.deviation / _SCALE
    precision = pull = 0.0
    for meeting in meetings:
        mu_j = (meeting.opponent.rating - _RATING) / _SCALE
        g = _g(meeting.opponent.deviation / _SCALE)
        expected = 1 / (1 + math.exp(-g * (mu - mu_j)))
        precision += g * g * expected * (1 - expected)
        pull += g * (meeting.score - expected)
    v = 1 / precision
    sigma = _volatility(player.volatility, phi, v, v * pull)
    phi_star = math.hypot(phi, sigma)
    phi_new = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
    mu_new = mu + phi_new**2 * pull
    return Rating(_SCALE * mu_new + _RATING, min(_SCALE * phi_new, _DEVIATION), sigma)


def idle(player: Rating, periods: int) -> Rating:
    """A player's rating after rating periods without a game: less certain, never beyond 350."""
    phi = player.deviation / _SCALE
    grown = _SCALE * math.sqrt(phi * phi + periods * player.volatility**2)
    return Rating(player.rating, min(grown, _DEVIATION), player.volatility)


def _g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Step 5: the new volatility, by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        spread = phi * phi + v + e
        return e * (delta * delta - spread) / (2 * spread * spread) - (x - a) / TAU**2

    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        steps = 1
        while f(a - steps * TAU) < 0:
            steps += 1
        high = a - steps * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
