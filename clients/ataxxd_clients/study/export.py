"""Writing a studied game, by the name of a notation, of a picture or of a file."""

from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.exports import SIGNED, Export, way_named, ways
from ataxxd_clients.exports import written as written_as
from ataxxd_clients.study.tree import StudyError
from ataxxd_clients.text.commands import CommandError

_SIGNED = (
    "A signed record cannot be made of a game that is studied: only its players can sign it. "
    "Choose another notation."
)


def written(game: GameRecord, name: str, *, at: Position | None = None) -> tuple[Export, bytes]:
    """A game in the notation of a name, or of a file's name by its suffix.

    Args:
        game: the game.
        name: of a notation, a picture or a file.
        at: the position that a picture shows; the last one when None.

    Raises:
        StudyError: there is no such notation, or it cannot hold the game; says which can.
    """
    way = way_named(name)
    if way is None:
        can = ", ".join(f"{each.suffix} ({each.name})" for each in ways(game))
        msg = f"{name} does not tell a notation. This game can be written as {can}."
        raise StudyError(msg)
    if way.name == SIGNED:
        raise StudyError(_SIGNED)
    try:
        return way, written_as(game, way.name, at=at)
    except CommandError as error:
        raise StudyError(str(error)) from None
