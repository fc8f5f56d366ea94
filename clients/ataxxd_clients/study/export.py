"""Writing a studied game, by the name of a notation or of a file."""

from ataxxd.rules import RulesError
from ataxxd.rules.notation.formats import Format, format_named, format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.exports import fitting
from ataxxd_clients.study.tree import StudyError

_SIGNED = (
    "A signed record cannot be made of a game that is studied: only its players can sign it. "
    "Choose another notation."
)


def written(game: GameRecord, name: str) -> tuple[Format, str]:
    """A game in the notation of a name, or of a file's name by its suffix.

    Raises:
        StudyError: there is no such notation, or it cannot hold the game; says which can.
    """
    if name == "record" or name.lower().endswith(".json"):
        raise StudyError(_SIGNED)
    form = format_named(name) or format_of_file(name)
    if form is None:
        can = ", ".join(f"{each.suffixes[0]} ({each.name})" for each in fitting(game))
        msg = f"{name} does not tell a notation. This game can be written as {can}."
        raise StudyError(msg)
    try:
        return form, form.write(game)
    except RulesError as error:
        msg = f"This game cannot be written as {form.name}: {error}"
        raise StudyError(msg) from None
