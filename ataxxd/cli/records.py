"""The file that ``--transcript`` names."""

import tempfile
from pathlib import Path

from ataxxd.errors import StorageError


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
