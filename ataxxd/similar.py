"""A known word in place of one that is none: what somebody who mistyped it may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` Did you mean "…"?`` where a known word is like this one, else nothing."""
    similar = get_close_matches(word.lower(), list(known), n=1)
    return f' Did you mean "{similar[0]}"?' if similar else ""
