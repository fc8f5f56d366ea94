"""How others come to a game: the invitation that a host sends, and links for any browser."""

from dataclasses import replace
from urllib.parse import urlsplit

from pydantic import ValidationError

from ataxxd.cli.connect import ChosenBroker
from ataxxd.errors import UsageError
from ataxxd.node.offers import as_text
from ataxxd.transport.address import (
    DEFAULT_PORTS,
    DEFAULT_WEBSOCKET_PATH,
    BrokerAddress,
    broker_url,
    named,
    parse_addresses,
    public,
)
from ataxxd_clients.browser_page import page_folder
from ataxxd_clients.invitation import Invitation
from ataxxd_protocol import grouped
from ataxxd_protocol.links import Link
from ataxxd_protocol.messages import Offer

NO_PAGE = "This installation has no page for browsers. In the source tree `make page` builds it."
_NOBODY = "a" * 20


def check_link(broker: str | None, *, lan: bool, page: str | None) -> None:
    """Make sure, before a game is begun, that a link to it can be given.

    Args:
        broker: as the user named it.
        lan: whether the embedded broker serves the local network.
        page: the address of the page, if it is another than the embedded broker's.

    Raises:
        UsageError: it cannot; says why, and what to do.
    """
    if page is not None:
        _check_page(page)
    if lan:
        if page is None and page_folder() is None:
            raise UsageError(
                f"--link: {NO_PAGE} Or name one that is hosted elsewhere, by http: --page URL"
            )
        websocket = "ws://"
    elif broker is None:
        raise UsageError(
            "--link: the broker of this machine serves nobody else. Start with --lan for a friend "
            "on this network, or name a broker with websockets: --broker wss://HOST/mqtt"
        )
    else:
        websocket = websocket_of(broker)
        if page is None:
            raise UsageError(
                "--link: where is the page? None is hosted for everybody. `make page` builds it "
                "for any web server; then name its address: --page https://HOST/ (or the variable "
                "ATAXXD_PAGE). With --lan this machine hands it out."
            )
    if page is not None and page.startswith("https://") and websocket.startswith("ws://"):
        raise UsageError(
            f"--link: browsers let a page that comes by https use a broker with TLS only. Take a "
            f"broker with wss://, or a page that comes by http, instead of {page}"
        )


def _check_page(page: str) -> None:
    try:
        parts = urlsplit(page)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.fragment
    except ValueError:
        usable = False
    if not usable or not page.isascii() or any(each.isspace() for each in page):
        raise UsageError(
            f"--page {page!r} is not the address of a page: it begins with https:// or http:// and "
            "has no #, such as https://HOST/ataxxd/"
        )


def websocket_of(broker: str) -> str:
    """The websocket's address of a broker, as a link names it.

    Raises:
        UsageError: a link cannot name it.
    """
    addresses = parse_addresses(named(broker_url(broker), "us"))
    found = next((each for each in addresses if each.websocket), None)
    if found is None:
        raise UsageError(
            f"--link: browsers speak to a broker's websocket only, and {addresses[0]} is none. "
            "Name its websocket, such as --broker wss://HOST/mqtt, or start with --lan."
        )
    if found.user is not None:
        raise UsageError(
            f"--link: {found} wants a password, and a link carries none. Choose a broker that is "
            "open, or invite by command: leave --link out."
        )
    text = _short(found)
    try:
        Link(name="a", host=_NOBODY, broker=text)
    except ValidationError:
        raise UsageError(
            f"--link: a link cannot name {text}: hosts have lower-case letters, digits, points "
            "and dashes in it, and paths no other signs but / . _ and -"
        ) from None
    return text


def _short(address: BrokerAddress) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    port = "" if address.port == DEFAULT_PORTS[address.scheme] else f":{address.port}"
    return f"{address.scheme}://{host}{port}{address.path}"


def linked(broker: ChosenBroker, page: str | None) -> ChosenBroker:
    """A broker whose games have links, as `check_link` has found possible.

    Args:
        broker: where the games are.
        page: what the links open; the embedded broker's own when None.
    """
    if broker.explicit:
        return replace(broker, websocket=websocket_of(broker.url), page=page)
    own = (broker.websocket or "").removesuffix(DEFAULT_WEBSOCKET_PATH)
    return replace(broker, page=page or f"{own.replace('ws://', 'http://')}/")


def link_to(offer: Offer, broker: ChosenBroker, *, secret: str) -> str | None:
    """The link to a game; None where none is wanted."""
    if broker.page is None or broker.websocket is None:
        return None
    link = Link(name=offer.name, host=offer.host, secret=secret or None, broker=broker.websocket)
    return link.at(broker.page)


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


def address_of(broker: ChosenBroker) -> str:
    """The broker's address as people may see it: without secrets."""
    return public(broker.url)
