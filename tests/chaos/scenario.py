"""What one seed means: who plays what, who cheats how, and what goes wrong."""

import random
from dataclasses import dataclass
from typing import Any

from ataxxd.rules import Position
from ataxxd.session.state import Role
from tests.chaos.cheats import BEHAVIOURS, CHEATS
from tests.chaos.faults import FAULTS, WEATHERS
from tests.chaos.positions import choose_start

_HONEST_GAMES = 0.6


@dataclass(frozen=True)
class Scenario:
    """One simulated game before it begins.

    Attributes:
        start: where play begins.
        color: the side the host asks for.
        onlookers: how many spectators there are.
        rival: whether two guests want the seat.
        cheat: who cheats, or None.
        kind: how it cheats; see `tests.chaos.cheats`.
        behaviour: what it does then.
        turns: its honest turns before that.
        terms: what the offer says of clock and grace, as its fields.
        sociable: how likely players chat, or ask for a takeback or an abort.
        faults: what goes wrong.
        every_s: mean seconds between two faults.
        storm_s: seconds until nothing goes wrong any more.
        pace_s: mean seconds that players think.
        patience: plies after which players resign.
        sync_s: how long players wait for their disks; None for disks that take no time.
    """

    start: Position
    color: str
    onlookers: int
    rival: bool
    cheat: Role | None
    kind: str
    behaviour: str
    turns: int
    terms: dict[str, Any]
    sociable: float
    faults: tuple[str, ...]
    every_s: float
    storm_s: float
    pace_s: float
    patience: int
    sync_s: float | None

    @classmethod
    def of(cls, fate: random.Random) -> "Scenario":
        """The next game of these dice."""
        whole = fate.random() < 0.02
        cheat = None if fate.random() < _HONEST_GAMES else fate.choice(list(Role))
        kinds = sorted([*FAULTS, *WEATHERS])
        pace = fate.choice([0.05, 0.5, 2.0])
        return cls(
            start=choose_start(fate, whole=whole),
            color=fate.choice(["first", "second", "random"]),
            onlookers=fate.choice([0, 1, 1, 2]),
            rival=fate.random() < 0.1,
            cheat=cheat,
            kind=fate.choice(CHEATS) if cheat else "",
            behaviour=fate.choice(BEHAVIOURS) if cheat else "",
            turns=fate.choice([0, 0, 1, 2, 4]),
            terms=_terms(fate),
            sociable=fate.choice([0.0, 0.0, 0.1]),
            faults=tuple(fate.sample(kinds, fate.choice([0, 1, 2, 3, 5, 8]))),
            every_s=pace * fate.choice([0.5, 2.0, 6.0]),
            storm_s=fate.choice([3.0, 15.0, 60.0]),
            pace_s=pace,
            patience=400 if whole else fate.choice([12, 40]),
            sync_s=fate.choice([None, None, 0.002, 0.1]),
        )

    def __str__(self) -> str:
        cheat = f"; the {self.cheat} cheats: {self.kind}, {self.behaviour}" if self.cheat else ""
        rival = "; two guests" if self.rival else ""
        terms = f"; {self.terms}" if self.terms else ""
        slow = f"; disks take {self.sync_s:g} s" if self.sync_s else ""
        return (
            f"{self.start.ruleset} from {self.start.text!r}; {self.onlookers} onlookers{rival}"
            f"{terms}{slow}{cheat}; faults every {self.every_s:g} s for {self.storm_s:g} s: "
            f"{', '.join(self.faults) or 'none'}"
        )


def _terms(fate: random.Random) -> dict[str, Any]:
    clocks = [
        {"base_ms": 20_000, "increment_ms": 1_000, "lag_ms": 2_000},
        {"move_ms": 5_000, "lag_ms": 1_000},
    ]
    clock = fate.choice([None, None, None, *clocks])
    grace_ms = fate.choice([None, None, 5_000, 60_000])
    fields = {"clock": clock, "grace_ms": grace_ms}
    return {name: value for name, value in fields.items() if value is not None}
