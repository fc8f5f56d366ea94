"""A game found on the broker, in the words of the control interface."""

from ataxxd.node.control import ListedGame, Progress
from ataxxd.node.lobby import FoundGame
from ataxxd.node.terms import as_text
from ataxxd.session.state import Phase

_PROGRESS = {
    Phase.OPEN: Progress.OPEN,
    Phase.JOINED: Progress.OPEN,
    Phase.PLAYING: Progress.PLAYING,
    Phase.ASKED: Progress.PLAYING,
}


def listed(found: FoundGame, us: str, now_ms: int) -> ListedGame:
    """What a client may know of a game.

    Args:
        found: the game.
        us: this node's id.
        now_ms: the time of day.
    """
    offer = found.offer
    return ListedGame(
        offer.name,
        offer.host,
        offer.ruleset,
        _PROGRESS.get(found.phase, Progress.OVER),
        0 if found.watched is None else len(found.watched.ledger.moves),
        max(0, now_ms - offer.created_ms) // 1000,
        as_text(offer),
        invited=offer.access == "invited",
        obstacle=_obstacle(found, us),
        watchable=found.misfit is None,
    )


def _obstacle(found: FoundGame, us: str) -> str | None:
    offer = found.offer
    if found.misfit is not None:
        return str(found.misfit)
    if offer.host == us:
        return "your own game"
    if found.phase is not Phase.OPEN:
        return "the seat is taken"
    if offer.access not in (None, "invited", us):
        return "the seat is kept for somebody else"
    return None
