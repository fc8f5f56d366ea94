"""``ataxxd event show``: how an event stands."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.event.place import connected, read, split_event
from ataxxd.cli.event.views import as_object, described
from ataxxd.cli.say import say, tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.node.lobby import GameName
from ataxxd.node.names import known_names, learn
from ataxxd.node.profile import TOPICS
from ataxxd.tournament.folder import EventFolder, collected
from ataxxd.tournament.tournament import Tournament
from ataxxd.wording import counted


def run(
    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The event.")],
    broker: options.Broker = None,
    as_json: options.Json = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="DIR", help="Save the event and its games in this folder."),
    ] = None,
    wait: options.Wait = 3.0,
    home: options.Home = None,
) -> int:
    """Show the pairings, results and table of an event.

    Every round is recomputed from the plan and earlier results. --save keeps the documents
    and records that the broker still has, for `ataxxd event check DIR`.
    """
    wanted, url = split_event(name, broker)
    return run_until_stopped(_show(wanted, url, save, wait, home, as_json=as_json))


async def _show(
    wanted: GameName,
    broker_url: str | None,
    save: Path | None,
    wait: float,
    home: Path | None,
    *,
    as_json: bool,
) -> ExitCode:
    async with connected(broker_url, home) as line:
        feed = await read(wanted, line, wait)
        if save is not None:
            records = await collected(feed.tournament, line, seconds=wait)
            _save(save, feed.tournament, records)
            say(f"Wrote the event and {counted(len(records), 'record')} into {save}.")
        if not as_json:
            plan = feed.tournament.plan
            async with known_names(Home(home)) as names, line() as transport:
                await learn(names, transport, TOPICS, [plan.host, *plan.players])
    if as_json:
        tell(json.dumps(as_object(feed.tournament)))
    else:
        async with known_names(Home(home)) as names:
            for text in described(feed.tournament, names):
                tell(text)
    if feed.fault is not None:
        say(f"The host broke the rules of the event: {feed.fault}.")
        return ExitCode.CHEATING_PROVED
    return ExitCode.OK


def _save(folder: Path, tournament: Tournament, records: Mapping[str, bytes]) -> None:
    kept = EventFolder(folder)
    kept.clear()
    kept.keep(tournament.plan)
    for each in tournament.rounds:
        kept.keep(each)
    for name, data in records.items():
        kept.keep_record(name, data)
