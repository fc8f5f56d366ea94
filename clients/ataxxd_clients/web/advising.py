"""What the engine says of a game, for all pages that look at it."""

import asyncio
from collections.abc import Callable

from ataxxd.node.game import Game
from ataxxd_clients.analysis import (
    Evaluator,
    check_advice,
    hint_text,
    in_words,
    share,
    why_no_advice,
)
from ataxxd_clients.analysis import Verdict as Opinion
from ataxxd_clients.labels import move_name
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web import messages
from ataxxd_clients.web.messages import Ability, Evaluation, Hint, Verdict
from ataxxd_clients.web.scene import History


def as_message(opinion: Opinion, language: LineLanguage) -> Verdict:
    """A verdict as pages get it."""
    return Verdict(
        share=share(opinion),
        words=in_words(opinion, language.names),
        line=[*map(move_name, opinion.line)],
    )


class Advising:
    """The engine beside a game; nobody is advised in a game with somebody else.

    Args:
        game: the game.
        language: the game's words.
        history: the game's positions.
        tell: tells all pages.
    """

    def __init__(
        self,
        game: Game,
        language: LineLanguage,
        history: History,
        tell: Callable[[Hint | Evaluation], None],
    ) -> None:
        self._game = game
        self._language = language
        self._history = history
        self._tell = tell
        self._evaluator = Evaluator(self._news)
        self._on = False
        self._hinting: asyncio.Task[None] | None = None

    def abilities(self) -> list[Ability]:
        """The commands of advice that make sense now."""
        if why_no_advice(self._game) is not None:
            return []
        return ["evaluate"] if self._game.outcome is not None else ["hint", "evaluate"]

    @property
    def evaluation(self) -> Evaluation | None:
        """What is known of the game; None while nobody asks."""
        if not self._on:
            return None
        opinions = map(self._evaluator.verdict, self._history.positions(self._game))
        return Evaluation(
            on=True,
            verdicts=[
                None if opinion is None else as_message(opinion, self._language)
                for opinion in opinions
            ],
        )

    def obey(self, command: messages.Command) -> bool:
        """Obey a command, if it asks for advice; whether it does.

        Raises:
            CommandError: there is none, or it would be unfair.
        """
        match command:
            case messages.AskHint():
                self.hint()
            case messages.Evaluate(on=on):
                self.evaluate(on=on)
            case _:
                return False
        return True

    def hint(self) -> None:
        """Look for the best move, and tell it.

        Raises:
            CommandError: there is none, or it would be unfair.
        """
        check_advice(self._game, hint=True)
        if self._hinting is not None:
            self._hinting.cancel()
        self._hinting = asyncio.create_task(self._look(), name="hint")

    def evaluate(self, *, on: bool) -> None:
        """Evaluate the game from now on, or no longer.

        Raises:
            CommandError: it would be unfair.
        """
        if on:
            check_advice(self._game)
        self._on = on
        if on:
            self.follow()
        else:
            self._stop()
        self._news()

    def follow(self) -> None:
        """See what has changed in the game."""
        if not self._on:
            return
        if why_no_advice(self._game) is not None:
            self._on = False
            self._stop()
        else:
            self._evaluator.survey(self._history.positions(self._game))
            self._evaluator.ponder(self._game.position)

    async def close(self) -> None:
        """End all thinking."""
        if self._hinting is not None:
            self._hinting.cancel()
            await asyncio.wait({self._hinting})
        await self._evaluator.close()

    def _stop(self) -> None:
        self._evaluator.stop_survey()
        self._evaluator.ponder(None)

    async def _look(self) -> None:
        position, ply = self._game.position, len(self._game.moves)
        opinion = await self._evaluator.look(position)
        if position != self._game.position:
            return
        self._tell(
            Hint(
                ply=ply,
                squares=self._language.paths(opinion.line[0], position)[0],
                text=hint_text(opinion, self._language.names),
            )
        )

    def _news(self) -> None:
        self._tell(self.evaluation or Evaluation(on=False, verdicts=[]))
