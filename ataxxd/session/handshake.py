"""Whether an offer and a join fit this node and each other, before any play.

A mismatch is not a fault: it is refused with a text that says what to upgrade. Knows no I/O and no
clock; times come as arguments.
"""

import hashlib
import hmac

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Move, Position, RulesError
from ataxxd_protocol import PROTOCOL_VERSION, node_id, position_digest, signature_holds
from ataxxd_protocol.messages import Join, Offer
from ataxxd_protocol.version import allows_witnesses, is_compatible_version, is_known_version

# How far a clock may be wrong, and for how long an offer may stand.
_AHEAD_MS, _BEHIND_MS = 86_400_000, 31 * 86_400_000


def check_offer(offer: Offer) -> tuple[Position, tuple[Move, ...], Position]:
    """Check an offer of a game to play; otherwise as `read_offer`.

    Raises:
        RemoteProtocolError: as for `read_offer`; ``handshake/version`` also for a version in which
            this node can verify games but not play them.
    """
    begins = read_offer(offer)
    if not is_compatible_version(offer.v):
        raise RemoteProtocolError(
            "handshake/version", _version_advice("the host", offer.v, offer.agent)
        )
    return begins


def read_offer(offer: Offer) -> tuple[Position, tuple[Move, ...], Position]:
    """Check an offer of a game that this node can verify.

    Returns:
        The start position, the moves of the opening, and the position after them.

    Raises:
        RemoteProtocolError: ``offer/forged`` (key, id or signature do not belong
            together), ``handshake/version``, ``offer/version`` (a field does not exist in its
            version), ``handshake/ruleset``, ``handshake/start``, ``handshake/opening``.
    """
    if node_id(offer.key) != offer.host:
        raise RemoteProtocolError(
            "offer/forged", f"the offer's key does not belong to host {offer.host}"
        )
    if not signature_holds(offer, offer.key):
        raise RemoteProtocolError(
            "offer/forged", f"the signature on the offer of host {offer.host} does not hold"
        )
    if not is_known_version(offer.v):
        raise RemoteProtocolError(
            "handshake/version", _version_advice("the host", offer.v, offer.agent)
        )
    if offer.witnesses and not allows_witnesses(offer.v):
        raise RemoteProtocolError(
            "offer/version", f"an offer of protocol {offer.v} names no witnesses"
        )
    try:
        start = Position.from_text(offer.ruleset, offer.start)
    except RulesError as error:
        raise RemoteProtocolError(
            "handshake/ruleset",
            f"this node cannot play {offer.ruleset!r} from {offer.start!r} (offered by "
            f"{offer.agent}): {error}. "
            "Upgrade ataxxd on this side, or ask the host for another game",
        ) from None
    moves, position = _play_opening(offer, start)
    if (
        start.text != offer.start
        or position_digest(offer.ruleset, position.text) != offer.start_hash
    ):
        raise RemoteProtocolError(
            "handshake/start",
            f"the host's start position reads differently here ({position.text!r} for "
            f"{offer.start!r}): the two programs ({offer.agent} there) understand {offer.ruleset} "
            "differently; upgrade the older one",
        )
    if position.outcome is not None:
        raise RemoteProtocolError(
            "handshake/start", f"the offered start position is already over: {position.text!r}"
        )
    return start, moves, position


def _play_opening(offer: Offer, start: Position) -> tuple[tuple[Move, ...], Position]:
    moves: list[Move] = []
    position = start
    for text in offer.opening or ():
        try:
            move = position.parse_move(text)
            position = position.play(move)
        except RulesError as error:
            raise RemoteProtocolError(
                "handshake/opening", f"move {len(moves) + 1} of the host's opening: {error}"
            ) from None
        if move.text != text:
            raise RemoteProtocolError(
                "handshake/opening", f"the host's opening writes {move.text} as {text!r}"
            )
        moves.append(move)
    return tuple(moves), position


def check_date(offer: Offer, now_ms: int) -> None:
    """Check the date of an offer before joining, as it dates the game for ratings.

    Args:
        offer: the offer.
        now_ms: the time here, in Unix milliseconds.

    Raises:
        RemoteProtocolError: ``offer/date``: it is at least a day ahead or a month old.
    """
    if offer.created_ms > now_ms + _AHEAD_MS:
        raise RemoteProtocolError("offer/date", "it is dated in the future")
    if offer.created_ms < now_ms - _BEHIND_MS:
        raise RemoteProtocolError("offer/date", "it is dated more than a month ago")


def check_join(offer: Offer, join: Join) -> None:
    """Check a join (already known to name this offer's game and to be number 0) against the offer.

    Raises:
        RemoteProtocolError: ``join/forged`` or what `check_join_fits` raises.
    """
    if not signature_holds(join, join.key):
        raise RemoteProtocolError(
            "join/forged", f"the join of {join.author} is not signed by its key"
        )
    check_join_fits(offer, join)


def check_join_fits(offer: Offer, join: Join) -> None:
    """Check a join except for its signature, which a record may lack.

    Raises:
        RemoteProtocolError: ``join/forged`` (key and id do not belong together),
            ``join/self``, ``seat/reserved``, ``handshake/version``, ``handshake/ruleset`` or
            ``handshake/start``.
    """
    if node_id(join.key) != join.author:
        raise RemoteProtocolError(
            "join/forged", f"the key in the join of {join.author} does not belong to that id"
        )
    if join.author == offer.host:
        raise RemoteProtocolError(
            "join/self", "a node cannot join its own game; use another --home for a second one"
        )
    if offer.access not in (None, "invited", join.author):
        raise RemoteProtocolError("seat/reserved", f"the seat is kept for {offer.access}")
    if join.author in (offer.witnesses or ()):
        raise RemoteProtocolError("seat/reserved", "a witness of the game cannot play it")
    if join.v != offer.v:
        raise RemoteProtocolError(
            "handshake/version", _version_advice("the guest", join.v, join.agent, offer.v)
        )
    if join.ruleset != offer.ruleset:
        raise RemoteProtocolError(
            "handshake/ruleset", f"the offer is {offer.ruleset}, the join says {join.ruleset}"
        )
    if join.start_hash != offer.start_hash:
        raise RemoteProtocolError(
            "handshake/start",
            f"the guest ({join.agent}) reads the start position differently; "
            "upgrade the older program",
        )


def make_ticket(invitation: str, game: str, guest: str, nonce: str) -> str:
    """Proof that `guest` knows an invitation's secret; useless to anybody else."""
    text = f"{game}\n{guest}\n{nonce}".encode()
    return hmac.new(invitation.encode(), text, hashlib.sha256).hexdigest()


def check_ticket(offer: Offer, join: Join, invitation: str) -> None:
    """Check the invitation in a join, which only the host can.

    Raises:
        RemoteProtocolError: ``seat/not-invited``.
    """
    if offer.access != "invited":
        return
    expected = make_ticket(invitation, offer.digest, join.author, join.nonce)
    if not hmac.compare_digest(expected, join.ticket or ""):
        raise RemoteProtocolError(
            "seat/not-invited", "the guest does not know the secret of the invitation"
        )


def host_side(offer: Offer, secret: str, join: Join) -> str:
    """``first`` or ``second``: the side the host must take.

    For ``random``, the host committed to `secret` before it knew the guest's nonce, and the guest
    chose the nonce before it knew the secret, so neither can influence the result.
    """
    if offer.color != "random":
        return offer.color
    toss = hashlib.sha256(bytes.fromhex(secret) + bytes.fromhex(join.nonce)).digest()[0]
    return "first" if toss % 2 == 0 else "second"


def make_commitment(secret: str) -> str:
    """The ``commit`` of an offer for a secret of 32 hexadecimal digits."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def _version_advice(who: str, theirs: str, agent: str, ours: str = PROTOCOL_VERSION) -> str:
    older = tuple(map(int, theirs.split("."))) < tuple(map(int, ours.split(".")))
    upgrade = who if older else "this node"
    return f"{who} ({agent}) speaks protocol {theirs}, this node {ours}: upgrade {upgrade}"
