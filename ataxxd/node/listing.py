"""A game found on the broker, in the words of the control interface."""

from ataxxd.nicknames import player_name
from ataxxd.node.control import ListedGame, Progress
from ataxxd.node.known_hosts import KnownHosts
from ataxxd.node.ledger_game import player_of
from ataxxd.node.lobby import FoundGame
from ataxxd.node.names import NameBook
from ataxxd.node.terms import as_text
from ataxxd.rules import Side
from ataxxd.rules.endings import ending_text
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase
from ataxxd_protocol.messages import Offer

_PROGRESS = {
    Phase.OPEN: Progress.OPEN,
    Phase.JOINED: Progress.OPEN,
    Phase.PLAYING: Progress.PLAYING,
    Phase.ASKED: Progress.PLAYING,
}


def listed(
    found: FoundGame, us: str, now_ms: int, known: KnownHosts, names: NameBook | None = None
) -> ListedGame:
    """What a client may know of a game.

    Args:
        found: the game.
        us: this node's id.
        now_ms: the time of day.
        known: the hosts that this node has joined.
        names: the nicknames known here.
    """
    offer = found.offer
    before = known.instead_of(offer.name, offer.host)
    return ListedGame(
        offer.name,
        offer.host,
        offer.ruleset,
        _PROGRESS.get(found.phase, Progress.OVER),
        0 if found.watched is None else len(found.watched.ledger.moves),
        max(0, now_ms - offer.created_ms) // 1000,
        open_terms(offer),
        invited=offer.access == "invited",
        obstacle=_obstacle(found, us, names),
        watchable=found.misfit is None,
        players=_players(found, names),
        result=_result(found),
        ours=_ours(found, us),
        instead_of=None if before is None else _shown(before, names),
    )


def _shown(node: str, names: NameBook | None) -> str:
    return player_name(node) if names is None else names.shown(node)


def _players(found: FoundGame, names: NameBook | None) -> tuple[str, ...]:
    ledger = None if found.watched is None else found.watched.ledger
    if ledger is None or ledger.host_side is None:
        return (_shown(found.offer.host, names),)
    return tuple(player_of(ledger, side, names) for side in Side)


def _result(found: FoundGame) -> str:
    ledger = None if found.watched is None else found.watched.ledger
    return "" if ledger is None else result_of(ledger)


def result_of(ledger: Ledger) -> str:
    """How a game ended, in words; empty while it goes on."""
    outcome = ledger.outcome
    return "" if outcome is None else ending_text(outcome, ledger.position).removesuffix(".")


def open_terms(offer: Offer) -> str:
    """The terms of an offer in words, but for whom the seat is kept for."""
    named = offer.access not in (None, "invited")
    return as_text(offer.model_copy(update={"access": None}) if named else offer)


def _ours(found: FoundGame, us: str) -> bool:
    ledger = None if found.watched is None else found.watched.ledger
    return found.offer.host == us or (ledger is not None and ledger.role_of(us) is not None)


def _obstacle(found: FoundGame, us: str, names: NameBook | None) -> str | None:
    offer = found.offer
    if found.misfit is not None:
        return str(found.misfit)
    if offer.host == us:
        return "your own game"
    if found.phase is not Phase.OPEN:
        return "the seat is taken"
    if offer.access not in (None, "invited", us):
        return f"the seat is kept for {_shown(str(offer.access), names)}"
    return None
