"""The files that a game leaves behind: its record, and the proof of a fault.

A record is never lost because the place the user named cannot be written: it then goes
into the node's home, and the error says so.
"""

from collections.abc import Callable
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.node.home import Home, write_atomically
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase

AsText = Callable[[Ledger, Path], bytes]
"""What is written into the file that the user named: the signed record or a notation."""


def keep_record(home: Home, ledger: Ledger, target: Path | None, as_text: AsText) -> Path | None:
    """Write the record of a game that has begun, and the proof when there was a fault.

    Returns:
        Where the proof is; None where there is nothing to prove.

    Raises:
        StorageError: a file cannot be written; says where the record is instead.
    """
    if ledger.phase in (Phase.OPEN, Phase.JOINED):
        return None
    record = dump_record(ledger)
    name = f"{ledger.offer.name}-{ledger.game[:12]}.json"
    timed = ledger.outcome is not None and ledger.outcome.termination == "time"
    proof = None
    if ledger.fault is not None or ledger.false_scores or ledger.claim is not None or timed:
        proof = _write_at_home(home, "evidence", name, record)
    if target is not None:
        try:
            write_atomically(target, as_text(ledger, target))
        except StorageError as error:
            kept = _write_at_home(home, "records", name, record)
            raise StorageError(f"{error} The record of the game is in {kept} instead.") from None
    return proof


def _write_at_home(home: Home, folder: str, name: str, record: bytes) -> Path:
    place = home.path / folder
    try:
        place.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"{place} cannot be made: {error.strerror}. The journal {home.journal} has the game."
        ) from None
    write_atomically(place / name, record)
    return place / name
