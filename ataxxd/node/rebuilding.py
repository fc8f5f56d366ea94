"""A game out of the messages that were kept of it, each checked again."""

from collections.abc import Iterable

from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd_protocol import MalformedMessage, decode, signature_holds
from ataxxd_protocol.messages import AnyMessage, LogMessage, Offer


def rebuilt(offer: Offer, rows: Iterable[tuple[str, object]]) -> Ledger:
    """The game of `offer` from its stored messages (role, payload), each checked again.

    Raises:
        ProtocolError, ValueError: they do not hold together.
    """
    ledger = Ledger(offer)
    unsigned: dict[Role, LogMessage] = {}
    for role, payload in rows:
        message = decode_kept(payload)
        if not isinstance(message, LogMessage):
            raise MalformedMessage(f"a {message.type} in the log")
        author = Role(role)
        ledger.accept(author, message)
        key = ledger.key_of(author)
        if message.sig is None:
            unsigned[author] = message
        elif key is not None and signature_holds(message, key):
            # It names the one before it, and so vouches for all of them.
            unsigned.pop(author, None)
        else:
            raise MalformedMessage(f"message {message.n} of the {role} was altered")
    for author, newest in unsigned.items():
        raise MalformedMessage(f"message {newest.n} of the {author} is not signed")
    return ledger


def decode_kept(payload: object) -> AnyMessage:
    """A message as it was kept, which may lack its signature.

    Raises:
        MalformedMessage: it is none.
    """
    if not isinstance(payload, bytes):
        raise MalformedMessage("no bytes where a message should be")
    return decode(payload, unsigned_too=True)
