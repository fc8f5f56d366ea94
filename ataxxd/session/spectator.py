"""A spectator's end of a game, whenever it begins to watch; it believes nothing unverified.

It gets the same messages as the players, and the host's retained state, and keeps the same ledger.
It drops a live message that leaves a gap, because the next state will have it. It keeps a part of
the state that comes before earlier parts, because the host may be gone and not send it again.
"""

from contextlib import suppress

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.events import Effect, Ignored, Said, events_of
from ataxxd.session.handshake import check_join
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import check_signatures, replay
from ataxxd.session.state import Phase, Reception, Role
from ataxxd.session.witnesses import add_statement
from ataxxd_protocol import signature_holds
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    Chat,
    Join,
    LogMessage,
    Start,
    Statement,
    StatePart,
)

# Joins remembered until the host says which one it accepted.
_PENDING_JOINS = 32
# Parts of the state kept until the parts before them come.
_EARLY_PARTS = 64


class SpectatorSession:
    """A spectator's session of one game.

    Attributes:
        ledger: the game so far, as verified here.
    """

    def __init__(self, ledger: Ledger) -> None:
        """Watch the game of `ledger`, new or already partly known."""
        self.ledger = ledger
        self._joins: dict[str, Join] = {}
        # How many entries the game is known to have; `_wanted` has the same for each log.
        self._entries_expected = 0
        self._early: dict[int, StatePart] = {}
        self._chatted_ms = {Role.HOST: 0, Role.GUEST: 0}
        self._expected = {Role.HOST: 0, Role.GUEST: 0}

    @property
    def behind(self) -> bool:
        """Whether messages are known to be missing, so that the state must be asked for."""
        return len(self.ledger.entries) < self._entries_expected or any(
            len(self.ledger.log(role)) < wanted for role, wanted in self._expected.items()
        )

    def receive(self, message: AnyMessage) -> list[Effect]:
        """Take in a message from the game's topics; its content never raises."""
        try:
            match message:
                case Join() if self.ledger.phase is Phase.OPEN:
                    return self._on_join(message)
                case LogMessage():
                    return self._on_log_message(message)
                case Chat():
                    return self._on_chat(message)
                case StatePart():
                    return self._on_states(message)
                case Statement():
                    add_statement(self.ledger, message)
                    return []
                case _:
                    return []
        except RemoteProtocolError as error:
            return [Ignored(error.code, str(error))]

    def _on_join(self, join: Join) -> list[Effect]:
        if join.game != self.ledger.game or join.n != 0 or len(self._joins) >= _PENDING_JOINS:
            return []
        check_join(self.ledger.offer, join)
        self._joins[join.digest] = join
        return []

    def _on_log_message(self, message: AnyLogMessage) -> list[Effect]:
        if message.game != self.ledger.game:
            raise RemoteProtocolError("chain/other-game", "the message belongs to another game")
        ledger = self.ledger
        if isinstance(message, Start) and ledger.phase is Phase.OPEN:
            return self._on_start(message)
        role = ledger.role_of(message.author)
        key = None if role is None else ledger.key_of(role)
        if role is None or key is None:
            # Possibly the guest of a start we have not seen.
            if ledger.phase is Phase.OPEN:
                self._expected[Role.HOST] = 1
            return []
        reception = ledger.reception(role, message)
        if reception is Reception.DUPLICATE:
            return []
        if not signature_holds(message, key):
            raise RemoteProtocolError(
                "chain/forged", f"message {message.n} in the {role}'s name is not signed by it"
            )
        if reception is Reception.GAP:
            self._expected[role] = max(self._expected[role], message.n + 1)
            return []
        if reception is Reception.CONFLICT:
            raise RemoteProtocolError(
                "chain/double-dealing", f"the {role} signed a second message {message.n}"
            )
        if ledger.count_up_to(role.other, message.seen) is None:
            # It answers a message that has not reached us, over another topic: nobody's fault.
            self._expected[role] = max(self._expected[role], message.n + 1)
            return []
        return self._accept(ledger, role, message)

    def _on_chat(self, chat: Chat) -> list[Effect]:
        role = self.ledger.role_of(chat.author)
        key = None if role is None else self.ledger.key_of(role)
        side = None if role is None else self.ledger.side_of(role)
        if role is None or key is None or side is None or chat.game != self.ledger.game:
            return []
        if chat.at_ms <= self._chatted_ms[role] or not signature_holds(chat, key):
            return []
        self._chatted_ms[role] = chat.at_ms
        return [Said(side, chat.text, role)]

    def _on_start(self, start: Start) -> list[Effect]:
        if start.author != self.ledger.offer.host or not signature_holds(
            start, self.ledger.offer.key
        ):
            raise RemoteProtocolError(
                "chain/forged", "a start in the host's name is not signed by it"
            )
        join = self._joins.get(start.seen)
        if join is None:
            self._expected[Role.HOST] = 1
            return []
        trial = self.ledger.copy()
        effects = [*self._accept(trial, Role.GUEST, join), *self._accept(trial, Role.HOST, start)]
        self.ledger = trial
        self._joins.clear()
        return effects

    def _on_states(self, part: StatePart) -> list[Effect]:
        """Take in a part of the state, and then the early parts that fit now."""
        effects = self._on_state(part)
        while (waited := self._next_early()) is not None:
            # One that does not fit is old: the host has published another since.
            with suppress(RemoteProtocolError):
                effects += self._on_state(waited)
        return effects

    def _next_early(self) -> StatePart | None:
        known = len(self.ledger.entries)
        number = next((n for n, each in self._early.items() if each.first <= known), None)
        return None if number is None else self._early.pop(number)

    def _on_state(self, part: StatePart) -> list[Effect]:
        ledger = self.ledger
        known, end = len(ledger.entries), part.first + len(part.entries)
        if (
            part.game != ledger.game
            or part.author != ledger.offer.host
            or not signature_holds(part, ledger.offer.key)
        ):
            raise RemoteProtocolError(
                "chain/forged", "a state in the host's name is not signed by it"
            )
        if part.first > known:
            self._entries_expected = max(self._entries_expected, part.first + len(part.entries))
            if part.part in self._early or len(self._early) < _EARLY_PARTS:
                self._early[part.part] = part
            return []
        common = min(known, end)
        if part.entries[: common - part.first] != ledger.entries[part.first : common]:
            return self._on_other_state(part)
        if end <= known:
            return []
        trial = ledger.copy()
        effects: list[Effect] = []
        for entry in part.entries[known - part.first :]:
            before, role = trial.copy(), Role(entry.by)
            replay(trial, (entry,))
            effects += events_of(before, trial, role, trial.log(role)[-1])
        check_signatures(trial, part.sigs)
        trial.add_signatures(part.sigs)
        self.ledger = trial
        return effects

    def _on_other_state(self, part: StatePart) -> list[Effect]:
        """Take in a state that differs from ours: a decision may have set messages aside."""
        trial = Ledger(self.ledger.offer)
        trial.statements = self.ledger.statements
        try:
            replay(trial, (*self.ledger.entries[: part.first], *part.entries))
            check_signatures(trial, part.sigs)
        except RemoteProtocolError:
            trial.decision = None
        if trial.decision is None or self._contradicts_signed(trial):
            raise RemoteProtocolError(
                "state/contradiction", "the host's state contradicts what it and the guest signed"
            )
        trial.add_signatures(part.sigs)
        before, self.ledger = self.ledger, trial
        return list(events_of(before, trial, *trial.line[-1]))

    def _contradicts_signed(self, other: Ledger) -> bool:
        """Whether `other` contradicts the log of a player whom it does not prove at fault.

        If we accepted that, a player who has lost could replace the game by an old claim.
        """
        at_fault = None if other.fault is None else other.fault.role
        return any(
            one.digest != another.digest
            for role in Role
            if role is not at_fault
            for one, another in zip(self.ledger.log(role), other.log(role), strict=False)
        )

    def _accept(self, ledger: Ledger, role: Role, message: AnyLogMessage) -> list[Effect]:
        before = ledger.copy()
        ledger.accept(role, message)
        return list(events_of(before, ledger, role, message))
