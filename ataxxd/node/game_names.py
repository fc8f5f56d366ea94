"""Names of games as people type them, as they are on the wire, and at one table.

A broker has one game under a name of a host. So a table at which several are played, or whose last
games can still be looked at, calls them NAME, NAME-2, NAME-3 and so on, and its name leads to all
of them.
"""

import itertools
import re
from collections.abc import Iterator

# As long as a name may be; see ataxxd_protocol.fields.NAME_PATTERN.
_LONGEST_NAME = 32
_NUMBER = re.compile(r"-([1-9][0-9]*)$")


def numbered(table: str, number: int) -> str:
    """The name of a table's game with this number, from 1, which has the table's own."""
    if number == 1:
        return table
    end = f"-{number}"
    return table[: _LONGEST_NAME - len(end)] + end


def names_at(table: str) -> Iterator[str]:
    """All names that games of a table may have, its own first."""
    return (numbered(table, number) for number in itertools.count(1))


def is_at(table: str, name: str) -> bool:
    """Whether a game of this name may be one of the table's."""
    found = _NUMBER.search(name)
    return name == table or (found is not None and numbered(table, int(found[1])) == name)


def wire_name(typed: str) -> str:
    """The name that a typed one stands for: in small letters, ``_``, ``.`` and blanks as dashes.

    The names of mailboxes in the old checkers program have all of these: ``Foo`` and
    ``our_game`` are ``foo`` and ``our-game`` here. What is no name then is none, either way.
    """
    return re.sub("[_. ]", "-", typed.strip(" ").lower())


def shown_name(typed: str, name: str) -> str:
    """A game's name as it was typed, where that stands for it."""
    return typed if wire_name(typed) == name else name
