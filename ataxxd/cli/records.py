"""The files that a game leaves behind: its record, and the proof of a fault.

A record is never lost because the place the user named cannot be written: it then goes
into the node's home, and the error says so.
"""

import tempfile
from pathlib import Path

from ataxxd.cli.notations import kept_text
from ataxxd.cli.say import say
from ataxxd.errors import StorageError
from ataxxd.node.home import Home, write_atomically
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase


def check_transcript(path: Path | None) -> Path | None:
    """The absolute path of a file for the record, known to be writable now.

    Raises:
        StorageError: it is not; better known before the game than after it.
    """
    if path is None:
        return None
    target = path.absolute()
    if target.is_dir():
        raise StorageError(f"--transcript {path} is a folder. Name a file in it.")
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            return target
    except OSError as error:
        raise StorageError(
            f"--transcript {path} cannot be written: {error.strerror}. "
            "Choose another place; nothing has been played."
        ) from None


def keep_record(home: Home, ledger: Ledger, transcript: str | None) -> None:
    """Write the record of a game that has begun, and the proof when there was a fault.

    Raises:
        StorageError: a file cannot be written; says where the record is instead.
    """
    if ledger.phase in (Phase.OPEN, Phase.JOINED):
        return
    record = dump_record(ledger)
    name = f"{ledger.offer.name}-{ledger.game[:12]}.json"
    timed = ledger.outcome is not None and ledger.outcome.termination == "time"
    if ledger.fault is not None or ledger.false_scores or ledger.claim is not None or timed:
        proof = _write_at_home(home, "evidence", name, record)
        say(f"The proof is in {proof}; anyone can check it: ataxxd verify {proof}")
    if transcript is not None:
        try:
            write_atomically(Path(transcript), kept_text(ledger, Path(transcript)))
        except StorageError as error:
            kept = _write_at_home(home, "records", name, record)
            raise StorageError(f"{error} The record of the game is in {kept} instead.") from None


def keep_what_can_be_kept(
    home: Home, journal: Journal, stored: StoredGame, transcript: str | None
) -> None:
    """Write the record as far as the journal has it, while another error is on its way out."""
    try:
        keep_record(home, journal.ledger(stored), transcript)
    except StorageError as error:
        say(f"Note: {error}")


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
