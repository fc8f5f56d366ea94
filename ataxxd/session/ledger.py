"""The judge: both mailboxes of one game, checked message by message.

The host, the guest, a spectator and ``verify`` all feed the same ledger, so all come to
the same result. It is pure: no I/O, no clock, no secrets. Its rules:

- A mailbox is numbered and chained (``n``, ``prev``); ``seen`` ties it to the other one.
- Until the game is over exactly one player may write: the host answers a join, then the
  player on turn moves or resigns. So the two mailboxes are one line of messages.
- A signed, in-sequence message that breaks a rule during play is kept, is proof against
  its author, and ends the game: its author loses. It is proof because its ``prev`` and
  ``seen`` bind the whole game before it to its author's signature. Where they do not fit,
  it proves nothing by itself (whoever shows it may have left out or invented what it does
  not name) and is refused without effect.
- When the game is over both sides write the score: the host first, unless the game ended
  by the host's fault.

`TRANSITIONS` is the whole table; a pair that is not in it is a fault of the author
during play, and is refused without effect at any other time.

Signatures are checked by whoever feeds the ledger (`ataxxd.session.handshake` and the
sessions), because a record carries only the newest of each side.
"""

# ruff: noqa: SLF001 -- the table of transitions names the ledger's own handlers

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Move as BoardMove
from ataxxd.rules import Outcome, Position, RulesError, Side
from ataxxd.session.handshake import (
    check_join_fits,
    check_offer,
    commitment,
    host_side,
)
from ataxxd.session.roles import SIDE_BY_NAME, Role
from ataxxd_protocol import PROTOCOL_VERSION, position_digest, signature_holds
from ataxxd_protocol.messages import (
    AnyLogMessage,
    Entry,
    Join,
    Move,
    Offer,
    Proof,
    Resign,
    Score,
    Signatures,
    Start,
)


class Phase(Enum):
    """Where the game stands."""

    OPEN = "open"
    JOINED = "joined"
    PLAYING = "playing"
    OVER = "over"
    SCORED = "scored"
    CLOSED = "closed"


class Reception(Enum):
    """How a message of a player stands to the mailbox it belongs to.

    ``conflict``: it cannot be of the same mailbox, so its author keeps two.
    """

    NEXT = "next"
    DUPLICATE = "duplicate"
    GAP = "gap"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Fault:
    """A provable breach of the protocol by a player.

    Attributes:
        role: who broke it.
        code: the wire's namespaced code, such as ``move/illegal``.
        text: what was wrong, in words.
    """

    role: Role
    code: str
    text: str


# How a fault is named as the reason of the result; any other is a protocol violation.
_TERMINATIONS = {
    "move/illegal": "illegal-move",
    "move/wrong-position": "desync",
    "chain/double-dealing": "double-dealing",
}

_CHECK_LENGTH = 16
_LOG_MESSAGE: TypeAdapter[AnyLogMessage] = TypeAdapter(
    Annotated[AnyLogMessage, Field(discriminator="type")]
)


class Ledger:
    """One game as its messages tell it.

    Attributes:
        offer: what the game is.
        game: its id, the offer's digest.
        phase: where it stands.
        position: the position after the newest accepted move.
        moves: every accepted move, in order.
        outcome: the result by the rules, or None.
        fault: the breach that ended the game, or None.
        disputed: True when a player's score is not the result.
        entries: the record so far.
    """

    def __init__(self, offer: Offer) -> None:
        """Open the ledger of `offer`.

        Raises:
            RemoteProtocolError: the offer is forged or cannot be played here
                (see `ataxxd.session.handshake.check_offer`).
        """
        self.offer = offer
        self.game = offer.digest
        self.start = check_offer(offer)
        self.position = self.start
        self.phase = Phase.OPEN
        self.moves: tuple[BoardMove, ...] = ()
        self.outcome: Outcome | None = None
        self.fault: Fault | None = None
        self.disputed = False
        self.join: Join | None = None
        self.host_side: Side | None = None
        self.entries: tuple[Entry, ...] = ()
        self._logs: dict[Role, tuple[AnyLogMessage, ...]] = {Role.HOST: (), Role.GUEST: ()}

    def copy(self) -> "Ledger":
        """An independent ledger with the same content."""
        twin = copy(self)
        twin._logs = dict(self._logs)
        return twin

    # What it says

    def role_of(self, node: str) -> Role | None:
        """The role of a node id in this game, None for a stranger."""
        if node == self.offer.host:
            return Role.HOST
        return Role.GUEST if self.join is not None and node == self.join.author else None

    def key_of(self, role: Role) -> str | None:
        """The public key of a player; None while there is no guest."""
        if role is Role.HOST:
            return self.offer.key
        return None if self.join is None else self.join.key

    def side_of(self, role: Role) -> Side | None:
        """The side a player has; None before the start."""
        if self.host_side is None:
            return None
        return self.host_side if role is Role.HOST else self.host_side.opponent

    def role_playing(self, side: Side) -> Role:
        """The player who has `side`, once the game has started."""
        return Role.HOST if side == self.host_side else Role.GUEST

    @property
    def on_turn(self) -> Role | None:
        """Who moves next; None when nobody may."""
        return self.role_playing(self.position.turn) if self.phase is Phase.PLAYING else None

    @property
    def scorer(self) -> Role | None:
        """Who writes the score next; None when nobody does."""
        if self.phase is Phase.OVER:
            return (
                Role.GUEST if self.fault is not None and self.fault.role is Role.HOST else Role.HOST
            )
        if self.phase is Phase.SCORED:
            return Role.HOST if isinstance(self.log(Role.GUEST)[-1], Score) else Role.GUEST
        return None

    def log(self, role: Role) -> tuple[AnyLogMessage, ...]:
        """The accepted messages of a player's mailbox."""
        return self._logs[role]

    def head(self, role: Role) -> str:
        """Digest of a player's newest message; the game id when there is none."""
        return self._logs[role][-1].digest if self._logs[role] else self.game

    def knows(self, role: Role, digest: str) -> bool:
        """True when `digest` names an accepted message of a player, or is the game id."""
        return digest == self.game or any(
            message.digest == digest for message in reversed(self._logs[role])
        )

    @property
    def signatures(self) -> Signatures:
        """The newest known signature of each side over its newest message."""
        return Signatures(
            host=self._logs[Role.HOST][-1].sig if self._logs[Role.HOST] else None,
            guest=self._logs[Role.GUEST][-1].sig if self._logs[Role.GUEST] else None,
        )

    def reception(self, role: Role, message: AnyLogMessage | Proof) -> Reception:
        """How `message`, signed by the player in `role`, stands to its mailbox."""
        log = self._logs[role]
        if message.n > len(log):
            return Reception.GAP
        if message.n == len(log):
            # A number twice, or a next message after another previous one: two stories.
            return Reception.NEXT if message.prev == self.head(role) else Reception.CONFLICT
        return (
            Reception.DUPLICATE if log[message.n].digest == message.digest else Reception.CONFLICT
        )

    def seal(self, sigs: Signatures) -> None:
        """Put checked signatures on the newest messages, which came from a record without them."""
        for role, sig in ((Role.HOST, sigs.host), (Role.GUEST, sigs.guest)):
            if self._logs[role]:
                *older, newest = self._logs[role]
                self._logs[role] = (*older, newest.model_copy(update={"sig": sig}))

    # What the next message looks like

    def predict(
        self, role: Role, kind: str | None = None, move: str | None = None
    ) -> dict[str, Any]:
        """The fields of the next message of `role` as far as this ledger knows them.

        Args:
            role: the author.
            kind: the message type; the usual one of this phase when None.
            move: for a move, its text, from which the position after it follows.
        """
        kind = kind or _USUAL[self.phase]
        node = self.offer.host if role is Role.HOST else self.join.author if self.join else None
        fields: dict[str, Any] = {
            "type": kind,
            "game": self.game,
            "n": len(self._logs[role]),
            "prev": self.head(role),
            "seen": self.head(role.other),
        }
        if node is not None:
            fields["from"] = node
        match kind:
            case "join":
                fields |= {
                    "v": PROTOCOL_VERSION,
                    "ruleset": self.offer.ruleset,
                    "start_hash": self.offer.start_hash,
                }
            case "start" if self.join is not None:
                fields["guest"] = self.join.author
                if self.offer.color != "random":
                    fields["host_side"] = self.offer.color
            case "move":
                fields["ply"] = len(self.moves) + 1
                after = self._after(move) if move is not None else None
                if after is not None:
                    fields["position"] = _digest_of(after)
            case "resign":
                fields["ply"] = len(self.moves) + 1
            case "score":
                fields["position"] = _digest_of(self.position)
                if self.outcome is not None:
                    fields |= {"score": self.outcome.score, "termination": self.outcome.termination}
            case _:
                pass
        return fields

    def entry(self, role: Role, message: AnyLogMessage) -> Entry:
        """`message`, the next of `role`, as the record keeps it."""
        fields = message.fields()
        fields.pop("sig", None)
        expected = self.predict(role, message.type, fields.get("move")) | {
            "type": _USUAL[self.phase]
        }
        free = {name: value for name, value in fields.items() if expected.get(name) != value}
        return Entry(by=role.value, set=free, check=message.digest[:_CHECK_LENGTH])

    def expand(self, entry: Entry) -> tuple[Role, AnyLogMessage]:
        """The message that `entry`, the next of a record, stands for; without its signature.

        Raises:
            RemoteProtocolError: ``record/entry``: the entry makes no message, is not written
                as `entry` writes it, or its check differs.
        """
        role = Role(entry.by)
        kind, move = entry.set.get("type", _USUAL[self.phase]), entry.set.get("move")
        fields = self.predict(role, str(kind), str(move) if move is not None else None) | entry.set
        if kind == "move" and move is not None and "position" not in fields:
            raise RemoteProtocolError(
                "record/entry",
                f"{move} is not legal here, and was when it was played: it was altered",
            )
        try:
            message = _LOG_MESSAGE.validate_python(fields)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in fault["loc"][1:])
            raise RemoteProtocolError("record/entry", f"{where}: {fault['msg']}") from None
        if message.digest[:_CHECK_LENGTH] != entry.check:
            raise RemoteProtocolError(
                "record/entry", "its content does not match its check: it was altered"
            )
        if self.entry(role, message) != entry:
            raise RemoteProtocolError("record/entry", "it is not in the shortest form")
        return role, message

    # Taking messages in

    def accept(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """Take in the next message of a player's mailbox, whose signature is known to hold.

        Returns:
            The fault, when the message breaks a rule of play: it is kept as the proof and
            the game is over. None otherwise.

        Raises:
            RemoteProtocolError: the message has no place here; nothing has changed.
        """
        if message.game != self.game:
            raise RemoteProtocolError("chain/other-game", "the message belongs to another game")
        if self.reception(role, message) is not Reception.NEXT:
            raise RemoteProtocolError(
                "chain/not-next", f"{role} message {message.n} is not the next of its mailbox"
            )
        if not self.knows(role.other, message.seen):
            raise RemoteProtocolError(
                "chain/unknown-seen",
                f"{role} message {message.n} answers a {role.other} message that is not here",
            )
        handler = TRANSITIONS.get((self.phase, message.type))
        entry = self.entry(role, message)
        if self.phase is Phase.PLAYING:
            fault = self._late(role, message)
            if fault is None and handler is not None:
                fault = handler(self, role, message)
            elif fault is None:
                fault = Fault(
                    role, "order/unexpected", f"a {message.type} has no place in mid-game"
                )
            if fault is not None:
                self._end(_TERMINATIONS.get(fault.code, "protocol-violation"), role.other, fault)
        else:
            if handler is None:
                raise RemoteProtocolError(
                    "order/unexpected",
                    f"a {message.type} by the {role} has no place while the game is "
                    f"{self.phase.value}",
                )
            late = self._late(role, message)
            if late is not None:
                raise RemoteProtocolError(late.code, late.text)
            fault = handler(self, role, message)
        self._logs[role] = (*self._logs[role], message)
        self.entries = (*self.entries, entry)
        return fault

    def _late(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """The fault of writing again without having waited for the other player's answer."""
        # An accuser may have written before it saw the offender's newest message.
        accuses = isinstance(message, Score) and message.proof is not None
        if message.seen != self.head(role.other) and not accuses:
            return Fault(
                role,
                "chain/wrong-seen",
                f"{role} message {message.n} does not follow the newest {role.other} message",
            )
        return None

    def _on_join(self, role: Role, message: AnyLogMessage) -> None:
        assert isinstance(message, Join)
        if role is not Role.GUEST:
            raise RemoteProtocolError("order/unexpected", "the host cannot join its own game")
        check_join_fits(self.offer, message)
        self.join = message
        self.phase = Phase.JOINED

    def _on_start(self, role: Role, message: AnyLogMessage) -> None:
        assert isinstance(message, Start)
        if role is not Role.HOST or self.join is None:
            raise RemoteProtocolError("order/unexpected", "only the host can start the game")
        if message.guest != self.join.author:
            raise RemoteProtocolError("start/guest", f"the host gave the seat to {message.guest}")
        if commitment(message.secret) != self.offer.commit:
            raise RemoteProtocolError(
                "start/secret", "the host's secret is not the one its offer commits to"
            )
        if message.host_side != host_side(self.offer, message.secret, self.join):
            raise RemoteProtocolError(
                "start/side", f"the host took the {message.host_side} side against its offer"
            )
        self.host_side = SIDE_BY_NAME[message.host_side]
        self.phase = Phase.PLAYING

    def _on_move(self, role: Role, message: AnyLogMessage) -> Fault | None:
        assert isinstance(message, Move)
        if role is not self.on_turn:
            return Fault(
                role, "move/not-your-turn", f"the {role} moved ({message.move}) out of turn"
            )
        if message.ply != len(self.moves) + 1:
            return Fault(
                role,
                "move/wrong-ply",
                f"the {role} called ply {len(self.moves) + 1} number {message.ply}",
            )
        try:
            move = self.position.parse_move(message.move)
            if move.text != message.move:
                return Fault(
                    role,
                    "move/illegal",
                    f"ply {message.ply}: {message.move!r} is not the text of {move.text}",
                )
            after = self.position.play(move)
        except RulesError as error:
            return Fault(role, "move/illegal", f"ply {message.ply}: {error}")
        if message.position != _digest_of(after):
            return Fault(
                role,
                "move/wrong-position",
                f"ply {message.ply}: the position after {move} is not what the {role} says",
            )
        self.position = after
        self.moves = (*self.moves, move)
        if after.outcome is not None:
            self.outcome = after.outcome
            self.phase = Phase.OVER
        return None

    def _on_resign(self, role: Role, message: AnyLogMessage) -> Fault | None:
        assert isinstance(message, Resign)
        if role is not self.on_turn:
            return Fault(role, "resign/not-your-turn", f"the {role} resigned out of turn")
        if message.ply != len(self.moves) + 1:
            return Fault(
                role,
                "move/wrong-ply",
                f"the {role} called ply {len(self.moves) + 1} number {message.ply}",
            )
        self._end("resignation", role.other)
        return None

    def _on_accusation(self, role: Role, message: AnyLogMessage) -> Fault | None:
        assert isinstance(message, Score)
        if message.proof is None:
            return Fault(
                role, "score/too-early", f"the {role} wrote a score before the game was over"
            )
        fault = self._double_dealing(role.other, message.proof)
        if fault is None:
            return Fault(
                role, "score/false-proof", f"the {role} accuses the {role.other} without proof"
            )
        self._end("double-dealing", role, fault)
        self._take_score(role, message)
        return None

    def _on_score(self, role: Role, message: AnyLogMessage) -> None:
        assert isinstance(message, Score)
        if self.scorer is not role:
            raise RemoteProtocolError(
                "score/order", f"it is not the {role}'s turn to write its score"
            )
        # A true proof may still come: written before its author saw that the game was over.
        if message.proof is not None and self._double_dealing(role.other, message.proof) is None:
            raise RemoteProtocolError(
                "score/false-proof", f"the {role} accuses the {role.other} without proof"
            )
        self._take_score(role, message)

    def _take_score(self, role: Role, message: Score) -> None:
        expected = self.predict(role, "score")
        if (message.score, message.termination, message.position) != tuple(
            expected[name] for name in ("score", "termination", "position")
        ):
            self.disputed = True
        self.phase = Phase.CLOSED if self.phase is Phase.SCORED else Phase.SCORED

    def _double_dealing(self, role: Role, proof: Proof) -> Fault | None:
        key = self.key_of(role)
        if proof.game != self.game or key is None or not signature_holds(proof, key):
            return None
        if self.reception(role, proof) is not Reception.CONFLICT:
            return None
        number = min(proof.n, len(self._logs[role]) - 1)
        return Fault(
            role,
            "chain/double-dealing",
            f"the {role} signed two different messages number {number}",
        )

    def _end(self, termination: str, winner: Role, fault: Fault | None = None) -> None:
        self.outcome = Outcome(termination, self.side_of(winner))
        self.fault = fault
        self.phase = Phase.OVER

    def _after(self, move: str) -> Position | None:
        try:
            return self.position.play(self.position.parse_move(move))
        except RulesError:
            return None


Handler = Callable[[Ledger, Role, AnyLogMessage], Fault | None]

TRANSITIONS: dict[tuple[Phase, str], Handler] = {
    (Phase.OPEN, "join"): Ledger._on_join,
    (Phase.JOINED, "start"): Ledger._on_start,
    (Phase.PLAYING, "move"): Ledger._on_move,
    (Phase.PLAYING, "resign"): Ledger._on_resign,
    (Phase.PLAYING, "score"): Ledger._on_accusation,
    (Phase.OVER, "score"): Ledger._on_score,
    (Phase.SCORED, "score"): Ledger._on_score,
}

_USUAL = {
    Phase.OPEN: "join",
    Phase.JOINED: "start",
    Phase.PLAYING: "move",
    Phase.OVER: "score",
    Phase.SCORED: "score",
    Phase.CLOSED: "score",
}


def _digest_of(position: Position) -> str:
    return position_digest(position.ruleset, position.text)
