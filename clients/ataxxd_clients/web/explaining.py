"""Why a piece cannot move in the way that was clicked."""

from collections.abc import Sequence

from ataxxd.rules import Position, RulesError
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.language import LineLanguage


def explain(squares: Sequence[str], position: Position, language: LineLanguage) -> None:
    """Say what stands against a move that was entered by these squares.

    Raises:
        RulesError, CommandError: the explanation, unless there is nothing to explain.
    """
    if len(squares) > 1 or language.squares_are_moves:
        position.parse_move("-".join(squares))
        return
    try:
        targets = language.targets(squares[0], position)
    except RulesError as error:
        # The sentence begins with the move from a square to itself, which nobody typed.
        text = str(error)
        text = text.partition(" is not legal: ")[2] or text
        if not text.startswith(squares[0]):
            text = text[0].upper() + text[1:]
        raise CommandError(text) from None
    msg = f"From {squares[0]} you can reach {' '.join(targets)}."
    raise CommandError(msg)
