"""``ataxxd doctor``: check everything a game needs and say how to mend what is missing."""

import asyncio
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ataxxd import __version__
from ataxxd.cli.commands.operate import DoctorOptions
from ataxxd.cli.connect import chosen_broker, round_trip
from ataxxd.cli.say import say, tell
from ataxxd.errors import AtaxxdError, ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.rules import Position, rulesets
from ataxxd.transport.address import broker_url, named, parse_addresses
from ataxxd.transport.base import BrokerUrlError
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import grouped


def run(options: DoctorOptions) -> int:
    """Check the engine, home, key, journal and broker."""
    system = f"{platform.system()} {platform.machine()}"
    tell(f"ataxxd {__version__}, Python {platform.python_version()}, {system}")
    codes = [
        _check("engine", _engine),
        _check("home", lambda: _home(options.home)),
        *(
            _check("broker", partial(asyncio.run, _broker(options.broker, options.home, member)))
            for member in range(_members(options.broker))
        ),
    ]
    return next((code for code in codes if code), ExitCode.OK)


def _check(what: str, test: Callable[[], str]) -> int:
    try:
        tell(f"  ok    {what:7} {test()}")
    except AtaxxdError as error:
        say(f"  FAIL  {what:7} {error}")
        return error.exit_code
    return ExitCode.OK


def _engine() -> str:

    # Known from the literature; see tests/data/perft.
    if Position.start("ataxx/cs61b-2022").perft(4) != 155_888:
        raise AtaxxdError("The engine counts wrongly: this build is broken. Reinstall ataxxd.")
    return "rules count right; " + ", ".join(info.id for info in rulesets())


def _home(path: Path | None) -> str:
    place = Home(path)
    key = load_identity(place.identity)
    journal = Journal(place.journal)
    try:
        unfinished = journal.unfinished()
    finally:
        journal.close()
    return f"{place.path}: node {grouped(key.node)}, {len(unfinished)} unfinished games"


def _members(url: str | None) -> int:
    if url is None:
        return 1
    try:
        return len(parse_addresses(named(broker_url(url), "us")))
    except BrokerUrlError:
        return 1  # which the check tells


async def _broker(url: str | None, home: Path | None, member: int) -> str:
    node = load_identity(Home(home).identity).node
    async with (
        chosen_broker(url, home=home) as chosen,
        MqttTransport(parse_addresses(chosen.url)[member]) as transport,
    ):
        seconds = await round_trip(transport, node)
        return f"{transport.url}: a message took {seconds * 1000:.1f} ms"
