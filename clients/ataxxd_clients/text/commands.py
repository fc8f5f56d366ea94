"""Commands in general: their definition, lookup by typed words, and targets."""

import difflib
import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.node.game import Game
from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import Output

# What web pages and typeset papers use for the hyphen in a move.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))

Action: TypeAlias = Callable[[Sequence[str]], Awaitable[None] | None]


class CommandError(Exception):
    """A command cannot be carried out; the message says why. Nothing has changed."""


class Quit(Exception):
    """Raised by the command that ends the session."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: the command's word, in lower case.
        summary: one line for `help`.
        action: called with the operands, in lower case and as many as `operands` has.
        operands: the names of its operands in `help` and in errors, such as ``COLOR``.
        example: an example of its operands.
        in_full: whether it must be typed in full, and so makes no abbreviation ambiguous.
        verbatim: whether its single operand is the rest of the line, as typed.
        alias: another word for it, which cannot be abbreviated.
        act: the act of `Game.can` or `analysis.allowed_advice` it needs; None if always possible.
    """

    name: str
    summary: str
    action: Action
    operands: tuple[str, ...] = ()
    example: str = ""
    in_full: bool = False
    verbatim: bool = False
    alias: str | None = None
    act: str | None = None

    @property
    def usage(self) -> str:
        """The command with the names of its operands: ``auto COLOR``."""
        return " ".join((self.name, *self.operands))


def available_commands(commands: Iterable[Command], can: Collection[str]) -> Iterator[Command]:
    """The commands that can be used now, given the acts that are possible."""
    return (command for command in commands if command.act is None or command.act in can)


class CommandTable:
    """The commands of a language, by name and by abbreviation.

    Args:
        commands: the commands, in the order of `help`.
        ignores_extra_operands: whether to ignore surplus operands, as Lines of Action does.
    """

    def __init__(
        self, commands: Iterable[Command], *, ignores_extra_operands: bool = False
    ) -> None:
        self._commands = {command.name: command for command in commands}
        self._aliases = {each.alias: each for each in self._commands.values() if each.alias}
        self._ignores_extra_operands = ignores_extra_operands

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands.values())

    def words(self, line: str) -> list[str]:
        """Split a line, without its comment, into words in lower case for `execute`.

        The text after a verbatim command is one word, as typed.
        """
        name, _, rest = line.strip().partition(" ")
        command = self._commands.get(name.lower())
        if command is not None and command.verbatim:
            return [command.name, rest.strip()] if rest.strip() else [command.name]
        return line.partition("#")[0].translate(_HYPHENS).lower().split()

    def find(self, word: str) -> Command:
        """Find the command for a word in lower case.

        A command without operands may be abbreviated, as long as no other command begins in the
        same way.

        Raises:
            CommandError: there is no such command, or more than one.
        """
        if (exact := self._commands.get(word) or self._aliases.get(word)) is not None:
            return exact
        meant = [
            name
            for name, command in self._commands.items()
            if name.startswith(word) and not command.in_full
        ]
        if len(meant) > 1:
            raise CommandError(
                f'"{word}" is ambiguous: it may mean {", ".join(meant)}. Type more of it.'
            )
        if meant:
            command = self._commands[meant[0]]
            if command.operands:
                raise CommandError(
                    f'"{word}" is not a command; {command.name} cannot be abbreviated. '
                    f"Type: {command.usage}"
                )
            return command
        if word == "takeback" and "undo" in self._commands:
            close = ["undo"]  # offline there is nobody to ask
        else:
            close = difflib.get_close_matches(word, self._commands, n=1)
        hint = f'Did you mean "{close[0]}"? ' if close else ""
        shown = word if len(word) <= 40 else word[:40] + "…"
        raise CommandError(f'"{shown}" is not a command. {hint}Type help for a list.')

    async def execute(self, words: Sequence[str]) -> None:
        """Carry out a command given as words in lower case.

        Raises:
            CommandError: it is unknown, has too few or too many operands, or cannot be carried out.
        """
        command = self.find(words[0])
        operands = words[1:]
        wanted = len(command.operands)
        if len(operands) < wanted:
            missing = " ".join(command.operands[len(operands) :])
            typed = " ".join((command.name, *operands))
            raise CommandError(f"{typed} needs {missing}, as in: {command.name} {command.example}")
        if len(operands) > wanted and not self._ignores_extra_operands:
            raise CommandError(f'"{operands[wanted]}" is one word too many. Type: {command.usage}')
        result = command.action(operands[:wanted])
        if inspect.isawaitable(result):
            await result


class CommandContext:
    """A game and its output, with the state of the session.

    Attributes:
        game: the game.
        output: where commands print.
        verbose: whether the board is shown after each move.
        result_printed: whether the result of the game has been printed; it is printed once.
        muted: whether chat of others is hidden.
        last_line: the message of the other side's last action; None if we have moved since.
    """

    def __init__(self, game: Game, output: Output, *, verbose: bool = False) -> None:
        self.game = game
        self.output = output
        self.verbose = verbose
        self.result_printed = False
        self.muted = False
        self.last_line: str | None = None

    def require_offline(self, what: str) -> Game:
        """Return the game, after checking that it is offline.

        Args:
            what: what cannot be done in a network game, for the error.

        Raises:
            CommandError: this is a network game.
        """
        if "new" in self.game.can:
            return self.game
        raise CommandError(
            f"{what} is not possible in a network game, where your opponent has a say too. "
            "You can move, resign, dump, board or quit."
        )

    def begin(
        self, seats: Mapping[Side, Seat] | None = None, start: Position | None = None
    ) -> None:
        """Begin a new game, with other seats and from another start if given.

        Raises:
            CommandError: this is a network game.
        """
        game = self.require_offline("A new game")
        for side, seat in (seats or {}).items():
            self.set_seat(side, seat)
        game.new(start)
        self.result_printed = False
        self.last_line = None

    def set_seat(self, side: Side, seat: Seat) -> None:
        """Change who plays a side.

        Raises:
            CommandError: that is not possible; the message says why.
        """
        game = self.require_offline("Changing the players")
        try:
            game.fill(side, seat)
        except ValueError as error:
            raise CommandError(str(error)) from None

    def undo(self) -> None:
        """Take back the last move, and the one before if an AI would then be on turn.

        Raises:
            CommandError: this is a network game; the message says what to do instead.
        """
        if "new" not in self.game.can:
            raise CommandError(self._undo_obstacle())
        game = self.game
        was_over = game.outcome is not None
        self.last_line = None
        if "undo" not in game.can:
            return
        if game.undo() is not None and game.seat(game.position.turn) is Seat.AUTO:
            game.undo()
        if was_over and game.outcome is None:
            self.result_printed = False

    def _undo_obstacle(self) -> str:
        no = self.game.refusal("takeback")
        if no is None:
            return (
                "undo is not possible in a network game, where your opponent has a say too: type "
                "takeback to ask for it."
            )
        why = str(no)
        return (
            "undo is not possible in a network game, nor is takeback now: "
            f"{why[:1].lower()}{why[1:]}"
        )

    def redo(self) -> None:
        """Repeat the moves that the last `undo` took back.

        Raises:
            CommandError: this is a network game.
            LocalProtocolError: nothing has been taken back.
        """
        game = self.require_offline("redo")
        game.redo()
        if game.undone and game.seat(game.position.turn) is Seat.AUTO:
            game.redo()
