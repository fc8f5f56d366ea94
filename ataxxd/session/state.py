"""What a game stands at: both mailboxes, the position, and who may write next.

Pure data with questions; `ataxxd.session.rulings` says what a message does to it and
`ataxxd.session.ledger` takes messages in.
"""

from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Self

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.handshake import check_offer
from ataxxd.session.roles import Role
from ataxxd_protocol import position_digest
from ataxxd_protocol.messages import AnyLogMessage, Entry, Join, Offer, Proof, Signatures


class Phase(Enum):
    """Where the game stands."""

    OPEN = "open"
    JOINED = "joined"
    PLAYING = "playing"
    ASKED = "asked"
    OVER = "over"
    SCORED = "scored"
    CLOSED = "closed"


IN_PLAY = frozenset({Phase.PLAYING, Phase.ASKED})
"""The phases in which a breach of the rules ends the game."""


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


class GameState:
    """One game as its messages tell it.

    Attributes:
        offer: what the game is.
        game: its id, the offer's digest.
        phase: where it stands.
        start: the position the offer names.
        opening: the moves that the offer brings along.
        position: the position after the newest accepted move.
        moves: every move from `start` on, the opening's first.
        must_move: True after a draw was refused: its offerer may only move.
        outcome: the result by the rules, or None.
        fault: the breach that ended the game, or None.
        disputed: True when a player's score is not the result.
        first_scorer: who wrote the first of the two scores, or None.
        entries: the record so far.
    """

    def __init__(self, offer: Offer) -> None:
        """Open the game of `offer`.

        Raises:
            RemoteProtocolError: the offer is forged or cannot be played here
                (see `ataxxd.session.handshake.check_offer`).
        """
        self.offer = offer
        self.game = offer.digest
        self.start, self.opening, self.position = check_offer(offer)
        self.moves: tuple[Move, ...] = self.opening
        self.phase = Phase.OPEN
        self.must_move = False
        self.outcome: Outcome | None = None
        self.fault: Fault | None = None
        self.disputed = False
        self.first_scorer: Role | None = None
        self.join: Join | None = None
        self.host_side: Side | None = None
        self.entries: tuple[Entry, ...] = ()
        self._logs: dict[Role, tuple[AnyLogMessage, ...]] = {Role.HOST: (), Role.GUEST: ()}

    def copy(self) -> Self:
        """An independent one with the same content."""
        twin = copy(self)
        twin._logs = dict(self._logs)  # noqa: SLF001 - its own class
        return twin

    # Who is who

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

    # Who writes next

    @property
    def on_turn(self) -> Role | None:
        """Who may write next while the game is in play; None when it is not."""
        if self.phase not in IN_PLAY:
            return None
        mover = self.role_playing(self.position.turn)
        return mover.other if self.phase is Phase.ASKED else mover

    @property
    def scorer(self) -> Role | None:
        """Who writes the score next; None when nobody does."""
        if self.phase is Phase.OVER:
            by_host = self.fault is not None and self.fault.role is Role.HOST
            return Role.GUEST if by_host else Role.HOST
        if self.phase is Phase.SCORED:
            return None if self.first_scorer is None else self.first_scorer.other
        return None

    @property
    def ply(self) -> int:
        """The number of the next ply, from 1."""
        return len(self.moves) + 1

    # The mailboxes

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

    def _append(self, role: Role, message: AnyLogMessage, entry: Entry) -> None:
        self._logs[role] = (*self._logs[role], message)
        self.entries = (*self.entries, entry)


def digest_of(position: Position) -> str:
    """What names a position on the wire."""
    return position_digest(position.ruleset, position.text)
