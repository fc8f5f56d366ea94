"""A game written to a file of this machine, in the notation that the file's name tells."""

from contextlib import suppress
from pathlib import Path

from ataxxd.node.control import Game
from ataxxd_clients.exports import exported, exports, way_named
from ataxxd_clients.text.commands import CommandError

_SIGNED_SUFFIX = ".json"


def save(table: Game, name: str) -> Path:
    """Write the game at a table to a new file.

    Args:
        table: the table.
        name: of the file; its suffix tells the notation.

    Returns:
        Where it is.

    Raises:
        CommandError: it cannot be written, or is there already; nothing has changed.
    """
    content = exported(table, _notation(table, name))
    try:
        # An unknown user's home.
        path = Path(name).expanduser().absolute()
    except RuntimeError as error:
        raise CommandError(str(error)) from None
    try:
        file = path.open("xb")
    except FileExistsError:
        msg = f"{path} is there already. Choose another name."
        raise CommandError(msg) from None
    except (OSError, ValueError) as error:
        raise CommandError(_why(path, error)) from None
    try:
        with file:
            file.write(content)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise CommandError(_why(path, error)) from None
    return path


def proposed_name(table: Game) -> str:
    """A name for a new file with the game: the signed record's where there is one."""
    first, *_ = exports(table)
    suffix = first.suffix if table.broker is None else _SIGNED_SUFFIX
    game = table.position.game
    number = 1
    while Path(name := f"{game}{number}{suffix}").exists():
        number += 1
    return name


def _notation(table: Game, name: str) -> str:
    way = way_named(Path(name).suffix)
    if way is None:
        known = ", ".join(f"{each.suffix} ({each.title})" for each in exports(table))
        msg = f"{name} does not tell its notation by its end. This game can be saved as {known}."
        raise CommandError(msg)
    return way.name


def _why(path: Path, error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{path} cannot be written: {reason}. Choose another place."
