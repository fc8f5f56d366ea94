"""A messenger for a command: cards and letters over a connection of its own."""

from contextlib import AbstractAsyncContextManager

from ataxxd.node.messaging.messenger import Messenger, open_messenger
from ataxxd.node.names import NameBook
from ataxxd.transport.base import WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import SigningKey
from ataxxd_protocol.messages import Card


def messenger_at(
    url: str, key: SigningKey, *, has_card: bool = False, names: NameBook | None = None
) -> AbstractAsyncContextManager[Messenger]:
    """A messenger at the broker `url`; see `ataxxd.node.messaging.messenger.open_messenger`."""

    def connect(will: WillFactory | None) -> MqttTransport:
        return MqttTransport(url, will=will)

    return open_messenger(connect, key, has_card=has_card, names=names)


def card_row(card: Card) -> dict[str, object]:
    """What a card says, for programs; without what proves it."""
    fields = card.fields()
    for name in ("type", "key", "sig", "v", "at_ms"):
        del fields[name]
    return {"node": fields.pop("from"), **fields}
