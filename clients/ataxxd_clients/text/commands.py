"""The commands of a line language, and how typed words find them.

This module knows no command and no game.
"""

import difflib
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# What web pages and typeset papers make of the hyphen in a move.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))

Action: TypeAlias = Callable[[Sequence[str]], Awaitable[None] | None]


class CommandError(Exception):
    """A command that cannot be obeyed; the message says why. Nothing has changed."""


class Quit(Exception):
    """Raised by the command that ends the session."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: the word that calls it, in lower case.
        summary: one line for `help`.
        action: called with the operands, in lower case and as many as `operands` has.
        operands: what they are called in `help` and in errors, such as ``COLOR``.
        example: operands as somebody may type them.
        in_full: whether it must be typed in full, and so is in no other's way.
        verbatim: whether its one operand is all that follows, as it was typed.
        alias: another word that calls it, and is no abbreviation of any command.
    """

    name: str
    summary: str
    action: Action
    operands: tuple[str, ...] = ()
    example: str = ""
    in_full: bool = False
    verbatim: bool = False
    alias: str | None = None

    @property
    def usage(self) -> str:
        """How it is typed: ``auto COLOR``."""
        return " ".join((self.name, *self.operands))


class CommandTable:
    """The commands of a language, by name and by abbreviation.

    Args:
        commands: all of them, in the order of `help`.
        ignores_extra_operands: whether operands too many do no harm (as in Lines of Action).
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
        """A line as words in lower case, up to a comment; for `obey`.

        What follows a verbatim command stays as it is.
        """
        name, _, rest = line.strip().partition(" ")
        command = self._commands.get(name.lower())
        if command is not None and command.verbatim:
            return [command.name, rest.strip()] if rest.strip() else [command.name]
        return line.partition("#")[0].translate(_HYPHENS).lower().split()

    def find(self, word: str) -> Command:
        """The command meant by a word in lower case.

        A command without operands may be abbreviated as long as no other command begins
        in the same way.

        Raises:
            CommandError: there is none, or more than one.
        """
        if (exact := self._commands.get(word) or self._aliases.get(word)) is not None:
            return exact
        meant = [
            name
            for name, command in self._commands.items()
            if name.startswith(word) and not command.in_full
        ]
        if len(meant) > 1:
            msg = f'"{word}" is ambiguous: it may mean {", ".join(meant)}. Type more of it.'
            raise CommandError(msg)
        if meant:
            command = self._commands[meant[0]]
            if command.operands:
                msg = (
                    f'"{word}" is not a command; {command.name} cannot be abbreviated. '
                    f"Type: {command.usage}"
                )
                raise CommandError(msg)
            return command
        if word == "takeback" and "undo" in self._commands:
            close = ["undo"]  # alone, nobody is asked
        else:
            close = difflib.get_close_matches(word, self._commands, n=1)
        hint = f'Did you mean "{close[0]}"? ' if close else ""
        shown = word if len(word) <= 40 else word[:40] + "…"
        msg = f'"{shown}" is not a command. {hint}Type help for a list.'
        raise CommandError(msg)

    async def obey(self, words: Sequence[str]) -> None:
        """Carry out a command given as words in lower case.

        Raises:
            CommandError: it is unknown, has too few or too many operands, or cannot be obeyed.
        """
        command = self.find(words[0])
        operands = words[1:]
        wanted = len(command.operands)
        if len(operands) < wanted:
            missing = " ".join(command.operands[len(operands) :])
            typed = " ".join((command.name, *operands))
            msg = f"{typed} needs {missing}, as in: {command.name} {command.example}"
            raise CommandError(msg)
        if len(operands) > wanted and not self._ignores_extra_operands:
            msg = f'"{operands[wanted]}" is one word too many. Type: {command.usage}'
            raise CommandError(msg)
        result = command.action(operands[:wanted])
        if inspect.isawaitable(result):
            await result
