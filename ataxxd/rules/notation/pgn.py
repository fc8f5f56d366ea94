"""PGN-style games: PDN for checkers, and what the tools of Ataxx and LOA write.

Tag pairs, numbered moves, the score. Black, or whoever moves first, is named first and wins
with ``1-0``, as in cuteataxx and in the PDN of English checkers. Own tags: ``Ruleset`` (the
id), and ``Termination`` where the score alone does not tell it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ataxxd._engine import Move, Position
from ataxxd.rules.notation.game import (
    GameRecord,
    PlacedText,
    UnwritableError,
    conclude,
    is_implied_by_score,
    shown,
)
from ataxxd.rules.values import Outcome, RulesError, Side

_TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_BLANKS = re.compile(r"\s+")
_COMMENT = re.compile(r"\{[^}]*\}")
_REST_OF_LINE = re.compile(r"[;%][^\n]*")
_NUMBER = re.compile(r"([0-9]+)(\.+)")
_WORD = re.compile(r"[^\s{}()\[\];]+")
# What moves, numbers and scores are made of: all but comments and tags.
_SAID = re.compile(r"[^{\[;%]+")
_MARKS = re.compile(r"[!?]+$")
_SCORES = ("1-0", "0-1", "1/2-1/2", "*")
_WIDTH = 79


@dataclass(frozen=True, slots=True)
class Dialect:
    """The dialect of PGN for one game.

    Attributes:
        ruleset: the ruleset of games that do not name theirs.
        notation: the notation of moves for `Position.format_move`.
        tags: tags written in every game, by which games in this dialect are recognized.
    """

    ruleset: str
    notation: str
    tags: tuple[tuple[str, str], ...]


_DIALECTS = {
    "ataxx": Dialect("ataxx/uai", "canonical", (("Variant", "Ataxx"),)),
    "checkers": Dialect("checkers/cs61b-2004", "pdn", (("GameType", "21"),)),
    "loa": Dialect("loa/cs61b", "pgn", (("Variant", "Lines of Action"),)),
}


def write_pgn(game: GameRecord) -> str:
    """Write a game with its tags, but without draw offers that were rejected.

    Raises:
        UnwritableError: there is no PGN for this game.
    """
    dialect = _DIALECTS.get(game.start.game)
    if dialect is None:
        msg = f"{game.start.game} is not written as PGN or PDN. Write ggf or moves instead."
        raise UnwritableError(msg)
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(game, dialect))
    words = [*_move_words(game, dialect), _score(game.outcome)]
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return f"{tags}\n" + "".join(f"{line}\n" for line in lines)


def _tags(game: GameRecord, dialect: Dialect) -> Iterator[tuple[str, str]]:
    yield "Event", game.event or "?"
    yield "Date", game.date or "????.??.??"
    yield "Black", game.players[Side.FIRST] or "?"
    yield "White", game.players[Side.SECOND] or "?"
    yield "Result", _score(game.outcome)
    yield from dialect.tags
    yield "Ruleset", game.start.ruleset
    if game.start != Position.start(game.start.ruleset) or game.start.game == "ataxx":
        yield "SetUp", "1"
        yield "FEN", game.start.text
    if game.outcome is not None and not is_implied_by_score(game.position, game.outcome):
        yield "Termination", game.outcome.termination
    yield "PlyCount", str(len(game.moves))


def _move_words(game: GameRecord, dialect: Dialect) -> Iterator[str]:
    # A game that White begins starts in the middle of a pair.
    first = int(game.start.turn)
    for index, (position, move) in enumerate(zip(game.positions, game.moves, strict=False)):
        number, second = divmod(index + first, 2)
        if not second:
            yield f"{number + 1}."
        elif index == 0:
            yield "1..."
        yield position.format_move(move, dialect.notation)


def _score(outcome: Outcome | None) -> str:
    return "*" if outcome is None else outcome.score


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def pgn_starts(text: str) -> list[int]:
    """The offsets at which the games of a text begin: 0, and each tag after moves.

    A tag begins a game only if it follows a score or begins its line; any other is misplaced.
    """
    starts, at = [0], 0
    said = score = False
    while at < len(text):
        if (found := _COMMENT.match(text, at) or _REST_OF_LINE.match(text, at)) is not None:
            at = found.end()
        elif (found := _TAG.match(text, at)) is not None:
            begins_line = not text[text.rfind("\n", 0, at) + 1 : at].strip()
            if said and (score or begins_line):
                starts.append(at)
                said = score = False
            at = found.end()
        elif (found := _SAID.match(text, at)) is not None:
            words = found[0].removeprefix("\ufeff").split()
            said = said or bool(words)
            score = words[-1] in _SCORES if words else score
            at = found.end()
        else:
            # Neither a tag nor a comment: reading the game will report it.
            at += 1
    return starts


def read_pgn(text: str, ruleset: str = "ataxx/uai") -> GameRecord:
    """Read a text with one game.

    Args:
        text: tags, moves and result; comments, variations and annotations are skipped.
        ruleset: the ruleset, unless a tag names one.

    Raises:
        NotationError: it is not a game, or a move in it is not legal.
    """
    return _Reader(PlacedText(text.removeprefix("\ufeff")), ruleset).read()


class _Reader:
    def __init__(self, source: PlacedText, ruleset: str) -> None:
        self._source = source
        self._ruleset = ruleset
        self._at = 0
        self._tags: dict[str, tuple[str, int]] = {}
        self._moves: list[Move] = []
        self._score: str | None = None

    def read(self) -> GameRecord:
        self._read_tags()
        self._position = start = self._start()
        self._first = int(start.turn)
        self._read_moves()
        outcome = self._outcome()
        return GameRecord(
            start,
            tuple(self._moves),
            outcome,
            players=(self._name("Black", "Red"), self._name("White", "Blue")),
            event=self._name("Event"),
            date=self._value("Date", "????.??.??"),
        )

    def _read_tags(self) -> None:
        self._skip()
        while self._at < len(self._source.text) and self._source.text[self._at] == "[":
            tag = _TAG.match(self._source.text, self._at)
            if tag is None:
                raise self._source.error(
                    self._at,
                    'this is not a tag; a tag is written [Name "value"], such as [White "Ann"]',
                )
            if tag[1] in self._tags:
                raise self._source.error(self._at, f"a second tag {tag[1]}")
            self._tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2]), tag.start()
            self._at = tag.end()
            self._skip()

    def _start(self) -> Position:
        ruleset, offset = self._rules()
        text, fen_at = self._tags.get("FEN", (None, offset))
        try:
            return Position.start(ruleset) if text is None else Position.from_text(ruleset, text)
        except RulesError as error:
            raise self._source.error(fen_at, str(error)) from None

    def _rules(self) -> tuple[str, int]:
        """The ruleset, and the offset of the tag that tells it."""
        if "Ruleset" in self._tags:
            return self._tags["Ruleset"]
        for game, dialect in _DIALECTS.items():
            for name, value in dialect.tags:
                tag = self._tags.get(name)
                if tag is not None and _plain(tag[0]).startswith(_plain(value)):
                    asked = self._ruleset if self._ruleset.startswith(f"{game}/") else ""
                    return asked or dialect.ruleset, tag[1]
        if "Variant" in self._tags:
            value, offset = self._tags["Variant"]
            raise self._source.error(offset, f"{shown(value)} is not a game that is known here")
        return self._ruleset, 0

    def _read_moves(self) -> None:
        numbered = False
        while True:
            self._skip()
            if self._at >= len(self._source.text):
                if numbered:
                    raise self._source.error(self._source.end, "a move is missing after the number")
                return
            if self._score is not None:
                raise self._source.error(self._at, "text after the result; one game at a time")
            if self._source.text[self._at] == "[":
                raise self._source.error(self._at, "a tag among the moves: is a second game here?")
            word = _WORD.match(self._source.text, self._at)
            if word is None:
                raise self._source.error(
                    self._at, f"{shown(self._source.text[self._at])} does not belong here"
                )
            if word[0] in _SCORES:
                if numbered and word[0] != "*":
                    raise self._source.error(self._at, f"{word[0]} stands where a move must")
                self._score = word[0]
                self._at, numbered = word.end(), False
            elif (number := _NUMBER.match(self._source.text, self._at)) is not None:
                self._check_number(number)
                self._at, numbered = number.end(), True
            else:
                self._take(word[0], word.start())
                self._at, numbered = word.end(), False

    def _check_number(self, number: re.Match[str]) -> None:
        wanted = (len(self._moves) + self._first) // 2 + 1
        if int(number[1]) != wanted:
            raise self._source.error(
                number.start(), f"the number is {number[1]}, but the move that follows is {wanted}"
            )

    def _take(self, word: str, offset: int) -> None:
        try:
            move = _legal_move(self._position, _MARKS.sub("", word))
            self._position = self._position.play(move)
        except RulesError as error:
            raise self._source.error(offset, str(error)) from None
        self._moves.append(move)

    def _outcome(self) -> Outcome | None:
        said, offset = self._tags.get("Result", ("*", 0))
        if said not in (*_SCORES, "?"):
            raise self._source.error(
                offset, f"{shown(said)} is not a result; results are 1-0, 0-1, 1/2-1/2 and *"
            )
        score = self._score or said
        if "Result" in self._tags and said not in (score, "?"):
            raise self._source.error(
                offset, f"the tag says {said} and the end of the game {score}: which is it?"
            )
        told = self._value("Termination", "normal")
        termination = told if told and re.fullmatch(r"[a-z-]{1,32}", told) else None
        try:
            return conclude(self._position, None if score in "*?" else score, termination)
        except ValueError as error:
            raise self._source.error(self._source.end, str(error)) from None

    def _name(self, *tags: str) -> str | None:
        return next((name for tag in tags if (name := self._value(tag, "?"))), None)

    def _value(self, tag: str, unknown: str) -> str | None:
        value = self._tags.get(tag, (unknown, 0))[0]
        return None if value in ("", unknown) else value

    def _skip(self) -> None:
        """Pass over blanks, comments, annotation numbers and variations."""
        text = self._source.text
        while self._at < len(text):
            for pattern in (_BLANKS, _COMMENT, _REST_OF_LINE, re.compile(r"\$[0-9]+")):
                if (found := pattern.match(text, self._at)) is not None:
                    self._at = found.end()
                    break
            else:
                if text[self._at] == "{":
                    raise self._source.error(self._at, "this comment has no end: } is missing")
                if text[self._at] != "(":
                    return
                self._skip_variation()

    def _skip_variation(self) -> None:
        opened, depth = self._at, 0
        text = self._source.text
        while self._at < len(text):
            if (comment := _COMMENT.match(text, self._at)) is not None:
                self._at = comment.end()
                continue
            depth += {"(": 1, ")": -1}.get(text[self._at], 0)
            self._at += 1
            if depth == 0:
                return
        raise self._source.error(opened, "this variation has no end: ) is missing")


def _plain(value: str) -> str:
    return value.lower().replace(" ", "")


def _legal_move(position: Position, word: str) -> Move:
    """The move of a word; in checkers the squares on the way may be left out.

    Raises:
        RulesError: it is none, is not legal, or fits several moves.
    """
    if position.game != "checkers" or not re.fullmatch(r"[0-9]+([-x:][0-9]+)+", word):
        return position.parse_move(word)
    squares = re.findall(r"[0-9]+", word)
    fitting = []
    for move in position.legal_moves:
        path = re.findall(r"[0-9]+", move.text)
        ends = (path[0], path[-1]) == (squares[0], squares[-1])
        if path == squares:
            return move
        rest = iter(path)
        if ends and all(square in rest for square in squares):
            fitting.append(move)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        msg = (
            f"{word} may be {' or '.join(move.text for move in fitting)}: name the squares between"
        )
        raise RulesError(msg)
    return position.parse_move(word)
