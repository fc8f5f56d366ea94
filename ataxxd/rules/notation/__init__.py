"""Games as text: the notations that people and other programs keep games in.

Pure: text goes in, a `GameRecord` comes out, and the other way round. Files, suffixes and
signed records are the business of whoever calls. Here are all notations by name and by the suffix
of their files; each has a module.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ataxxd._engine import Position
from ataxxd.rules.notation.game import GameRecord, UnwritableError, conclude
from ataxxd.rules.notation.pgn import pgn_starts, read_pgn, write_pgn
from ataxxd.rules.notation.reversi import ggf_starts, read_ggf, read_moves, write_ggf, write_moves
from ataxxd.rules.notation.transcript import RULESET, read_transcript, write_transcript


@dataclass(frozen=True, slots=True)
class Format:
    """A notation of games.

    Attributes:
        name: its name in options.
        title: one line for menus.
        suffixes: the suffixes of its files.
        read: reads a game from a text, by the given ruleset if the text names none; raises
            `NotationError`.
        write: writes a game; raises `UnwritableError`.
        starts: finds the offsets at which the games of a text begin; the first is 0.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str, str | None], GameRecord]
    write: Callable[[GameRecord], str]
    starts: Callable[[str], list[int]] = lambda _: [0]

    def game(self, text: str, number: int) -> str:
        """The text of one game, by its number from 1, at the same lines and columns as in the file.

        Raises:
            IndexError: there is no game of this number.
        """
        starts = [*self.starts(text), len(text)]
        start, end = starts[number - 1], starts[number]
        return _blank(text[:start]) + text[start:end]


FORMATS = (
    Format(
        "transcript",
        "the transcript of the old checkers program",
        (".transcript", ".txt"),
        lambda text, ruleset: read_transcript(text, _of(("checkers",), ruleset) or RULESET),
        write_transcript,
    ),
    Format(
        "pdn",
        "Portable Draughts Notation, checkers",
        (".pdn",),
        lambda text, ruleset: read_pgn(text, _of(("checkers",), ruleset) or RULESET),
        lambda game: _write_tagged(game, ("checkers",), "PDN"),
        pgn_starts,
    ),
    Format(
        "pgn",
        "PGN style, Ataxx (as cuteataxx) and Lines of Action",
        (".pgn",),
        lambda text, ruleset: read_pgn(text, _of(("ataxx", "loa"), ruleset) or "ataxx/uai"),
        lambda game: _write_tagged(game, ("ataxx", "loa"), "PGN"),
        pgn_starts,
    ),
    Format(
        "ggf",
        "Generic Game Format, reversi",
        (".ggf",),
        lambda text, _: read_ggf(text),
        write_ggf,
        ggf_starts,
    ),
    Format(
        "moves",
        "a string of squares, f5d6c3, reversi",
        (".moves", ".f5d6"),
        lambda text, _: read_moves(text),
        write_moves,
    ),
)

OWN = {"checkers": "transcript", "ataxx": "pgn", "loa": "pgn", "reversi": "ggf"}
"""The default notation of each game's records."""


def own_format(game: str) -> Format | None:
    """The notation that a game has for itself; None if it has none."""
    return format_named(OWN.get(game, ""))


def format_named(name: str) -> Format | None:
    """The notation of that name."""
    return next((each for each in FORMATS if each.name == name), None)


def format_of_file(name: str) -> Format | None:
    """The notation that a file's suffix stands for."""
    return next((each for each in FORMATS if name.lower().endswith(each.suffixes)), None)


def under_ruleset(game: GameRecord, ruleset: str) -> GameRecord:
    """The same moves under another ruleset of the same game.

    Raises:
        RulesError: a move is not legal there.
        UnwritableError: the ruleset is one of another game, or the result differs.
    """
    if ruleset == game.start.ruleset:
        return game
    if _game(ruleset) != game.start.game:
        msg = f"This is a game of {game.start.game}; {ruleset} is for another."
        raise UnwritableError(msg)
    own = game.start == Position.start(game.start.ruleset)
    start = Position.start(ruleset) if own else Position.from_text(ruleset, game.start.text)
    position = start
    for move in game.moves:
        position = position.play(move)
    said = game.outcome
    # An end on the board under the old rules was no player's decision, and may be none here.
    if said is None or game.position.outcome is not None:
        outcome = position.outcome
    else:
        try:
            outcome = conclude(position, said.score, said.termination)
        except ValueError as error:
            raise UnwritableError(f"Under {ruleset} {error}.") from None
    return replace(game, start=start, outcome=outcome)


def _write_tagged(game: GameRecord, games: tuple[str, ...], title: str) -> str:
    """PDN or PGN, which differ only in the games whose communities write them."""
    if game.start.game not in games:
        own = OWN.get(game.start.game)
        msg = f"{title} is written for {' and '.join(games)}; this is a game of {game.start.game}."
        instead = f" Write {'pdn' if own == 'transcript' else own} instead." if own else ""
        raise UnwritableError(msg + instead)
    return write_pgn(game)


def _blank(text: str) -> str:
    """Blanks that take as many lines, and as many columns of the last."""
    return "\n" * text.count("\n") + " " * (len(text) - text.rfind("\n") - 1)


def _of(games: tuple[str, ...], ruleset: str | None) -> str | None:
    """The ruleset, if it is of one of the games; otherwise None."""
    return ruleset if ruleset is not None and _game(ruleset) in games else None


def _game(ruleset: str) -> str:
    return ruleset.partition("/")[0]
