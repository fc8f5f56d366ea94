"""A person, or a course harness, at a pipe: plays a network game by the line language."""

import random
import re

from ataxxd.rules import Position, Side
from tests.e2e.nodes import Running

_MOVED = re.compile(r"\* (Red|Blue) moves (\S+)\.")
_RESULT = re.compile(r"\* (Red wins|Blue wins|Draw)\.")
RESULTS = {"1-0": "* Red wins.", "0-1": "* Blue wins.", "1/2-1/2": "* Draw."}


class Person:
    """Plays one side greedily, knowing only the rules and what it was told.

    Attributes:
        side: the side it plays.
        position: the board as it follows from the moves.
    """

    def __init__(self, side: Side, seed: int, position: Position | None = None) -> None:
        self.side = side
        self.position = position or Position.start("ataxx/cs61b-2022")
        self._choices = random.Random(seed)

    async def play(self, running: Running, plies: int = 1000) -> str | None:
        """Play at most `plies` of its own moves, then wait for the answer to the last.

        Returns:
            The result line; None when the game goes on and it is this person's turn.
        """
        while True:
            if self.position.outcome is not None:
                return await running.next_line()
            if self.position.turn is self.side:
                if plies == 0:
                    return None
                plies -= 1
                await self._move(running)
            else:
                line = await running.next_line()
                assert line is not None, running.report()
                if _RESULT.fullmatch(line):
                    return line
                moved = _MOVED.fullmatch(line)
                assert moved is not None, line
                assert moved[1] == ("Red", "Blue")[self.side.opponent], line
                self.position = self.position.play(self.position.parse_move(moved[2]))

    async def play_one(self, running: Running) -> str | None:
        """Hear everything up to this person's turn and move once; the result line at the end."""
        result = await self.play(running, plies=0)
        if result is None:
            await self._move(running)
        return result

    async def _move(self, running: Running) -> None:
        # Greedy, because one who moves at random may lose everything within a few moves.
        move = max(
            self.position.legal_moves,
            key=lambda each: (
                self.position.play(each).counts[self.side],
                self._choices.random(),
            ),
        )
        await running.type(self.position.format_move(move, "cs61b"))
        self.position = self.position.play(move)
