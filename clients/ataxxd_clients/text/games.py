"""The line languages that exist. A game with one of its own adds a line here and a file."""

from ataxxd_clients.text.ataxx import AtaxxLanguage
from ataxxd_clients.text.checkers import CheckersLanguage
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.text.loa import LoaLanguage
from ataxxd_clients.text.plain import PlainLanguage
from ataxxd_clients.text.reversi import ReversiLanguage

_LANGUAGES: dict[str, type[LineLanguage]] = {
    "ataxx": AtaxxLanguage,
    "checkers": CheckersLanguage,
    "loa": LoaLanguage,
    "reversi": ReversiLanguage,
}


def line_language(ruleset: str) -> LineLanguage:
    """The line language of a ruleset's game; the plain one where it has none of its own."""
    return _LANGUAGES.get(ruleset.partition("/")[0], PlainLanguage)(ruleset)
