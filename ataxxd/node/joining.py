"""A game to join: how people name it, and whether this node may ask for the seat in it."""

import re
from collections.abc import Callable

from ataxxd.errors import UsageError
from ataxxd.node.errors import NameInUse, SeatTaken
from ataxxd.node.lobby import FoundGame, GameName
from ataxxd.node.node import Node
from ataxxd.session.state import Phase
from ataxxd_protocol import grouped
from ataxxd_protocol.fields import NAME_PATTERN


def split_place(text: str) -> tuple[GameName, str | None]:
    """``NAME[#ID][@BROKER]`` as the name and the broker.

    Raises:
        UsageError: it is not of this form.
    """
    name, at, broker = text.partition("@")
    wanted = GameName.parse(name)
    if not re.fullmatch(NAME_PATTERN, wanted.name) or (at and not broker):
        raise UsageError(
            # Not what comes after it: a secret, or a broker's password.
            f"{name.partition('#')[0]!r} names no game: write NAME, NAME#ID or NAME@BROKER, such "
            "as ourgame, ourgame#k7fq-3xa2 or ourgame@mqtt://192.168.1.5. "
            "Names have up to 32 lower-case letters, digits and dashes."
        )
    if not re.fullmatch("[a-z2-7]{0,20}", wanted.host_prefix):
        raise UsageError(
            f"{wanted.host_prefix!r} is not the beginning of a host's id, which has letters and "
            "the digits 2 to 7. Copy it from the invitation, or see: ataxxd games"
        )
    return wanted, broker if at else None


def check_found(
    node: Node, wanted: GameName, found: FoundGame, note: Callable[[str], None]
) -> None:
    """Check, before a join, what can be known without asking the host.

    Args:
        node: this node; it remembers the first host of a name.
        wanted: the game as it was asked for.
        found: the game as it was found.
        note: is told what the person should know of it.

    Raises:
        UsageError: it is this node's own game.
        NameInUse: we have a seat in it already.
        SeatTaken: the seat is another's, or the game is over.
    """
    offer = found.offer
    name = f"{offer.name}#{grouped(offer.host)}"
    if offer.host == node.key.node:
        raise UsageError(
            f'"{offer.name}" is hosted by this same node. To play against yourself give the '
            f"second node a home of its own: ataxxd join {offer.name} --home DIR"
        )
    if offer.access not in (None, "invited", node.key.node):
        raise SeatTaken(f"The seat in {name} is kept for {grouped(offer.access)}.")
    if offer.access == "invited" and not wanted.secret:
        raise SeatTaken(
            f"Only who has the invitation may join {name}. Ask the host for all of it: it ends "
            "with a point and a secret, NAME#ID.SECRET"
        )
    ours = node.journal.find(offer.digest)
    if ours is not None:
        phase = node.journal.ledger(ours).phase
        if not ours.finished and phase is not Phase.OPEN:
            raise NameInUse(
                f"You already have a seat in {name}. Go on with it: ataxxd resume {offer.name}"
            )
        if phase not in (Phase.OPEN, Phase.JOINED):
            raise SeatTaken(
                f"You have played {name} already; a new game needs a new offer. "
                f"Look at it: ataxxd watch {name}"
            )
    if found.phase is not Phase.OPEN:
        state = (
            "is over"
            if found.watched and found.watched.ledger.outcome
            else "is under way and its seat is taken"
        )
        raise SeatTaken(f'The game "{offer.name}" {state}. You can look at it: ataxxd watch {name}')
    if wanted.host_prefix and wanted.host_prefix != offer.host:
        whole = grouped(offer.host)
        note(f"Note: {wanted.host_prefix} is only the beginning of the host's id, {whole}.")
    known = node.journal.known_host(offer.name, offer.host)
    if known not in (None, offer.host) and wanted.host_prefix != offer.host:
        was = grouped(str(known))
        note(f'Note: "{offer.name}" was hosted by {was} before; now by {grouped(offer.host)}.')
