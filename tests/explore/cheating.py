"""Visits every state of an honest player whose opponent signs what it likes, and of who looks on.

The cheat has no session: it says anything, true or not, of the alphabet of `tests.explore.lies`,
as if the game had come to any earlier point of what its victim knows. Since the victim acts and is
killed at any moment, what the cheat says late, early or never needs no states of its own. Beside
them is a spectator, whom the cheat may show any other game than it plays with its victim.
"""

import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ataxxd.session.state import IN_PLAY, Role
from ataxxd_protocol.messages import Score
from tests.explore import laws
from tests.explore.explorer import Messages, Nodes, Report, name
from tests.explore.lies import Lie, lies, truths
from tests.explore.showing import Misled
from tests.explore.signatures import checked_once
from tests.explore.terms import Terms


class State(NamedTuple):
    """A victim between two steps.

    Attributes:
        victim: its node, by number.
        left: how many lies the cheat has left.
        said: the set of what the victim has said.
        best: what the cheat could have come to when it told its first lie; None before that.
    """

    victim: int
    left: int
    said: int
    best: int | None


class CheatExplorer:
    """One exploration, in which the player in the role `cheat` tells at most `most` lies.

    Args:
        terms: what is explored.
        cheat: who lies.
        most: how often at most, to its victim and to a spectator.
        watched: whether there is a spectator.
    """

    def __init__(self, terms: Terms, cheat: Role, most: int, *, watched: bool = True) -> None:
        self.terms, self.cheat, self._most, self._watched = terms, cheat, most, watched
        self.messages = Messages()
        self.nodes = Nodes(terms, cheat.other, self.messages, cheat)
        self.watchers = Misled(terms, self.messages, cheat, most)
        self._lies: dict[tuple[str, ...], tuple[Lie, ...]] = {}
        self._doing = ""
        self._shown: set[tuple[int, int, int | None]] = set()

    @checked_once()
    def run(self, most: int = 10**9) -> Report:
        """Visit every state, or `most` of them, breadth first, until a law is broken."""
        report, began = Report(), time.monotonic()
        state = State(0, self._most, 0, None)
        came: dict[State, tuple[State, str] | None] = {state: None}
        depth = {state: 0}
        queue = deque([state])
        try:
            while queue:
                if len(came) > most:
                    report.whole = False
                    break
                state = queue.popleft()
                report.depth = depth[state]
                self._check(state)
                for words, after in self._ways(state):
                    report.transitions += 1
                    if after not in came:
                        came[after] = (state, words)
                        depth[after] = report.depth + 1
                        queue.append(after)
        except laws.BrokenLawError as error:
            report.broken = str(error)
            report.story = self._story(came, state, getattr(error, "__notes__", []))
        report.states = len(came)
        report.nodes = {
            f"the {self.cheat.other}": len(self.nodes.all),
            "spectators": len(self.watchers.all),
        }
        report.seconds = time.monotonic() - began
        return report

    def _check(self, state: State) -> None:
        """The laws of a victim and of who looks on, each pair of them once."""
        victim = self.nodes.all[state.victim]
        laws.of_worth(victim, state.best)
        if not self._watched:
            return
        for number in self.watchers.reach_by(state.said):
            if (state.victim, number, state.best) not in self._shown:
                self._shown.add((state.victim, number, state.best))
                session = self.watchers.all[number]
                with self.watchers.told(number, state.said):
                    laws.of_a_shown_game(victim, session)
                    laws.of_worth(victim, state.best, session.ledger)

    def _ways(self, state: State) -> Iterator[tuple[str, State]]:
        victim, left, said, best = state
        for step in self.nodes.acts(victim):
            now = said | step.says if self._watched else 0
            yield f"{self.cheat.other} {step.words}", State(step.node, left, now, best)
        node = self.nodes.all[victim]
        given = node.session._own_consent
        current = given if given is not None and node.session._is_current(given) else None
        for lie in truths(node.ledger, self.cheat, asks=self.terms.asks, given=current):
            yield from self._told(state, lie)
        if left:
            for place in range(2, len(node.ledger.line) + 1):
                for lie in self._lies_at(victim, place):
                    yield from self._told(state, lie)
        if self.terms.ticks:
            later = self.nodes.later(victim)
            if later != victim:
                yield "time passes", state._replace(victim=later)

    def _told(self, state: State, lie: Lie) -> Iterator[tuple[str, State]]:
        number = self.messages.number(lie.message, self.cheat)
        words = f"{self.cheat} says: {lie.words}"
        self._doing = words
        left, best = state.left - lie.cost, state.best
        if lie.cost and best is None:
            best = laws.best_of(self.nodes.all[state.victim].ledger, self.cheat)
        for step in self.nodes.takes(state.victim, number):
            self._is_proved(state.victim, step.node, lie)
            said = state.said | step.says if self._watched else 0
            yield f"{words} ({step.words})", State(step.node, left, said, best)
        if not self.nodes.takes(state.victim, number):
            self._is_proved(state.victim, state.victim, lie)

    def _is_proved(self, before: int, after: int, lie: Lie) -> None:
        """A breach in play that arrives is proved."""
        ledger, judged = self.nodes.all[before].ledger, self.nodes.all[after].ledger
        known = lie.message.digest in {message.digest for _, message in ledger.line}
        if not lie.breach or ledger.phase not in IN_PLAY or known:
            return
        said = lie.message
        if isinstance(said, Score) and said.proof and said.n < len(ledger.log(self.cheat)):
            # Proofs do not nest: a score with one proves nothing by itself (MP-FAULT-4).
            return
        if judged.fault is None or judged.fault.role is not self.cheat:
            raise laws.BrokenLawError(f"the {self.cheat.other} does not prove: {lie.words}")

    def _lies_at(self, victim: int, place: int) -> tuple[Lie, ...]:
        line = self.nodes.all[victim].ledger.line[:place]
        key = tuple(message.digest for _, message in line)
        if key not in self._lies:
            self._lies[key] = tuple(lies(self.nodes.all[victim].ledger.offer, line, self.cheat))
        return self._lies[key]

    def _story(
        self, came: dict[State, tuple[State, str] | None], state: State, last: list[str]
    ) -> list[str]:
        told = last[::-1] or [self._doing]
        at = state
        while (step := came[at]) is not None:
            at, words = step
            told.append(words)
        lines = [f"{number:3}. {words}" for number, words in enumerate(reversed(told), 1)]
        ledger = self.nodes.all[state.victim].ledger
        line = "; ".join(f"{by} {name(message)}" for by, message in ledger.line)
        return [*lines, f"  the {self.cheat.other} had: {line} ({ledger.phase.value})"]
