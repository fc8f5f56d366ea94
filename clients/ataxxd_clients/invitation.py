"""Invitations to a network game: the command for it, and the link to the page for browsers."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a person sends to a friend.

    Attributes:
        name: the name of the game.
        join: the command to join; None if there is no open seat.
        watch: the command to watch.
        terms: the terms in words; empty for the usual ones.
        reaches: whether the broker can be reached from other machines.
        link: a link that opens the game in a browser; None without one.
    """

    name: str
    join: str | None
    watch: str
    terms: str = ""
    reaches: bool = True
    link: str | None = None


# Where the page is in the installed package, and in the source tree.
_FOLDERS = (
    Path(__file__).parent / "page",
    Path(__file__).parents[1] / "browser" / "build" / "page",
)


def page_folder() -> Path | None:
    """The folder of the page; None if it was not built."""
    return next((each for each in _FOLDERS if (each / "index.html").is_file()), None)


def page_files() -> dict[str, bytes] | None:
    """The page's files by name, with ``/`` between folders; None if it was not built."""
    folder = page_folder()
    if folder is None:
        return None
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
