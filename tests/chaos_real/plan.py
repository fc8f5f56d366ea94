"""What is going to happen to one real game: a pure function of a seed and the game's number."""

import random
from dataclasses import dataclass
from enum import StrEnum

from ataxxd.rules import Position
from ataxxd.session.state import Role
from tests.e2e.speakers import LANGUAGES, Language

WATCH = "watch"
SEATS = (*Role, WATCH)
# A game has its offer, join and start, then its plies, then two scores.
_LAST_MOMENT = 14
_LEAST_PLIES, _MAX_PLIES = 5, 16


class Kind(StrEnum):
    """A trouble, as it is printed."""

    KILL = "kill -9"
    BROKER = "kill broker"
    CUT = "cut"
    FREEZE = "freeze"
    HALF_OPEN = "half-open"
    TAKE_OVER = "take over"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that goes wrong.

    Attributes:
        moment: how many messages the game had: 1 is the offer, 2 the join, 3 the start.
        kind: what goes wrong.
        seats: whose process or connection it is.
        delay_s: seconds from that message; with 0 it never gets as far as the broker.
        lasts_s: seconds until a killed process is resumed, the broker is back, a frozen wire
            thaws or a half-open one is reset; None when it is never reset and the node has to
            find out by itself.
    """

    moment: int
    kind: Kind
    seats: tuple[str, ...]
    delay_s: float
    lasts_s: float | None

    def __str__(self) -> str:
        whom = "" if self.kind is Kind.BROKER else " " + "+".join(self.seats)
        lasts = "" if self.kind in (Kind.CUT, Kind.TAKE_OVER) else " for ever"
        if self.lasts_s:
            lasts = f" {self.lasts_s:.1f} s"
        elif self.lasts_s == 0:
            lasts = ""
        return f"{self.kind}{whom} @{self.moment}{lasts}"


@dataclass(frozen=True, slots=True)
class Weather:
    """What happens to every message of the game; see `tests.faults.RandomFaults`."""

    repeat: float = 0.0
    delay: float = 0.0
    drop: float = 0.0

    def __str__(self) -> str:
        return f"{self.repeat:.0%} repeated, {self.delay:.0%} late, {self.drop:.0%} lost"


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One game: who plays what, and what goes wrong when.

    Attributes:
        number: of the game, from 1; its name on the broker comes from it.
        seed: of everything that is drawn while it runs.
        options: of ``host``.
        players: the options of the two players that say who moves.
        grace: as ``--grace`` has it.
        watched: somebody looks on.
        weather: of every connection.
        troubles: in order of their moments.
    """

    number: int
    seed: int
    language: Language
    options: tuple[str, ...]
    players: tuple[str, ...]
    grace: str
    watched: bool
    weather: Weather
    troubles: tuple[Trouble, ...]

    @property
    def name(self) -> str:
        """The game's name."""
        return f"game{self.number}"

    def __str__(self) -> str:
        parts = [self.language.game, f"grace {self.grace}", str(self.weather)]
        if self.watched:
            parts.append("watched")
        return "; ".join((*parts, *map(str, self.troubles)))


def plan_game(seed: int, number: int, *, patient: bool = True) -> GamePlan:
    """The plan of game `number` of the run with `seed`.

    Args:
        seed: of the run.
        number: from 1.
        patient: connections may stay half-open until the node itself finds out, which takes it
            up to forty seconds.
    """
    choices = random.Random(f"{seed} {number}")
    language = LANGUAGES[number % len(LANGUAGES)]
    watched = choices.random() < 0.4
    grace = "2s" if choices.random() < 0.15 else "never"
    weather = Weather()
    if choices.random() < 0.6:
        weather = Weather(
            choices.uniform(0, 0.3), choices.uniform(0, 0.3), choices.choice((0, 0.02))
        )
    seats = SEATS if watched else tuple(Role)
    troubles = [
        _trouble(choices, seats, patient=patient, away_s=4.0 if grace != "never" else 1.5)
        for _ in range(choices.randint(1, 4))
    ]
    color = choices.choice(("first", "second", "random"))
    return GamePlan(
        number,
        choices.randrange(2**32),
        language,
        ("--position", nearly_over(language.ruleset, choices), "--color", color),
        choices.choice((("--player", "random"), ("--auto", "--level", "1"))),
        grace,
        watched,
        weather,
        tuple(sorted(troubles, key=lambda trouble: trouble.moment)),
    )


def nearly_over(ruleset: str, choices: random.Random) -> str:
    """A position a few plies before the end of a random game."""
    position = Position.start(ruleset)
    passed = [position]
    while position.outcome is None:
        position = position.play(choices.choice([*position.legal_moves]))
        passed.append(position)
    return passed[-min(choices.randint(_LEAST_PLIES, _MAX_PLIES), len(passed))].text


def _trouble(
    choices: random.Random, seats: tuple[str, ...], *, patient: bool, away_s: float
) -> Trouble:
    (kind,) = choices.choices([*Kind], weights=[8, 2, 4, 2, 2, 2])
    whom = tuple(choices.sample(seats, choices.choice((1, 1, 1, 2))))
    lasts: float | None = 0.0
    match kind:
        case Kind.KILL:
            lasts = choices.choice((0.0, choices.uniform(0, away_s)))
        case Kind.BROKER:
            lasts = choices.uniform(0, 1)
            whom = ()
        case Kind.FREEZE:
            lasts = choices.uniform(0.1, 2)
        case Kind.HALF_OPEN:
            lasts = None if patient and choices.random() < 0.4 else choices.uniform(0.5, 3)
        case _:
            pass
    delay = choices.choice((0.0, choices.uniform(0, 0.02)))
    return Trouble(choices.randint(1, _LAST_MOMENT), kind, whom, delay, lasts)
