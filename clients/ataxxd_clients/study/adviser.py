"""An engine to ask for advice, beside the game and off the event loop."""

import asyncio
from dataclasses import dataclass
from functools import partial

from ataxxd.engines.search_thread import StoppableCall
from ataxxd.engines.tablebases import playing_engine
from ataxxd.node.control import Game, Seat
from ataxxd.rules import Position, Side
from ataxxd.rules.limits import USUAL_HASH_MB
from ataxxd_clients.moves import move_name
from ataxxd_clients.study.verdicts import Verdict, in_words, verdict_of
from ataxxd_clients.text.commands import CommandError


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the engine may look at one position.

    Attributes:
        nodes: positions it visits; these decide, so that the same question has the same answer.
        time_ms: milliseconds that bound it where the machine is too slow for them.
    """

    nodes: int
    time_ms: int


# At some three million nodes a second.
GLANCE = Effort(60_000, 1_000)
LOOK = Effort(1_500_000, 3_000)


class Adviser:
    """An engine of one's own to ask about positions; one question at a time."""

    def __init__(self) -> None:
        self._engine = playing_engine(USUAL_HASH_MB)
        self._busy = asyncio.Lock()

    async def consider(self, position: Position, effort: Effort) -> Verdict:
        """What the engine thinks of a position in which the game goes on.

        Cancelling it ends the search.
        """
        async with self._busy:
            # What was learnt before would make the answer depend on the questions before.
            self._engine.clear()
            search = partial(
                self._engine.search, position, nodes=effort.nodes, time_ms=effort.time_ms
            )
            return verdict_of(await StoppableCall(search, self._engine.stop).answer(), position)


def why_no_advice(game: Game) -> str | None:
    """Why the players of a game may not be advised now; None when they may."""
    seats = {game.seat(side) for side in Side}
    if game.outcome is None and Seat.REMOTE in seats and len(seats) > 1:
        return "In a game with somebody else there is no advice until it is over."
    return None


def check_advice(game: Game, *, hint: bool = False) -> None:
    """Check that the engine may be asked in a game now, or for a `hint`.

    Raises:
        CommandError: it would be unfair, or there is no move to show.
    """
    if (refusal := why_no_advice(game)) is not None:
        raise CommandError(refusal)
    if hint and game.outcome is not None:
        msg = "The game is over: there is no move to show."
        raise CommandError(msg)


def hint_text(verdict: Verdict, names: tuple[str, str], following: str = "") -> str:
    """A hint in words.

    Args:
        verdict: on the position.
        names: of the sides.
        following: what may be said behind it, such as what is expected to follow.
    """
    best, worth = move_name(verdict.line[0]), in_words(verdict, names)
    return f"The engine would play {best} ({worth}){following}."
