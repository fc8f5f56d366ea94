"""The documents of an event on a broker: each is checked before it is believed."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ataxxd.errors import AtaxxdError, ExitCode, GameError, RemoteProtocolError
from ataxxd.node.concurrency import run_beside
from ataxxd.node.errors import AmbiguousGame, Incompatible
from ataxxd.node.game_finder import SEARCH_S, SETTLE_S, GameName, repeat_question
from ataxxd.node.receiving import Incoming, Receiver, describe_connection
from ataxxd.tournament.tournament import Tournament, check_plan
from ataxxd.transport.base import Transport
from ataxxd_protocol import TOPICS, encode, grouped
from ataxxd_protocol.messages import EventPlan, EventRound, Who


class EventNotFoundError(GameError):
    """Nobody has published the event on this broker."""


class InvalidEventError(AtaxxdError):
    """The host of an event signed something that does not follow from plan and results."""

    exit_code = ExitCode.CHEATING_PROVED


class EventReplacedError(AtaxxdError):
    """The host holds another event of the same name instead.

    Attributes:
        plan: the plan of that event.
    """

    def __init__(self, plan: EventPlan, *, was_over: bool) -> None:
        """Name the event of `plan`; `was_over` is whether the previous one was over."""
        super().__init__(
            f'There is a new "{plan.name}".'
            if was_over
            else f'The host has planned "{plan.name}" anew. What was played of the old one does '
            "not count in the new one."
        )
        self.plan = plan


# The most plans to check in one search: anybody can sign many, since keys cost nothing.
_MAX_PLANS = 256


class EventFeed:
    """The documents of one event.

    Attributes:
        tournament: the event so far.
        fault: what the host signed that does not follow; later documents are ignored.
        replaced: the plan of a newer event of the same name by this host; None without one.
    """

    def __init__(self, plan: EventPlan) -> None:
        """Begin with a plan.

        Raises:
            RemoteProtocolError: as for `ataxxd.tournament.tournament.check_plan`.
        """
        self.tournament = Tournament(plan)
        self.fault: RemoteProtocolError | None = None
        self.replaced: EventPlan | None = None
        self._early: dict[int, EventRound] = {}

    def accept_round(self, event_round: EventRound) -> bool:
        """Take in a round, in any order; returns whether anything is new."""
        rounds, number = self.tournament.rounds, event_round.number
        if self.fault is not None or (number <= len(rounds) and rounds[number - 1] == event_round):
            return False
        # A forged round must not take the place of the real one.
        if not self.tournament.is_signed_by_host(event_round):
            return False
        if number <= len(rounds):
            return self._check_repeated_round(rounds[number - 1], event_round)
        self._early[number] = event_round
        new = False
        while (each := self._early.pop(len(rounds) + 1, None)) is not None:
            try:
                self.tournament.accept_round(each)
            except RemoteProtocolError as error:
                self.fault = error
                return True
            new = True
        return new

    def accept_plan(self, plan: EventPlan) -> bool:
        """Take in a plan of the same name; returns whether it is a newer event by this host."""
        ours = self.tournament.plan
        if (plan.name, plan.host) != (ours.name, ours.host) or plan.created_ms <= ours.created_ms:
            return False
        try:
            check_plan(plan)
        except RemoteProtocolError:
            return False
        self.replaced = plan
        return True

    def _check_repeated_round(self, known: EventRound, other: EventRound) -> bool:
        """Take in a round whose number is known; a different one proves double dealing."""
        if known.digest == other.digest:
            return False
        self.fault = RemoteProtocolError(
            "round/double", f"the host signed two different rounds {known.number}"
        )
        return True


async def find_plan(
    transport: Transport,
    wanted: GameName,
    *,
    seconds: float = SEARCH_S,
    ignored: EventPlan | None = None,
) -> EventPlan:
    """Find the plan of the event that `wanted` means.

    Args:
        transport: an open connection, read by nobody else.
        wanted: the name of the event.
        seconds: how long to look.
        ignored: a plan to leave out.

    Raises:
        EventNotFoundError: nobody has published it.
        AmbiguousGame: several hosts have an event of that name.
        Incompatible: this node cannot follow it.
    """
    pattern = TOPICS.event(wanted.name, wanted.host or "+")
    await transport.subscribe(pattern)
    found: dict[str, EventPlan | RemoteProtocolError] = {}
    # For brokers that send no retained messages on a wildcard: hosts publish theirs again.
    await transport.publish(TOPICS.who(), encode(Who()))
    async with run_beside(repeat_question(transport, TOPICS.who()), "who"):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds) as limit:
                await _collect_plans(transport, wanted, found, limit, ignored)
    await transport.unsubscribe(pattern)
    plans = {host: each for host, each in found.items() if isinstance(each, EventPlan)}
    if len(plans) > 1:
        rows = "\n".join(f"  {wanted.name}#{grouped(host)}" for host in sorted(plans))
        raise AmbiguousGame(f'{len(plans)} hosts run "{wanted.name}". Say which one:\n{rows}')
    if plans:
        return plans.popitem()[1]
    for misfit in found.values():
        raise Incompatible(f'"{wanted.name}" cannot be followed here: {misfit}.')
    raise EventNotFoundError(
        f'No event "{wanted.name}" on {transport.url} (looked for {seconds:.0f} s). Its host '
        f"publishes it with: ataxxd event run {wanted.name}"
    )


async def _collect_plans(
    transport: Transport,
    wanted: GameName,
    found: dict[str, EventPlan | RemoteProtocolError],
    limit: asyncio.Timeout,
    ignored: EventPlan | None,
) -> None:
    """Collect plans, or why they are of no use here; the first one brings the limit near."""
    loop = asyncio.get_running_loop()
    checked = 0
    async for event in Receiver(transport):
        plan = event.message if isinstance(event, Incoming) else None
        if not isinstance(plan, EventPlan) or not plan.host.startswith(wanted.prefix):
            continue
        if ignored is not None and plan.digest == ignored.digest:
            continue
        checked += 1
        if checked > _MAX_PLANS:
            return
        try:
            check_plan(plan)
        except RemoteProtocolError as error:
            if error.code != "event/forged":
                found[plan.host] = error
            continue
        if not any(isinstance(each, EventPlan) for each in found.values()):
            # Wait a moment longer for another host with the same name.
            limit.reschedule(loop.time() + (0 if wanted.host else SETTLE_S))
        found[plan.host] = plan


async def follow_event(
    transport: Transport,
    feed: EventFeed,
    on_change: Callable[[], None],
    on_caught_up: Callable[[], None] = lambda: None,
    on_news: Callable[[str], None] = lambda _: None,
) -> None:
    """Keep up with the rounds of an event, for ever.

    Args:
        transport: an open connection, read by nobody else.
        feed: takes in the rounds.
        on_change: called when the feed has something new.
        on_caught_up: called when the broker has been asked for everything.
        on_news: called with a sentence when the connection is lost or back.
    """
    plan = feed.tournament.plan
    await transport.subscribe(TOPICS.event(plan.name, plan.host))
    await transport.subscribe(TOPICS.event(plan.name, plan.host) + "/+")
    # Each round is also subscribed by its exact topic: some brokers send no retained messages on a
    # wildcard.
    asked, events = 0, Receiver(transport)
    while True:
        coming = len(feed.tournament.rounds) + 1
        if asked < coming:
            if coming <= plan.rounds + 1:
                await transport.subscribe(TOPICS.event(plan.name, plan.host, coming))
            asked = coming
            on_caught_up()
        event = await anext(events)
        if not isinstance(event, Incoming) and (told := describe_connection(event)):
            on_news(told)
        match event.message if isinstance(event, Incoming) else None:
            case EventRound() as event_round if feed.accept_round(event_round):
                on_change()
            case EventPlan() as other if feed.accept_plan(other):
                on_change()
            case _:
                pass


async def read_event(
    transport: Transport, plan: EventPlan, *, seconds: float = SEARCH_S
) -> EventFeed:
    """Read the rounds of an event that the broker has now."""
    feed = EventFeed(plan)
    clock = asyncio.get_running_loop().time
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds) as limit:

            def changed() -> None:
                limit.reschedule(clock() + (seconds if feed.fault is None else SETTLE_S))

            def caught_up() -> None:
                # Only now has a slow broker been asked for the next round, so allow it some time.
                if feed.tournament.rounds:
                    limit.reschedule(clock() + SETTLE_S)

            await follow_event(transport, feed, changed, caught_up)
    return feed
