"""A game as a file: in every notation that has words for it, and with its signatures."""

from dataclasses import dataclass

from ataxxd.node.control import SignedTable, Table
from ataxxd.rules.notation.formats import FORMATS, Format, format_named
from ataxxd.rules.notation.game import GameRecord, UnwritableError
from ataxxd_clients.text.commands import CommandError

SIGNED = "record"
"""What the signed record is called among the notations."""


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


def exports(table: Table) -> tuple[Export, ...]:
    """The ways in which the game at a table can be written as far as it has come."""
    found = [Export(each.name, each.title, each.suffixes[0]) for each in fitting(table.record())]
    if isinstance(table, SignedTable):
        found.append(Export(SIGNED, "the signed record, which anybody can verify", ".json"))
    return tuple(found)


def fitting(game: GameRecord) -> tuple[Format, ...]:
    """The notations that have words for a game."""
    return tuple(each for each in FORMATS if _fits(game, each))


def exported(table: Table, name: str) -> bytes:
    """The game at a table as a file.

    Args:
        table: the table.
        name: of an `Export`.

    Raises:
        CommandError: it cannot be written so; the message says why.
    """
    if name == SIGNED and isinstance(table, SignedTable):
        return table.signed_record()
    form = format_named(name)
    if form is None:
        known = ", ".join(each.name for each in exports(table))
        msg = f"A game cannot be written as {name!r} here, but as {known}."
        raise CommandError(msg)
    try:
        return form.write(table.record()).encode()
    except UnwritableError as error:
        raise CommandError(str(error)) from None


def _fits(game: GameRecord, form: Format) -> bool:
    try:
        form.write(game)
    except UnwritableError:
        return False
    return True
