"""Brokers' addresses as people write them, and as others may see them."""

from urllib.parse import urlsplit

from ataxxd.transport.address import parse_address

DEFAULT_PORT = 1883
DEFAULT_URL = f"mqtt://127.0.0.1:{DEFAULT_PORT}"


def broker_url(text: str) -> str:
    """A broker as people write it, with ``mqtt://`` in front when no scheme is given."""
    return text if "://" in text else f"mqtt://{text}"


def named(url: str, node: str) -> str:
    """The address with the node `node` as the user, where it has a password and no user.

    Brokers that let each node write only its own topics know the nodes by their ids.
    """
    scheme, colon, rest = url.partition("://:")
    return f"{scheme}://{node}:{rest}" if colon else url


def public(url: str) -> str:
    """The address as people may see it: without secrets."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def meant(invited: str | None, own: str | None) -> str | None:
    """Where an invitation leads: to its broker, by our own address of it where we have one.

    Invitations carry no secrets. Whoever is let in by a password, or trusts an authority of its
    own, has the address with these already.

    Args:
        invited: the broker that the invitation names; None when it names none.
        own: the broker as the user set it up; None when it is not.

    Raises:
        UsageError: one of them is no address.
    """
    if invited is None or own is None:
        return invited or own
    return own if same_place(invited, own) else invited


def same_place(one: str, other: str) -> bool:
    """Whether two addresses are of one broker, whoever is let in by them.

    Raises:
        UsageError: one of them is no address.
    """
    # Any name will do in place of a user that is left out.
    here, there = (parse_address(named(broker_url(each), "us")) for each in (one, other))
    return str(here) == str(there)
