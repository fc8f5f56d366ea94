"""A game as a file: in every notation that has words for it, as a picture, and signed."""

from dataclasses import dataclass

from ataxxd.node.control import Game
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation.formats import FORMATS, format_named, format_of_file
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd_clients.pictures.kinds import PictureError, available, kind_of, picture
from ataxxd_clients.text.commands import CommandError

SIGNED = "record"
"""What the signed record is called among the notations."""

_SIGNED_SUFFIX = ".json"


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


def ways(game: GameRecord) -> tuple[Export, ...]:
    """The ways in which a game can be written that nobody signed."""
    notations = [Export(each.name, each.title, each.suffixes[0]) for each in FORMATS]
    pictures = [Export(each.name, each.title, each.suffix) for each in available()]
    return (*(each for each in notations if _fits(game, each.name)), *pictures)


def exports(game: Game) -> tuple[Export, ...]:
    """The ways in which the game can be written as far as it has come."""
    signed = () if game.broker is None else (_RECORD,)
    return (*ways(game.record), *signed)


def way_named(name: str) -> Export | None:
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
        name: of one of its `ways`.
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
    msg = f"A game cannot be written as {name!r} here, but as {_known(ways(game))}."
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
