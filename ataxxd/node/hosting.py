"""Room for a game that this node is to host: one of a name at a time."""

from ataxxd.node.errors import NameInUse
from ataxxd.node.journal import StoredGame
from ataxxd.node.node import Node
from ataxxd.session.roles import Role
from ataxxd.session.state import UNDER_WAY


def make_room(
    node: Node, name: str, *, new: bool = False, besides: StoredGame | None = None
) -> None:
    """Give up what this node hosts under a name and nobody plays.

    Args:
        node: this node.
        name: of the game that is to be hosted.
        new: give up one that is played, too.
        besides: leave this one alone.

    Raises:
        NameInUse: there is one that is played, or another process has it.
    """
    for old in node.journal.unfinished(name, Role.HOST):
        if besides is not None and old.id == besides.id:
            continue
        with node.home.lock(old.offer.digest, name):
            if not new and node.journal.ledger(old).phase in UNDER_WAY:
                raise NameInUse(
                    f'You already host "{name}", which is not over. Go on: ataxxd resume {name}. '
                    f"Or give it up for a new one: ataxxd host {name} --new"
                )
            node.journal.finish(old)
