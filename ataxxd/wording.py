"""Sentences for people, counted words in them, and known words in place of mistyped ones."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


def sentence(text: str) -> str:
    """A text that stands alone: it begins with a capital letter and has a full stop."""
    stop = "" if text.endswith((".", "!", "?")) else "."
    return f"{text[:1].upper()}{text[1:]}{stop}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """The word for so many of a thing; `many` where it is not `one` with an s."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its word: ``1 ply``, ``2 plies``; see `plural`."""
    return f"{number} {plural(number, one, many)}"


def did_you_mean(
    word: str, known: Iterable[str], other_names: Mapping[str, str] | None = None
) -> str:
    """`` Did you mean "…"?`` where a known word is like this one, else nothing.

    Args:
        word: what was written.
        known: the words that could have been.
        other_names: words that mean one of these and are spelled otherwise, in lower case.
    """
    lower = word.lower()
    others = other_names or {}
    similar = get_close_matches(lower, [*known, *others], n=1)
    return f' Did you mean "{others.get(similar[0], similar[0])}"?' if similar else ""
