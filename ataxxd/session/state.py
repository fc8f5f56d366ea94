"""The state of a game: both mailboxes, the position, and who may write next.

Pure data with queries; `ataxxd.session.ledger` adds messages.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import islice
from typing import Generic, Self, TypeVar, overload

from ataxxd.rules import Move as BoardMove
from ataxxd.rules import Outcome, Position, Side
from ataxxd.session.handshake import read_offer
from ataxxd_protocol import position_digest
from ataxxd_protocol.messages import (
    AnyLogMessage,
    Claim,
    Entry,
    Join,
    Move,
    Offer,
    Proof,
    Signatures,
    Statement,
)
from ataxxd_protocol.version import free_first_ms

T = TypeVar("T")


class History(Sequence[T], Generic[T]):
    """An immutable sequence; adding an item gives a new one, which shares the other items.

    It equals any other, or a tuple, with the same items. Slices are tuples.
    """

    __slots__ = ("_count", "_items")

    def __init__(self, items: Iterable[T] = ()) -> None:
        """Create a sequence of some items."""
        self._items = [*items]
        self._count = len(self._items)

    def appended(self, item: T) -> "History[T]":
        """This sequence with `item` added at the end."""
        if len(self._items) > self._count:  # another history has been extended from this one
            return History((*self, item))
        made = History[T]()
        made._items = self._items
        made._items.append(item)
        made._count = self._count + 1
        return made

    def __len__(self) -> int:
        """The number of items."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """An item, or some as a tuple."""
        places = range(self._count)[index]
        if isinstance(places, int):
            return self._items[places]
        return tuple(self._items[place] for place in places)

    def __iter__(self) -> Iterator[T]:
        """The items, in order."""
        return islice(self._items, self._count)

    def __eq__(self, other: object) -> bool:
        """Whether another history, or a tuple, has the same items."""
        if not isinstance(other, (History, tuple)):
            return NotImplemented
        return self[:] == other[:]

    def __hash__(self) -> int:
        """The hash of its items, as a tuple's."""
        return hash(self[:])

    def __repr__(self) -> str:
        return f"History({[*self]!r})"


class Role(StrEnum):
    """A player's role, host or guest; the value is the name on the wire."""

    HOST = "host"
    GUEST = "guest"

    @property
    def other(self) -> "Role":
        """The opponent."""
        return Role.GUEST if self is Role.HOST else Role.HOST


class Phase(Enum):
    """How far a game has come.

    - ``OPEN``: offered, and nobody has the other seat.
    - ``JOINED``: a guest has asked for the seat, and the host has not started the game.
    - ``PLAYING``: under way, and no offer of a draw waits for an answer.
    - ``ASKED``: a draw is offered, and the other player is to answer.
    - ``OVER``: decided, and neither player has signed a score.
    - ``SCORED``: one player has signed a score.
    - ``CLOSED``: both players have signed a score; nothing follows.
    """

    OPEN = "open"
    JOINED = "joined"
    PLAYING = "playing"
    ASKED = "asked"
    OVER = "over"
    SCORED = "scored"
    CLOSED = "closed"


IN_PLAY = frozenset({Phase.PLAYING, Phase.ASKED})
"""The phases in which a breach of the rules ends the game."""
UNDER_WAY = IN_PLAY | {Phase.JOINED}
"""The phases in which somebody has the seat and nothing is decided."""


class Reception(Enum):
    """How a message fits into its author's mailbox.

    ``conflict``: it contradicts the mailbox, so its author has signed two versions of it.
    """

    NEXT = "next"
    DUPLICATE = "duplicate"
    GAP = "gap"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Fault:
    """A provable breach of the protocol by a player.

    Attributes:
        role: the player who broke it.
        code: the protocol's code, such as ``move/illegal``.
        text: what was wrong, in words.
    """

    role: Role
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A legal move.

    Attributes:
        text: the move as it was written.
        move: the move.
        after: the position after it.
        digest: the digest of that position.
    """

    text: str
    move: BoardMove
    after: Position
    digest: str


class GameState:
    """The state of one game, from its messages.

    Attributes:
        offer: the signed offer.
        game: the game id, which is the offer's digest.
        phase: how far the game has come.
        start: the position that the offer names.
        opening: the moves that the offer includes.
        position: the position after the newest accepted move.
        moves: every move from `start` on, the opening's first.
        must_move: True after a rejected draw: the side that offered it may only move.
        outcome: the result by the rules, or None.
        fault: the breach that ended the game, or None.
        false_scores: the players whose score is not the result.
        claim: the reason for which the game was claimed, or None.
        contested: True if the times in the other player's answer contradict the claim.
        decision: the player who ended the game by a score (a proof or a claim, valid or not), or
            None.
        decided_at: the index of that score in `line`.
        first_scorer: the player who wrote the first of the two scores, or None.
        entries: the record so far.
        line: the messages in order, each with its author's role.
        statements: those of the witnesses (see `ataxxd.session.witnesses`).
    """

    def __init__(self, offer: Offer) -> None:
        """Open the game of `offer`.

        Raises:
            RemoteProtocolError: the offer is forged or cannot be played here
                (see `ataxxd.session.handshake.read_offer`).
        """
        self.offer = offer
        self.game = offer.digest
        self.start, self.opening, self.position = read_offer(offer)
        offer.slim()
        self.moves: tuple[BoardMove, ...] = self.opening
        self.phase = Phase.OPEN
        self.must_move = False
        self.outcome: Outcome | None = None
        self.fault: Fault | None = None
        self.false_scores: tuple[Role, ...] = ()
        self.claim: Claim | None = None
        self.contested = False
        self.decision: Role | None = None
        self.decided_at: int | None = None
        self.first_scorer: Role | None = None
        self.join: Join | None = None
        self.host_side: Side | None = None
        self.entries = History[Entry]()
        self.line = History[tuple[Role, AnyLogMessage]]()
        self.statements: tuple[Statement, ...] = ()
        self._logs = {role: History[AnyLogMessage]() for role in Role}
        # For each player: the number of moves in its mailbox, and the ms they took off its clock.
        self._used: dict[Role, tuple[int, int]] = dict.fromkeys(Role, (0, 0))
        # The move that was judged last, with the position in which it was judged.
        self._judged: tuple[Position, JudgedMove] | None = None

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy(self)
        twin._logs = dict(self._logs)  # noqa: SLF001 - its own class
        twin._used = dict(self._used)  # noqa: SLF001 - its own class
        return twin

    # Players

    def role_of(self, node: str) -> Role | None:
        """The role of a node id in this game; None for a stranger."""
        if node == self.offer.host:
            return Role.HOST
        return Role.GUEST if self.join is not None and node == self.join.author else None

    def node_of(self, role: Role) -> str | None:
        """The node id of a player; None while there is no guest."""
        if role is Role.HOST:
            return self.offer.host
        return None if self.join is None else self.join.author

    def key_of(self, role: Role) -> str | None:
        """The public key of a player; None while there is no guest."""
        if role is Role.HOST:
            return self.offer.key
        return None if self.join is None else self.join.key

    def side_of(self, role: Role) -> Side | None:
        """A player's side; None before the start."""
        if self.host_side is None:
            return None
        return self.host_side if role is Role.HOST else self.host_side.opponent

    def role_playing(self, side: Side) -> Role:
        """The role of the player of `side`, once the game has started."""
        return Role.HOST if side == self.host_side else Role.GUEST

    # Turns

    @property
    def on_turn(self) -> Role | None:
        """The player who may write next; None if the game is not in play."""
        if self.phase not in IN_PLAY:
            return None
        mover = self.role_playing(self.position.turn)
        return mover.other if self.phase is Phase.ASKED else mover

    @property
    def scorer(self) -> Role | None:
        """The player who is to write a score next; None for nobody."""
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

    @property
    def disputed(self) -> bool:
        """Whether a player's score differs from the result."""
        return bool(self.false_scores)

    # Time

    def remaining_ms(self, role: Role) -> int | None:
        """The time that a player has for its next move, in milliseconds; None without a clock.

        It includes the free time; see `free_ms`.
        """
        clock = self.offer.clock
        if clock is None:
            return None
        free = self.free_ms(role)
        if clock.base_ms is None:
            assert clock.move_ms is not None  # a clock has one of the two
            return clock.move_ms + free
        moves, used_ms = self._used[role]
        return clock.base_ms + (clock.increment_ms or 0) * moves - used_ms + free

    def free_ms(self, role: Role) -> int:
        """The time that a player's clock does not count for its next move; 0 after its first."""
        moves, _ = self._used[role]
        timed = self.offer.clock is not None
        return free_first_ms(self.offer.v) if timed and not moves else 0

    def clock_ms(self, role: Role, thought_ms: int) -> int | None:
        """What a player's clock shows, in milliseconds; None without a clock.

        Args:
            role: the player.
            thought_ms: how long the player to move has thought, in milliseconds.
        """
        remaining = self.remaining_ms(role)
        if remaining is None:
            return None
        free, outcome = self.free_ms(role), self.outcome
        if outcome is not None and outcome.termination == "time":
            return max(remaining - free, 0) if outcome.winner is self.side_of(role) else 0
        spent = thought_ms if role is self.on_turn else 0
        return max(remaining - max(free, spent), 0)

    def claimable_after_ms(self, reason: str) -> int | None:
        """How long the player to move must be silent before a claim, in milliseconds.

        Args:
            reason: ``silence`` or ``flag``.

        Returns:
            None if nobody is to move, or the offer does not allow such a claim.
        """
        if self.on_turn is None:
            return None
        if reason == "silence":
            return self.offer.grace_ms
        clock, remaining = self.offer.clock, self.remaining_ms(self.on_turn)
        if clock is None or remaining is None:
            return None
        return max(remaining, 0) + clock.lag_ms + 1

    def last_ply_of(self, role: Role) -> int | None:
        """The number of a player's last ply, which it may ask to take back; None without one."""
        side, position = self.side_of(role), self.start
        newest = None
        for ply, move in enumerate(self.moves, 1):
            if position.turn is side and ply > len(self.opening):
                newest = ply
            position = position.play(move)
        return newest

    def judge(self, text: str) -> "JudgedMove":
        """Judge a move in the present position; the result is cached.

        Raises:
            RulesError: it is not a move, or not a legal one here.
        """
        known = self._judged
        if known is None or known[0] is not self.position or known[1].text != text:
            move = self.position.parse_move(text)
            after = self.position.play(move)
            known = self._judged = self.position, JudgedMove(text, move, after, digest_of(after))
        return known[1]

    # The mailboxes

    @property
    def tip(self) -> str:
        """The digest of the newest message of the game; the game id if there is none."""
        return self.line[-1][1].digest if self.line else self.game

    def log(self, role: Role) -> History[AnyLogMessage]:
        """The accepted messages of a player's mailbox."""
        return self._logs[role]

    def head(self, role: Role) -> str:
        """The digest of a player's newest message; the game id if there is none."""
        return self._logs[role][-1].digest if self._logs[role] else self.game

    def count_up_to(self, role: Role, digest: str) -> int | None:
        """How many messages a player's mailbox has up to the one with `digest`.

        0 for the game id; None if no accepted message has this digest.
        """
        if digest == self.game:
            return 0
        log = self._logs[role]
        return next((n for n in range(len(log), 0, -1) if log[n - 1].digest == digest), None)

    @property
    def signatures(self) -> Signatures:
        """The newest known signature of each side over its newest message."""
        return Signatures(
            host=self._logs[Role.HOST][-1].sig if self._logs[Role.HOST] else None,
            guest=self._logs[Role.GUEST][-1].sig if self._logs[Role.GUEST] else None,
        )

    def reception(self, role: Role, message: AnyLogMessage | Proof) -> Reception:
        """How `message`, signed by the player in `role`, fits into that player's mailbox."""
        log = self._logs[role]
        if message.n > len(log):
            return Reception.GAP
        if message.n == len(log):
            # A message that follows another message than our newest: two versions of the log.
            return Reception.NEXT if message.prev == self.head(role) else Reception.CONFLICT
        return (
            Reception.DUPLICATE if log[message.n].digest == message.digest else Reception.CONFLICT
        )

    def add_signatures(self, sigs: Signatures) -> None:
        """Add verified signatures to the newest messages, which came from a record without them."""
        for role, sig in ((Role.HOST, sigs.host), (Role.GUEST, sigs.guest)):
            if self._logs[role]:
                *older, newest = self._logs[role]
                sealed = newest.model_copy(update={"sig": sig})
                self._logs[role] = History((*older, sealed))
                self.line = History(
                    (by, sealed if message is newest else message) for by, message in self.line
                )

    def _append(self, role: Role, message: AnyLogMessage, entry: Entry) -> None:
        author = self.offer.host if role is Role.HOST or self.join is None else self.join.author
        message.slim(self.game, author, self.head(role), self.head(role.other))
        entry.slim()
        self._logs[role] = self._logs[role].appended(message)
        self.entries = self.entries.appended(entry)
        self.line = self.line.appended((role, message))
        if isinstance(message, Move):
            moves, used_ms = self._used[role]
            free_ms = 0 if moves else free_first_ms(self.offer.v)
            self._used[role] = moves + 1, used_ms + max(0, message.elapsed_ms - free_ms)


def digest_of(position: Position) -> str:
    """The digest that identifies a position on the wire."""
    return position_digest(position.ruleset, position.text)


def position_after(start: Position, moves: Iterable[BoardMove]) -> Position:
    """The position after legal `moves` from `start`."""
    for move in moves:
        start = start.play(move)
    return start
