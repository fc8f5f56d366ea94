"""The protocol's version and how two versions get along.

The major version is a topic segment and changes when old nodes could misread a game;
the minor version counts additions that an older node of the same major refuses politely.
"""

MAJOR = 1
MINOR = 0
PROTOCOL_VERSION = f"{MAJOR}.{MINOR}"


def compatible(theirs: str) -> bool:
    """True when a node that says it speaks `theirs` can play with this one."""
    return theirs == PROTOCOL_VERSION
