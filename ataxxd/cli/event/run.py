"""``ataxxd event run``: be the host of an event."""

from collections.abc import Callable

from ataxxd.cli.commands.tournament import EventRunOptions
from ataxxd.cli.event.views import connected, player_meant, table
from ataxxd.cli.say import say, tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, GameError, StorageError, UsageError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.lobby import GameName
from ataxxd.node.names import known_names, learn
from ataxxd.node.profile import TOPICS
from ataxxd.tournament import hosting
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.feed import find_plan
from ataxxd.tournament.folder import EventFolder, folder_of
from ataxxd.tournament.hosting import EventHost
from ataxxd.transport.base import Transport
from ataxxd_protocol import SigningKey, grouped

# Seconds to look on the broker for an event that is not here.
_FETCH_S = 1.0


def run(options: EventRunOptions) -> int:
    """Publish the event NAME and run it to its end."""
    return run_until_stopped(_run(options))


async def _run(options: EventRunOptions) -> ExitCode:
    name, home, take_down = options.name, options.home, options.take_down
    place = Home(home)
    key = load_identity(place.identity)
    folder = EventFolder(folder_of(place, name))
    may_start = folder.exists and not take_down
    async with connected(options.broker, home, may_start=may_start) as line:
        if not folder.exists:
            await _fetch(folder, name, key.node, line)
        plan = folder.load().tournament.plan
        if key.node != plan.host:
            raise StorageError(
                f"The plan in {folder.path} was signed by {grouped(plan.host)}, not us."
            )
        with known_names(home, learns=True) as names:
            gone = [player_meant(each, plan, names) for each in options.withdraw or ()]
        with place.lock(plan.digest, name):
            if take_down:
                async with line() as transport:
                    await hosting.take_down(transport, TOPICS, plan)
                say(f'"{name}" is taken down; {folder.path} still has it.')
                return ExitCode.OK
            club = _club(place, key, folder, rated=options.rated)
            host = EventHost(key, folder, line, say, withdrawn=gone, club=club)
            with known_names(home, learns=True) as names:
                async with line() as transport:
                    await learn(names, transport, TOPICS, [], us=key.node)
                if host.tournament.over:
                    say(
                        f'"{name}" is over; its documents go to the broker again. To hold another '
                        f"event of this name: ataxxd event plan {name} --new"
                    )
                else:
                    address = f"{name}#{grouped(plan.host)}"
                    say(f'Running "{name}". Take part: ataxxd event play {address}')
                await host.run()
                async with line() as transport:
                    await learn(names, transport, TOPICS, plan.players)
                for row in table(host.tournament, names):
                    tell(row)
    return ExitCode.OK


def _club(place: Home, key: SigningKey, folder: EventFolder, *, rated: bool) -> ClubKeeper | None:
    """Who keeps the log that the event is in, or is to be in; None for none.

    Raises:
        UsageError: it has begun without, or somebody who plays in it is not a member.
    """
    tournament = folder.load().tournament
    keeper = ClubKeeper(place, key)
    log = keeper.log() if rated or keeper.exists else None
    if log is None or (not rated and tournament.plan.digest not in log.events):
        return None
    if tournament.plan.digest not in log.events:
        if tournament.rounds:
            raise UsageError(
                "--rated: the event has begun without it. Whoever decides afterwards which events "
                "count decides who wins."
            )
        strangers = [node for node in tournament.plan.players if node not in log.members]
        if strangers:
            raise UsageError(
                f"--rated: {grouped(strangers[0])} is not a member. Admit all who play: ataxxd "
                f"club admit {' '.join(strangers)}"
            )
    return keeper


async def _fetch(folder: EventFolder, name: str, host: str, line: Callable[[], Transport]) -> None:
    """Take an event of ours from the broker, where its folder was lost.

    Raises:
        StorageError: it is not there either.
    """
    try:
        async with line() as transport:
            plan = await find_plan(transport, TOPICS, GameName(name, host), seconds=_FETCH_S)
    except GameError:
        raise StorageError(
            f"There is no event in {folder.path}, nor on the broker. Plan it: ataxxd event plan "
            f"{name} --player ID …"
        ) from None
    folder.keep(plan)
