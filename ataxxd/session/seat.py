"""A player's place in a game: its ledger and key, and the writing of messages.

What it writes it first takes into its own ledger, as everybody else will.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.rules import Side
from ataxxd.session.changes import changes
from ataxxd.session.effects import (
    Effect,
    Keep,
    PublishState,
    Send,
)
from ataxxd.session.handshake import host_side
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd_protocol import SigningKey, signature_holds, signed
from ataxxd_protocol.messages import (
    Abort,
    AnyLogMessage,
    Chat,
    Consent,
    Draw,
    DrawAnswer,
    Join,
    Move,
    Recall,
    Reject,
    Resign,
    Score,
    SignedMessage,
    Start,
    Sync,
    Takeback,
)
from ataxxd_protocol.version import bounds_claims

# Messages repeated for one request; the rest follow on the next.
RESEND_LIMIT = 64
# A person says no more in the moment in which the opponent may miss it.
MOST_LAST_WORDS = 8

_MODELS: dict[str, type[AnyLogMessage]] = {
    "join": Join,
    "start": Start,
    "move": Move,
    "resign": Resign,
    "draw": Draw,
    "draw-answer": DrawAnswer,
    "takeback": Takeback,
    "abort": Abort,
    "score": Score,
}


@dataclass(frozen=True, slots=True)
class Times:
    """What a player can say of the time that it is claimed to have let go by.

    Attributes:
        had_ms: how long it can have had what it was to answer before it did.
        since_ms: how long ago it had written what the claimant answered, or waits after.
    """

    had_ms: int
    since_ms: int


Timing: TypeAlias = Callable[[int, int], Times]
"""Gives the `Times` about a claim by the numbers of two messages: ours that the claim names as
seen, and the claimant's before the claim."""


class Seat:
    """One player's place in one game; see `ataxxd.session.player.PlayerSession`.

    Attributes:
        ledger: the game so far.
        role: which player this is.
        resigning: we resign as soon as it is our turn. Only the player on turn may write, so
            a decision to resign that comes earlier waits for it.
    """

    def __init__(
        self,
        ledger: Ledger,
        role: Role,
        key: SigningKey,
        secret: str = "",
        invitation: str = "",
        *,
        resigning: bool = False,
    ) -> None:
        """Take up a game, new or restored from its journal.

        Args:
            ledger: the game so far, every message of it accepted.
            role: our role in it.
            key: our key; its node must be the one the ledger has for `role`.
            secret: for the host, what the offer's ``commit`` commits to.
            invitation: the secret that an invitation tells, where only the invited may join.
            resigning: it was decided before a restart.
        """
        self.ledger = ledger
        self.role = role
        self.resigning = resigning
        self._key = key
        self._secret = secret
        self._invitation = invitation
        # The number last asked for: asking twice for one message is for the next silence or
        # connection, or two nodes that cannot agree would ask each other as fast as they can.
        self._asked: int | None = None
        self._timing: Timing | None = None
        # What each side is willing to do, while it is current.
        self._given: Consent | None = None
        self._heard: Consent | None = None
        self._refused: list[Consent] = []
        self._chatted_ms = self._spoken_ms = 0
        # Said after the end, when the opponent may just be between two connections.
        self._last_words: list[Chat] = []

    @property
    def side(self) -> Side | None:
        """Our side, None before the start."""
        return self.ledger.side_of(self.role)

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None while there is none."""
        if self.role is Role.GUEST:
            return self.ledger.offer.host
        return self.ledger.join.author if self.ledger.join else None

    @property
    def opponent_knows_the_end(self) -> bool:
        """True when the game is over and the opponent has shown that it knows, or cheated."""
        if self.ledger.outcome is None or self.ledger.fault is not None:
            return self.ledger.outcome is not None
        if self.ledger.decision is self.role.other:
            return True
        ours, theirs = self.ledger.log(self.role), self.ledger.log(self.role.other)
        ends = [n for n, each in enumerate(ours) if not isinstance(each, Score) or each.decisive]
        return theirs[-1].seen in {each.digest for each in ours[ends[-1] :]}

    def vouches(self, note: SignedMessage) -> bool:
        """True when a note is signed by the opponent of this game."""
        key = self.ledger.key_of(self.role.other)
        return key is not None and signature_holds(note, key)

    # Writing

    def _write(self, kind: str, free: Mapping[str, object]) -> list[Effect]:
        move = free.get("move")
        fields = self.ledger.predict(
            self.role, kind, str(move) if move is not None else None
        ) | dict(free)
        message = signed(_MODELS[kind].model_validate(fields), self._key)
        return self._take(self.role, message)

    def _write_score(self) -> list[Effect]:
        return self._write("score", self._answer_to_claim())

    def _answer_to_claim(self) -> dict[str, int]:
        """What we say of our times, where we are claimed from."""
        ledger, place = self.ledger, self.ledger.decided_at
        if ledger.claim is None or place is None or self._timing is None:
            return {}
        claim = ledger.line[place][1]
        seen = ledger.count_up_to(self.role, claim.seen)
        if not seen or ledger.decision is self.role:
            return {}
        times = self._timing(seen - 1, claim.n - 1)
        if not bounds_claims(ledger.offer.v):
            # There nothing else says that no more time than this has passed.
            return {"had_ms": min(times.had_ms, times.since_ms)}
        return {"had_ms": times.had_ms, "since_ms": times.since_ms}

    def _write_start(self, join: Join) -> list[Effect]:
        side = host_side(self.ledger.offer, self._secret, join)
        return self._write("start", {"host_side": side, "secret": self._secret})

    def _take(self, role: Role, message: AnyLogMessage) -> list[Effect]:
        before = self.ledger.copy()
        fault = self.ledger.accept(role, message)
        effects: list[Effect] = [Keep(role, message)]
        if role is self.role:
            effects.append(Send(message))
        effects += changes(before, self.ledger, role, message)
        if fault is None and isinstance(message, Join):
            return effects
        if self.ledger.phase is Phase.CLOSED and role is Role.HOST and self.role is Role.GUEST:
            # So the host knows that its last word has arrived; its state tells it of ours.
            effects.append(Send(self._sync()))
        if self.ledger.scorer is self.role:
            return [*effects, *self._write_score()]
        if self.role is Role.HOST:
            effects.append(PublishState())
        return [*effects, *self._resign_if_due()]

    def _resign_if_due(self) -> list[Effect]:
        """Carry out the decision to resign, should it be our turn now."""
        ledger = self.ledger
        ours = ledger.phase is Phase.PLAYING and ledger.on_turn is self.role
        if not self.resigning or not ours or ledger.must_move:
            return []
        self.resigning = False
        return self._write("resign", {})

    def _resend(self, need: int) -> list[Effect]:
        return [Send(message) for message in self.ledger.log(self.role)[need : need + RESEND_LIMIT]]

    def _recall(self, head: int) -> list[Effect]:
        """Give the opponent back what it has said and does not know any more."""
        game, author = self.ledger.game, self._key.node
        lost = self.ledger.log(self.role.other)[head : head + RESEND_LIMIT]
        return [
            Send(signed(Recall(game=game, author=author, message=message), self._key))
            for message in lost
            # One that came out of a state alone carries no signature, and is in that state.
            if message.sig is not None
        ]

    def _ask(self) -> list[Effect]:
        return [] if self._asked == len(self.ledger.log(self.role.other)) else [Send(self._sync())]

    def _sync(self, echo: str | None = None) -> Sync:
        need, head = len(self.ledger.log(self.role.other)), len(self.ledger.log(self.role))
        self._asked = need
        game, author = self.ledger.game, self._key.node
        sync = Sync(game=game, author=author, need=need, head=head, echo=echo)
        return signed(sync, self._key)

    def _reject(self, join: Join, code: str, reason: str) -> Send:
        reject = Reject(
            game=self.ledger.game,
            author=self._key.node,
            to=join.author,
            join=join.digest,
            code=code,
            reason=reason,
        )
        return Send(signed(reject, self._key))

    # Consent

    def _current(self, consent: Consent | None) -> bool:
        return (
            consent is not None
            and self.ledger.phase is Phase.PLAYING
            and consent.tip == self.ledger.tip
        )

    def _consent(self, what: str, to: int | None) -> list[Effect]:
        """Give our consent, and carry it out when we are on turn and both are willing."""
        game, tip = self.ledger.game, self.ledger.tip
        consent = Consent.model_validate(
            {"game": game, "from": self._key.node, "what": what, "to": to, "tip": tip}
        )
        self._given = signed(consent, self._key)
        # Whoever wants it now does not refuse it any more.
        self._refused = [each for each in self._refused if (each.what, each.to) != (what, to)]
        return self._agreed() or [Send(self._given)]

    def _agreed(self) -> list[Effect]:
        given, heard = self._given, self._heard
        if given is None or heard is None or self.ledger.on_turn is not self.role:
            return []
        if not (self._current(given) and self._current(heard)):
            return []
        if (given.what, given.to) != (heard.what, heard.to):
            return []
        to = {} if heard.to is None else {"to": heard.to}
        return self._write(heard.what, to | {"consent": heard.fields()})
