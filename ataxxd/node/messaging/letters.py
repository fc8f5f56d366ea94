"""Letters: writing them, where they go, and whether one that came may be believed.

Pure: nothing here sends or waits. See SPEC.md, section 13.
"""

from typing import Any, TypeVar

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.handshake import check_offer
from ataxxd_protocol import SigningKey, Topics, node_id, signature_holds, signed
from ataxxd_protocol.messages import (
    Analyse,
    Analysis,
    AnyLetter,
    AnyMessage,
    CallClaim,
    Challenge,
    Decline,
    Introduced,
    Offer,
)

LetterT = TypeVar("LetterT", bound=Introduced)


def written(key: SigningKey, model: type[LetterT], /, **fields: Any) -> LetterT:
    """A card or letter by the node of `key`, signed.

    Args:
        key: the author's.
        model: the type of message.
        **fields: what it says, by the names that the wire has; None where it says nothing.
    """
    said = {name: value for name, value in fields.items() if value is not None}
    author = {"from": key.node, "key": key.public_key}
    return signed(model.model_validate(author | said), key)


def topic_of(topics: Topics, letter: AnyLetter) -> str:
    """Where a letter is published."""
    match letter:
        case Challenge(group=str() as group) | Analyse(group=group) | CallClaim(group=group):
            return topics.call(letter.author, group)
        case Challenge(to=to) | Decline(to=to) | Analysis(to=to):
            # A challenge is to a node or to a group.
            return topics.post(letter.author, str(to))


def is_signed(message: Introduced) -> bool:
    """Whether it is by the node that it names as its author."""
    return node_id(message.key) == message.author and signature_holds(message, message.key)


def letter_in(message: AnyMessage | None) -> AnyLetter | None:
    """The letter that came; None when it must be ignored."""
    match message:
        case Challenge():
            return message if is_signed(message) and _is_a_challenge(message) else None
        case Decline() | Analysis() | Analyse() | CallClaim():
            return message if is_signed(message) else None
        case _:
            return None


def expires_ms(letter: AnyLetter) -> int | None:
    """The time of day after which a letter asks for nothing; None when it never asks."""
    match letter:
        case Challenge(offer=offer):
            return offer.expires_ms
        case Analyse():
            return letter.expires_ms
        case _:
            return None


def _is_a_challenge(challenge: Challenge) -> bool:
    offer = challenge.offer
    # For a group there is no `to`, and no `access`.
    belongs = offer.host == challenge.author and offer.access == challenge.to
    return belongs and _is_an_offer(offer)


def _is_an_offer(offer: Offer) -> bool:
    try:
        check_offer(offer)
    except RemoteProtocolError as error:
        # What does not fit this program is still a challenge, and is declined.
        return error.code != "offer/forged"
    return True
