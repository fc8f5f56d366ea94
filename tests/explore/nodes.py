"""A player's node as the explorer has it: a real session, its journal and its stopwatch.

A node is never changed: each step copies it, lets the real session act, and carries out the
effects as the runtime does. Whatever a session could do differently is in its key.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ataxxd.errors import LocalProtocolError
from ataxxd.node.claims import Stopwatch
from ataxxd.session.events import Effect, Keep, PublishState, Resigning, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import state_parts
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.times import Clock
from ataxxd_protocol import signed
from ataxxd_protocol.messages import AnyLogMessage, Consent, LogMessage, SignedMessage
from tests.conformance.games import AGENT, HOST_KEY, KEYS, NONCE, SECRET
from tests.explore.terms import Terms, moves_of

Told: TypeAlias = tuple[SignedMessage, ...]
Events: TypeAlias = tuple[tuple[int, str], ...]
Do: TypeAlias = Callable[[PlayerSession], list[Effect]]


_KEPT = ("ours", "theirs")


class _Hands:
    """Where the hands of a clock stand."""

    ticks = 0

    def __init__(self, tick_ms: int) -> None:
        self._tick_s = tick_ms / 1000

    def seconds(self) -> float:
        """Seconds from now, which is 0."""
        return self.ticks * self._tick_s


@dataclass(frozen=True)
class Node:
    """A node between two steps.

    Attributes:
        session: the game as this player has it.
        kept: its journal, in the order of keeping.
        held: its journal says that it resigns as soon as it is its turn.
        events: what its stopwatch was told, each with its age in ticks of the clock.
        terms: what is explored; the greatest age that is told from a greater one is its ticks.
        kills: how often it may still be killed; None for any number.
        connections: how many new connections it may still get.
    """

    session: PlayerSession
    kept: tuple[tuple[Role, AnyLogMessage], ...]
    held: bool
    events: Events
    terms: Terms
    kills: int | None
    connections: int | None

    @classmethod
    def new(cls, terms: Terms, role: Role) -> "Node":
        """A node before the game."""
        secret = SECRET if role is Role.HOST else ""
        session = PlayerSession(Ledger(terms.offer), role, KEYS[role], secret)
        return cls(session, (), False, (), terms, terms.kills, terms.connections)

    @property
    def ticks(self) -> int:
        """The greatest age that is told from a greater one; with 0 there is no time."""
        return self.terms.ticks

    @property
    def ledger(self) -> Ledger:
        """The game as it has it."""
        return self.session.ledger

    @property
    def role(self) -> Role:
        """Which player it is."""
        return self.session.role

    def key(self) -> Hashable:
        """Equal for two nodes that will do the same, whatever comes.

        Left out: what was last asked for by a sync and said in a chat, for the explorer delivers
        everything that was ever said anyway; and what gives the times about a claim, which comes
        with each message.
        """
        session = self.session
        volatile = sorted(set(vars(session)) - _ASIDE)
        return (
            judged(session.ledger),
            tuple(message.digest for _, message in self.kept),
            self.held,
            tuple(_plain(getattr(session, name)) for name in volatile),
            self.events,
            self.kills,
            self.connections,
        )

    def restored(self) -> "Node":
        """What a restart makes of the journal."""
        ledger = Ledger(self.ledger.offer)
        for role, message in self.kept:
            ledger.accept(role, message)
        session = PlayerSession(
            ledger, self.role, self.session._key, self.session._secret, resigning=self.held
        )
        kept = tuple(event for event in self.events if event[1] in _KEPT)
        kills = None if self.kills is None else max(self.kills - 1, 0)
        return replace(self, session=session, events=kept, kills=kills)._told("started")

    @property
    def stopwatch(self) -> Stopwatch:
        """A real one that was told all of it."""
        hands, tick_ms = _Hands(self.terms.tick_ms), self.terms.tick_ms
        clock = Clock(hands.seconds, hands.seconds)
        starts = [number for number, (_, what) in enumerate(self.events) if what == "started"]
        start = starts[-1] if starts else -1
        hands.ticks = -(self.events[start][0] if starts else self.ticks)
        kept = [
            (what == "ours", (age + hands.ticks) * tick_ms)
            for age, what in self.events[: max(start, 0)]
        ]
        stopwatch = Stopwatch(clock, kept)
        stopwatch.on_connected()
        for age, what in self.events[start + 1 :]:
            hands.ticks = -age
            if what == "connected":
                stopwatch.on_disconnected()
                stopwatch.on_connected()
            else:
                stopwatch.on_message(ours=what == "ours")
        hands.ticks = 0
        return stopwatch

    def later(self) -> "Node":
        """The same a tick of the clock later."""
        older = tuple((min(age + 1, self.ticks), what) for age, what in self.events)
        return replace(self, events=older)

    def _told(self, what: str) -> "Node":
        if not self.ticks or (self.events[-1:] == ((0, what),) and what not in _KEPT):
            return self
        return replace(self, events=(*self.events, (0, what)))

    def step(self, do: Do) -> Iterator[tuple["Node", Told, str]]:
        """What becomes of it when the session does something, and what it says then.

        The first is the whole step. In the others the node is killed between two effects, and
        is started again.

        Raises:
            LocalProtocolError: the session will not do it.
        """
        session = self._copy_of_session()
        effects = do(session)
        node, told = self._carry_out(effects)
        yield replace(node, session=session), told, ""
        if self.kills == 0:
            return
        for count, effect in enumerate(effects[:-1], 1):
            if isinstance(effect, Keep | Send | Resigning | PublishState):
                node, told = self._carry_out(effects[:count])
                how = f", is killed after {type(effect).__name__} and started again"
                for after, more in node.restarts():
                    yield after, told + more, how

    def restarts(self) -> Iterator[tuple["Node", Told]]:
        """What a restart may make of it: it can be killed in the middle of that, too.

        What comes while it is down is as what never comes, so a restart is one step.
        """
        restored = self.restored()
        session = restored._copy_of_session()
        effects = session.complete_pending(restored.stopwatch.times if self.ticks else None)
        node, told = restored._carry_out(effects)
        yield replace(node, session=session), told
        for count in range(1, len(effects)):
            if restored.kills != 0 and isinstance(effects[count - 1], Keep):
                node, told = restored._carry_out(effects[:count])
                for after, more in node.restarts():
                    yield after, told + more

    def _copy_of_session(self) -> PlayerSession:
        session = copy(self.session)
        session.ledger = session.ledger.copy()
        session._refusals = dict(session._refusals)
        return session

    def _carry_out(self, effects: Sequence[Effect]) -> tuple["Node", Told]:
        kept, held = self.kept, self.held
        told: list[SignedMessage] = []
        node = self
        for effect in effects:
            match effect:
                case Keep(role, message):
                    kept = (*kept, (role, message))
                    node = node._told("ours" if role is self.role else "theirs")
                case Send(message) if isinstance(message, LogMessage | Consent):
                    told.append(message)
                case Resigning():
                    held = effect.held
                case PublishState():
                    ledger = Ledger(self.ledger.offer)
                    for role, message in kept:
                        ledger.accept(role, message)
                    told += [signed(part, HOST_KEY) for part in state_parts(ledger)]
                case _:
                    pass
        return replace(node, kept=kept, held=held), tuple(told)

    # What it may do

    def acts(self, terms: Terms) -> Iterator[tuple[str, Do]]:
        """All that its player may do of its own will, with the words for it."""
        ledger, stopwatch = self.ledger, self.stopwatch
        if ledger.phase is Phase.OPEN:
            if self.role is Role.GUEST:
                yield "asks for the seat", lambda session: session.ask_to_join(NONCE, AGENT)
            return
        if ledger.phase not in IN_PLAY:
            return
        if terms.ticks:
            reason = "flag" if terms.clock else "silence"
            yield f"claims {reason}", lambda session: session.claim(reason, stopwatch.waited_ms)
        if len(ledger.line) >= terms.bound:
            return
        elapsed = stopwatch.elapsed_ms if self.ticks else 0
        for move in moves_of(ledger.position):
            yield f"plays {move}", lambda session, m=move: session.play(m, elapsed)  # type: ignore[misc]
        yield "offers a draw", PlayerSession.offer_draw
        yield "accepts the draw", lambda session: session.answer_draw(accept=True)
        yield "rejects the draw", lambda session: session.answer_draw(accept=False)
        if terms.resigns:
            yield "resigns", PlayerSession.resign
            yield "will not resign after all", PlayerSession.keep_playing
        if terms.asks:
            yield "asks for a takeback", lambda session: session.ask("takeback")
            yield "asks for an abort", lambda session: session.ask("abort")
            yield "agrees", PlayerSession.agree

    def goes_on(self) -> Do | None:
        """What its player does next who wants the game to end; None while it is not its turn."""
        ledger = self.ledger
        if ledger.phase is Phase.OPEN and self.role is Role.GUEST:
            return lambda session: session.ask_to_join(NONCE, AGENT)
        if ledger.on_turn is not self.role:
            return None
        if ledger.phase is Phase.ASKED:
            return lambda session: session.answer_draw(accept=False)
        return lambda session: session.play(moves_of(ledger.position)[0], 0)

    def reconnected(self) -> "Node":
        """The same on a new connection; what it says then it has said before."""
        left = None if self.connections is None else self.connections - 1
        after = self._told("connected")
        return after if after is self else replace(after, connections=left)

    def takes(self, message: SignedMessage) -> Do:
        """Taking in a message, as the runtime does."""
        timing = self.stopwatch.times if self.ticks else None
        return lambda session: session.receive(message, timing)  # type: ignore[arg-type] # a message of the wire


# Fields of a session that are no part of its key: what never changes, and see `Node.key`.
_ASIDE = {
    "ledger", "role", "_key", "_secret", "_invitation",
    "_last_asked", "_timing", "_chatted_ms", "_spoken_ms",
}  # fmt: skip


def judged(ledger: Ledger) -> Hashable:
    """All that a ledger holds and says of the game."""
    return (
        tuple((role, message.digest, message.sig is None) for role, message in ledger.line),
        ledger.phase, ledger.outcome, ledger.fault, ledger.position.text, ledger.moves,
        ledger.must_move, ledger.false_scores, ledger.contested, ledger.decision,
        ledger.decided_at, ledger.first_scorer,
    )  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, SignedMessage):
        return value.digest
    if isinstance(value, list | dict):
        return tuple(map(_plain, value))
    return value


def possible(node: Node, do: Do) -> tuple[tuple[Node, Told, str], ...]:
    """The outcomes of a step; none when the session refuses it."""
    try:
        return tuple(node.step(do))
    except LocalProtocolError:
        return ()
