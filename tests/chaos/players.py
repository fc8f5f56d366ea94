"""Honest nodes over their whole lives: started, killed, started again, until they are done.

What a program's command does (``ataxxd.cli.seat`` and ``resume``) is done here in the same
order with the same parts, over simulated wires and disks; the person at the keyboard is
replaced by dice.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress

from ataxxd.errors import GameError, LocalProtocolError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import HostSilent, NoSuchGame, SeatTaken
from ataxxd.node.game_finder import FoundGame, GameFinder, GameName
from ataxxd.node.presence import Announcer
from ataxxd.node.recovery import IncompleteGameError, Recovery
from ataxxd.node.runtime import PlayerRuntime
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Asked, Effect
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.transport.base import BrokerUnreachable
from ataxxd.transport.queues import Entry
from ataxxd_protocol import MalformedMessage, SigningKey, decode, signed
from ataxxd_protocol.messages import AnyLogMessage, LogMessage, Offer
from tests.chaos.disk import Disk, SimJournal
from tests.chaos.network import Machine, SimTransport
from tests.chaos.world import QUEUE_BOUND, Process, World

AGENT = "ataxxd-chaos/1"


class Node(ABC):
    """Somebody with a machine of their own, who starts the program again when it ends early.

    Attributes:
        name: for the trace.
        machine: where.
        process: the program that runs now, or ran last.
        done: how it ended, in a word; empty until then.
        done_at: when.
        away_s: mean seconds until it is started again.
        forever: once killed it is not started again.
        skew_s: how far its time of day is off.
    """

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.machine = Machine()
        self.process = Process(world, name, self.machine)
        self.done = ""
        self.done_at = 0.0
        self.away_s = 5.0
        self.forever = False
        self.skew_s = 0.0
        self.lives = 0

    async def exist(self) -> None:
        """Run the program until it is done, through all its deaths."""
        while not self.done:
            self.process = process = self.prepared(Process(self.world, self.name, self.machine))
            self.lives += 1
            life = self.world.loop.create_task(self.live(process), name=f"{self.name} lives")
            await asyncio.wait({life, process.killed}, return_when=asyncio.FIRST_COMPLETED)
            if process.killed.done():
                life.cancel()
                await asyncio.wait({life})
                if not life.cancelled():
                    # It was just ending with an error, which nobody sees now.
                    life.exception()
                if self.forever:
                    self.end("dead")
                    return
            else:
                self._judge(life)
            if not self.done:
                await self.world.away(self.away_s)

    def prepared(self, process: Process) -> Process:
        """The process as this node starts it."""
        return process

    @abstractmethod
    async def live(self, process: Process) -> None:
        """One run of the program."""

    def end(self, how: str) -> None:
        """There is nothing left to do."""
        self.done, self.done_at = how, self.world.loop.now
        self.world.note(f"{self.name} is done: {how}")

    def lose_power(self) -> None:  # noqa: B027 - not every node has a disk
        """What was not synced to its disk is gone."""

    def ledgers(self) -> list[Ledger]:
        """The game as this node has it, wherever it has it."""
        return []

    def _judge(self, life: "asyncio.Task[None]") -> None:
        error = life.exception()
        if error is None:
            return
        self.world.note(f"{self.name} stops: {error}")
        if isinstance(error, SeatTaken):
            self.end("refused")
        elif not isinstance(
            error, BrokerUnreachable | NoSuchGame | HostSilent | IncompleteGameError
        ):
            self.world.breach(f"{self.name} stopped with {type(error).__name__}: {error}")
            self.end("failed")


class Player(Node):
    """A host or a guest.

    Attributes:
        key: whose mailbox.
        offer: the game it hosts, or has the invitation of.
        disk: what it has stored.
        session: the game as the running program has it.
        pace_s: mean seconds it thinks about a move.
        patience: plies after which it resigns.
        sociable: how likely it chats, or asks for a takeback or an abort, before and after a move.
        claims: whether it claims the game of who is silent for longer than the grace.
        said: every message of its mailbox that it has published, by number.
    """

    def __init__(self, world: World, name: str, key: SigningKey, offer: Offer, role: Role) -> None:
        super().__init__(world, name)
        self.key = key
        self.disk = Disk()
        self.session: PlayerSession | None = None
        self.runtime: PlayerRuntime | None = None
        self.pace_s = 0.5
        self.patience = 60
        self.claims = True
        self.sociable = 0.0
        self.said: dict[int, bytes] = {}
        self.secret = ""
        self.role = role
        self.offer = offer

    def prepared(self, process: Process) -> Process:
        """With its messages looked at before they leave."""
        process.look_on = self._check_words
        return process

    def lose_power(self) -> None:
        """See ``Node.lose_power``."""
        self.disk.lose_power()

    def ledgers(self) -> list[Ledger]:
        """From the disk, and from the memory of a program that has ended."""
        found = [] if self.disk.stored is None else [self.disk.ledger()]
        if self.session is not None and self.process.alive:
            found.append(self.session.ledger)
            # A join that waits for the connection is neither kept nor said yet.
            waits = not found[0].entries and found[1].phase is Phase.JOINED
            waits |= self.disk.storing > 0
            if found[0].entries != found[1].entries and not waits:
                self.world.breach(f"{self.name} remembers another game than it has stored")
        return found

    async def live(self, process: Process) -> None:
        """As ``ataxxd host`` or ``ataxxd join``, and then ``ataxxd resume``."""
        clock = self.world.clock(self.skew_s)
        journal = self.disk.opened_by(process, clock.wall)
        self.session = None
        ledger, asks = await self._game(process)
        stored = self.disk.stored
        assert stored is not None
        announcer = Announcer(stored.offer, self.key, clock)
        if self.disk.restored:
            await self._learn(process, ledger, announcer, journal)
            ledger = self.disk.ledger()
        self.session = session = self.seated(ledger)
        nonce = f"{self.world.fate.getrandbits(128):032x}"
        async with process.transport(announcer.will) as transport:
            self.runtime = runtime = PlayerRuntime(
                session, announcer, transport, journal, stored, claims=self.claims, clock=clock
            )
            first = (
                session.ask_to_join(nonce, AGENT)
                if asks
                else session.complete_pending(runtime.timing)
            )
            try:
                with plain_errors():
                    await self._play(runtime, first)
            except HostSilent:
                raise
            except GameError:
                journal.finish(stored)
                raise
            if runtime.is_settled:
                journal.finish(stored)
        if self.disk.finished and process.alive:
            self.end("finished")

    async def _learn(
        self, process: Process, ledger: Ledger, announcer: Announcer, journal: SimJournal
    ) -> None:
        """As ``ataxxd.node.recovery.recover_game``."""
        stored = self.disk.stored
        assert stored is not None
        nonce = f"{self.world.fate.getrandbits(128):032x}"
        async with process.transport(announcer.will) as transport:
            learnt = await Recovery(stored, ledger, announcer, nonce).recover_ledger(transport)
        line = [
            (role, signed(each, self.key) if role is self.role and each.sig is None else each)
            for role, each in learnt.line
        ]
        journal.adopt(stored, line)

    def seated(self, ledger: Ledger) -> PlayerSession:
        """Its session of the game."""
        return PlayerSession(
            ledger,
            self.role,
            self.key,
            self.secret,
            resigning=self.disk.resigning,
            refusals=self.disk.refused,
            own_consent=self.disk.asking,
        )

    async def act(self, runtime: PlayerRuntime) -> None:
        """What the person does on its turn."""
        fate, ledger = self.world.fate, runtime.session.ledger
        if ledger.phase is Phase.ASKED:
            await runtime.carry_out(runtime.session.answer_draw(accept=fate.random() < 0.3))
        elif not ledger.must_move and len(ledger.moves) >= self.patience:
            await runtime.carry_out(runtime.session.resign())
        elif not ledger.must_move and ledger.start.game == "checkers" and fate.random() < 0.1:
            await runtime.carry_out(runtime.session.offer_draw())
        else:
            await runtime.play(fate.choice(tuple(ledger.position.legal_moves)))

    async def _game(self, process: Process) -> tuple[Ledger, bool]:
        """The game to go on with, and whether we have yet to ask for its seat."""
        disk = self.disk
        if disk.stored is not None:
            ledger = disk.ledger()
            if ledger.phase is not Phase.OPEN or self.role is Role.HOST:
                return ledger, False
        if self.role is Role.HOST:
            disk.begin(self.offer, self.role)
            return Ledger(self.offer), False
        async with process.transport() as transport:
            found = await find(self.world, transport, self.offer, self.skew_s)
        if found.phase is not Phase.OPEN:
            raise SeatTaken("the seat is taken")
        disk.begin(found.offer, self.role)
        return Ledger(found.offer), True

    async def _play(self, runtime: PlayerRuntime, first: Sequence[Effect]) -> None:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(runtime.run(first), name=f"{self.name}: game")
            person = group.create_task(self._sit(runtime), name=f"{self.name}: person")
            await asyncio.wait([running])
            person.cancel()

    async def _sit(self, runtime: PlayerRuntime) -> None:
        session = runtime.session
        while True:
            while session.ledger.on_turn is not self.role:
                await self._despair(runtime)
                await self._look(runtime)
            tip = session.ledger.tip
            await self.world.sleep(self.pace_s)
            await self._socialize(runtime)
            if session.ledger.on_turn is self.role and session.ledger.tip == tip:
                await self.act(runtime)
                await self._socialize(runtime)

    async def _despair(self, runtime: PlayerRuntime) -> None:
        """Resign on the other player's turn now and then, and think again now and then."""
        session, fate = runtime.session, self.world.fate
        lost = len(session.ledger.moves) >= self.patience
        with suppress(LocalProtocolError):
            if session.resigning and fate.random() < 0.2:
                await runtime.carry_out(runtime.session.keep_playing())
            elif lost and fate.random() < 0.3:
                await runtime.carry_out(runtime.session.resign())

    async def _look(self, runtime: PlayerRuntime) -> None:
        if runtime.events.qsize() > QUEUE_BOUND:
            self.world.breach(f"{self.name}: {runtime.events.qsize()} events wait for the person")
        match await runtime.events.get():
            case None:
                await asyncio.Event().wait()  # until this task is cancelled
            case Asked(role=role) if role is not self.role:
                if runtime.session.asked in self.disk.refused_here(runtime.session.ledger.tip):
                    self.world.breach(f"{self.name}: is asked again for what it has refused")
                with suppress(LocalProtocolError):
                    match self.world.fate.choice(("agree", "agree", "refuse", "wait")):
                        case "agree":
                            await runtime.carry_out(runtime.session.agree())
                        case "refuse":
                            await runtime.refuse()
                        case _:
                            pass
            case _:
                pass

    async def _socialize(self, runtime: PlayerRuntime) -> None:
        """Chat, or ask for something, now and then."""
        if self.world.fate.random() >= self.sociable:
            return
        with suppress(LocalProtocolError):
            match self.world.fate.choice(("say", "takeback", "takeback", "abort")):
                case "say":
                    await runtime.say("What a move!")
                case what:
                    await runtime.carry_out(runtime.session.ask(what))

    def _check_words(self, entry: Entry) -> None:
        """Nothing of the game is said before it is on the disk, safe from a power cut."""
        try:
            message = decode(entry.payload)
        except MalformedMessage:
            if entry.payload:
                self.world.breach(f"{self.name} published what is no message")
            return
        if isinstance(message, LogMessage):
            self._check_message(message, entry.payload)

    def _check_message(self, message: AnyLogMessage, payload: bytes) -> None:
        kept = self.disk.rows[: self.disk.synced]
        if (self.role.value, payload) not in kept:
            self.world.breach(f"{self.name} said {message.type} {message.n} before it was stored")
        before = self.said.setdefault(message.n, payload)
        if before != payload:
            self.world.breach(f"{self.name} said {message.n} twice: {before!r}, {payload!r}")


class Onlooker(Node):
    """A spectator, or a witness by its key; it keeps nothing, and a new program begins anew.

    Attributes:
        session: the game as the running program has it.
        since: when it began to watch.
    """

    def __init__(
        self, world: World, name: str, offer: Offer, key: SigningKey | None = None
    ) -> None:
        super().__init__(world, name)
        self._key = key
        self.session: SpectatorSession | None = None
        self.since = 0.0
        self._offer = offer

    def ledgers(self) -> list[Ledger]:
        """From memory."""
        return [] if self.session is None else [self.session.ledger]

    async def live(self, process: Process) -> None:
        """As ``ataxxd watch``."""
        self.session = None
        async with process.transport() as transport:
            await find(self.world, transport, self._offer, self.skew_s)
            self.session = SpectatorSession(Ledger(self._offer))
            self.since = self.world.loop.now
            watcher = Watcher(self.session, transport, witness=self._key)
            async for _ in watcher.events():
                pass
        if process.alive:
            self.end("finished")


async def find(world: World, transport: SimTransport, offer: Offer, skew_s: float) -> FoundGame:
    """Look for the game of an invitation, which names its host.

    Raises:
        NoSuchGame: not there now; and what else the finder raises.
    """
    finder = GameFinder(transport, world.clock(skew_s))
    return await finder.find(GameName(offer.name, offer.host))
