"""Brokers' addresses as people write them, and as others may see them."""

from urllib.parse import urlsplit

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
