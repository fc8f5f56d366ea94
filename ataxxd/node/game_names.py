"""Names of games as people type them, and as they are on the wire."""

import re


def wire_name(typed: str) -> str:
    """The name that a typed one stands for: in small letters, ``_``, ``.`` and blanks as dashes.

    The names of mailboxes in the old checkers program have all of these: ``Foo`` and
    ``our_game`` are ``foo`` and ``our-game`` here. What is no name then is none, either way.
    """
    return re.sub("[_. ]", "-", typed.strip(" ").lower())


def shown_name(typed: str, name: str) -> str:
    """A game's name as it was typed, where that stands for it."""
    return typed if wire_name(typed) == name else name
