"""Room for a game that this node is to host: one of a name at a time."""

import re

from ataxxd.errors import UsageError
from ataxxd.node.errors import NameInUse
from ataxxd.node.journal import StoredGame
from ataxxd.node.profile import Profile
from ataxxd.session.roles import Role
from ataxxd.session.state import UNDER_WAY
from ataxxd_protocol.fields import NAME_PATTERN


def check_name(name: str, typed: str = "") -> None:
    """Check that a game can have a name.

    Args:
        name: the name.
        typed: as a person typed it, where one did.

    Raises:
        UsageError: it cannot; says what names are.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(
            f"{(typed or name)!r} is no name for a game: use up to 32 letters, digits and dashes, "
            "beginning with a letter or a digit, such as ourgame."
        )


def make_room(
    profile: Profile, name: str, *, new: bool = False, besides: StoredGame | None = None
) -> None:
    """Give up what this node hosts under a name and nobody plays.

    Args:
        profile: this node's.
        name: of the game that is to be hosted.
        new: give up one that is played, too.
        besides: leave this one alone.

    Raises:
        NameInUse: there is one that is played, or another process has it.
    """
    for old in profile.journal.unfinished(name, Role.HOST):
        if besides is not None and old.id == besides.id:
            continue
        with profile.home.lock(old.offer.digest, name):
            if not new and profile.journal.ledger(old).phase in UNDER_WAY:
                raise NameInUse(
                    f'You already host "{name}", which is not over. Go on: ataxxd resume {name}. '
                    f"Or give it up for a new one: ataxxd host {name} --new"
                )
            profile.journal.finish(old)
