"""The protocol's version and how two versions get along.

The major version is a topic segment and changes when old nodes could misread a game;
the minor version counts additions that an older node of the same major refuses politely.
"""

MAJOR = 1
MINOR = 2
PROTOCOL_VERSION = f"{MAJOR}.{MINOR}"
KNOWN_VERSIONS = ("1.0", "1.1", PROTOCOL_VERSION)
"""The versions whose games this node can judge, and can continue if it has begun them."""

# From this minor version on, this much of a player's first move does not count.
_FREE_SINCE = 1
_FREE_FIRST_MS = 30_000
# From this minor version on, the answer to a claim bounds how long the claimant can have waited; a
# sync with a nonce is answered by one that echoes it; an offer can name witnesses; and a player
# that aborts a game of an event without consent loses it.
_SECOND = 2


def is_compatible_version(theirs: str) -> bool:
    """Whether a node that speaks version `theirs` can begin a game with this one."""
    return theirs == PROTOCOL_VERSION


def is_known_version(version: str) -> bool:
    """Whether this node can judge a game of `version`."""
    return version in KNOWN_VERSIONS


def free_first_ms(version: str) -> int:
    """The milliseconds of a player's first move that do not count on its clock."""
    return _FREE_FIRST_MS if _minor(version) >= _FREE_SINCE else 0


def has_since_in_answers(version: str) -> bool:
    """Whether answers to claims have a ``since_ms`` in a game of a known version."""
    return _minor(version) >= _SECOND


def allows_sync_echoes(version: str) -> bool:
    """Whether a sync may have a ``nonce`` or an ``echo`` in a game of a known version."""
    return _minor(version) >= _SECOND


def allows_witnesses(version: str) -> bool:
    """Whether an offer of a known version may name witnesses."""
    return _minor(version) >= _SECOND


def is_abort_a_loss(version: str) -> bool:
    """Whether an abort without consent loses a game of an event in a known version."""
    return _minor(version) >= _SECOND


def _minor(version: str) -> int:
    return int(version.partition(".")[2])
