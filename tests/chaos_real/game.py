"""One real game with its troubles, from the offer to the judgement of its records."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ataxxd.node.concurrency import plain_errors
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd_protocol import MalformedMessage, decode
from ataxxd_protocol.messages import LogMessage, Offer
from tests.chaos_real.broker import MortalBroker, receipt_lies
from tests.chaos_real.plan import WATCH, GamePlan, Kind, Trouble, Weather
from tests.chaos_real.seat import FINAL, Seat
from tests.e2e.nodes import Nodes
from tests.faults import Direction, Fault, FaultProxy, Publish, RandomFaults
from tests.interop.test_every_broker import second_connection
from tests.time_limits import BUILT, DEADLINE

# Seconds that a player whose opponent has gone, who may have to start first, and a spectator may
# look for the rest.
STAY_S = 150.0
WATCH_S = 12.0


@dataclasses.dataclass(frozen=True, slots=True)
class _Gone:
    """When the first player was done.

    Attributes:
        kills: how often the broker had died by then.
        starts: how often each of the seats had started.
    """

    kills: int
    starts: dict[str, int]


class RealGame:
    """A game between real processes, each with a bad network of its own.

    Attributes:
        plan: what happens.
        done: how often each trouble befell somebody; those of moments that never came, and
            kills of processes that had ended, are not counted.
        seats: by role.
    """

    def __init__(self, plan: GamePlan, broker: MortalBroker, folder: Path) -> None:
        self.plan = plan
        self.done: Counter[str] = Counter()
        self.seats: dict[str, Seat] = {}
        self._broker = broker
        folder.mkdir()
        self._nodes = Nodes(folder, None)
        self._offered = asyncio.Event()
        self._said: dict[tuple[str, int], str] = {}
        self._wrong: list[str] = []
        self._payloads: set[bytes] = set()
        self._moments = 0
        self._gone: _Gone | None = None
        self._ahead = [*plan.troubles]
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self) -> str:
        """Play it to its end, and judge it.

        Returns:
            How it ended, in words.

        Raises:
            AssertionError: a law does not hold, or it did not end in time; with a report.
        """
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._nodes.close)
            await self._seat(stack)
            stack.push_async_callback(self._calm)
            try:
                with plain_errors():
                    async with asyncio.timeout(BUILT):
                        await self._until_over()
            except TimeoutError:
                raise AssertionError(f"not over after {BUILT:g} s:\n{self}") from None
        return self._judge()

    def __str__(self) -> str:
        return "\n".join([f"game {self.plan.number}: {self.plan}", *map(str, self.seats.values())])

    # Playing

    async def _seat(self, stack: AsyncExitStack) -> None:
        plan = self.plan
        roles = [*Role, WATCH] if plan.watched else [*Role]
        for role in roles:
            proxy = FaultProxy(self._broker.mosquitto.port)
            await stack.enter_async_context(proxy)
            proxy.fault = self._wire(role)
            first: tuple[str | Path, ...]
            seed = ("--seed", str(plan.seed))
            again: tuple[str | Path, ...] = ("resume", plan.name)
            match role:
                case Role.HOST:
                    terms = ("--game", plan.language.game, "--grace", plan.grace, *plan.options)
                    first = ("host", plan.name, *terms, *plan.players, *seed)
                case Role.GUEST:
                    first = ("join", plan.name, *plan.players, *seed)
                case _:
                    first = again = ("watch", plan.name)
            node = self._nodes.node(role, broker=proxy.url)
            self.seats[role] = Seat(
                role, node, proxy, first, again, self._broker.back, partial(self._hopeless, role)
            )

    async def _until_over(self) -> None:
        async with asyncio.TaskGroup() as group:
            staying: dict[str, asyncio.Task[None]] = {}
            staying[Role.HOST] = group.create_task(self.seats[Role.HOST].stay())
            await self._offered.wait()
            for role in self.seats.keys() - {Role.HOST}:
                staying[role] = group.create_task(self.seats[role].stay())
            players = {staying[role]: role for role in Role}
            await asyncio.wait(players, return_when=asyncio.FIRST_COMPLETED)
            starts = {role: seat.starts for role, seat in self.seats.items()}
            self._gone = _Gone(self._broker.kills, starts)
            _, late = await asyncio.wait(players, timeout=STAY_S)
            for task in late:
                self._lost(players[task])
                self.seats[players[task]].dismiss()
            await asyncio.wait(players)
            if self.plan.watched:
                await asyncio.wait({staying[WATCH]}, timeout=WATCH_S)
                self.seats[WATCH].dismiss()

    async def _hopeless(self, role: str) -> bool:
        """Whether nothing will ever tell a player that its last word was heard.

        So it is when the opponent has gone and the broker has forgotten the receipt, or never got
        it; never otherwise.
        """
        seat = self.seats[role]
        if self._gone is None or seat.starts == self._gone.starts[role]:
            return False  # the opponent was there, or may have been
        verdict = seat.verdict()
        assert verdict is not None, f"nothing to be heard:\n{self}"
        url = self._broker.mosquitto.url
        unread = await receipt_lies(url, verdict.ledger, Role(role))
        assert not unread, f"the receipt of the {role} is not read:\n{self}"
        self._lost(role)
        return True

    def _lost(self, role: str) -> None:
        """Count a receipt that was lost; there must have been something that could lose it."""
        assert self._gone is not None
        may = self._broker.kills > self._gone.kills or self.plan.weather != Weather()
        assert may, f"nobody has left a receipt for the {role}:\n{self}"
        self.done["stopped waiting"] += 1

    # Troubles

    def _wire(self, role: str) -> Fault:
        weather = RandomFaults(self.plan.seed + len(role), **dataclasses.asdict(self.plan.weather))

        def carry(message: Publish, direction: Direction) -> Iterable[tuple[float, Publish]]:
            if direction is Direction.TO_BROKER and message.payload:
                self._hear(role, message.payload)
            return weather(message, direction)

        return carry

    def _hear(self, role: str, payload: bytes) -> None:
        if payload in self._payloads:
            return
        try:
            message = decode(payload)
        except MalformedMessage as error:
            self._wrong.append(f"{role} sent what is no message: {payload!r}: {error}")
            return
        if not isinstance(message, LogMessage | Offer):
            return
        self._payloads.add(payload)
        if isinstance(message, Offer):
            self._offered.set()
        else:
            self.seats[role].spoke = True
            known = self._said.setdefault((message.author, message.n), message.digest)
            if known != message.digest:
                self._wrong.append(f"{role} signed number {message.n} twice, differently")
        self._moments += 1
        while self._ahead and self._ahead[0].moment <= self._moments:
            trouble = self._ahead.pop(0)
            if trouble.delay_s:
                self._begin(self._later(trouble.delay_s, self._befall, trouble))
            else:
                self._befall(trouble)

    def _befall(self, trouble: Trouble) -> None:
        if trouble.kind is Kind.BROKER:
            self._begin(self._kill_broker(trouble))
            return
        for seat in [self.seats[role] for role in trouble.seats]:
            wires = [*seat.proxy.wires]
            lasts = trouble.lasts_s
            match trouble.kind:
                case Kind.KILL:
                    self.done[trouble.kind] += seat.kill(lasts or 0)
                    continue
                case Kind.CUT:
                    seat.proxy.cut()
                case Kind.FREEZE:
                    seat.proxy.freeze()
                    self._begin(self._later(lasts or 0, seat.proxy.thaw))
                case Kind.HALF_OPEN:
                    seat.proxy.strand()
                    if lasts is not None:
                        for wire in wires:
                            self._begin(self._later(lasts, wire.cut))
                case Kind.TAKE_OVER:
                    for wire in wires:
                        self._begin(self._take_over(wire.client_id))
            self.done[trouble.kind] += len(wires)

    async def _kill_broker(self, trouble: Trouble) -> None:
        self.done[trouble.kind] += await self._broker.die(trouble.lasts_s or 0)

    async def _take_over(self, client_id: str) -> None:
        # The broker may be dead just now; then there is nothing to take over.
        with suppress(OSError, ValueError):
            async with second_connection(self._broker.mosquitto.port, client_id):
                pass

    async def _later(self, wait_s: float, work: Callable[..., None], *arguments: Any) -> None:
        await asyncio.sleep(wait_s)
        work(*arguments)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="trouble")
        self._tasks.add(task)

    async def _calm(self) -> None:
        """Let what has begun come to its end: another game may need the broker."""
        if self._tasks:
            await asyncio.wait_for(asyncio.gather(*self._tasks), DEADLINE)

    # Judging

    def _judge(self) -> str:
        assert not self._wrong, f"{self._wrong}\n{self}"
        host, guest = (self.seats[role] for role in Role)
        assert host.record.exists(), f"the host has no record:\n{self}"
        assert guest.record.exists(), f"the guest has no record:\n{self}"
        data = host.record.read_bytes()
        assert data == guest.record.read_bytes(), f"the records differ:\n{self}"
        verdict = host.verdict()
        assert verdict is not None
        assert verdict.standing in FINAL, f"{verdict.standing}:\n{self}"
        ledger = verdict.ledger
        assert ledger.outcome is not None
        assert ledger.fault is None, f"{ledger.fault}:\n{self}"
        if self.plan.grace == "never":
            assert ledger.claim is None, f"claimed:\n{self}"
        for role in Role:
            for message in ledger.log(role):
                said = self._said.get((message.author, message.n))
                assert said == message.digest, f"{message} is not what was sent:\n{self}"
        if self.plan.watched:
            self._judge_spectator(data, ledger)
        return f"{ledger.outcome.score} ({ledger.outcome.termination}), {verdict.standing.value}"

    def _judge_spectator(self, data: bytes, whole: Ledger) -> None:
        """A spectator may have seen only the beginning, but nothing else than what happened."""
        watch = self.seats[WATCH]
        seen = watch.verdict()
        if seen is None:
            return
        if seen.standing in FINAL:
            assert watch.record.read_bytes() == data, f"the spectator's record differs:\n{self}"
            self.done["spectator saw all"] += 1
            return
        part = [*seen.ledger.entries]
        # A claim that crossed what the spectator saw sets it aside.
        if whole.claim is None:
            same = part == [*whole.entries][: len(part)]
            assert same, f"the spectator saw another game:\n{self}"
