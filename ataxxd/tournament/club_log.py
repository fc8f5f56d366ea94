"""A club's log, as anybody reads it: every line checked, down to the rules of its entries.

The club decides who its members are, and announces each of their rated games before it is played.
So neither the club nor a losing player can choose afterwards which games count.
docs/design/disputes.md explains each rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.session.handshake import check_join, read_offer
from ataxxd.tournament.tournament import Tournament, is_matching_offer
from ataxxd_protocol import (
    MalformedMessage,
    SigningKey,
    decode_log_line,
    encode,
    grouped,
    node_id,
    signature_holds,
    signed,
)
from ataxxd_protocol.merkle import HashTree, inclusion_proof, leaf_hash, root_of, verify_inclusion
from ataxxd_protocol.messages import (
    Admission,
    Announcement,
    AnyLogEntry,
    DrawnRound,
    GameResult,
    LogHead,
    LogProof,
    Offer,
    PlannedEvent,
    Removal,
)

# How far the clocks of a host and of its club may differ; as for an offer and its guest.
_MAX_AHEAD_MS = 86_400_000


class ForkedLog(VerificationError):
    """The club has signed two logs that contradict each other, or a round twice."""


@dataclass(slots=True)
class AnnouncedGame:
    """A rated game.

    Attributes:
        announcement: the entry that announced it before it was played.
        index: the index of that entry, from 0.
        records: the digests of the records received.
    """

    announcement: Announcement
    index: int
    records: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoggedGame:
    """A game that counts, as announced in the log.

    Attributes:
        id: the game's id.
        host: the host's node id.
        guest: the guest's node id.
        name: its name.
        has_record: whether the log names a record of it.
        offer: its offer; None for a game of an event.
    """

    id: str
    host: str
    guest: str
    name: str
    has_record: bool
    offer: Offer | None


class ClubLog:
    """The log of one club, which grows by entries and by heads that sign them.

    Attributes:
        club: the node id of the club.
        head: the newest head; None if there is none.
        entries: all entries.
        members: node ids of the present members.
        games: the announced games by the digest of the offer and the guest.
        events: the events by the digests of their plans.
    """

    def __init__(self, club: str) -> None:
        """An empty log of a club."""
        self.club = club
        self.head: LogHead | None = None
        self.entries: list[AnyLogEntry] = []
        self.members: set[str] = set()
        self.games: dict[tuple[str, str], AnnouncedGame] = {}
        self.events: dict[str, Tournament] = {}
        self._leaves: list[bytes] = []
        self._tree = HashTree()
        self._newest_ms = 0

    def accept(self, entry: AnyLogEntry) -> None:
        """Accept the next entry.

        Raises:
            VerificationError: it breaks a rule; nothing has changed.
        """
        if entry.at_ms < self._newest_ms:
            raise VerificationError("it is older than what stands before it")
        match entry:
            case Admission(node=node):
                if node in self.members:
                    raise VerificationError(f"{grouped(node)} is a member already")
                self.members.add(node)
            case Removal(node=node):
                self._check_member(node)
                self.members.discard(node)
            case Announcement():
                self._add_announcement(entry)
            case GameResult():
                self._add_result(entry)
            case PlannedEvent():
                self._add_plan(entry)
            case DrawnRound():
                self._add_round(entry)
        self._newest_ms = entry.at_ms
        self.entries.append(entry)
        leaf = entry_hash(entry)
        self._leaves.append(leaf)
        self._tree.append(leaf)

    def next_entry_ms(self, now_ms: int) -> int:
        """The time of the next entry: now, but not before that of the newest entry."""
        return max(now_ms, self._newest_ms)

    def sign(self, key: SigningKey, at_ms: int) -> LogHead:
        """Sign a head over all entries with the club's key."""
        made = LogHead(
            club=self.club,
            key=key.public_key,
            size=len(self.entries),
            root=self._tree.root.hex(),
            at_ms=self.next_entry_ms(at_ms),
        )
        head = signed(made, key)
        self._accept_head(head)
        return head

    def accept_line(self, line: bytes) -> None:
        """Accept the next line of a file, without its line feed.

        Raises:
            VerificationError: it does not follow; nothing has changed.
        """
        try:
            message = decode_log_line(line)
        except MalformedMessage as error:
            raise VerificationError(str(error)) from None
        if isinstance(message, LogHead):
            check_signature(message)
            self._accept_head(message)
        else:
            self.accept(message)

    def check_head(self, head: LogHead) -> None:
        """Check that this log is, or extends, the one that a head signs.

        Raises:
            ForkedLog: it is not.
            VerificationError: the head is another club's, or covers more entries than this log has.
        """
        check_signature(head)
        if head.club != self.club:
            raise VerificationError(f"that is of another club, {grouped(head.club)}")
        if head.size > len(self.entries):
            raise VerificationError(
                f"the club has signed {head.size} entries, and this log has "
                f"{len(self.entries)}: it is an older copy"
            )
        if head.root != root_of(self._leaves[: head.size]).hex():
            raise ForkedLog(
                f"the club has signed two logs: another first {head.size} entries than here"
            )

    def check_event(self, tournament: Tournament) -> None:
        """Check that an event is in the log with all of its known rounds.

        Raises:
            ForkedLog: its host has signed other rounds than those in the log.
            VerificationError: the event, or a round of it, is not in the log.
        """
        logged = self.events.get(tournament.plan.digest)
        if logged is None:
            raise VerificationError("it does not have this event")
        for ours, theirs in zip(logged.rounds, tournament.rounds, strict=False):
            if ours.digest != theirs.digest:
                raise ForkedLog(f"the host signed two different rounds {ours.number}")
        if len(logged.rounds) < len(tournament.rounds):
            raise VerificationError(f"it does not have round {len(logged.rounds) + 1}")

    def proof(self, index: int) -> LogProof:
        """A proof that an entry is in this log, which can be checked without the log."""
        assert self.head is not None
        path = inclusion_proof(self._leaves[: self.head.size], index)
        return LogProof(
            index=index,
            entry=self.entries[index],
            path=tuple(each.hex() for each in path),
            head=self.head,
        )

    def is_rated(self, offer: Offer, guest: str) -> bool:
        """Whether the club has announced a game, alone or in a round of an event."""
        return (offer.digest, guest) in self.games or any(
            (board.pairing.first, board.pairing.second) == (offer.host, guest)
            and is_matching_offer(tournament.plan, board, offer)
            for tournament in self.events.values()
            if offer.name.startswith(f"{tournament.plan.name}-r")
            for board in tournament.boards
        )

    def is_overdue(self, offer: Offer, guest: str, before_ms: int) -> bool:
        """Whether the deadline of an announced game has passed.

        Args:
            offer: the game.
            guest: the guest's node id.
            before_ms: the time, in Unix milliseconds, by which it must have passed; it must also
                have passed by the newest head, since the club may have logged a result later.
        """
        game = self.games.get((offer.digest, guest))
        now_ms = 0 if self.head is None else min(self.head.at_ms, before_ms)
        return game is not None and game.announcement.deadline_ms < now_ms

    def rated_games(self) -> Iterator[LoggedGame]:
        """All games that count, as far as they are known by their ids."""
        for (game, guest), known in self.games.items():
            offer = known.announcement.offer
            yield LoggedGame(game, offer.host, guest, offer.name, bool(known.records), offer)
        for tournament in self.events.values():
            for board in tournament.boards:
                pairing, result = board.pairing, board.result
                if result is not None and result.game is not None:
                    players = pairing.first, pairing.second
                    yield LoggedGame(result.game, *players, board.name, True, None)

    # The rules of the entries

    def _add_announcement(self, entry: Announcement) -> None:
        offer, join = entry.offer, entry.join
        try:
            read_offer(offer)
            if (join.n, join.game, join.prev, join.seen) != (0, *[offer.digest] * 3):
                raise VerificationError("its join is of another game than its offer")
            check_join(offer, join)
        except RemoteProtocolError as error:
            raise VerificationError(str(error)) from None
        for node in (offer.host, join.author):
            self._check_member(node)
        if (offer.digest, join.author) in self.games:
            raise VerificationError("that game is announced already")
        if offer.created_ms > entry.at_ms + _MAX_AHEAD_MS:
            raise VerificationError("it announces a game that is dated in the future")
        if entry.at_ms > offer.expires_ms:
            raise VerificationError("it announces a game whose offer had expired")
        if entry.deadline_ms <= entry.at_ms:
            raise VerificationError("it announces a game whose deadline is past")
        if offer.grace_ms is None and offer.clock is None:
            raise VerificationError("it announces a game that no silence ends")
        self.games[offer.digest, join.author] = AnnouncedGame(entry, len(self.entries))

    def _add_result(self, entry: GameResult) -> None:
        game = self.games.get((entry.game, entry.guest))
        if game is None:
            raise VerificationError("it is the result of a game that is not announced before it")
        if entry.record in game.records:
            raise VerificationError("that record is there already")
        game.records.append(entry.record)

    def _add_plan(self, entry: PlannedEvent) -> None:
        plan = entry.plan
        if plan.host != self.club:
            raise VerificationError("it is an event of another host")
        if plan.digest in self.events:
            raise VerificationError("that event is there already")
        for node in plan.players:
            self._check_member(node)
        try:
            self.events[plan.digest] = Tournament(plan)
        except RemoteProtocolError as error:
            raise VerificationError(str(error)) from None

    def _add_round(self, entry: DrawnRound) -> None:
        tournament = self.events.get(entry.round.event)
        if tournament is None:
            raise VerificationError("it is a round of an event that is not in the log")
        try:
            tournament.accept_round(entry.round)
        except RemoteProtocolError as error:
            raise VerificationError(str(error)) from None

    def _check_member(self, node: str) -> None:
        if node not in self.members:
            raise VerificationError(f"{grouped(node)} is not a member")

    def _accept_head(self, head: LogHead) -> None:
        if head.club != self.club:
            raise VerificationError("it is signed by another club")
        if head.at_ms < self._newest_ms:
            raise VerificationError("it is older than what stands before it")
        if (head.size, head.root) != (len(self.entries), self._tree.root.hex()):
            raise VerificationError("what the club signed is not what stands before it")
        self.head = head
        self._newest_ms = head.at_ms


def read_log(data: bytes) -> ClubLog:
    """Read and verify the log in a file's bytes.

    Raises:
        VerificationError: it is not valid; the text names the line.
    """
    *lines, rest = data.split(b"\n")
    if rest or not lines:
        raise VerificationError("this log is cut short: it does not end with a line feed")
    log = ClubLog(_signer(lines[-1]))
    for number, line in enumerate(lines, 1):
        try:
            log.accept_line(line)
        except ForkedLog:
            raise
        except VerificationError as error:
            raise VerificationError(f"line {number}: {error}") from None
    return log


def check_proof(proof: LogProof) -> None:
    """Check that an entry is in the log that a head signs.

    Raises:
        VerificationError: the proof is not valid.
    """
    check_signature(proof.head)
    path = [bytes.fromhex(each) for each in proof.path]
    leaf, root = entry_hash(proof.entry), bytes.fromhex(proof.head.root)
    if not verify_inclusion(leaf, proof.index, proof.head.size, path, root):
        raise VerificationError("the proof does not lead to what the club signed")


def check_signature(head: LogHead) -> None:
    """Check the signature of a head.

    Raises:
        VerificationError: it is not valid.
    """
    if node_id(head.key) != head.club or not signature_holds(head, head.key):
        raise VerificationError("the club's signature does not hold")


def _signer(line: bytes) -> str:
    """Whose log it is, by its last line."""
    try:
        head = decode_log_line(line)
    except MalformedMessage:
        raise VerificationError(
            "this is not a club's log, which ends with a line that the club has signed; "
            "`ataxxd club show --save FILE` writes one"
        ) from None
    if not isinstance(head, LogHead):
        raise VerificationError("this log is cut short: it does not end with the club's signature")
    return head.club


def entry_hash(entry: AnyLogEntry) -> bytes:
    """The hash of an entry as a leaf of the Merkle tree."""
    return leaf_hash(encode(entry))
