"""Commands to type, as messages for people name them: with the options without which they fail.

Whoever has named a broker or a home on the command line must name it in the next command, too.
A command stands bare at the end of a text, without a full stop, which would be copied with it;
elsewhere it stands in backquotes.
Imports nothing else of the node.
"""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ataxxd.node.home_location import HOME_VARIABLE, home_option

BROKER_VARIABLE: Final = "ATAXXD_BROKER"

GROUPS: Final = frozenset(("club", "event", "lab", "tables"))
"""The commands with subcommands."""
TAKE_BROKER: Final = frozenset(
    (
        *("analyse", "challenge", "challenges", "doctor", "event play", "event run", "event show"),
        *("games", "host", "join", "lobby", "mcp", "players", "resume", "seek", "serve", "watch"),
    )
)
"""The commands that may need ``--broker``; `play` and `event check` have it, and do without."""
TAKE_HOME: Final = TAKE_BROKER | {
    *("archive", "backup", "club admit", "club adopt", "club check", "club prove", "club remove"),
    *("club show", "event check", "event plan", "id", "play", "ratings", "restore", "status"),
    *("tables check", "tables make", "top"),
}
"""The commands that have ``--home``."""


@dataclass(frozen=True, slots=True)
class _Named:
    """What the command that runs was told to use; None if it was not, or the environment said it.

    Attributes:
        broker: the address of the broker; may have secrets.
        home: the folder.
        elsewhere: whether it resumes games at that broker, and not where they began.
    """

    broker: str | None = None
    home: Path | None = None
    elsewhere: bool = False


# In a list of addresses the next one ends it.
_LOGIN: Final = re.compile(r"(?<=://)(?:(?!,\s*[a-zA-Z]+://).)*@")

_NOTHING: Final = _Named()
_named = ContextVar("named", default=_NOTHING)


@contextmanager
def naming(
    command: str | None = None, *, broker: str | None = None, home: Path | None = None
) -> Iterator[None]:
    """Have commands to type repeat, during the block, what the command that runs was told to use.

    Args:
        command: its name; None for the one of the surrounding block, with what that names.
        broker: the broker that the user named.
        home: the home that the user named.
    """
    before = _named.get()
    # What the environment names is named for the next command, too.
    broker = None if broker == os.environ.get(BROKER_VARIABLE) else broker
    home = None if str(home) == os.environ.get(HOME_VARIABLE) else home
    around = before
    if command is not None:
        around = _Named(elsewhere=command == "resume" and broker is not None)
    _named.set(_Named(broker or around.broker, home or around.home, around.elsewhere))
    try:
        yield
    finally:
        _named.set(before)


def command_line(words: str, home: str | None = None) -> str:
    """A command to type.

    Args:
        words: the command without ``ataxxd``, as a shell reads it.
        home: how it names the home, as `home_option` says; None for the home that the user named.
    """
    first, _, rest = words.partition(" ")
    name = f"{first} {rest.partition(' ')[0]}" if first in GROUPS else first
    named = _named.get()
    if home is None:
        home = "" if named.home is None else home_option(named.home)
    broker = named.broker
    # A game keeps the broker that it began on.
    if name not in TAKE_BROKER or (name == "resume" and not named.elsewhere):
        broker = None
    at = "" if broker is None else f" --broker {shlex.quote(_without_secrets(broker))}"
    return f"ataxxd {words}{at}{home if name in TAKE_HOME else ''}"


def _without_secrets(broker: str) -> str:
    """A broker's address with the words ``USER:PASSWORD`` in place of a login."""
    whole = broker if "://" in broker.partition(",")[0] else f"mqtt://{broker}"
    return _LOGIN.sub("USER:PASSWORD@", whole)
