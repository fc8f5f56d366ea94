"""The invitation: what a host sends to a friend."""

import sys

from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.links import link_to
from ataxxd.cli.say import copy, say
from ataxxd.node.offers import as_text
from ataxxd.transport.address import public
from ataxxd_clients.invitation import Invitation
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer


def invitation_to(offer: Offer, broker: ChosenBroker, *, lan: bool, secret: str) -> Invitation:
    """The commands by which others come to a game.

    Args:
        offer: the game.
        broker: where it is.
        lan: whether the broker serves the local network.
        secret: the invitation's, where only the invited may join.
    """
    game = f"{offer.name}#{grouped(offer.host)}"
    place = f"@{address_of(broker)}" if broker.explicit else ""
    return Invitation(
        name=offer.name,
        join=f"ataxxd join {game}" + (f".{secret}" if secret else "") + place,
        watch=f"ataxxd watch {game}{place}",
        terms=as_text(offer),
        reaches=broker.explicit or lan,
        link=link_to(offer, broker, secret=secret),
    )


def invite(
    offer: Offer,
    broker: ChosenBroker,
    *,
    lan: bool,
    picture: bool,
    secret: str = "",
    typed: str | None = None,
) -> None:
    """Print how to join, with the host's whole id, and a QR code of it on a terminal.

    Args:
        offer: the game.
        broker: where it is.
        lan: whether the broker serves the local network.
        picture: whether to draw the QR code.
        secret: the invitation's, where only the invited may join.
        typed: the game's name as it was typed; as it is when None.
    """
    invitation = invitation_to(offer, broker, lan=lan, secret=secret)
    address = address_of(broker)
    shown = typed or offer.name
    say(f'Hosting "{shown}" ({offer.ruleset}) as {grouped(offer.host)} on {address}.')
    if shown != offer.name:
        say(f'On the broker "{shown}" is "{offer.name}"; either name leads there.')
    if invitation.terms:
        say(f"Terms: {invitation.terms}.")
    say(f"Invite somebody{' on this network' if lan else ''}: {invitation.join}")
    if invitation.link:
        say(f"In a browser, also on a phone: {invitation.link}")
    if not invitation.reaches:
        say(
            "The broker serves this machine alone. For somebody elsewhere start with --lan, or "
            "name a broker that both reach: --broker."
        )
    elif picture:
        import segno  # noqa: PLC0415 - slow to load

        if invitation.link:
            copy(invitation.link)
            say("The link is copied, if this terminal lets programs copy. Or scan it:")
        say("")
        # A link is long: with less correction its picture still fits on a phone's screen.
        code = segno.make(
            invitation.link or str(invitation.join), error="l" if invitation.link else "m"
        )
        code.terminal(out=sys.stderr, compact=True)
    say("Waiting for a guest …")


def address_of(broker: ChosenBroker) -> str:
    """The broker's address as people may see it: without secrets."""
    return public(broker.url)
