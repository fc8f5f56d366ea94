"""What a spectator can be made to see by a player who deals double.

It hears what the victim has said, and from the cheat anything: the truth of any game that it may
be shown, and lies. Where the cheat is the host it also signs a state of whatever game any
spectator has been shown, and gives it to any other.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import StatePart
from tests.conformance.games import HOST_KEY, craft, forge
from tests.explore import laws
from tests.explore.explorer import Messages, Watchers, name
from tests.explore.lies import lies, truths
from tests.explore.terms import Terms


class Misled(Watchers):
    """All states of a spectator whom a cheat may tell at most `most` lies."""

    def __init__(self, terms: Terms, messages: Messages, cheat: Role, most: int) -> None:
        self._role, self._most = cheat, most
        self._told: dict[tuple[int, bool], tuple[tuple[int, int], ...]] = {}
        self._states: dict[int, int] = {}
        self._by: dict[int, dict[int, tuple[int, int] | None]] = {}
        super().__init__(terms, messages, cheat)

    def reach_by(self, said: int) -> dict[int, tuple[int, int] | None]:
        """Every state that a spectator can be in when the victim has said `said`.

        Each with the state before it and the message that led from there.
        """
        if said not in self._by:
            self._by[said] = self._reached(said)
        return self._by[said]

    def _reached(self, said: int) -> dict[int, tuple[int, int] | None]:
        victims = tuple(self.messages.members(said))
        came: dict[int, tuple[int, int] | None] = {0: None}
        left = {0: self._most}
        states: dict[int, int] = {}
        queue = deque([0])
        while queue:
            number = queue.popleft()
            state = self._state_of(number)
            if state is not None and states.get(state, -1) < left[number]:
                states[state] = left[number]
                queue.extend(each for each in left if each not in queue)
            ways = [(message, left[number]) for message in victims]
            ways += [
                (message, left[number] - cost)
                for message, cost in self._words(number, lies_too=left[number] > 0)
            ]
            ways += [(message, min(left[number], rest)) for message, rest in states.items()]
            for message, rest in ways:
                if rest < 0:
                    continue
                after = self.takes(number, message)
                if left.get(after, -1) < rest:
                    came.setdefault(after, (number, message))
                    left[after] = rest
                    queue.append(after)
        return came

    def _words(self, number: int, *, lies_too: bool) -> tuple[tuple[int, int], ...]:
        """What the cheat may say to a spectator, each with how many lies it is."""
        if (number, lies_too) not in self._told:
            ledger = self.all[number].ledger
            said = [*truths(self._joined(number), self._role, asks=False)]
            for place in range(2, len(ledger.line) + 1) if lies_too else ():
                said += lies(ledger.offer, ledger.line[:place], self._role)
            words = [(each.message, each.cost) for each in said]
            words += [(part, 1) for part in self._invented(ledger)] if lies_too else []
            self._told[number, lies_too] = tuple(
                (self.messages.number(message, self._role), cost) for message, cost in words
            )
        return self._told[number, lies_too]

    def _invented(self, ledger: Ledger) -> Iterator[StatePart]:
        """A state in which its host has its guest resign."""
        if self._role is not Role.HOST or ledger.on_turn is not Role.GUEST:
            return
        resignation = craft(ledger, Role.GUEST, "resign")
        story = ledger.copy()
        story.accept(Role.GUEST, forge(resignation, HOST_KEY))
        yield from (signed(part, HOST_KEY) for part in state_parts(story))

    def _joined(self, number: int) -> Ledger:
        """The game as a spectator knows it, with the join that waits for its start."""
        session = self.all[number]
        ledger = session.ledger.copy()
        for join in session._joins.values() if not ledger.entries else ():
            ledger.accept(Role.GUEST, join)
        return ledger

    def _state_of(self, number: int) -> int | None:
        """The state that a cheating host publishes of a decided game that a spectator has seen.

        Any other shows no more than the messages themselves.
        """
        ledger = self.all[number].ledger
        if self._role is not Role.HOST or ledger.claim is None:
            return None
        if number not in self._states:
            (part,) = state_parts(ledger)
            self._states[number] = self.messages.number(signed(part, HOST_KEY), self._role)
        return self._states[number]

    @contextmanager
    def told(self, number: int, said: int) -> Iterator[None]:
        """Say, should a law be broken, how a spectator came to what it knows."""
        try:
            yield
        except laws.BrokenLawError as error:
            way = []
            at = number
            while (step := self.reach_by(said)[at]) is not None:
                at, message = step
                way.append(f"a spectator gets {name(self.messages.all[message])}")
            for words in way:
                error.add_note(words)
            raise
