"""Broker addresses: ``mqtt://user:password@host:port?ca=FILE`` and their kin, and lists of them.

A list has the members of one cluster, or one broker by several ways. Secrets go in and
come out only through ``user`` and ``password``: neither ``str`` nor ``repr`` shows them.
Knows nothing of sockets.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from ataxxd.transport.base import BrokerUrlError

DEFAULT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883, "ws": 80, "wss": 443}
DEFAULT_WEBSOCKET_PATH: Final = "/mqtt"
_FORM: Final = (
    "The form is mqtt://[USER:PASSWORD@]HOST[:PORT], or mqtts://, ws://, wss:// in front;"
    " mqtts and wss also take ?ca=FILE&cert=FILE&key=FILE. Separate several with commas."
)
_FILES: Final = ("ca", "cert", "key")
# A comma inside a password does not separate addresses: an @ follows it before the next scheme.
_BETWEEN: Final = re.compile(r",(?=\s*[a-zA-Z]+://|[^@]*(?:,\s*[a-zA-Z]+://|$))")


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """The address of a broker, with credentials.

    Attributes:
        scheme: ``mqtt``, ``mqtts``, ``ws`` or ``wss``.
        host: name or address; IPv6 without brackets.
        path: the path of the websocket; empty for ``mqtt`` and ``mqtts``.
        ca: PEM file of the authorities to trust in place of the system's.
        cert: PEM file of the client's certificate chain.
        key: PEM file of its private key, if that is not in `cert`.
    """

    scheme: str
    host: str
    port: int
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    path: str = ""
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.scheme in ("mqtts", "wss")

    @property
    def websocket(self) -> bool:
        """Whether MQTT travels inside a websocket."""
        return self.scheme in ("ws", "wss")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def parse_address(text: str) -> BrokerAddress:
    """Parse a broker's address; a bare ``HOST[:PORT]`` means ``mqtt://``.

    Raises:
        BrokerUrlError: it is invalid; the text says why, and what is right.
    """
    whole = text.strip()
    if "://" not in whole:
        whole = f"mqtt://{whole}"
    shown = _without_secrets(whole)
    try:
        parts = urlsplit(whole)
        port = parts.port
    except ValueError as error:
        raise _url_error(shown, _reason(error)) from None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS:
        raise _url_error(shown, f'"{scheme}" is not a way to reach a broker')
    host = unquote(parts.hostname or "")
    if not host or any(character.isspace() for character in host):
        raise _url_error(shown, "it has no host")
    if port == 0:
        raise _url_error(shown, "port 0 cannot be connected to")
    address = BrokerAddress(
        scheme=scheme,
        host=host,
        port=port if port is not None else DEFAULT_PORTS[scheme],
        user=_decoded(parts.username),
        password=_decoded(parts.password),
        path=_path(parts, scheme, shown),
        **_files(parts, shown),
    )
    _check_whole(address, shown)
    return address


def parse_addresses(text: str) -> tuple[BrokerAddress, ...]:
    """Parse the address of one broker, or those of a cluster's members separated by commas.

    A bare ``HOST[:PORT]`` after the first has the scheme, user, password, path and files of the
    first.

    Raises:
        BrokerUrlError: one is invalid; the text says which, why, and what is right.
    """
    first, *others = split_addresses(text)
    addresses = [parse_address(first)]
    for each in others:
        addresses.append(
            parse_address(each) if "://" in each else _inherit_options(addresses[0], each.strip())
        )
    if len(set(addresses)) < len(addresses):
        shown = ",".join(str(address) for address in addresses)
        raise BrokerUrlError(f'The list of brokers "{shown}" names one of them twice. {_FORM}')
    return tuple(addresses)


def split_addresses(text: str) -> list[str]:
    """Split a list into the texts of its addresses, without parsing them."""
    return _BETWEEN.split(text)


def _inherit_options(first: BrokerAddress, bare: str) -> BrokerAddress:
    if not bare:
        raise BrokerUrlError(f"The list of brokers has a comma too many. {_FORM}")
    there = parse_address(f"{first.scheme}://{bare}")
    return replace(first, host=there.host, port=there.port)


def _files(parts: SplitResult, shown: str) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _FILES:
            raise _url_error(shown, f'it has an unknown option "{name}" (known: ca, cert, key)')
        if not value:
            raise _url_error(shown, f'its option "{name}" names no file')
        files[name] = Path(value).expanduser()
    return files


def _path(parts: SplitResult, scheme: str, shown: str) -> str:
    if parts.fragment:
        raise _url_error(shown, f'"#{parts.fragment}" has no meaning in a broker address')
    if scheme in ("ws", "wss"):
        return parts.path or DEFAULT_WEBSOCKET_PATH
    if parts.path not in ("", "/"):
        raise _url_error(
            shown, f'{scheme}:// has no path such as "{parts.path}"; only ws and wss do'
        )
    return ""


def _check_whole(address: BrokerAddress, shown: str) -> None:
    if address.password is not None and address.user is None:
        raise _url_error(shown, "it has a password but no user; MQTT 3.1.1 needs both")
    if not address.tls and (address.ca or address.cert or address.key):
        secure = "wss" if address.websocket else "mqtts"
        raise _url_error(shown, f"certificates are of no use without TLS; write {secure}://")
    if address.key and not address.cert:
        raise _url_error(shown, "it has a key but no certificate (cert)")


def _decoded(text: str | None) -> str | None:
    return unquote(text) if text else None


def _without_secrets(text: str) -> str:
    scheme, _, rest = text.partition("://")
    # Cut at the very last @: a password with an unescaped / or ? must not show either.
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _reason(error: ValueError) -> str:
    if "out of range" in str(error):
        return "a port is at most 65535"
    if "ort could not be cast" in str(error):
        return "its port is not a number (write special characters of a password as %XX)"
    return "its host cannot be read (an IPv6 address is written in brackets: [::1])"


def _url_error(shown: str, why: str) -> BrokerUrlError:
    return BrokerUrlError(f'The broker address "{shown}" cannot be used: {why}. {_FORM}')


DEFAULT_PORT = 1883
DEFAULT_URL = f"mqtt://127.0.0.1:{DEFAULT_PORT}"


def broker_url(text: str) -> str:
    """An address as people write it, with ``mqtt://`` added if there is no scheme."""
    return text if "://" in text.partition(",")[0] else f"mqtt://{text}"


def add_user(url: str, node: str) -> str:
    """The address with `node` as the user, if it has a password but no user.

    Brokers that let each node write only to its own topics identify the nodes by their ids.
    """
    return url.replace("://:", f"://{node}:")


def with_password(url: str, password: str) -> str:
    """The address with this password, in place of any that it has."""

    def into(one: str) -> str:
        scheme, found, rest = one.partition("://")
        if not found:
            return one  # a bare host takes the login of the first address
        login, at, place = rest.rpartition("@")
        user = login.partition(":")[0] if at else ""
        return f"{scheme}://{user}:{quote(password, safe='')}@{place}"

    return ",".join(map(into, split_addresses(url)))


def format_public(url: str) -> str:
    """The address for people, without secrets; a list in its shortest form."""
    first, *others = [_format_public(one.strip()) for one in split_addresses(url)]
    scheme, _, _ = first.partition("://")
    path = urlsplit(first).path
    return ",".join(
        [
            first,
            *(one.removeprefix(f"{scheme}://").removesuffix(path or "\n") for one in others),
        ]
    )


def _format_public(one: str) -> str:
    if "://" not in one:
        return one
    parts = urlsplit(one)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        # Not a valid address (connecting reports that); the rest may be part of a password.
        return f"{parts.scheme}://{parts.hostname or ''}"
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}{parts.path}"


def resolve_broker(invited: str | None, own: str | None) -> str | None:
    """The broker that an invitation means, with our own address of it if we have one.

    Invitations carry no secrets. If a broker needs a password or an authority of its own, the
    user's address has them already. They are not sent to cluster members that only the
    invitation names, since anybody may have written that.

    Args:
        invited: the broker that the invitation names; None if it names none.
        own: the broker as the user set it up; None if it is not.

    Raises:
        UsageError: one of them is not a valid address.
    """
    if invited is None or own is None:
        return invited or own
    return own if is_same_broker(invited, own) else invited


def is_same_broker(one: str, other: str) -> bool:
    """Whether two addresses mean the same broker, whatever the credentials; lists must overlap.

    Raises:
        UsageError: one of them is not a valid address.
    """
    # Any name will do in place of a user that is left out.
    here, there = (
        {str(address) for address in parse_addresses(add_user(broker_url(each), "us"))}
        for each in (one, other)
    )
    return not here.isdisjoint(there)
