"""Visits every state of a small game between two honest players over a hostile broker.

Whatever was once said is in one set, and any of it may reach anybody at any time and any
number of times: so messages are lost, late, repeated and replayed. A node may be killed between
any two effects. Sessions are pure, so what a node makes of a message is computed once and
looked up ever after; the search itself only follows the table, breadth first.
"""

import time
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ataxxd.session.events import Effect, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd_protocol.messages import LogMessage, SignedMessage, StatePart
from tests.explore import laws
from tests.explore.nodes import Do, Node, Told, judged, possible
from tests.explore.signatures import checked_once
from tests.explore.terms import Terms

# More than two players say who have lost all of so small a game.
_MAX_SAID = 200


class Step(NamedTuple):
    """One way on for one node: the words for it, the node after it, what it says."""

    words: str
    node: int
    says: int


class State(NamedTuple):
    """The game at one moment: both nodes by number, and the set of what was ever said."""

    host: int
    guest: int
    said: int


@dataclass
class Report:
    """What an exploration found.

    Attributes:
        states: how many states there are.
        transitions: how many steps lead from one to another.
        depth: the greatest number of steps that a state is away from the beginning.
        nodes: how many states each node alone has, and spectators have.
        seconds: how long it took.
        broken: the first law that was broken, if any.
        story: the shortest way to where it is.
        whole: whether all states were visited.
    """

    states: int = 0
    transitions: int = 0
    depth: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    broken: str | None = None
    story: list[str] = field(default_factory=list)
    whole: bool = True

    def __str__(self) -> str:
        nodes = ", ".join(f"{count} of {name}" for name, count in self.nodes.items())
        figures = f"{self.states} states, {self.transitions} transitions, depth {self.depth}"
        lines = [f"{figures}, {self.seconds:.1f} s; {nodes}"]
        if self.broken:
            lines += [f"BROKEN: {self.broken}", *self.story]
        elif not self.whole:
            lines.append("no law was broken as far as it went, which was not to the end")
        return "\n".join(lines)


class Messages:
    """Every message that was ever said, by number."""

    def __init__(self) -> None:
        self.all: list[SignedMessage] = []
        self._numbers: dict[str, int] = {}
        self.by: dict[Role, int] = dict.fromkeys(Role, 0)

    def bits(self, told: Told, author: Role) -> int:
        """`told` as a set."""
        bits = 0
        for message in told:
            bits |= 1 << self.number(message, author)
        return bits

    def number(self, message: SignedMessage, author: Role) -> int:
        """The number of a message."""
        number = self._numbers.setdefault(message.digest, len(self.all))
        if number == len(self.all):
            self.all.append(message)
            self.by[author] |= 1 << number
        return number

    def members(self, bits: int) -> Iterator[int]:
        """The numbers of the messages in a set."""
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low


class Nodes:
    """All states of one player's node, and what each makes of everything."""

    def __init__(
        self, terms: Terms, role: Role, messages: Messages, cheat: Role | None = None
    ) -> None:
        self.terms, self.role, self.messages, self._cheat = terms, role, messages, cheat
        self.all: list[Node] = []
        self._numbers: dict[Hashable, int] = {}
        self._acts: dict[int, tuple[Step, ...]] = {}
        self._took: dict[tuple[int, int], tuple[Step, ...]] = {}
        self._games: set[Hashable] = set()
        self._later: dict[int, int] = {}
        self._greets: dict[int, Told] = {}
        self._answers: dict[tuple[int, str], tuple[int, Told]] = {}
        self._goes_on: dict[int, int] = {}
        # Messages of which each node is known to make nothing.
        self.ignored: list[int] = []
        self.ways: list[dict[int, tuple[Step, ...]]] = []
        self.number(Node.new(terms, role))

    def number(self, node: Node) -> int:
        """The number of a node, the same for the same key."""
        key = node.key()
        number = self._numbers.setdefault(key, len(self.all))
        if number == len(self.all):
            self.all.append(node)
            self.ignored.append(0)
            self.ways.append({})
            laws.of_time(node)
            # Many nodes differ only in what they have heard beside the game.
            game = node.held, node.session.resigning, judged(node.ledger)
            if game not in self._games:
                self._games.add(game)
                laws.of_one_node(node, self._cheat)
        return number

    def acts(self, number: int) -> tuple[Step, ...]:
        """What the node may do by itself, and what may befall it."""
        if number not in self._acts:
            self._acts[number] = tuple(self._find_acts(number))
        return self._acts[number]

    def _find_acts(self, number: int) -> Iterator[Step]:
        node = self.all[number]
        for words, do in node.acts(self.terms):
            yield from self._steps(number, words, node, do)
        if node.kept and node.kills != 0:
            for after, told in node.restarts():
                bits = self.messages.bits(told, self.role)
                yield Step("is killed and started again", self.number(after), bits)
        if self.terms.ticks and node.connections != 0:
            yield Step("gets a new connection", self.number(node.reconnected()), 0)

    def takes(self, number: int, message: int) -> tuple[Step, ...]:
        """What a message may do to the node."""
        ways = self.ways[number]
        if message not in ways:
            node, what = self.all[number], self.messages.all[message]
            steps = self._steps(number, f"gets {name(what)}", node, node.takes(what))
            found = tuple(each for each in steps if each.node != number or each.says)
            ways[message] = found
            if not found:
                self.ignored[number] |= 1 << message
        return ways[message]

    def _steps(self, number: int, words: str, node: Node, do: Do) -> Iterator[Step]:
        seen = set()
        for after, told, how in possible(node, do):
            with laws.told(f"{self.role} {words}{how}"):
                number = self.number(after)
            step = Step(words + how, number, self.messages.bits(told, self.role))
            if step[1:] not in seen:
                seen.add(step[1:])
                yield step

    # On a network that works

    def greets(self, number: int) -> Told:
        """What the node says on a new connection."""
        if number not in self._greets:
            # Repeated messages change nothing in who says them again.
            self._greets[number] = _sent(self.all[number].session.on_connected())
        return self._greets[number]

    def answers(self, number: int, message: SignedMessage) -> tuple[int, Told]:
        """The node after a message, of whatever kind, and what it says to that."""
        key = number, message.digest
        if key not in self._answers:
            node = self.all[number]
            effects: list[Effect] = []

            def take(session: PlayerSession) -> list[Effect]:
                effects.extend(node.takes(message)(session))
                return effects

            after, _, _ = next(node.step(take))
            self._answers[key] = self.number(after), _sent(effects)
        return self._answers[key]

    def goes_on(self, number: int) -> int:
        """The node after what it does next where its player wants the game to end."""
        if number not in self._goes_on:
            node = self.all[number]
            do = node.goes_on()
            after = number if do is None else self.number(next(node.step(do))[0])
            self._goes_on[number] = after
        return self._goes_on[number]

    def later(self, number: int) -> int:
        """The node a tick later."""
        if number not in self._later:
            self._later[number] = self.number(self.all[number].later())
        return self._later[number]


class Watchers:
    """All states of a spectator; it says nothing, so it is explored beside the players."""

    def __init__(self, terms: Terms, messages: Messages, cheat: Role | None = None) -> None:
        self.messages = messages
        self._cheat = cheat
        self.all: list[SpectatorSession] = []
        self._numbers: dict[Hashable, int] = {}
        self._takes: dict[tuple[int, int], int] = {}
        self._reach: dict[int, frozenset[int]] = {0: frozenset({0})}
        self.number(SpectatorSession(Ledger(terms.offer)))

    def number(self, session: SpectatorSession) -> int:
        """The number of a spectator, the same for what will do the same."""
        ledger = session.ledger
        # Nothing that it believes rests on which of the messages it has signatures of.
        key = (
            tuple((role, message.digest) for role, message in ledger.line),
            ledger.phase,
            tuple(sorted(session._joins)) if not ledger.entries else (),
            tuple(sorted((part, each.digest) for part, each in session._early.items())),
        )
        number = self._numbers.setdefault(key, len(self.all))
        if number == len(self.all):
            self.all.append(session)
            laws.of_a_spectator(session, self._cheat)
        return number

    def takes(self, number: int, message: int) -> int:
        """The spectator after a message."""
        if (number, message) not in self._takes:
            before = self.all[number]
            session = SpectatorSession(before.ledger.copy())
            session._joins, session._early = dict(before._joins), dict(before._early)
            session.receive(self.messages.all[message])  # type: ignore[arg-type]
            with laws.told(f"a spectator gets {name(self.messages.all[message])}"):
                laws.of_what_is_known(before.ledger, session.ledger)
                self._takes[number, message] = self.number(session)
        return self._takes[number, message]

    def reach(self, said: int, before: int) -> frozenset[int]:
        """Every state that a spectator can be in when `said` was said, and `before` before."""
        found = self._reach.get(said)
        if found is None:
            reached = set(self._reach[before])
            old, new = list(reached), list(self.messages.members(said & ~before))
            every = list(self.messages.members(said))
            queue = deque((each, new) for each in old)
            while queue:
                number, offered = queue.popleft()
                for message in offered:
                    after = self.takes(number, message)
                    if after not in reached:
                        reached.add(after)
                        queue.append((after, every))
            found = self._reach[said] = frozenset(reached)
        return found


def _sent(effects: list[Effect]) -> Told:
    return tuple(
        effect.message
        for effect in effects
        if isinstance(effect, Send) and isinstance(effect.message, SignedMessage)
    )


def name(message: SignedMessage) -> str:
    """A message in words."""
    if isinstance(message, StatePart):
        return f"a state of {message.first + len(message.entries)} entries"
    more = "".join(
        f" {getattr(message, each)}"
        for each in ("move", "answer", "what", "termination")
        if getattr(message, each, None)
    )
    claim = getattr(message, "claim", None)
    more += f" after {claim.waited_ms} ms" if claim is not None else ""
    number = f" {message.n}" if isinstance(message, LogMessage) else ""
    return f"{message.type}{number}{more}"  # type: ignore[attr-defined]


class Explorer:
    """One exploration."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.messages = Messages()
        self.nodes = {role: Nodes(terms, role, self.messages) for role in Role}
        self.watchers = Watchers(terms, self.messages)
        self._pairs: set[tuple[int, int]] = set()
        # Pairs from which the game is known to end.
        self._ending: set[tuple[int, int]] = set()
        self._watched: set[tuple[int, int, int]] = set()

    @checked_once()
    def run(self, most: int = 10**9) -> Report:
        """Visit every state, or `most` of them, breadth first, until a law is broken."""
        report, began = Report(), time.monotonic()
        first = State(0, 0, 0)
        came: dict[State, tuple[State, str] | None] = {first: None}
        depth = {first: 0}
        queue = deque([first])
        state = first
        try:
            while queue:
                if len(came) > most:
                    report.whole = False
                    break
                state = queue.popleft()
                self._check(state)
                report.depth = depth[state]
                for words, after in self._ways(state):
                    report.transitions += 1
                    if after not in came:
                        came[after] = (state, words)
                        depth[after] = report.depth + 1
                        with laws.told(words):
                            self.watchers.reach(after.said, state.said)
                        queue.append(after)
        except laws.BrokenLawError as error:
            report.broken = str(error)
            report.story = self._story(came, state, getattr(error, "__notes__", []))
        report.states = len(came)
        report.nodes = {f"the {role}": len(each.all) for role, each in self.nodes.items()}
        report.nodes["spectators"] = len(self.watchers.all)
        report.seconds = time.monotonic() - began
        return report

    def _ways(self, state: State) -> Iterator[tuple[str, State]]:
        host, guest, said = state
        for step in self.nodes[Role.HOST].acts(host):
            yield f"host {step.words}", State(step.node, guest, said | step.says)
        for step in self.nodes[Role.GUEST].acts(guest):
            yield f"guest {step.words}", State(host, step.node, said | step.says)
        for role, number in ((Role.HOST, host), (Role.GUEST, guest)):
            nodes = self.nodes[role]
            heard = said & self.messages.by[role.other] & ~nodes.ignored[number]
            for message in self.messages.members(heard):
                for step in nodes.takes(number, message):
                    now = said | step.says
                    if role is Role.HOST:
                        yield f"host {step.words}", State(step.node, guest, now)
                    else:
                        yield f"guest {step.words}", State(host, step.node, now)
        if self.terms.ticks:
            after = State(
                self.nodes[Role.HOST].later(host), self.nodes[Role.GUEST].later(guest), said
            )
            if after != state:
                yield "time passes", after

    # The laws of more than one

    def _check(self, state: State) -> None:
        host = self.nodes[Role.HOST].all[state.host]
        guest = self.nodes[Role.GUEST].all[state.guest]
        if (state.host, state.guest) not in self._pairs:
            self._pairs.add((state.host, state.guest))
            laws.of_both(host, guest)
            self._mends(state)
        for number in self.watchers.reach(state.said, state.said):
            if (state.host, state.guest, number) not in self._watched:
                self._watched.add((state.host, state.guest, number))
                laws.of_all(host, guest, self.watchers.all[number])

    def _mends(self, state: State) -> None:
        """Every message that was on its way is lost, all works again, and the game must end."""
        at = {Role.HOST: state.host, Role.GUEST: state.guest}
        passed: set[tuple[int, int]] = set()
        while (pair := (at[Role.HOST], at[Role.GUEST])) not in passed and pair not in self._ending:
            passed.add(pair)
            for role in Role:
                self._deliver(at, role, self.nodes[role].greets(at[role]))
            for role in Role:
                at[role] = self.nodes[role].goes_on(at[role])
        if pair not in self._ending:
            laws.of_an_end(*(self.nodes[role].all[at[role]] for role in Role))
        self._ending |= passed

    def _deliver(self, at: dict[Role, int], author: Role, told: Told) -> None:
        """Bring what was said to the other player, and the answers back, till all is quiet."""
        queue = deque((author.other, message) for message in told)
        said = 0
        while queue:
            role, message = queue.popleft()
            said += 1
            if said > _MAX_SAID:
                raise laws.BrokenLawError("the players ask each other without end")
            at[role], answers = self.nodes[role].answers(at[role], message)
            queue.extend((role.other, answer) for answer in answers)

    def _story(
        self, came: dict[State, tuple[State, str] | None], state: State, last: list[str]
    ) -> list[str]:
        told = last[::-1]
        at: State = state
        while (step := came[at]) is not None:
            at, words = step
            told.append(words)
        lines = [f"{number:3}. {words}" for number, words in enumerate(reversed(told), 1)]
        for role in Role:
            ledger = self.nodes[role].all[state.host if role is Role.HOST else state.guest].ledger
            line = "; ".join(f"{by} {name(message)}" for by, message in ledger.line)
            lines.append(f"  the {role} has: {line or 'nothing'} ({ledger.phase.value})")
        return lines
