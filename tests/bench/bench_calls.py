"""Calls to a group over Mosquitto: how they are spread, and what that takes, both ways.

Members and callers are nodes of this one process, each with a connection of its own; every
member would take everything. A call is a question, made and signed beforehand, each by another
node, 4 of them under way at a time. *Shared* leaves the choice to the broker, *claims* to the
members.

Run with ``python -m tests.bench.bench_calls [CALLS]``.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import SigningKey, encode
from ataxxd_protocol.messages import Analyse
from tests.brokers import Mosquitto
from tests.conformance.letters import GROUP, make_question
from tests.messaging import TOPICS, open_messenger, until

MEMBERS, AT_A_TIME, CALLS = (1, 4, 16), 4, 200


class Member:
    """A member that takes everything, and tells when."""

    def __init__(
        self, messenger: Messenger, takes: dict[str, list[float]], spread: Counter[str]
    ) -> None:
        self.messenger = messenger
        self.membership = Membership(messenger, GROUP)
        self._takes = takes
        self._spread = spread
        messenger.on(Analyse, lambda call: messenger.spawn(self._take(call), "a call"))

    async def _take(self, call: Analyse) -> None:
        if await self.membership.is_ours(call):
            self._takes.setdefault(call.digest, []).append(time.perf_counter())
            self._spread[self.messenger.key.node] += 1


def calls(count: int) -> list[Analyse]:
    """Questions by as many nodes."""
    now_ms = SYSTEM_CLOCK.now_ms()
    keys = (SigningKey(number.to_bytes(32)) for number in range(1, count + 1))
    return [make_question(key, at_ms=now_ms, expires_ms=now_ms + 600_000) for key in keys]


async def measure(url: str, members: int, count: int, *, by_turns: bool) -> str:
    """One row: calls through a group of so many members."""
    takes: dict[str, list[float]] = {}
    spread: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        made: list[Member] = []
        for number in range(members):
            key = SigningKey(bytes([number + 1, 200] * 16))
            messenger = await stack.enter_async_context(open_messenger(url, key))
            await messenger.read_cards()
            messenger.card.publish(
                name="bench", kind="bot", groups=[GROUP], free=1, playing=0, nodes=1_000
            )
            made.append(Member(messenger, takes, spread))
            made[-1].membership.by_turns = by_turns
            await made[-1].membership.listen(True)
        await until(
            lambda: all(
                len(member.messenger.cards.members(GROUP)) == members - 1 for member in made
            )
        )
        caller = await stack.enter_async_context(MqttTransport(url))
        waits: list[float] = []
        used, began = time.process_time(), time.perf_counter()
        places = asyncio.Semaphore(AT_A_TIME)

        async def one(call: Analyse) -> None:
            async with places:
                sent = time.perf_counter()
                await caller.publish(TOPICS.call(call.author, GROUP), encode(call))
                await until(lambda: call.digest in takes)
                waits.append(takes[call.digest][0] - sent)

        async with asyncio.TaskGroup() as group:
            for call in calls(count):
                group.create_task(one(call))
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
    twice = sum(len(times) > 1 for times in takes.values())
    wait_ms = 1_000 * statistics.median(waits)
    return (
        f"{'shared' if by_turns else 'claims':8} {members:8} {count / seconds:8.0f} {wait_ms:9.1f} "
        f"{1_000 * cpu / count:9.2f} {min(spread.values()):5}-{max(spread.values()):<5} {twice:6}"
    )


async def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    print("way       members  calls/s  wait, ms  CPU, ms  each takes  twice")
    for by_turns in (True, False):
        for members in MEMBERS:
            with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder)) as broker:
                print(await measure(broker.url, members, count, by_turns=by_turns), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
