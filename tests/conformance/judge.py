"""A judge of one game for the vectors: payloads in, what becomes of each out.

It is the part of a spectator that every implementation needs: signature, place in the
mailbox, ledger. `tests.conformance.make_vectors` writes down what it says, and
`tests.conformance.test_vectors` holds it, and the sessions, to what is written.
"""

from typing import Any

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.handshake import check_join
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Reception, Role
from ataxxd_protocol import MalformedMessage, decode, signature_holds
from ataxxd_protocol.messages import Join, LogMessage


def judge(ledger: Ledger, payload: str) -> dict[str, Any]:
    """Feed one payload to a ledger.

    Returns:
        ``became``: ``accepted``, ``fault`` (accepted as evidence), ``duplicate``, ``gap``,
        ``conflict``, ``refused``, ``forged``, ``stranger`` or ``malformed``; with ``code`` of
        a fault or refusal; and where the game stands after it.
    """
    became, code = _take(ledger, payload)
    made: dict[str, Any] = {"became": became}
    if code is not None:
        made["code"] = code
    return made | state(ledger)


def state(ledger: Ledger) -> dict[str, Any]:
    """Where the game of a ledger stands."""
    made: dict[str, Any] = {
        "phase": ledger.phase.value,
        "position": ledger.position.text,
        "entries": len(ledger.entries),
    }
    if ledger.on_turn is not None:
        made["on_turn"] = ledger.on_turn.value
    if ledger.outcome is not None:
        made["score"] = ledger.outcome.score
        made["termination"] = ledger.outcome.termination
    if ledger.fault is not None:
        made["fault"] = {"by": ledger.fault.role.value, "code": ledger.fault.code}
    if ledger.disputed:
        made["disputed"] = 1
    if ledger.contested:
        made["contested"] = 1
    return made


def _take(ledger: Ledger, payload: str) -> tuple[str, str | None]:
    try:
        message = decode(payload.encode())
    except MalformedMessage:
        return "malformed", None
    if not isinstance(message, LogMessage) or message.game != ledger.game:
        return "stranger", None
    role, key = ledger.role_of(message.author), None
    if isinstance(message, Join) and ledger.join is None:
        role, key = Role.GUEST, message.key
    elif role is not None:
        key = ledger.key_of(role)
    if role is None or key is None:
        return "stranger", None
    reception = ledger.reception(role, message)
    if reception is Reception.DUPLICATE:
        return "duplicate", None
    if not signature_holds(message, key):
        return "forged", None
    if reception is not Reception.NEXT:
        return reception.value, None
    try:
        if isinstance(message, Join) and ledger.join is None:
            check_join(ledger.offer, message)
        fault = ledger.accept(role, message)
    except RemoteProtocolError as error:
        return "refused", error.code
    return ("fault", fault.code) if fault is not None else ("accepted", None)
