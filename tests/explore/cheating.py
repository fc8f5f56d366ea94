"""Visits every state of an honest player whose opponent signs what it likes.

The cheat has no session: it says anything, true or not, of the alphabet of `tests.explore.lies`,
as if the game had come to any earlier point of what its victim knows. Since the victim acts and is
killed at any moment, what the cheat says late, early or never needs no states of its own.
"""

import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ataxxd.session.roles import Role
from ataxxd.session.state import IN_PLAY
from ataxxd_protocol.messages import Score
from tests.explore import laws
from tests.explore.explorer import Messages, Nodes, Report, name
from tests.explore.lies import Lie, lies, truths
from tests.explore.terms import Terms


class State(NamedTuple):
    """The victim's node by number, and how many lies the cheat has left."""

    victim: int
    left: int


class CheatExplorer:
    """One exploration, in which the player in the role `cheat` tells at most `most` lies."""

    def __init__(self, terms: Terms, cheat: Role, most: int) -> None:
        self.cheat, self._most = cheat, most
        self.messages = Messages()
        self.nodes = Nodes(terms, cheat.other, self.messages, cheat)
        self._lies: dict[tuple[str, ...], tuple[Lie, ...]] = {}
        self._doing = ""

    def run(self, most: int = 10**9) -> Report:
        """Visit every state, or `most` of them, breadth first, until a law is broken."""
        report, began = Report(), time.monotonic()
        state = State(0, self._most)
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
        report.nodes = {f"the {self.cheat.other}": len(self.nodes.all)}
        report.seconds = time.monotonic() - began
        return report

    def _ways(self, state: State) -> Iterator[tuple[str, State]]:
        for step in self.nodes.acts(state.victim):
            yield f"{self.cheat.other} {step.words}", State(step.node, state.left)
        node = self.nodes.all[state.victim]
        for lie in truths(node, self.cheat, asks=self.nodes.terms.asks):
            yield from self._told(state, lie, state.left)
        if state.left:
            for place in range(2, len(node.ledger.line) + 1):
                for lie in self._lies_at(state.victim, place):
                    yield from self._told(state, lie, state.left - 1)

    def _told(self, state: State, lie: Lie, left: int) -> Iterator[tuple[str, State]]:
        number = self.messages.number(lie.message, self.cheat)
        words = f"{self.cheat} says: {lie.words}"
        self._doing = words
        for step in self.nodes.takes(state.victim, number):
            self._is_proved(state.victim, step.node, lie)
            yield f"{words} ({step.words})", State(step.node, left)
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
