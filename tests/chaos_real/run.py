"""Many real games at once at one broker, and what became of them."""

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import AtaxxdError
from tests.chaos_real.broker import MortalBroker
from tests.chaos_real.game import RealGame
from tests.chaos_real.plan import GamePlan
from tests.e2e.recording import Recording, recording


@dataclass
class Figures:
    """What happened in a run.

    Attributes:
        games: how many games were played to an end that holds.
        done: how often each trouble befell somebody, and what else was counted.
        ends: how often games ended in each way.
        failures: a report for each game that broke a law.
        took_s: how long it took.
    """

    games: int = 0
    done: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    took_s: float = 0.0

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.done.items()))
        ends = ", ".join(f"{count} {what}" for what, count in self.ends.most_common())
        return (
            f"{self.games} games finished and {len(self.failures)} broke a law "
            f"in {self.took_s:.0f} s.\nCounted: {counts}.\nEnds: {ends}."
        )


async def play_all(
    plans: Sequence[GamePlan], at_once: int, tell: Callable[[str], None] = print
) -> Figures:
    """Play every game, `at_once` at a time.

    Args:
        plans: the games.
        at_once: each has two or three processes.
        tell: hears of each game when it is over.

    Returns:
        What happened; failures are told and counted, and the others go on.
    """
    figures = Figures()
    began = time.monotonic()
    free = asyncio.Semaphore(at_once)
    with tempfile.TemporaryDirectory(prefix="ataxxd-chaos-") as name:
        folder = Path(name)
        broker = MortalBroker(folder / "broker")
        broker.start()
        try:
            async with recording(broker.mosquitto.url) as heard, asyncio.TaskGroup() as group:
                for plan in plans:
                    await free.acquire()
                    game = RealGame(plan, broker, folder / plan.name)
                    task = group.create_task(_one(game, figures, tell), name=plan.name)
                    task.add_done_callback(lambda _: free.release())
            _judge(heard, figures)
        finally:
            broker.mosquitto.kill()
    figures.took_s = time.monotonic() - began
    return figures


async def _one(game: RealGame, figures: Figures, tell: Callable[[str], None]) -> None:
    began = time.monotonic()
    try:
        end = await game.play()
    except (AssertionError, AtaxxdError) as failure:
        end = "FAILED"
        figures.failures.append(str(failure))
    else:
        figures.games += 1
        figures.ends[end.partition("(")[2].replace("),", "")] += 1
    figures.done.update(game.done)
    for seat in game.seats.values():
        figures.done["processes"] += seat.starts
        figures.done["resumes"] += seat.resumed
        figures.done["connections"] += seat.proxy.connections
    figures.done["watched games"] += game.plan.watched
    took_s = time.monotonic() - began
    over = figures.games + len(figures.failures)
    tell(f"{over:3} {game.plan.name}: {game.plan} -> {end} in {took_s:.1f} s")
    if end == "FAILED":
        tell(figures.failures[-1])


def _judge(heard: Recording, figures: Figures) -> None:
    """What the broker passed on must not contradict itself either."""
    figures.done["messages at the broker"] = len(heard.messages)
    figures.failures += [
        f"two messages under one number: {first!r} and {second!r}"
        for first, second in heard.contradictions()
    ]
