"""The page that is a node for browsers, as `make page` builds it."""

from pathlib import Path

# As the installed package has it, and as the source tree does.
_FOLDERS = (
    Path(__file__).parent / "page",
    Path(__file__).parents[1] / "browser" / "build" / "page",
)


def page_folder() -> Path | None:
    """Where the page is; None where it was not built."""
    return next((each for each in _FOLDERS if (each / "index.html").is_file()), None)


def page_files() -> dict[str, bytes] | None:
    """The page's files by their names, with ``/`` between folders; None where it was not built."""
    folder = page_folder()
    if folder is None:
        return None
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
