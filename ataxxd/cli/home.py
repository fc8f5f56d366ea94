"""``ataxxd id``, ``backup``, ``restore`` and ``doctor``: this node, and what it needs."""

import asyncio
import platform
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from ataxxd import __version__
from ataxxd.cli.commands.operate import BackupOptions, DoctorOptions, RestoreOptions
from ataxxd.cli.commands.people import IdOptions
from ataxxd.cli.connect import choose_broker, round_trip
from ataxxd.cli.output import print_message, print_result
from ataxxd.errors import AtaxxdError, ExitCode
from ataxxd.node.backup import back_up, restore
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.names import NameBook
from ataxxd.rules import Position, rulesets
from ataxxd.times import format_local_time
from ataxxd.transport.address import add_user, broker_url, parse_addresses
from ataxxd.transport.base import BrokerUrlError
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import format_count
from ataxxd_protocol import grouped


def run_id(options: IdOptions) -> int:
    """Show this node's id and nickname, or choose a nickname."""
    place = Home(options.home)
    key = load_identity(place.identity)
    with closing(NameBook(place.names)) as names:
        if options.name is not None:
            names.set_nickname(key, options.name)
            if options.name != options.name.lower():
                print_message("Nicknames are in lower case.")
        called, shown = names.name_of(key.node), names.display_name(key.node)
    print_result(grouped(key.node))
    if options.short:
        return ExitCode.OK
    if called is None:
        print_message(f"You have no nickname. Choose one: {command_line('id --name NAME')}")
    else:
        print_result(f"nickname    {called}, shown as {shown}")
    print_result(f"user name   {key.node}")
    print_result(f"public key  {key.public_key}")
    print_result(f"home        {place.path}")
    return ExitCode.OK


def run_backup(options: BackupOptions) -> int:
    """Save this node's key, games and evidence in one file."""
    manifest = back_up(Home(options.home), options.file)
    print_message(
        f"Saved node {grouped(manifest.node)} in {options.file}: "
        f"{format_count(len(manifest.files), 'file')}, {options.file.stat().st_size} bytes. "
        "Keep it secret: it holds the key."
    )
    return ExitCode.OK


def run_restore(options: RestoreOptions) -> int:
    """Restore a node from a backup."""
    place = Home(options.home)
    restored = restore(place, options.file, force=options.force)
    if restored.replaced is not None:
        print_message(f"What was there before is now in {restored.replaced}.")
    made = format_local_time(restored.manifest.made_ms)
    print_message(
        f"Restored node {grouped(restored.manifest.node)} in {place.path}, as it was on "
        f"{made:%Y-%m-%d at %H:%M:%S}."
    )
    for name in restored.unfinished:
        # Without the home, an older node with the same key would be continued instead.
        again = place.resume_command(name)
        if name in restored.offered:
            print_message(f'"{name}" was an open offer then. See what has become of it: {again}')
        else:
            print_message(f'"{name}" was unfinished. To recover what was played since: {again}')
    return ExitCode.OK


def run_doctor(options: DoctorOptions) -> int:
    """Check the engine, home, key, journal and broker."""
    system = f"{platform.system()} {platform.machine()}"
    print_result(f"ataxxd {__version__}, Python {platform.python_version()}, {system}")
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
        print_result(f"  ok    {what:7} {test()}")
    except AtaxxdError as error:
        print_message(f"  FAIL  {what:7} {error}")
        return error.exit_code
    return ExitCode.OK


def _engine() -> str:
    # Known from the literature; see tests/data/perft.
    if Position.start("ataxx/cs61b-2022").perft(4) != 155_888:
        raise AtaxxdError("The engine counts wrongly: this build is broken. Reinstall ataxxd.")
    return "move counts are right; " + ", ".join(info.id for info in rulesets())


def _home(path: Path | None) -> str:
    place = Home(path)
    key = load_identity(place.identity)
    journal = Journal(place.journal)
    try:
        unfinished = journal.unfinished()
    finally:
        journal.close()
    games = format_count(len(unfinished), "unfinished game")
    return f"{place.path}: node {grouped(key.node)}, {games}"


def _members(url: str | None) -> int:
    if url is None:
        return 1
    try:
        return len(parse_addresses(add_user(broker_url(url), "us")))
    except BrokerUrlError:
        return 1  # the check reports it


async def _broker(url: str | None, home: Path | None, member: int) -> str:
    node = load_identity(Home(home).identity).node
    async with (
        choose_broker(url, home=home) as chosen,
        MqttTransport(parse_addresses(chosen.url)[member]) as transport,
    ):
        seconds = await round_trip(transport, node)
        return f"{transport.url}: a message took {seconds * 1000:.1f} ms"
