"""``ataxxd event play``: take part in an event, round by round."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.event.participant import Participant
from ataxxd.cli.event.place import split_event
from ataxxd.cli.event.views import placed, table
from ataxxd.cli.options import PlayerOptions, ViewOptions
from ataxxd.cli.say import say, tell
from ataxxd.cli.seat import node_at
from ataxxd.cli.seat_settings import seat_settings
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, TransportError, UsageError
from ataxxd.node.lobby import GameName
from ataxxd.node.names import learn
from ataxxd.node.players import check_player
from ataxxd.node.profile import TOPICS, opened_profile
from ataxxd.node.settings import Settings
from ataxxd.node.waiting import plain_errors
from ataxxd.tournament.feed import Feed, NoSuchEvent, find_plan
from ataxxd.tournament.playing import Follower
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import EventPlan

# Seconds to look for an event until it is said that we wait, and until a broker is tried again.
_FIRST_S, _AGAIN_S = 3.0, 0.5


def run(
    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The event.")],
    *,
    home: options.Home = None,
    broker: options.Broker = None,
    player: PlayerOptions,
    wait: options.Wait = 60.0,
    line: options.Line = False,
    tui: options.Tui = False,
    ascii_only: options.Ascii = False,
) -> int:
    """Play this node's games in the event NAME.

    You play in this terminal; with --auto the engine does. Each game is offered or joined when
    its round begins; if stopped or killed, run the same command again. A round whose pairings
    do not follow from the plan and the results is not played.
    """
    wanted, url = split_event(name, broker)
    view = ViewOptions(line=line, tui=tui, ascii_only=ascii_only)
    settings = replace(seat_settings(player, view), broker=url)
    return run_until_stopped(_play(wanted, home, settings.with_seed(), wait))


async def _play(wanted: GameName, home: Path | None, settings: Settings, wait: float) -> ExitCode:
    async with opened_profile(home) as profile, chosen_broker(settings.broker, home=home) as broker:
        plan = await _found(broker.url, wanted, wait)
        if profile.key.node not in plan.players:
            raise UsageError(
                f'This node, {grouped(profile.key.node)}, does not play in "{plan.name}". Ask the '
                f"host for a place, or look on: ataxxd event show {plan.name}#{grouped(plan.host)}"
            )
        node = node_at(broker, profile, settings)
        again = f"ataxxd event play {plan.name}"
        check_player(settings.player, plan.ruleset.partition("/")[0])
        async with MqttTransport(broker.url) as transport:
            known = [plan.host, *plan.players]
            await learn(profile.names, transport, TOPICS, known, us=profile.key.node)
            await transport.drain()
        host = profile.names.shown(plan.host, whole=True)
        say(f'Playing in "{plan.name}" ({plan.ruleset}), hosted by {host}.')
        try:
            async with MqttTransport(broker.url) as transport:
                follower = Follower(Feed(plan), transport)
                with plain_errors():
                    async with asyncio.TaskGroup() as group:
                        following = group.create_task(follower.run(), name="event")
                        code = await Participant(node, broker, follower).run()
                        following.cancel()
        except asyncio.CancelledError:
            say(f"Continue with: {again}")
            raise
        tournament = follower.tournament
        if not tournament.over:
            say(f"The event goes on without you. Come back with: {again}")
            return code
        say(f"The event is over. {placed(tournament, profile.key.node)}")
        for row in table(tournament, profile.names):
            tell(row)
    return code


async def _found(url: str, wanted: GameName, wait: float) -> EventPlan:
    """The plan of an event; its host, which may run the broker, may not have started yet.

    Raises:
        TransportError: the broker cannot be reached in time, or refuses us.
        GameError: there is no such event, or more than one.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait
    seconds, told = min(wait, _FIRST_S), False
    while True:
        try:
            async with MqttTransport(url) as transport:
                return await find_plan(transport, TOPICS, wanted, seconds=seconds)
        except (NoSuchEvent, TransportError) as error:
            left = deadline - loop.time()
            if left <= 0:
                raise
            if not told:
                say(f"{error}\nWaiting for it, {wait:g} seconds at most.")
            seconds, told = left, True
            await asyncio.sleep(_AGAIN_S)
