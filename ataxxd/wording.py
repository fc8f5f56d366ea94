"""Text for people: sentences, counted words, known words for mistyped ones, folded lines."""

import os
import re
import textwrap
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TextIO

_LAST_COMMAND = re.compile(r": ataxxd [^`]*$")


def sentence(text: str) -> str:
    """A text that stands alone: it begins with a capital letter and has a full stop.

    Except after a command to type, with which the stop would be copied.
    """
    stop = "" if text.endswith((".", "!", "?")) or _LAST_COMMAND.search(text) else "."
    return f"{text[:1].upper()}{text[1:]}{stop}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """The word for `number` things; `many` is the plural if that is not `one` with an s."""
    return one if number == 1 else many or f"{one}s"


def format_count(number: int, one: str, many: str | None = None) -> str:
    """A number and its word: ``1 ply``, ``2 plies``; see `plural`."""
    return f"{number} {plural(number, one, many)}"


MIN_SIMILARITY = 0.7
"""From which likeness on a word may have been meant; `get_close_matches` has the scale.

Less is likeness of the odd letter: "player" and "display", "red" and "seed", "chess" and
"checkers".
"""


def did_you_mean(
    word: str, known: Iterable[str], other_names: Mapping[str, str] | None = None
) -> str:
    """`` Did you mean "…"?`` if a known word is similar to this one, else an empty text.

    Args:
        word: the word as written.
        known: the words that could have been meant.
        other_names: other names of known words, in lower case, each with the word it stands for.
    """
    lower = word.lower()
    others = other_names or {}
    similar = get_close_matches(lower, [*known, *others], n=1, cutoff=MIN_SIMILARITY)
    return f' Did you mean "{others.get(similar[0], similar[0])}"?' if similar else ""


# Commands are not folded: when a folded one is pasted, its first line runs alone.
_COMMAND = re.compile(r"(?<=:)( +)(ataxxd .*)|(`[^`]*`)")
# A space at which no line is folded.
_KEPT = "\xa0"
# The hanging indent of a line: its leading spaces, and its columns before the last.
_HANGING = re.compile(r" *(?:\S+ {2,})*")
# A narrower terminal has no room for words.
_LEAST = 20


def terminal_width(stream: TextIO) -> int | None:
    """How many columns the terminal behind a stream has now; None if the stream is no terminal."""
    try:
        return (os.get_terminal_size(stream.fileno()).columns or 80) if stream.isatty() else None
    except (OSError, ValueError):
        return None


def wrap_text(text: str, width: int) -> str:
    """A text whose lines are no longer than `width`, unless a word or a command is.

    A continuation is indented as its line is, or below its last column. A JSON object stays one
    line.
    """
    lines = (_wrap_line(line, max(width, _LEAST)) for line in text.split("\n"))
    return "\n".join(lines)


def wrap_for_stream(stream: TextIO, text: str) -> str:
    """A text as a stream shows it: folded on a terminal, unchanged elsewhere."""
    width = terminal_width(stream)
    return text if width is None else wrap_text(text, width)


def _whole(found: re.Match[str]) -> str:
    before, command, quoted = found.groups(default="")
    return before + (command or quoted).replace(" ", _KEPT)


def _wrap_line(line: str, width: int) -> str:
    if len(line) <= width or line.startswith("{"):
        return line
    kept = _COMMAND.sub(_whole, line)
    hanging = _HANGING.match(line)
    indent = hanging.end() if hanging is not None else 0
    if indent > width // 2:
        indent = len(line) - len(line.lstrip())
    wrapper = textwrap.TextWrapper(
        width,
        subsequent_indent=" " * indent,
        expand_tabs=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapper.wrap(kept)).replace(_KEPT, " ")
