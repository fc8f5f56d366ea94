"""Brokers that let everybody in: the first of a list that works, for ``--public``."""

import tomllib
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ataxxd.cli.round_trip import check_broker
from ataxxd.cli.say import say
from ataxxd.errors import AtaxxdError, TransportError, UsageError
from ataxxd.transport.address import parse_address

WARNING = (
    "The broker is public: strangers can read the game and what you say in it, and can stop it by "
    "flooding or wiping the broker; they cannot move for you, or change what you have signed."
)


class _Broker(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    url: str


class _List(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    brokers: list[_Broker] = Field(min_length=1, max_length=32)


def public_brokers(path: Path | None) -> list[str]:
    """The addresses in a list; in the program's own when `path` is None.

    Raises:
        UsageError: it cannot be read, or is no such list.
    """
    source = files("ataxxd.cli") / "public_brokers.toml" if path is None else path
    try:
        found = _List.model_validate(tomllib.loads(source.read_text(encoding="utf-8")))
        addresses = [parse_address(each.url) for each in found.brokers]
    except OSError as error:
        raise UsageError(f"--public-list {path} cannot be read: {error.strerror}.") from None
    except (ValidationError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"--public-list {path} is no list of brokers: each is a table [[brokers]] with a url. "
            f"{str(error).splitlines()[0]}"
        ) from None
    return [str(each) for each in addresses]


async def first_that_works(brokers: list[str], node: str) -> str:
    """The first broker that passes messages on and keeps retained ones.

    Args:
        brokers: addresses.
        node: our id.

    Raises:
        TransportError: none does; says why not.
    """
    whys = []
    for broker in brokers:
        say(f"Trying {broker} …")
        try:
            await check_broker(parse_address(broker), node)
        except AtaxxdError as error:
            whys.append(str(error))
        else:
            return broker
    raise TransportError(
        f"No public broker can be used now: {' '.join(whys)} Try later, or name a broker: --broker"
    )
