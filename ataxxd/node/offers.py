"""What a host offers: a new game by its own terms, or another one like the last."""

from typing import Any

from ataxxd import __version__
from ataxxd.node.terms import Terms
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.handshake import commitment
from ataxxd.session.ledger import Ledger
from ataxxd_protocol import PROTOCOL_VERSION, SigningKey, position_digest, signed
from ataxxd_protocol.messages import Offer

AGENT = f"ataxxd/{__version__}"
"""What this program calls itself in offers and joins."""
REMATCH_MS = 120_000
"""How long the other player has to come to a rematch."""

# What is agreed for a game, and so for the next one.
_TERMS = (
    "name", "ruleset", "start", "opening", "start_hash", "clock", "grace_ms", "takebacks",
)  # fmt: skip


def new_offer(
    key: SigningKey,
    name: str,
    first: GameRecord,
    *,
    color: str,
    secret: str,
    now_ms: int,
    lasts_ms: int,
    terms: Terms,
) -> Offer:
    """A signed offer.

    Args:
        key: the host's.
        name: of the game.
        first: the start position, and the moves made already.
        color: ``first``, ``second`` or ``random``: the host's side.
        secret: what the offer commits to.
        now_ms: the time of day.
        lasts_ms: how long a guest may take to come.
        terms: what else is agreed.
    """
    opening = {"opening": [move.text for move in first.moves]} if first.moves else {}
    return _signed(
        key,
        {
            "name": name,
            "ruleset": first.start.ruleset,
            "start": first.start.text,
            **opening,
            **terms.fields(),
            "start_hash": position_digest(first.start.ruleset, first.position.text),
            "color": color,
        },
        secret,
        now_ms,
        lasts_ms,
    )


def rematch_offer(key: SigningKey, ended: Ledger, *, secret: str, now_ms: int) -> Offer:
    """The offer of a game like one that has ended: colours swapped, the seat kept."""
    terms = ended.offer.fields()
    return _signed(
        key,
        {
            **{name: terms[name] for name in _TERMS if name in terms},
            "color": _color(ended, key.node),
            "access": next(each for each in _players(ended) if each != key.node),
            "rematch_of": ended.game,
        },
        secret,
        now_ms,
        REMATCH_MS,
    )


def is_rematch(offer: Offer, ended: Ledger, guest: str) -> bool:
    """Whether an offer is of the game that follows, for `guest`, by the terms of the last one."""
    terms, known = offer.fields(), ended.offer.fields()
    return (
        offer.rematch_of == ended.game
        and offer.host in _players(ended)
        and offer.host != guest
        and offer.access in (None, guest)
        and offer.color == _color(ended, offer.host)
        and all(terms.get(name) == known.get(name) for name in _TERMS)
    )


def _signed(
    key: SigningKey, fields: dict[str, Any], secret: str, now_ms: int, lasts_ms: int
) -> Offer:
    offer = Offer.model_validate(
        {
            **fields,
            "v": PROTOCOL_VERSION,
            "host": key.node,
            "key": key.public_key,
            "commit": commitment(secret),
            "agent": AGENT,
            "created_ms": now_ms,
            "expires_ms": now_ms + lasts_ms,
        }
    )
    return signed(offer, key)


def _players(ended: Ledger) -> tuple[str, str]:
    assert ended.join is not None  # it has been played
    return ended.offer.host, ended.join.author


def _color(ended: Ledger, host: str) -> str:
    """The side that `host` did not have."""
    assert ended.host_side is not None
    side = ended.host_side if host == ended.offer.host else ended.host_side.opponent
    return side.opponent.name.lower()
