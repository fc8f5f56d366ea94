"""The commands of all games: those of every line language, and those of a network game.

The latter are in no course's language, so they must be typed in full and shorten no other's name.
"""

import re
from collections.abc import Iterator, Sequence

from ataxxd.node.game import Game
from ataxxd.session.events import Request, Seat
from ataxxd_clients.labels import ASKED
from ataxxd_clients.text.commands import Command, CommandError, Quit
from ataxxd_clients.text.language import CommandContext, LineLanguage

_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")


class CommonCommands:
    """The shared commands, acting in a context with a game's words.

    A game whose language differs in one of them overrides its method.
    """

    def __init__(self, context: CommandContext, language: LineLanguage) -> None:
        self._context = context
        self._language = language

    def __iter__(self) -> Iterator[Command]:
        first = self._language.names[0].lower()
        yield Command("new", "Begin a new game with the same players.", self._new)
        yield Command("undo", "Take back the last move made by hand.", self._undo)
        yield Command("redo", "Redo what undo took back.", self._redo, in_full=True)
        yield Command(
            "resign", "Give the game up, now or as soon as it is your turn.", self._resign
        )
        yield Command("auto", "Let an AI play a side.", self._auto, ("COLOR",), example=first)
        yield Command("manual", "Play a side by hand.", self._manual, ("COLOR",), example=first)
        yield Command(
            "seed",
            "Make the AIs repeatable; N is a whole number.",
            self._seed,
            ("N",),
            example="42",
        )
        yield Command("board", "Show the board.", self._board)
        yield Command("dump", "Show the board in the format for programs.", self._dump)
        yield Command("verbose", "Show the board after every turn.", self._verbose)
        yield Command("quiet", "Do not show the board after every turn.", self._quiet)
        yield Command("quit", "Leave the program; q does the same.", self._quit, alias="q")

    def _new(self, _: Sequence[str]) -> None:
        self._context.begin(start=self._language.new_start(self._context.game.position))

    def _undo(self, _: Sequence[str]) -> None:
        self._context.undo()

    def _redo(self, _: Sequence[str]) -> None:
        self._context.redo()

    async def _resign(self, _: Sequence[str]) -> None:
        game = self._context.game
        await game.resign()
        if game.resigning:
            self._context.output.tell(RESIGNS)

    def _auto(self, operands: Sequence[str]) -> None:
        self._fill(operands[0], Seat.AUTO)

    def _manual(self, operands: Sequence[str]) -> None:
        self._fill(operands[0], Seat.HUMAN)

    def _fill(self, word: str, seat: Seat) -> None:
        side = self._language.read_side(word)
        if side is None:
            first, second = self._language.names
            msg = f'"{word}" is not a player; the players are {first} and {second}.'
            raise CommandError(msg)
        self._context.fill(side, seat)

    def _seed(self, operands: Sequence[str]) -> None:
        game, word = self._context.editable("seed"), operands[0]
        if not _NUMBER.fullmatch(word) or not -(1 << 63) <= int(word) < 1 << 63:
            msg = (
                f'"{word}" is not a seed, which is a whole number from -2^63 to 2^63-1, such as 42.'
            )
            raise CommandError(msg)
        game.reseed(int(word))

    def _board(self, _: Sequence[str]) -> None:
        for line in self._language.board(self._context.game.position):
            self._context.output.say(line)

    def _dump(self, _: Sequence[str]) -> None:
        for line in self._language.dump(self._context.game.position):
            self._context.output.say(line)

    def _verbose(self, _: Sequence[str]) -> None:
        self._context.verbose = True

    def _quiet(self, _: Sequence[str]) -> None:
        self._context.verbose = False

    def _quit(self, _: Sequence[str]) -> None:
        raise Quit


def help_command(
    context: CommandContext, language: LineLanguage, others: Sequence[Command]
) -> Command:
    """The command that lists itself and the others."""

    def show(_: Sequence[str]) -> None:
        entries = [
            *language.move_help(),
            *((each.usage, each.summary) for each in (*others, own)),
        ]
        width = max(len(usage) for usage, _ in entries)
        for usage, summary in entries:
            context.output.say(f"  {usage:{width}}  {summary}")
        context.output.say("Commands of one word may be shortened. What follows # is ignored.")

    own = Command("help", "Show this list; ? does the same.", show, alias="?")
    return own


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
            ("claim", "Win the game if your opponent does not answer.", self._claim),
            ("rematch", "After the game, play another one with colours swapped.", self._rematch),
            ("mute", "Hide what others say, until you type unmute.", self._mute),
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
            self._output.tell(ASKED)

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
        self._output.tell("What others say is hidden now; unmute shows it again.")

    def _unmute(self, _: Sequence[str]) -> None:
        self._context.muted = False
        self._output.tell("What others say is shown again.")

    async def _say(self, text: Sequence[str]) -> None:
        await self._game.say(text[0])
