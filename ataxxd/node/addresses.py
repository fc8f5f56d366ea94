"""Brokers' addresses as people write them, and as others may see them; lists of them, too."""

from urllib.parse import quote, urlsplit

from ataxxd.transport.address import parse_addresses, split_addresses

DEFAULT_PORT = 1883
DEFAULT_URL = f"mqtt://127.0.0.1:{DEFAULT_PORT}"


def broker_url(text: str) -> str:
    """A broker as people write it, with ``mqtt://`` in front when no scheme is given."""
    return text if "://" in text.partition(",")[0] else f"mqtt://{text}"


def named(url: str, node: str) -> str:
    """The address with the node `node` as the user, where it has a password and no user.

    Brokers that let each node write only its own topics know the nodes by their ids.
    """
    return url.replace("://:", f"://{node}:")


def with_password(url: str, password: str) -> str:
    """The address with a password, which takes the place of one that it has."""

    def into(one: str) -> str:
        scheme, found, rest = one.partition("://")
        if not found:
            return one  # reached as the first of the list is
        login, at, place = rest.rpartition("@")
        user = login.partition(":")[0] if at else ""
        return f"{scheme}://{user}:{quote(password, safe='')}@{place}"

    return ",".join(map(into, split_addresses(url)))


def public(url: str) -> str:
    """The address as people may see it: without secrets; of a list, as short as it can be read."""
    first, *others = [_public(one.strip()) for one in split_addresses(url)]
    scheme, _, _ = first.partition("://")
    path = urlsplit(first).path
    return ",".join(
        [
            first,
            *(one.removeprefix(f"{scheme}://").removesuffix(path or "\n") for one in others),
        ]
    )


def _public(one: str) -> str:
    if "://" not in one:
        return one
    parts = urlsplit(one)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        # It is no address, as whoever connects will say; the rest may be a part of a password.
        return f"{parts.scheme}://{parts.hostname or ''}"
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}{parts.path}"


def meant(invited: str | None, own: str | None) -> str | None:
    """Where an invitation leads: to its broker, by our own address of it where we have one.

    Invitations carry no secrets. Whoever is let in by a password, or trusts an authority of its
    own, has the address with these already. Nothing of it goes to members of a cluster that only
    the invitation names, which anybody may have written.

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
    """Whether two addresses are of one broker, whoever is let in by them; lists when they overlap.

    Raises:
        UsageError: one of them is no address.
    """
    # Any name will do in place of a user that is left out.
    here, there = (
        {str(address) for address in parse_addresses(named(broker_url(each), "us"))}
        for each in (one, other)
    )
    return not here.isdisjoint(there)
