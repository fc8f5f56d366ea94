"""Reversi as a string of squares: ``f5d6c3d3c4``, without passes and without a result."""

import re

from ataxxd._engine import Move, Position
from ataxxd.rules.errors import RulesError
from ataxxd.rules.notation.game import GameRecord, PlacedText, UnwritableError, shown

RULESET = "reversi/standard"
PASS = Move("reversi", "--")
_TOKEN = re.compile(r"\s+|[A-Ha-h][1-8]|--|[Pp][Aa](?:[Ss][Ss])?")


def write_moves(game: GameRecord) -> str:
    """The squares of a game in one line; players and a resignation have no place in it.

    Raises:
        UnwritableError: it is not reversi, or does not begin from the start.
    """
    if game.start.game != "reversi":
        msg = f"A string of squares is a game of reversi; this is one of {game.start.game}."
        raise UnwritableError(msg)
    if game.start != Position.start(RULESET):
        msg = "A string of squares cannot say from which position it began. Write ggf instead."
        raise UnwritableError(msg)
    last = len(game.moves) - 1
    # A pass follows from the square after it; the last move has none.
    said = (move.text for ply, move in enumerate(game.moves) if move != PASS or ply == last)
    return "".join(said) + "\n"


def read_moves(text: str) -> GameRecord:
    """Read a string of squares; blanks, capitals and passes that are written do not matter.

    Raises:
        NotationError: it is none, or a move in it is not legal.
    """
    source = PlacedText(text)
    position, moves, at = Position.start(RULESET), list[Move](), 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise source.error(at, f"{shown(text[at : at + 2])} is not a square from a1 to h8")
        at = token.end()
        if token[0].isspace():
            continue
        word = token[0].lower()
        try:
            if word[0] in "-p":
                move = position.parse_move("--")
            else:
                if position.legal_moves == (PASS,):
                    moves.append(PASS)
                    position = position.play(PASS)
                move = position.parse_move(word)
            position = position.play(move)
        except RulesError as error:
            raise source.error(token.start(), str(error)) from None
        moves.append(move)
    return GameRecord(Position.start(RULESET), tuple(moves), position.outcome)
