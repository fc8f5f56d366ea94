"""The invitation: what a host sends to a friend."""

import sys
from urllib.parse import urlsplit

from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.say import say
from ataxxd.cli.terms import as_text
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer


def invite(
    offer: Offer, broker: ChosenBroker, *, lan: bool, picture: bool, secret: str = ""
) -> None:
    """Print how to join, with the host's whole id, and a QR code of it on a terminal.

    Args:
        offer: the game.
        broker: where it is.
        lan: whether the broker serves the local network.
        picture: whether to draw the QR code.
        secret: the invitation's, where only the invited may join.
    """
    place = f"{offer.name}#{grouped(offer.host)}" + (f".{secret}" if secret else "")
    address = _address(broker)
    if broker.explicit:
        place += f"@{address}"
    say(f'Hosting "{offer.name}" ({offer.ruleset}) as {grouped(offer.host)} on {address}.')
    if terms := as_text(offer):
        say(f"Terms: {terms}.")
    say(f"Invite somebody{' on this network' if lan else ''}: ataxxd join {place}")
    if picture and (broker.explicit or lan):
        import segno

        say("")
        segno.make(f"ataxxd join {place}", error="m").terminal(out=sys.stderr, compact=True)
    say("Waiting for a guest …")


def _address(broker: ChosenBroker) -> str:
    parts = urlsplit(broker.url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"
