"""How a node is shown: its nickname, always with the beginning of its id.

No other module puts the two together. Anybody may use any nickname, so it alone identifies nobody.
Nicknames have the same alphabet as names of games, so none contains terminal controls, markup or
look-alike letters of other alphabets; `lookalike_key` compares those that still look alike.
"""

import re

from ataxxd_protocol import grouped
from ataxxd_protocol.messages import NAME_PATTERN

SHORT = 9
"""Length of the shown beginning of an id: eight of its characters and a dash."""
UNNAMED = "unnamed"
"""The name shown for a node without a nickname."""
# Words that our own messages use for players: as nicknames, they would mislead.
_RESERVED = frozenset(
    ["unnamed", "anonymous", "nobody", "you", "me", "opponent", "computer", "machine", "engine"]
).union(["auto", "human", "player", "host", "guest", "spectator", "ataxxd"])
# Characters and pairs of characters that look alike in some typefaces.
_ALIKE = str.maketrans("01i528", "ollszb")
_PAIRS = (("-", ""), ("rn", "m"), ("vv", "w"), ("cl", "d"))


def player_name(
    node: str, nickname: str | None = None, *, new_key: bool = False, whole: bool = False
) -> str:
    """A node as people read it: ``ana (k7fq-3xa2)``.

    Args:
        node: the node's id.
        nickname: its nickname, if it is known.
        new_key: whether another node was known by this nickname, or one that looks like it.
        whole: show the whole id.
    """
    text = grouped(node) if whole else grouped(node)[:SHORT]
    named = UNNAMED if nickname is None or nickname in _RESERVED else nickname
    return f"{named} ({text}{', new key' if new_key else ''})"


def parse_nickname(text: str) -> str | None:
    """A nickname in lower case, from what a person wrote; None if it is not valid."""
    name = text.strip().lower()
    return name if re.fullmatch(NAME_PATTERN, name) and name not in _RESERVED else None


def explain_invalid_nickname(text: str) -> str:
    """Why a text is not a valid nickname, and what to write instead."""
    if text.strip().lower() in _RESERVED:
        return (
            f"{text!r} cannot be a nickname, for it is a word with which the program itself names "
            "players. Choose another, such as ana."
        )
    return (
        f"{text!r} is not a nickname: use up to 32 letters a to z, digits and dashes, beginning "
        "with a letter or a digit, such as ana."
    )


def lookalike_key(nickname: str) -> str:
    """A key that is the same for all nicknames that can be mistaken for each other."""
    seen = nickname.translate(_ALIKE)
    for pair, one in _PAIRS:
        seen = seen.replace(pair, one)
    return seen
