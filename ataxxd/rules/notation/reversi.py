"""Games of reversi: as GGF, and as a string of squares.

GGF is the Generic Game Format of the reversi servers and NBoard:

    (;GM[Othello]PC[ataxxd]PB[Ann]PW[Ben]RE[+4.000]TY[8]BO[8 ---… *]B[d3]W[c5]…;)

``RE`` counts for Black; ``:r`` behind it is a resignation. ``XT`` is our own: the
termination where that does not tell it.

A string of squares is ``f5d6c3d3c4``, without passes and without a result.
"""

import re
from collections.abc import Iterator

from ataxxd._engine import Move, Position
from ataxxd.rules.notation.game import (
    RESIGNATION,
    GameRecord,
    PlacedText,
    UnwritableError,
    conclude,
    is_implied_by_score,
    shown,
)
from ataxxd.rules.values import Outcome, RulesError, Side

RULESET = "reversi/standard"
_PROPERTY = re.compile(r"\s*([A-Za-z]{1,2})\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_OPENING = re.compile(r"\s*(?:[0-9]+\s*)?\(\s*;")
_CLOSING = re.compile(r"\s*;\s*\)\s*")
_RESULT = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?)(?::[rtsl])?")
_BOARD = re.compile(r"8([-*Oo.]{64})([*Oo])")
_WRITTEN = str.maketrans("XO-", "*O-")
_READ = str.maketrans("*Oo-.", "XOO--")


def write_ggf(game: GameRecord) -> str:
    """Write a game of reversi in one line.

    Raises:
        UnwritableError: it is another game.
    """
    if game.start.game != "reversi":
        msg = f"GGF is written for reversi; this is a game of {game.start.game}."
        raise UnwritableError(msg)
    head = "".join(f"{name}[{_escaped(value)}]" for name, value in _properties(game))
    moves = "".join(
        f"{'BW'[position.turn]}[{'pa' if move.text == '--' else move.text}]"
        for position, move in zip(game.positions, game.moves, strict=False)
    )
    return f"(;{head}{moves};)\n"


def _properties(game: GameRecord) -> Iterator[tuple[str, str]]:
    board, turn = game.start.text.split()
    yield "GM", "Othello"
    yield "PC", game.event or "?"
    if game.date is not None:
        yield "DT", game.date
    yield "PB", game.players[Side.FIRST] or "?"
    yield "PW", game.players[Side.SECOND] or "?"
    if game.outcome is not None:
        yield "RE", _result(game.position, game.outcome)
        if not is_implied_by_score(game.position, game.outcome):
            yield "XT", game.outcome.termination
    yield "TY", "8"
    yield "BO", f"8 {board.translate(_WRITTEN)} {turn.translate(_WRITTEN)}"


def _result(position: Position, outcome: Outcome) -> str:
    black, white = position.counts
    if position.outcome is not None:
        return f"{black - white:+.3f}"
    score = 0 if outcome.winner is None else 64 if outcome.winner is Side.FIRST else -64
    suffix = ":r" if outcome.termination == RESIGNATION else ":s" if score == 0 else ""
    return f"{score:+.3f}{suffix}"


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace("]", "\\]")


def ggf_starts(text: str) -> list[int]:
    """The offsets at which the games of a text begin; the first is 0."""
    starts, at = [0], 0
    while (found := _OPENING.match(text, at)) is not None:
        if at > 0:
            starts.append(at)
        at = found.end()
        while (found := _PROPERTY.match(text, at)) is not None:
            at = found.end()
        closing = _CLOSING.match(text, at)
        if closing is None:
            break
        at = closing.end()
    return starts


def read_ggf(text: str) -> GameRecord:
    """Read a text with one game.

    Raises:
        NotationError: it is not a GGF game on 8 by 8 squares, or a move is not legal.
    """
    return _Reader(PlacedText(text)).read()


class _Reader:
    def __init__(self, source: PlacedText) -> None:
        self._source = source
        self._values: dict[str, tuple[str, int]] = {}
        self._said: list[tuple[str, str, int]] = []

    def read(self) -> GameRecord:
        self._read_properties()
        game, at = self._values.get("GM", ("Othello", 0))
        if game.lower() not in ("othello", "reversi"):
            raise self._source.error(at, f"GM[{game}] is not Othello")
        position = start = self._start()
        moves = list[Move]()
        for side, word, at in self._said:
            if "BW"[position.turn] != side:
                raise self._source.error(at, f"{side} moves, but it is the other side's turn")
            try:
                move = position.parse_move(word)
                position = position.play(move)
            except RulesError as error:
                raise self._source.error(at, str(error)) from None
            moves.append(move)
        return GameRecord(
            start,
            tuple(moves),
            self._outcome(position),
            players=(self._name("PB"), self._name("PW")),
            event=self._name("PC"),
            date=self._name("DT"),
        )

    def _read_properties(self) -> None:
        text = self._source.text
        opening = _OPENING.match(text)
        if opening is None:
            raise self._source.error(0, "a GGF game begins with (;")
        at = opening.end()
        while (found := _PROPERTY.match(text, at)) is not None:
            name, at = found[1].upper(), found.end()
            value = re.sub(r"\\(.)", r"\1", found[2], flags=re.DOTALL)
            if name in ("B", "W"):
                word = value.partition("/")[0].strip().lower()
                self._said.append((name, "--" if word in ("pa", "pass") else word, found.start(1)))
            elif name in self._values:
                raise self._source.error(found.start(1), f"a second property {name}")
            else:
                self._values[name] = value, found.start(2)
        closing = _CLOSING.match(text, at)
        if closing is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise self._source.error(
                at,
                f"{shown(text[at : at + 12])} is neither a property such as B[d3] nor the end ;)",
            )
        if (at := closing.end()) < len(text):
            raise self._source.error(at, "text after the end of the game; one game at a time")

    def _start(self) -> Position:
        value, at = self._values.get("BO", ("", 0))
        if not value:
            return Position.start(RULESET)
        board = _BOARD.fullmatch("".join(value.split()))
        if board is None:
            raise self._source.error(
                at, "a board is 8, then 64 of *, O and -, then the side to move, * or O"
            )
        return Position.from_text(
            RULESET, f"{board[1].translate(_READ)} {board[2].translate(_READ)}"
        )

    def _outcome(self, position: Position) -> Outcome | None:
        value, at = self._values.get("RE", ("?", 0))
        result = _RESULT.fullmatch(value.strip())
        if result is None:
            if value.strip() in ("", "?"):
                return position.outcome
            raise self._source.error(
                at, f"{shown(value)} is not a result such as +4.000 or -64.000:r"
            )
        number = float(result[1])
        score = "1/2-1/2" if number == 0 else "1-0" if number > 0 else "0-1"
        told = self._values.get("XT", (None, 0))[0]
        told = told or (RESIGNATION if value.strip().endswith(":r") else None)
        try:
            return conclude(position, score, told)
        except ValueError as error:
            raise self._source.error(at, str(error)) from None

    def _name(self, name: str) -> str | None:
        value = self._values.get(name, ("?", 0))[0].strip()
        return None if value in ("", "?") else value


PASS = Move("reversi", "--")
_TOKEN = re.compile(r"\s+|[A-Ha-h][1-8]|--|[Pp][Aa](?:[Ss][Ss])?")


def write_moves(game: GameRecord) -> str:
    """Write the squares of a game in one line, without players or a resignation.

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
    """Read a string of squares; spaces, case and explicit passes do not matter.

    Raises:
        NotationError: it is not a game, or a move in it is not legal.
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
