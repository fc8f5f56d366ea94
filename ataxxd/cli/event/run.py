"""``ataxxd event run``: be the host of an event."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, StorageError, UsageError


def run(
    name: Annotated[str, typer.Argument(help="An event that was planned here.")],
    home: options.Home = None,
    broker: options.Broker = None,
    withdraw: Annotated[
        list[str] | None,
        typer.Option("--withdraw", metavar="ID", help="Who plays no more from the next round on."),
    ] = None,
    take_down: Annotated[
        bool, typer.Option("--take-down", help="Remove the event from the broker instead.")
    ] = False,
) -> int:
    """Publish the event NAME and carry it round by round to its end.

    Everything is kept before it is published: stopped or killed, it goes on with the same command.
    The games are watched and verified; a game that is not over when the time of its round is up is
    lost for whoever had to act.
    """
    return run_until_stopped(_run(name, home, broker, withdraw or (), take_down=take_down))


async def _run(
    name: str,
    home: Path | None,
    broker_url: str | None,
    withdraw: Sequence[str],
    *,
    take_down: bool,
) -> ExitCode:
    from ataxxd.cli.event.place import connected
    from ataxxd.cli.event.views import table
    from ataxxd.cli.say import say, tell
    from ataxxd.node.home import Home
    from ataxxd.node.identity import load_identity
    from ataxxd.node.node import TOPICS
    from ataxxd.node.terms import access_field
    from ataxxd.node.tournament import notices
    from ataxxd.node.tournament.folder import EventFolder, folder_of
    from ataxxd.node.tournament.hosting import EventHost
    from ataxxd_protocol import grouped

    place = Home(home)
    folder = EventFolder(folder_of(place, name))
    if not folder.exists:
        raise StorageError(
            f"There is no event in {folder.path}. Plan it: ataxxd event plan {name} --player ID …"
        )
    gone = [access_field(each, invited=False, option="--withdraw") or "" for each in withdraw]
    plan = folder.load().course.plan
    if unknown := set(gone) - {*plan.players}:
        raise UsageError(f"--withdraw {grouped(unknown.pop())}: that node does not play in {name}.")
    key = load_identity(place.identity)
    if key.node != plan.host:
        raise StorageError(f"The plan in {folder.path} was signed by {grouped(plan.host)}, not us.")
    with place.lock(plan.digest, name):
        async with connected(broker_url, home, may_start=not take_down) as line:
            if take_down:
                async with line() as transport:
                    await notices.take_down(transport, TOPICS, plan)
                say(f'"{name}" is taken down; {folder.path} still has it.')
                return ExitCode.OK
            host = EventHost(key, folder, line, say, withdrawn=gone)
            say(f'Running "{name}". Take part: ataxxd event play {name}#{grouped(plan.host)}')
            await host.run()
    for row in table(host.course):
        tell(row)
    return ExitCode.OK
