"""Logs of clubs with fixed keys, for tests and vectors."""

from collections.abc import Iterable
from typing import Any

from ataxxd.session.record import dump_record
from ataxxd.tournament.club_log import ClubLog, read_log
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import decode_log_line, encode, position_digest
from ataxxd_protocol.merkle import consistency_proof, leaf_hash, root_of
from ataxxd_protocol.messages import (
    Admission,
    Announcement,
    AnyLogEntry,
    DrawnRound,
    GameResult,
    LogHead,
    PlannedEvent,
    Removal,
)
from ataxxd_protocol.signing import digest
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    RULESET,
    SHORT_ENDGAME,
    Pair,
    forge,
)
from tests.conformance.tournaments import make_plan, one_more

CLUB_KEY = OTHER_KEY
NOW_MS = 1_700_000_000_000
DAY_MS = 86_400_000
DEADLINE_MS = NOW_MS + 7 * DAY_MS


class Club:
    """A club that writes its log, line by line."""

    def __init__(self) -> None:
        """Without members."""
        self.log = ClubLog(CLUB_KEY.node)
        self.lines: list[bytes] = []
        self.now_ms = NOW_MS

    def write(self, *entries: AnyLogEntry) -> LogHead:
        """Append entries and the head over them."""
        for entry in entries:
            self.log.accept(entry)
            self.lines.append(encode(entry))
        head = self.log.sign(CLUB_KEY, self.now_ms)
        self.lines.append(encode(head))
        return head

    def admit(self, *nodes: str) -> LogHead:
        """Admit members."""
        return self.write(*(Admission(node=node, at_ms=self.now_ms) for node in nodes))

    def announce(self, pair: Pair, **changes: Any) -> LogHead:
        """Announce a game that has begun."""
        return self.write(announcement(pair, **{"at_ms": self.now_ms} | changes))

    def result(self, pair: Pair) -> LogHead:
        """Log the record of a game as its host has it."""
        return self.write(result(pair, self.now_ms))

    @property
    def file(self) -> bytes:
        """The bytes of the log."""
        return b"".join(line + b"\n" for line in self.lines)

    def read(self) -> ClubLog:
        """The log as anybody reads it."""
        return read_log(self.file)


def club_of_two() -> Club:
    """A club of the host and the guest of all test games."""
    club = Club()
    club.admit(HOST_KEY.node, GUEST_KEY.node)
    return club


def short_game(**changes: Any) -> Pair:
    """A rated game that is soon over, begun."""
    return Pair.started(
        start=SHORT_ENDGAME,
        start_hash=position_digest(RULESET, SHORT_ENDGAME),
        grace_ms=60_000,
        **changes,
    )


def announcement(pair: Pair, **changes: Any) -> Announcement:
    """What a club says of a game before it is played."""
    join = pair.host.ledger.join
    assert join is not None
    fields: dict[str, Any] = {
        "offer": pair.offer,
        "join": join,
        "deadline_ms": DEADLINE_MS,
        "at_ms": NOW_MS,
    }
    return Announcement(**(fields | changes))


def result(pair: Pair, at_ms: int) -> GameResult:
    """What a club says when the record of a game has come in."""
    return GameResult(
        game=pair.offer.digest,
        guest=GUEST_KEY.node,
        record=digest(dump_record(pair.host.ledger)),
        at_ms=at_ms,
    )


def logs() -> dict[str, Any]:
    """The vectors: logs that hold, with their members, trees and proofs, and logs that do not."""
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    pair.play_out()
    club.result(pair)
    club.write(Removal(node=GUEST_KEY.node, at_ms=club.now_ms + 1))
    leaves = [leaf_hash(encode(entry)) for entry in club.log.entries]
    return {
        "valid": [
            _told("members, a game and its result", club),
            _told("an event", club_with_event()),
        ],
        "wrong": [*_wrong(club)],
        "consistency": [
            {
                "old_size": old,
                "old_root": root_of(leaves[:old]).hex(),
                "size": len(leaves),
                "root": root_of(leaves).hex(),
                "path": [each.hex() for each in consistency_proof(leaves, old)],
            }
            for old in range(1, len(leaves) + 1)
        ],
    }


def club_with_event() -> Club:
    """A club with an event of two players and one round."""
    club = club_of_two()
    plan = make_plan(2, key=CLUB_KEY, players=(HOST_KEY.node, GUEST_KEY.node), rounds=1)
    tournament = Tournament(plan)
    first = one_more(tournament, (), key=CLUB_KEY)
    club.write(PlannedEvent(plan=plan, at_ms=NOW_MS), DrawnRound(round=first, at_ms=NOW_MS))
    return club


def game_of_event(club: Club) -> Pair:
    """The game of the only pairing in `club_with_event`, begun."""
    (tournament,) = club.log.events.values()
    (board,) = tournament.boards
    assert board.pairing.first == HOST_KEY.node
    return Pair.started(
        name=board.name,
        access=board.pairing.second,
        created_ms=NOW_MS,
    )


def _told(name: str, club: Club) -> dict[str, Any]:
    log = club.read()
    assert log.head is not None
    return {
        "name": name,
        "lines": [line.decode() for line in club.lines],
        "members": sorted(log.members),
        "root": log.head.root,
        "proofs": [
            {"index": index, "proof": encode(log.proof(index)).decode()}
            for index in range(len(log.entries))
        ],
    }


def _wrong(club: Club) -> Iterable[dict[str, Any]]:
    """One fault each, the line of which is named from 1."""
    lines = [line.decode() for line in club.lines]

    def broken(reason: str, line: int, made: list[str]) -> dict[str, Any]:
        return {"reason": reason, "line": line, "lines": made}

    changed = lines[0].replace(HOST_KEY.node, "a" * 20)
    yield broken("an entry was changed", 3, [changed, *lines[1:]])
    yield broken("an entry was left out", 2, lines[1:])
    yield broken("two entries changed places", 3, [lines[1], lines[0], *lines[2:]])
    yield broken("an entry was put in", 4, [*lines[:2], lines[-2], *lines[2:]])
    yield broken("a blank was put in", 1, [lines[0].replace(":", ": ", 1), *lines[1:]])
    yield broken("another club's head", 3, [*lines[:2], _of_another(club), *lines[3:]])
    other = Club()
    other.admit(HOST_KEY.node)
    alone = [line.decode() for line in other.lines]
    game = encode(announcement(short_game())).decode()
    yield broken("a game with a stranger", 3, [*alone, game, lines[-1]])


def _of_another(club: Club) -> str:
    (head,) = [each for each in map(decode_log_line, club.lines[:3]) if isinstance(each, LogHead)]
    other = forge(head, HOST_KEY, club=HOST_KEY.node, key=HOST_KEY.public_key)
    return encode(other).decode()
