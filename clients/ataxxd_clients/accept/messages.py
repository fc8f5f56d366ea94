"""The messages of a program: the lines of output that begin with blanks and ``*``.

One table, an entry a game. Which game a program plays is known from its first message.
Checkers and reversi have no messages of this kind.
"""

import asyncio
import difflib
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass


class MessageError(Exception):
    """A line that looks like a message and is none."""


@dataclass(frozen=True, slots=True)
class Forms:
    """The messages of one game.

    Attributes:
        game: its name.
        move: matches the message of an AI's move; the group is the move as it is typed.
        results: the messages of the end of a game.
        example: a move's message, to show what one looks like.
        most_lines: how many lines the game's harness lets a program print.
    """

    game: str
    move: re.Pattern[str]
    results: frozenset[str]
    example: str
    most_lines: int


GAMES = (
    Forms(
        game="Ataxx",
        move=re.compile(r"\* (?:Red|Blue) moves (-|[a-g][1-7]-[a-g][1-7])\."),
        results=frozenset({"* Red wins.", "* Blue wins.", "* Draw."}),
        example="* Red moves a7-b6.",
        most_lines=1000,
    ),
    Forms(
        game="Lines of Action",
        move=re.compile(r"\* ([a-h][1-8]-[a-h][1-8])", re.IGNORECASE),
        results=frozenset({"* Black wins.", "* White wins.", "* Tie game."}),
        example="* a2-c2",
        most_lines=3000,
    ),
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        text: the line with single blanks and none around it.
        move: the move, in the form that a program reads; None when this is a result.
        forms: the game it belongs to.
    """

    text: str
    move: str | None
    forms: Forms


def is_message(line: str) -> bool:
    """Whether a line of output counts as a message."""
    return line.lstrip().startswith("*")


def with_single_blanks(line: str) -> str:
    """A message with one blank between its words and none around them."""
    return "* " + " ".join(line.lstrip().removeprefix("*").split())


def read_message(line: str, games: Sequence[Forms] = GAMES) -> Message:
    """The message that a line is; how many blanks it has does not matter.

    Args:
        line: a line for which `is_message` holds.
        games: the games it may belong to.

    Raises:
        MessageError: it has none of their forms; says which one comes nearest.
    """
    text = with_single_blanks(line)
    for forms in games:
        if found := forms.move.fullmatch(text):
            return Message(text, found[1], forms)
        if text in forms.results:
            return Message(text, None, forms)
    known = [text for forms in games for text in (forms.example, *sorted(forms.results))]
    near = difflib.get_close_matches(text, known, n=1)
    shown = f'such as "{near[0]}"' if near else " or ".join(f'"{each}"' for each in known)
    which = " and ".join(forms.game for forms in games)
    msg = (
        f'the output line "{text[:80]}" begins with * and is not a message of {which}; one is '
        f"{shown}"
    )
    raise MessageError(msg)


class NoMoreComes(Exception):
    """A wait for the other side that would never end; the message says why."""


class Inbox:
    """The messages that one side gets from the other; `couple` makes the two inboxes."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._reverse: Inbox = self
        self.waiting = False

    @classmethod
    def couple(cls) -> tuple["Inbox", "Inbox"]:
        """Two inboxes, one for each way."""
        one, two = cls(), cls()
        one.set_reverse(two)
        two.set_reverse(one)
        return one, two

    def set_reverse(self, other: "Inbox") -> None:
        """Name the inbox of the other way; who waits there may be who has to write here."""
        self._reverse = other

    @property
    def starving(self) -> bool:
        """Whether somebody waits here and nothing has come."""
        return self.waiting and not self._messages

    def put(self, message: Message) -> None:
        """Deliver a message."""
        self._messages.append(message)
        self._changed.set()

    def close(self) -> None:
        """Say that nothing more will be delivered."""
        self._closed = True
        self._changed.set()

    async def get(self) -> Message:
        """Wait for the next message and take it.

        Raises:
            NoMoreComes: the other side is at its end, or waits for this one.
        """
        self.waiting = True
        try:
            while not self._messages:
                if self._closed:
                    msg = "waited for the other program, whose script has come to its end"
                    raise NoMoreComes(msg)
                if self._reverse.starving:
                    msg = (
                        "each program waits for the other to move; one of the scripts needs "
                        "#*move before #*remote move/win"
                    )
                    raise NoMoreComes(msg)
                self._changed.clear()
                await self._changed.wait()
        finally:
            self.waiting = False
        return self._messages.popleft()
