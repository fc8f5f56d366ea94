"""The line languages that exist. A new game adds one line here and one file."""

from ataxxd_clients.text.ataxx import AtaxxLanguage
from ataxxd_clients.text.checkers import CheckersLanguage
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.text.loa import LoaLanguage
from ataxxd_clients.text.reversi import ReversiLanguage

_LANGUAGES: dict[str, type[LineLanguage]] = {
    "ataxx": AtaxxLanguage,
    "checkers": CheckersLanguage,
    "loa": LoaLanguage,
    "reversi": ReversiLanguage,
}


def line_language(ruleset: str) -> LineLanguage:
    """The line language of a ruleset's game.

    Raises:
        ValueError: the game has none.
    """
    game = ruleset.partition("/")[0]
    if game not in _LANGUAGES:
        msg = f"There is no line language for {game}; there is one for {', '.join(_LANGUAGES)}."
        raise ValueError(msg)
    return _LANGUAGES[game](ruleset)
