"""A player's end of a game: host or guest.

Everything that reaches it is either taken into the ledger, answered, or ignored; nothing
a stranger, a broker or a cheat sends can raise out of `receive`. Calls that come from our
own side raise `LocalProtocolError` and then nothing has changed. Knows no I/O and no clock.
"""

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import Move as BoardMove
from ataxxd.rules import Position, Side, ruleset_info
from ataxxd.session.effects import (
    Closed,
    DrawOffered,
    DrawRejected,
    Effect,
    Ended,
    Ignored,
    Keep,
    Played,
    PublishState,
    Rejected,
    Send,
    Started,
)
from ataxxd.session.handshake import check_join, host_side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import IN_PLAY, Phase, Reception
from ataxxd_protocol import SigningKey, signature_holds, signed
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    Draw,
    DrawAnswer,
    Join,
    LogMessage,
    Move,
    Reject,
    Resign,
    Score,
    SignedMessage,
    Start,
    Sync,
)

# Messages repeated for one request; the rest follow on the next.
RESEND_LIMIT = 64

_MODELS: dict[str, type[AnyLogMessage]] = {
    "join": Join,
    "start": Start,
    "move": Move,
    "resign": Resign,
    "draw": Draw,
    "draw-answer": DrawAnswer,
    "score": Score,
}


class PlayerSession:
    """One player's side of one game.

    Attributes:
        ledger: the game so far.
        role: which player this is.
    """

    def __init__(self, ledger: Ledger, role: Role, key: SigningKey, secret: str = "") -> None:
        """Take up a game, new or restored from its journal.

        Args:
            ledger: the game so far, every message of it accepted.
            role: our role in it.
            key: our key; its node must be the one the ledger has for `role`.
            secret: for the host, what the offer's ``commit`` commits to.
        """
        self.ledger = ledger
        self.role = role
        self._key = key
        self._secret = secret
        # The number last asked for: asking twice for one message is for the next silence or
        # connection, or two nodes that cannot agree would ask each other as fast as they can.
        self._asked: int | None = None

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

    def vouches(self, note: SignedMessage) -> bool:
        """True when a note is signed by the opponent of this game."""
        key = self.ledger.key_of(self.role.other)
        return key is not None and signature_holds(note, key)

    # What our side does

    def ask_to_join(self, nonce: str, agent: str) -> list[Effect]:
        """The guest's first message.

        Raises:
            LocalProtocolError: not the guest, already asked, or this is our own game.
        """
        if self.role is not Role.GUEST or self.ledger.phase is not Phase.OPEN:
            raise LocalProtocolError(
                "order/unexpected", "only a guest who has not asked yet can ask to join"
            )
        if self._key.node == self.ledger.offer.host:
            raise LocalProtocolError(
                "join/self", "a node cannot join its own game; use another --home for a second one"
            )
        return self._write(
            "join",
            {"from": self._key.node, "key": self._key.public_key, "nonce": nonce, "agent": agent},
        )

    def play(self, move: BoardMove, elapsed_ms: int) -> list[Effect]:
        """Make a move on our turn.

        Raises:
            LocalProtocolError: the game has not begun, is over, or it is not our turn.
            IllegalMoveError: the rules forbid it.
        """
        self._require_turn()
        self.ledger.position.play(move)
        return self._write("move", {"move": move.text, "elapsed_ms": elapsed_ms})

    def resign(self) -> list[Effect]:
        """Give the game up on our turn.

        Raises:
            LocalProtocolError: the game has not begun, is over, or it is not our turn.
        """
        self._require_turn()
        self._require_free_choice()
        return self._write("resign", {})

    def offer_draw(self) -> list[Effect]:
        """Offer a draw on our turn, instead of moving.

        Raises:
            LocalProtocolError: not our turn, the game knows no agreed draws, or our last
                offer was rejected and we have not moved since.
        """
        self._require_turn()
        self._require_free_choice()
        if not ruleset_info(self.ledger.offer.ruleset).draw_offers:
            raise LocalProtocolError(
                "draw/unknown-here", f"{self.ledger.offer.ruleset} knows no agreed draws"
            )
        return self._write("draw", {})

    def answer_draw(self, *, accept: bool) -> list[Effect]:
        """Answer the opponent's offer of a draw.

        Raises:
            LocalProtocolError: no draw was offered to us.
        """
        if self.ledger.phase is not Phase.ASKED or self.ledger.on_turn is not self.role:
            raise LocalProtocolError("draw/not-offered", "no draw was offered to you")
        return self._write("draw-answer", {"answer": "accept" if accept else "reject"})

    def _require_free_choice(self) -> None:
        if self.ledger.must_move:
            raise LocalProtocolError(
                "draw/must-move", "your offer of a draw was rejected: now you must move"
            )

    def _require_turn(self) -> None:
        phase = self.ledger.phase
        if phase is Phase.ASKED:
            ours = self.ledger.on_turn is self.role
            raise LocalProtocolError(
                "draw/unanswered",
                "a draw is offered: accept or reject it first"
                if ours
                else "you offered a draw; wait for the answer",
            )
        if phase in (Phase.OPEN, Phase.JOINED):
            raise LocalProtocolError(
                "order/not-started", "the game has not begun: nobody has the other seat yet"
            )
        if phase is not Phase.PLAYING:
            raise LocalProtocolError("order/over", "the game is over")
        if self.ledger.on_turn is not self.role:
            raise LocalProtocolError(
                "order/not-your-turn", "it is the opponent's turn; wait for the answer"
            )

    # What reaches us

    def receive(self, message: AnyMessage) -> list[Effect]:
        """Take in a message from the game's topics, whoever sent it; its content never raises."""
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
        return [*map(Send, newest), Send(self._sync())]

    def resumed(self) -> list[Effect]:
        """Write what we still owe after a restart: the start after a join, or our score."""
        ledger = self.ledger
        if ledger.phase is Phase.JOINED and self.role is Role.HOST and ledger.join is not None:
            return self._write_start(ledger.join)
        return self._write("score", {}) if ledger.scorer is self.role else []

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
        except RemoteProtocolError as error:
            if error.code.startswith("handshake/"):
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
        effects = self._resend(sync.need)
        if sync.head > len(self.ledger.log(self.role.other)):
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

    # Writing

    def _write(self, kind: str, free: dict[str, object]) -> list[Effect]:
        move = free.get("move")
        fields = (
            self.ledger.predict(self.role, kind, str(move) if move is not None else None) | free
        )
        message = signed(_MODELS[kind].model_validate(fields), self._key)
        return self._take(self.role, message)

    def _write_start(self, join: Join) -> list[Effect]:
        side = host_side(self.ledger.offer, self._secret, join)
        return self._write("start", {"host_side": side, "secret": self._secret})

    def _take(self, role: Role, message: AnyLogMessage) -> list[Effect]:
        before, ply = self.ledger.position, len(self.ledger.moves)
        had_outcome = self.ledger.outcome is not None
        fault = self.ledger.accept(role, message)
        effects: list[Effect] = [Keep(role, message)]
        if role is self.role:
            effects.append(Send(message))
        effects += events_of(self.ledger, role, message, before, ply=ply, had_outcome=had_outcome)
        if fault is None and isinstance(message, Join):
            return effects
        if self.ledger.scorer is self.role:
            return [*effects, *self._write("score", {})]
        if self.role is Role.HOST:
            effects.append(PublishState())
        return effects

    def _resend(self, need: int) -> list[Effect]:
        return [Send(message) for message in self.ledger.log(self.role)[need : need + RESEND_LIMIT]]

    def _ask(self) -> list[Effect]:
        return [] if self._asked == len(self.ledger.log(self.role.other)) else [Send(self._sync())]

    def _sync(self) -> Sync:
        need, head = len(self.ledger.log(self.role.other)), len(self.ledger.log(self.role))
        self._asked = need
        return signed(
            Sync(game=self.ledger.game, author=self._key.node, need=need, head=head), self._key
        )

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


def events_of(
    ledger: Ledger,
    role: Role,
    message: AnyLogMessage,
    before: Position,
    *,
    ply: int,
    had_outcome: bool,
) -> list[Effect]:
    """What became known when `message` was accepted; for players and spectators alike."""
    events: list[Effect] = []
    if isinstance(message, Start) and ledger.host_side is not None:
        events.append(Started(message.guest, ledger.host_side))
    if len(ledger.moves) > ply and isinstance(message, Move):
        move = ledger.moves[-1]
        events.append(Played(role, before.turn, move, before, message.elapsed_ms, message.ply))
    if isinstance(message, Draw) and ledger.phase is Phase.ASKED:
        events.append(DrawOffered(role))
    if isinstance(message, DrawAnswer) and ledger.phase is Phase.PLAYING:
        events.append(DrawRejected(role))
    if ledger.outcome is not None and not had_outcome:
        events.append(Ended(ledger.outcome, ledger.fault))
    if ledger.phase is Phase.CLOSED:
        events.append(Closed(standing_of(ledger)))
    return events
