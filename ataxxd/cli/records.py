"""The file that ``--transcript`` names."""

from pathlib import Path

from ataxxd.node.home import check_writable


def check_transcript(path: Path | None) -> Path | None:
    """The absolute path of a file for the record, known to be writable now.

    Raises:
        StorageError: it is not; better known before the game than after it.
    """
    return None if path is None else check_writable(path, "--transcript")
