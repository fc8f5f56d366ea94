"""A player's end of a game: host or guest.

Everything that reaches it is either taken into the ledger, answered, or ignored; nothing
a stranger, a broker or a cheat sends can raise out of `receive`. Calls that come from our
own side raise `LocalProtocolError` and then nothing has changed. Knows no I/O and no clock.
"""

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Side
from ataxxd.session.acts import ActingSeat
from ataxxd.session.effects import (
    Asked,
    Effect,
    Ignored,
    Rejected,
    Said,
    Send,
)
from ataxxd.session.handshake import check_join, check_ticket
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import check_signatures, replay
from ataxxd.session.roles import Role
from ataxxd.session.seat import Timing
from ataxxd.session.state import IN_PLAY, Phase, Reception
from ataxxd_protocol import signature_holds
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    Chat,
    Consent,
    Join,
    LogMessage,
    Reject,
    Score,
    StatePart,
    Sync,
)


class PlayerSession(ActingSeat):
    """One player's side of one game.

    Attributes:
        ledger: the game so far.
        role: which player this is.
    """

    def receive(self, message: AnyMessage, timing: Timing | None = None) -> list[Effect]:
        """Take in a message from the game's topics, whoever sent it; its content never raises.

        Args:
            message: what came.
            timing: what we know of our times, told should this be a claim that we did not
                answer; None when we cannot say.
        """
        self._timing = timing
        try:
            match message:
                case Join() if self.role is Role.HOST and message.n == 0:
                    return self._on_join(message)
                case LogMessage():
                    return self._on_log_message(message)
                case Sync():
                    return self._on_sync(message)
                case Reject():
                    return self._on_reject(message)
                case StatePart():
                    return self._on_state(message)
                case Consent():
                    return self._on_consent(message)
                case Chat():
                    return self._on_chat(message)
                case _:
                    return []
        except RemoteProtocolError as error:
            return [Ignored(error.code, str(error))]

    def reconnected(self) -> list[Effect]:
        """What to say when the connection is new: how far we are, and what may have been lost."""
        if self.ledger.phase is Phase.JOINED and self.role is Role.GUEST:
            return [Send(self.ledger.log(Role.GUEST)[0])]
        if self.opponent is None or self.ledger.phase is Phase.OPEN:
            return []
        newest = self.ledger.log(self.role)[-1:]
        given = self._given
        asking = [Send(given)] if given is not None and self._current(given) else []
        return [*map(Send, newest), *asking, *self.repeated_talk(), Send(self._sync())]

    def repeated_talk(self) -> list[Effect]:
        """What was said after the end, once more: who has heard it ignores it."""
        return [Send(chat) for chat in self._last_words]

    def resumed(self, timing: Timing | None = None) -> list[Effect]:
        """Write what we still owe after a restart: a start, a score, or a resignation.

        Args:
            timing: as of `receive`, should a claim wait for its answer.
        """
        self._timing = timing
        ledger = self.ledger
        if ledger.phase is Phase.JOINED and self.role is Role.HOST and ledger.join is not None:
            return self._write_start(ledger.join)
        if ledger.scorer is self.role:
            return self._write_score()
        return self._resign_if_due()

    def _on_join(self, join: Join) -> list[Effect]:
        if join.game != self.ledger.game:
            raise RemoteProtocolError("chain/other-game", "the join is for another game")
        accepted = self.ledger.join
        if accepted is not None:
            if join.digest == accepted.digest:
                return self._resend(0)
            check_join(self.ledger.offer, join)
            # The accepted guest may have lost its journal and asked anew: the first join stands.
            return [
                self._reject(
                    join,
                    "seat/taken",
                    f"the seat is taken by {accepted.author}; watch the game instead",
                )
            ]
        try:
            check_join(self.ledger.offer, join)
            check_ticket(self.ledger.offer, join, self._invitation)
        except RemoteProtocolError as error:
            if error.code.startswith(("handshake/", "seat/")):
                return [self._reject(join, error.code, str(error))]
            raise
        return [*self._take(Role.GUEST, join), *self._write_start(join)]

    def _on_log_message(self, message: AnyLogMessage) -> list[Effect]:
        role = self.role.other
        if message.game != self.ledger.game or message.author != self.opponent:
            raise RemoteProtocolError(
                "chain/stranger", f"{message.author} has no seat in this game"
            )
        reception = self.ledger.reception(role, message)
        key = self.ledger.key_of(role)
        if reception is Reception.DUPLICATE:
            return []
        if key is None or not signature_holds(message, key):
            raise RemoteProtocolError(
                "chain/forged", f"message {message.n} in the {role}'s name is not signed by it"
            )
        if reception is Reception.GAP:
            return self._ask()
        if reception is Reception.CONFLICT:
            return self._accuse(message)
        return self._take(role, message)

    def _accuse(self, message: AnyLogMessage) -> list[Effect]:
        if self.ledger.phase not in IN_PLAY:
            raise RemoteProtocolError(
                "chain/double-dealing", f"a second message {message.n}, after the game"
            )
        if isinstance(message, Join) or (isinstance(message, Score) and message.proof is not None):
            raise RemoteProtocolError(
                "chain/double-dealing",
                f"a second message {message.n}, but a {message.type} of this kind proves nothing",
            )
        side = self.side
        return self._write(
            "score",
            {
                "score": "1-0" if side is Side.FIRST else "0-1",
                "termination": "double-dealing",
                "proof": message.fields(),
            },
        )

    def _on_sync(self, sync: Sync) -> list[Effect]:
        key = self.ledger.key_of(self.role.other)
        if sync.game != self.ledger.game or sync.author != self.opponent or key is None:
            raise RemoteProtocolError("chain/stranger", f"{sync.author} has no seat in this game")
        if not signature_holds(sync, key):
            raise RemoteProtocolError(
                "chain/forged", "a request in the opponent's name is not signed by it"
            )
        self.ledger.check_sync(sync)
        effects = [*self._resend(sync.need), *self._recall(sync.head)]
        if sync.nonce is not None:
            # Behind what it lacks: who hears it has heard all of that.
            effects.append(Send(self._sync(echo=sync.nonce)))
        elif sync.head > len(self.ledger.log(self.role.other)):
            effects += self._ask()
        return effects

    def _on_reject(self, reject: Reject) -> list[Effect]:
        ours = self.ledger.log(Role.GUEST)
        if (
            self.role is not Role.GUEST
            or self.ledger.phase is not Phase.JOINED
            or reject.to != self._key.node
        ):
            return []
        if reject.game != self.ledger.game or reject.join != ours[0].digest:
            return []
        if reject.author != self.ledger.offer.host or not signature_holds(
            reject, self.ledger.offer.key
        ):
            raise RemoteProtocolError(
                "chain/forged", "a refusal in the host's name is not signed by it"
            )
        return [Rejected(reject.code, reject.reason)]

    def _on_state(self, part: StatePart) -> list[Effect]:
        """What the host said last, and what a lost refusal said, should the host be gone."""
        ledger = self.ledger
        known = len(ledger.log(Role.HOST))
        if self.role is Role.GUEST and known == 0 and self._went_to_another(part):
            return [Rejected("seat/taken", "the host has given the seat to somebody else")]
        count = sum(entry.by == Role.HOST.value for entry in part.entries)
        # Only the newest is signed for itself, and only it can be believed alone.
        if self.role is Role.HOST or part.first != 0 or count != known + 1:
            return []
        if part.game != ledger.game or not self.vouches(part):
            return []
        told = Ledger(ledger.offer)
        replay(told, part.entries)
        check_signatures(told, part.sigs)
        told.seal(part.sigs)
        return self._on_log_message(told.log(Role.HOST)[-1])

    def _went_to_another(self, part: StatePart) -> bool:
        waits = self.ledger.phase is Phase.JOINED
        if not waits or part.game != self.ledger.game or part.first != 0 or not part.entries:
            return False
        ours = self.ledger.log(Role.GUEST)[0].digest
        return not ours.startswith(part.entries[0].check) and self.vouches(part)

    def _on_consent(self, consent: Consent) -> list[Effect]:
        if consent.game != self.ledger.game or consent.author != self.opponent:
            raise RemoteProtocolError("chain/stranger", f"{consent.author} has no seat here")
        if not self._current(consent) or consent == self._heard or consent in self._refused:
            return []
        if not self.vouches(consent):
            raise RemoteProtocolError(
                "chain/forged", "a consent in the opponent's name is not signed by it"
            )
        self._heard = consent
        return self._agreed() or [Asked(self.role.other, consent.what, consent.to)]

    def _on_chat(self, chat: Chat) -> list[Effect]:
        if chat.game != self.ledger.game or chat.author != self.opponent:
            raise RemoteProtocolError("chain/stranger", f"{chat.author} has no seat here")
        if chat.at_ms <= self._chatted_ms or not self.vouches(chat):
            return []
        self._chatted_ms = chat.at_ms
        return [Said(self.role.other, chat.text)]
