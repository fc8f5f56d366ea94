"""The files of a club, as commands are given them."""

from collections.abc import Sequence
from pathlib import Path

from ataxxd.errors import StorageError, VerificationError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.offers import access_field
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog, check_proof, read_log
from ataxxd_protocol import MalformedMessage, decode_log_proof
from ataxxd_protocol.messages import LogProof


def keeper(home: Path | None, *, may_begin: bool = False) -> ClubKeeper:
    """The log that this node keeps.

    Raises:
        StorageError: there is none, and none may be begun.
    """
    place = Home(home)
    kept = ClubKeeper(place, load_identity(place.identity))
    if not may_begin and not kept.exists:
        raise StorageError(
            f"This node keeps no club's log: there is no {kept.path}. Begin one: ataxxd club "
            "admit ID …"
        )
    return kept


def node_ids(words: Sequence[str]) -> list[str]:
    """The ids that were typed, each once.

    Raises:
        UsageError: one is none.
    """
    found = [access_field(word, invited=False, option="ID") for word in words]
    return list(dict.fromkeys(node for node in found if node is not None))


def read_bytes(file: Path) -> bytes:
    """What is in a file.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from None


def read_log_file(file: Path) -> ClubLog:
    """The club's log in a file, checked.

    Raises:
        StorageError: it cannot be read.
        VerificationError: it does not hold.
    """
    data = read_bytes(file)
    try:
        return read_log(data)
    except VerificationError as error:
        raise VerificationError(f"{file}: {error}.") from None


def read_proof(data: bytes) -> LogProof | None:
    """The proof in a file's bytes, checked; None where it is none.

    Raises:
        VerificationError: it is one that does not hold.
    """
    try:
        proof = decode_log_proof(data)
    except MalformedMessage:
        return None
    check_proof(proof)
    return proof


def extended(log: ClubLog, before: Path) -> int:
    """How many entries a log has more than another one of its club, or than a proof.

    Args:
        log: the log.
        before: a log or a proof from before.

    Raises:
        ForkedLog: neither extends the other.
        StorageError: `before` cannot be read.
        VerificationError: it does not hold, is of another club, or from later.
    """
    assert log.head is not None, "a log ends with one"
    proof = read_proof(read_bytes(before))
    other = None if proof is not None else read_log_file(before)
    head = other.head if other is not None else proof.head if proof is not None else None
    assert head is not None, "so does the other"
    if other is not None and head.size > log.head.size and head.club == log.club:
        # A log that was made shorter is a second one, too.
        other.check_head(log.head)
    log.check_head(head)
    return len(log.entries) - head.size
