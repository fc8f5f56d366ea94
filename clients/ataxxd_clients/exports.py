"""A game as a file: in every notation that has words for it, as a picture, and signed."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ataxxd.node.game import Game
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation.formats import FORMATS, format_named, format_of_file
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd_clients.pictures import PictureError, available, kind_of, picture
from ataxxd_clients.study import StudyError
from ataxxd_clients.text.commands import CommandError

SIGNED = "record"
"""What the signed record is called among the notations."""

_SIGNED_SUFFIX = ".json"
_NOT_SIGNED = (
    "A signed record cannot be made of a game that is studied: only its players can sign it. "
    "Choose another notation."
)


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a game.

    Attributes:
        name: what it is called.
        title: one line for menus.
        suffix: of its files.
    """

    name: str
    title: str
    suffix: str


_RECORD = Export(SIGNED, "the signed record, which anybody can verify", _SIGNED_SUFFIX)


def formats_for(game: GameRecord) -> tuple[Export, ...]:
    """The ways in which a game can be written that nobody signed."""
    notations = [Export(each.name, each.title, each.suffixes[0]) for each in FORMATS]
    pictures = [Export(each.name, each.title, each.suffix) for each in available()]
    return (*(each for each in notations if _fits(game, each.name)), *pictures)


def exports(game: Game) -> tuple[Export, ...]:
    """The ways in which the game can be written as far as it has come."""
    signed = () if game.broker is None else (_RECORD,)
    return (*formats_for(game.record), *signed)


def export_named(name: str) -> Export | None:
    """The way of a name, or that a file's name tells by its suffix; None for none."""
    if name.lower() == SIGNED or name.lower().endswith(_SIGNED_SUFFIX):
        return _RECORD
    form = format_named(name) or format_of_file(name)
    if form is not None:
        return Export(form.name, form.title, form.suffixes[0])
    kind = kind_of(name)
    return None if kind is None else Export(kind.name, kind.title, kind.suffix)


def written(game: GameRecord, name: str, *, at: Position | None = None) -> bytes:
    """A game as a file.

    Args:
        game: the game.
        name: of one of `formats_for` it.
        at: the position that a picture shows; the last one when None.

    Raises:
        CommandError: it cannot be written so; the message says why.
    """
    form, kind = format_named(name), kind_of(name)
    try:
        if form is not None:
            return form.write(game).encode()
        if kind is not None:
            return picture(game, kind, at=at)
    except RulesError as error:
        msg = f"This game cannot be written as {name}: {error}"
        raise CommandError(msg) from None
    except PictureError as error:
        raise CommandError(str(error)) from None
    msg = f"A game cannot be written as {name!r} here, but as {_known(formats_for(game))}."
    raise CommandError(msg)


def exported(game: Game, name: str) -> bytes:
    """The game as a file.

    Args:
        game: the game.
        name: of one of its `exports`.

    Raises:
        CommandError: it cannot be written so; the message says why.
    """
    signed = game.signed_record if name == SIGNED else None
    return written(game.record, name) if signed is None else signed


def _known(every: tuple[Export, ...]) -> str:
    return ", ".join(f"{each.suffix} ({each.name})" for each in every)


def _fits(game: GameRecord, name: str) -> bool:
    form = format_named(name)
    try:
        return form is not None and bool(form.write(game))
    except UnwritableError:
        return False


def save(table: Game, name: str) -> Path:
    """Write the game at a table to a new file.

    Args:
        table: the table.
        name: of the file; its ending sets the notation.

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
        msg = f"{path} already exists. Choose another name."
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
    export = export_named(Path(name).suffix)
    if export is None:
        known = ", ".join(f"{each.suffix} ({each.title})" for each in exports(table))
        msg = f"{name} has no ending that names a notation. This game can be saved as {known}."
        raise CommandError(msg)
    return export.name


def _why(path: Path, error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{path} cannot be written: {reason}. Choose another place."


def written_study(
    game: GameRecord, name: str, *, at: Position | None = None
) -> tuple[Export, bytes]:
    """A game in the notation of a name, or of a file's name by its suffix.

    Args:
        game: the game.
        name: of a notation, a picture or a file.
        at: the position that a picture shows; the last one when None.

    Raises:
        StudyError: there is no such notation, or it cannot hold the game; says which can.
    """
    export = export_named(name)
    if export is None:
        can = ", ".join(f"{each.suffix} ({each.name})" for each in formats_for(game))
        msg = f"{name} does not name a notation. This game can be written as {can}."
        raise StudyError(msg)
    if export.name == SIGNED:
        raise StudyError(_NOT_SIGNED)
    try:
        return export, written(game, export.name, at=at)
    except CommandError as error:
        raise StudyError(str(error)) from None
