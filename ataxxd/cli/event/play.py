"""``ataxxd event play``: take part in an event, round by round."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from ataxxd.cli.commands.tournament import EventPlayOptions
from ataxxd.cli.connect import ChosenBroker, chosen_broker
from ataxxd.cli.event.participant import Participant
from ataxxd.cli.event.show import explained, placed, split_event, table
from ataxxd.cli.options import SeatOptions, ViewOptions
from ataxxd.cli.say import say, tell
from ataxxd.cli.seat import node_at, notifications, seat_settings
from ataxxd.errors import ExitCode, TransportError, UsageError
from ataxxd.node.concurrency import beside, plain_errors
from ataxxd.node.lobby import GameName
from ataxxd.node.names import learn
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import event_terms
from ataxxd.node.players import check_player
from ataxxd.node.profile import TOPICS, opened_profile
from ataxxd.node.settings import Settings
from ataxxd.times import length
from ataxxd.tournament.feed import (
    EventReplaced,
    Feed,
    NoSuchEvent,
    find_plan,
    read_event,
)
from ataxxd.tournament.playing import (
    Follower,
)
from ataxxd.tournament.tournament import Tournament
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import EventPlan

# Seconds to look for an event until it is said that we wait, and until a broker is tried again.
_FIRST_S, _LOOK_AGAIN_S = 3.0, 0.5


async def run(options: EventPlayOptions) -> ExitCode:
    """Play this node's games in the event NAME."""
    wanted, url = split_event(options.name, options.broker)
    wait, ways = options.wait, notifications(options.notify)
    view = ViewOptions(
        line=options.line,
        tui=options.tui,
        ascii_only=options.ascii_only,
        display=options.display,
    )
    settings = replace(seat_settings(SeatOptions(player=options.player, view=view)), broker=url)
    settings = settings.with_seed()
    async with (
        opened_profile(options.home) as profile,
        chosen_broker(url, home=options.home) as broker,
    ):
        node = node_at(broker, profile, settings)
        plan = await _found(broker.url, wanted, wait)
        while True:
            async with MqttTransport(broker.url) as transport:
                feed = await read_event(transport, TOPICS, plan)
            late, plays = feed.tournament.over, profile.key.node in plan.players
            code, settled = ExitCode.OK, False
            if plays:
                try:
                    code, settled = await _take_part(
                        node, broker, feed, settings, ways, options.name
                    )
                except EventReplaced as error:
                    say(str(error))
                    plan = error.plan
                    continue
            elif not late:
                raise _no_player(plan, profile.key.node)
            if not late or settled:
                return code
            # It was over before we came, and nothing in it was left to do: is there another one?
            if not plays:
                say(
                    f'The last "{plan.name}" ended {_ended(feed.tournament)}. This node did not '
                    "play in it."
                )
            following = await _following(broker.url, wanted, plan, wait)
            if following is None:
                if not plays:
                    raise _no_player(plan, profile.key.node)
                say(
                    f'No new "{plan.name}" has begun. Its host plans one with: ataxxd event plan '
                    f"{plan.name} --new; and publishes it with: ataxxd event run {plan.name}"
                )
                return code
            plan = following


def _no_player(plan: EventPlan, us: str) -> UsageError:
    return UsageError(
        f'This node, {grouped(us)}, does not play in "{plan.name}". Ask the '
        f"host for a place, or look on: ataxxd event show {plan.name}#{grouped(plan.host)}"
    )


async def _take_part(
    node: Node,
    broker: ChosenBroker,
    feed: Feed,
    settings: Settings,
    ways: Notifications,
    typed: str,
) -> tuple[ExitCode, bool]:
    """Play our games of an event, as far as they are not over; tell the result.

    Returns:
        The exit code, and whether there was anything to play or to settle.
    """
    profile, plan, late = node.profile, feed.tournament.plan, feed.tournament.over
    again = f"ataxxd event play {typed}"
    check_player(settings.player, plan.ruleset.partition("/")[0])
    us, known = profile.key.node, [plan.host, *plan.players]
    async with MqttTransport(broker.url) as transport:
        await learn(profile.names, transport, TOPICS, known, us=us)
        await transport.drain()
    host = profile.names.shown(plan.host, whole=True)
    if not late:
        say(f'Playing in "{plan.name}" ({plan.ruleset}), hosted by {host}.')
        lasts = f"a round lasts {length(plan.round_ms)} at most"
        say(f"Terms: {'; '.join(filter(None, (event_terms(plan), lasts)))}.")
    try:
        async with (
            MqttTransport(broker.url) as transport,
            MqttTransport(broker.url) as named,
            # A broker that was restarted has forgotten us, and in a round without a game nobody
            # else would tell it.
            beside(learn(profile.names, named, TOPICS, known, us=us, seconds=None), "nicknames"),
        ):
            follower = Follower(feed, transport)
            participant = Participant(node, broker, follower, ways)
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    following = group.create_task(follower.run(participant.hear), name="event")
                    code = await participant.run()
                    following.cancel()
    except asyncio.CancelledError:
        say(f"Continue with: {again}")
        raise
    tournament = follower.tournament
    if not tournament.over:
        say(f"The event goes on without you. Come back with: {again}")
        return code, participant.active
    with suppress(TransportError):
        async with MqttTransport(broker.url) as transport:
            await learn(profile.names, transport, TOPICS, plan.players)
    place = placed(tournament, profile.key.node)
    say(
        f'This is the result of the last "{plan.name}", which ended {_ended(tournament)}. {place}'
        if late and not participant.active
        else f"The event is over. {place}"
    )
    for row in table(tournament, profile.names):
        tell(row)
    return code, participant.active


def _ended(tournament: Tournament) -> str:
    """When an event was over, by its host's clock and in our time."""
    moment = datetime.fromtimestamp(tournament.rounds[-1].created_ms / 1000).astimezone()
    return f"on {moment:%Y-%m-%d} at {moment:%H:%M}"


async def _following(url: str, wanted: GameName, last: EventPlan, wait: float) -> EventPlan | None:
    """The next event of a name whose last one is over; None where none comes in time."""
    if wait <= 0:
        return None
    say(f'Waiting for a new "{last.name}", {wait:g} seconds at most; Ctrl-C ends it.')
    try:
        async with MqttTransport(url) as transport:
            return await find_plan(transport, TOPICS, wanted, seconds=wait, besides=last)
    except NoSuchEvent:
        return None


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
        except (NoSuchEvent, TransportError) as found:
            error = explained(found, wanted)
            left = deadline - loop.time()
            if left <= 0:
                raise error from None
            if not told:
                say(f"{error}\nWaiting for it, {wait:g} seconds at most.")
            seconds, told = left, True
            await asyncio.sleep(_LOOK_AGAIN_S)
