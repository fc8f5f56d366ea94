"""Records: a whole game as data that anyone can replay and judge.

A record holds the signed offer, one entry per message, and each side's newest signature, which
covers everything before it through the hash chain. The host's retained state is the same entries,
in parts that fit a payload.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.rules import Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.session.witnesses import add_statement, claim_statements
from ataxxd_protocol import (
    MalformedMessage,
    decode_record,
    encode,
    node_id,
)
from ataxxd_protocol.messages import (
    Draw,
    DrawAnswer,
    Entry,
    Record,
    Signatures,
    Statement,
    StatePart,
)
from ataxxd_protocol.signing import verify
from ataxxd_protocol.version import KNOWN_VERSIONS, is_known_version

# Bytes of entries in a part. The newest part is republished after every move, so smaller parts mean
# less traffic but more topics. A payload has room for this, the part's fields and its signatures.
_PART_ROOM = 4096


class Standing(Enum):
    """How far the players have confirmed a record's result."""

    AGREED = "agreed"
    DISPUTED = "disputed"
    CONTESTED = "contested"
    UNCONFIRMED = "unconfirmed"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of verifying a valid record.

    Attributes:
        ledger: the game, replayed.
        standing: ``agreed`` (both wrote the result), ``disputed`` (a player wrote
            another), ``contested`` (claimed, but the times in the other's answer contradict
            it), ``unconfirmed`` (over, but a score is missing) or ``unfinished``.
    """

    ledger: Ledger
    standing: Standing


def dump_record(ledger: Ledger) -> bytes:
    """The record file of a game: one line of canonical JSON and a newline."""
    record = Record(
        v=ledger.offer.v,
        offer=ledger.offer,
        entries=ledger.entries[:],
        sigs=ledger.signatures,
        statements=claim_statements(ledger) or None,
    )
    return encode(record) + b"\n"


def verify_record(data: bytes) -> Verdict:
    """Verify a record file.

    Raises:
        VerificationError: it is not valid; the text names the entry and the fault.
    """
    try:
        record = decode_record(data)
    except MalformedMessage as error:
        raise VerificationError(
            f"this is not a record: {str(error).removeprefix('this is ')}"
        ) from None
    if not is_known_version(record.v):
        raise VerificationError(
            f"the record is of protocol {record.v}; this node reads {', '.join(KNOWN_VERSIONS)}"
        )
    if record.offer.v != record.v:
        raise VerificationError(
            f"the record is of protocol {record.v}, and its offer of {record.offer.v}"
        )
    try:
        ledger = Ledger(record.offer)
    except RemoteProtocolError as error:
        raise VerificationError(f"offer: {error}") from None
    try:
        replay(ledger, record.entries)
        check_signatures(ledger, record.sigs)
        _accept_statements(ledger, record.statements or ())
    except RemoteProtocolError as error:
        raise VerificationError(str(error)) from None
    # So that the ledger can be written as a record again.
    ledger.add_signatures(record.sigs)
    return Verdict(ledger, standing_of(ledger))


def standing_of(ledger: Ledger) -> Standing:
    """The standing of a ledger's game."""
    if ledger.disputed:
        return Standing.DISPUTED
    if ledger.contested:
        return Standing.CONTESTED
    if ledger.phase is Phase.CLOSED:
        return Standing.AGREED
    return Standing.UNFINISHED if ledger.outcome is None else Standing.UNCONFIRMED


def replay(ledger: Ledger, entries: Iterable[Entry]) -> None:
    """Feed entries to a ledger; an invalid one leaves it part-way.

    Raises:
        RemoteProtocolError: the text begins with the entry's number, from 1.
    """
    for entry in entries:
        number = len(ledger.entries) + 1
        try:
            role, message = ledger.expand(entry)
            ledger.accept(role, message)
        except RemoteProtocolError as error:
            raise RemoteProtocolError(error.code, f"entry {number} ({entry.by}): {error}") from None


def check_signatures(ledger: Ledger, sigs: Signatures) -> None:
    """Check each side's signature over its newest message.

    Raises:
        RemoteProtocolError: ``record/signature``: one is missing, superfluous or invalid.
    """
    if ledger.join is not None and node_id(ledger.join.key) != ledger.join.author:
        raise RemoteProtocolError(
            "record/signature", "the guest's key does not belong to its node id"
        )
    for role, sig in ((Role.HOST, sigs.host), (Role.GUEST, sigs.guest)):
        log, key = ledger.log(role), ledger.key_of(role)
        if not log or key is None:
            if sig is not None:
                raise RemoteProtocolError(
                    "record/signature", f"a signature of the {role}, who wrote nothing"
                )
        elif sig is None:
            raise RemoteProtocolError("record/signature", f"the signature of the {role} is missing")
        elif not verify(key, log[-1].signed_bytes, sig):
            raise RemoteProtocolError(
                "record/signature",
                f"the signature of the {role} does not cover its messages 0 to {len(log) - 1}: "
                "one was altered or invented",
            )


def _accept_statements(ledger: Ledger, statements: Sequence[Statement]) -> None:
    for number, statement in enumerate(statements, 1):
        try:
            add_statement(ledger, statement)
        except RemoteProtocolError as error:
            raise RemoteProtocolError(error.code, f"statement {number}: {error}") from None
    if claim_statements(ledger) != tuple(statements):
        raise RemoteProtocolError(
            "record/statement", "its statements are not, each once and in order, on its claim"
        )


def state_parts(ledger: Ledger) -> tuple[StatePart, ...]:
    """The host's retained state, unsigned: the record so far in parts that fit a payload."""
    parts: list[StatePart] = []
    first = size = 0
    cut = [0]
    for index, entry in enumerate(ledger.entries):
        length = entry.size + 1
        if size + length > _PART_ROOM and index > first:
            first, size = index, 0
            cut.append(index)
        size += length
    for number, begin in enumerate(cut):
        end = cut[number + 1] if number + 1 < len(cut) else len(ledger.entries)
        parts.append(
            StatePart(
                game=ledger.game,
                author=ledger.offer.host,
                part=number,
                first=begin,
                entries=ledger.entries[begin:end],
                sigs=_signatures_at(ledger, end),
            )
        )
    return tuple(parts)


def _signatures_at(ledger: Ledger, end: int) -> Signatures:
    newest: dict[str, str | None] = {}
    for role in Role:
        count = sum(entry.by == role for entry in ledger.entries[:end])
        newest[role.value] = ledger.log(role)[count - 1].sig if count else None
    return Signatures(**newest)


def make_game_record(ledger: Ledger) -> GameRecord:
    """The game of a ledger so far, for notations; the players' names are their node ids."""
    return GameRecord(
        ledger.start,
        ledger.moves,
        ledger.outcome,
        refused=_refused_plies(ledger),
        players=(_player_node(ledger, Side.FIRST), _player_node(ledger, Side.SECOND)),
        event=ledger.offer.name,
    )


def _refused_plies(ledger: Ledger) -> tuple[int, ...]:
    log = (*ledger.log(Role.HOST), *ledger.log(Role.GUEST))
    plies = sorted(message.ply - 1 for message in log if isinstance(message, Draw))
    rejections = sum(isinstance(each, DrawAnswer) and each.answer == "reject" for each in log)
    refused = plies[:rejections]
    # In a finished game, a rejected offer counts only if a move followed it (see `GameRecord`).
    most = len(ledger.moves) - (ledger.outcome is not None)
    return tuple(ply for ply in refused if ply <= most)


def _player_node(ledger: Ledger, side: Side) -> str | None:
    if ledger.host_side is None:
        return None
    guest = ledger.join.author if ledger.join else None
    return ledger.offer.host if ledger.role_playing(side) is Role.HOST else guest
