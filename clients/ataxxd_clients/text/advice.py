"""What the engine says to a person in the friendly mode: a hint, and what a position is worth."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ataxxd.node.control import Game
from ataxxd.rules import Position
from ataxxd_clients.analysis import (
    LOOK,
    Adviser,
    Verdict,
    check_advice,
    hint_text,
    in_words,
    verdict_of_end,
)
from ataxxd_clients.labels import move_name
from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.language import LineLanguage

ADVICE = frozenset({"hint", "eval"})
"""The words that ask the engine."""

# What a hint is for takes no more; `eval` tells the whole line.
_FOLLOWING = 5


class AdviceCommands:
    """The commands that ask the engine; in a game with somebody else they wait for its end.

    Args:
        game: the game.
        language: its words.
        say: tells the person a sentence or two.
    """

    def __init__(self, game: Game, language: LineLanguage, say: Callable[[str], None]) -> None:
        self._game = game
        self._language = language
        self._say = say
        # A hint and an evaluation of one position agree.
        self._considered: tuple[Position, Verdict] | None = None

    def __iter__(self) -> Iterator[Command]:
        # In full, so that h is help as before.
        yield Command("hint", "Show the move that the engine would play.", self._hint, in_full=True)
        worth = "Show what the engine thinks of the position."
        yield Command("eval", worth, self._evaluate, in_full=True)

    @cached_property
    def _adviser(self) -> Adviser:
        """Made when it is first asked: most games need none."""
        return Adviser()

    async def _hint(self, _: Sequence[str]) -> None:
        check_advice(self._game, hint=True)
        verdict = await self._consider(self._game.position)
        then = [*map(move_name, verdict.line[1:])][:_FOLLOWING]
        expected = f"; it expects {' '.join(then)} to follow" if then else ""
        self._say(hint_text(verdict, self._language.names, expected))

    async def _evaluate(self, _: Sequence[str]) -> None:
        position = self._game.position
        verdict = verdict_of_end(position)
        if verdict is not None:
            self._say(f"The game is over: {in_words(verdict, self._language.names)}.")
            return
        verdict = await self._consider(position)
        line = " ".join(map(move_name, verdict.line))
        worth = in_words(verdict, self._language.names)
        self._say(f"{worth[0].upper()}{worth[1:]}, at depth {verdict.depth}; expected: {line}.")

    async def _consider(self, position: Position) -> Verdict:
        check_advice(self._game)
        if self._considered is None or self._considered[0] != position:
            self._considered = position, await self._adviser.consider(position, LOOK)
        return self._considered[1]
