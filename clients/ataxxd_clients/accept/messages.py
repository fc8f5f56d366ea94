"""The messages of a program: the lines of output that begin with blanks and ``*``.

One table, an entry a game. Which game a program plays is known from its first message.
Checkers and reversi have no messages of this kind.
"""

import difflib
import re
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
        f'the output line "{text[:80]}" begins with * and is no message of {which}; one is {shown}'
    )
    raise MessageError(msg)
