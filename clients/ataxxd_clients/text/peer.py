"""The commands of a network game: what one does with the person at the other side.

They are in no course's language, so they must be typed in full and shorten no other's name.
"""

from collections.abc import Iterator, Sequence

from ataxxd.node.control import Game, Request
from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.context import CommandContext

RESIGNS = "You will resign as soon as it is your turn; unresign takes that back."


class PeerCommands:
    """The commands for a game with another node in it."""

    def __init__(self, game: Game, context: CommandContext) -> None:
        self._game = game
        self._context = context
        self._output = context.output

    def __iter__(self) -> Iterator[Command]:
        for name, summary, action in (
            ("takeback", "Ask to take your last move back.", self._takeback),
            ("abort", "End the game without a result; after your first move, ask to.", self._abort),
            ("agree", "Agree to what your opponent asks for.", self._agree),
            ("refuse", "Refuse what your opponent asks for.", self._refuse),
            ("unresign", "Take back a resignation that waits for your turn.", self._unresign),
            ("claim", "Win the game of a player who does not answer.", self._claim),
            ("rematch", "After the game, play another one with colours swapped.", self._rematch),
            ("mute", "Show nothing that others say, until you type unmute.", self._mute),
            ("unmute", "Show again what others say.", self._unmute),
        ):
            yield Command(name, summary, action, in_full=True)
        said = "Say something to your opponent."
        yield Command(
            "say", said, self._say, ("TEXT",), example="hello", in_full=True, verbatim=True
        )

    async def _takeback(self, _: Sequence[str]) -> None:
        await self._ask("takeback")

    async def _abort(self, _: Sequence[str]) -> None:
        await self._ask("abort")

    async def _ask(self, what: Request) -> None:
        await self._game.ask(what)
        if self._game.outcome is None:
            self._output.tell("Asked. It holds until the next move.")

    async def _agree(self, _: Sequence[str]) -> None:
        await self._game.agree()

    async def _refuse(self, _: Sequence[str]) -> None:
        said = await self._game.refuse()
        self._output.tell(f"Refused. You said: {said}")

    async def _unresign(self, _: Sequence[str]) -> None:
        await self._game.keep_playing()
        self._output.tell("You play on.")

    async def _claim(self, _: Sequence[str]) -> None:
        await self._game.claim()

    def _rematch(self, _: Sequence[str]) -> None:
        self._game.ask_rematch()

    def _mute(self, _: Sequence[str]) -> None:
        self._context.muted = True
        self._output.tell("What others say is not shown now; unmute shows it again.")

    def _unmute(self, _: Sequence[str]) -> None:
        self._context.muted = False
        self._output.tell("What others say is shown again.")

    async def _say(self, text: Sequence[str]) -> None:
        await self._game.say(text[0])
