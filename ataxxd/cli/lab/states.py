"""The state that a command of the laboratory is asked about."""

from typing import Annotated

import typer

from ataxxd.errors import UsageError
from ataxxd.rules import Position, RulesError

State = Annotated[
    list[str],
    typer.Argument(
        metavar="STATE",
        help='As the laboratory writes it: "{........|...}" with White to move, "[...]" with '
        "Black; - reads it from standard input.",
        show_default=False,
    ),
]


def state_of(words: list[str]) -> Position:
    """The position that the words of a state describe.

    Raises:
        UsageError: they describe none.
    """
    text = typer.get_text_stream("stdin").read() if words == ["-"] else " ".join(words)
    try:
        return Position.from_text("reversi/standard", text)
    except RulesError as error:
        raise UsageError(str(error)) from None
