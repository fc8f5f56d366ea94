"""The transcripts of the old checkers program (CS 61B project 3, 2004, section 3).

    Game:    { Number. Move Move } [ Number. Move ] Score
    Move:    squares joined by hyphens, every one of a multiple jump; or a special move
    Special: resign, draw, accept, reject
    Score:   1-0 (black wins), 0-1 or 1/2-1/2

Numbers count pairs of normal moves: special moves do not advance them. Number and score
begin lines when written; any blanks do when read. A transcript without a score is a game
that is not over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ataxxd._engine import Move, Position
from ataxxd.rules.notation.game import (
    AGREED,
    RESIGNATION,
    GameRecord,
    PlacedText,
    UnwritableError,
    conclude,
    shown,
    why,
)
from ataxxd.rules.values import Outcome, RulesError

RULESET = "checkers/cs61b-2004"
_TOKEN = re.compile(r"[0-9]+\.|\S+")
_NUMBER = re.compile(r"[0-9]+\.")
_SCORES = ("1-0", "0-1", "1/2-1/2")
_RESIGN, _DRAW, _ACCEPT, _REJECT = "resign", "draw", "accept", "reject"


def write_transcript(game: GameRecord) -> str:
    """Write the transcript of a game, without the names of players.

    Raises:
        UnwritableError: it is not checkers, or does not begin from the usual start.
    """
    if game.start.game != "checkers":
        msg = f"A transcript is a game of checkers; this is one of {game.start.game}."
        raise UnwritableError(msg)
    if game.start != Position.start(game.start.ruleset):
        msg = "A transcript cannot say from which position the game began. Write PDN instead."
        raise UnwritableError(msg)
    lines: list[str] = []
    fresh = True
    made = 0
    for word, is_move in _words(game):
        if fresh:
            lines.append(f"{made // 2 + 1}. {word}")
        else:
            lines[-1] += f" {word}"
        fresh = not fresh
        made += is_move
    if game.outcome is not None:
        lines.append(game.outcome.score)
    return "".join(f"{line}\n" for line in lines)


def _words(game: GameRecord) -> Iterator[tuple[str, bool]]:
    """What the players said in turn, and whether it is a move."""
    refused = set(game.refused)
    for ply, position in enumerate(game.positions):
        if ply in refused:
            yield _DRAW, False
            yield _REJECT, False
        if ply < len(game.moves):
            yield position.format_move(game.moves[ply], "cs61b"), True
    if game.outcome is None or game.position.outcome is not None:
        return
    if game.outcome.termination == AGREED:
        yield _DRAW, False
        yield _ACCEPT, False
    elif game.outcome.winner is game.position.turn.opponent:
        # Also for an illegal move: the other program treats it as a resignation.
        yield _RESIGN, False


def read_transcript(text: str, ruleset: str = RULESET) -> GameRecord:
    """Read a transcript.

    Args:
        text: the whole transcript.
        ruleset: a ruleset of checkers.

    Raises:
        NotationError: it is not a transcript, or a move in it is not legal.
    """
    return _Reader(PlacedText(text), Position.start(ruleset)).read()


@dataclass
class _Reader:
    source: PlacedText
    start: Position
    moves: list[Move] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    last: str = ""
    said_in_pair: int = 2
    score: str | None = None

    def read(self) -> GameRecord:
        self.position = self.start
        for token in _TOKEN.finditer(self.source.text):
            self._take(token[0], token.start())
        if self.said_in_pair == 0:
            raise self.source.error(self.source.end, "a move is missing after the number")
        if self.score is None and self.last in (_RESIGN, _ACCEPT):
            raise self.source.error(
                self.source.end, f"the score is missing after {shown(self.last)}"
            )
        if self.last == _DRAW:
            raise self.source.error(
                self.source.end, "the draw is not answered: accept or reject must follow"
            )
        outcome = self._outcome()
        return GameRecord(self.start, tuple(self.moves), outcome, tuple(self.refused))

    def _take(self, word: str, offset: int) -> None:
        if self.score is not None:
            raise self.source.error(offset, f"{shown(word)} stands after the score")
        if word in _SCORES:
            self._end(word, offset)
        elif _NUMBER.fullmatch(word):
            self._count(word, offset)
        elif self.said_in_pair == 2:
            wanted = len(self.moves) // 2 + 1
            raise self.source.error(
                offset, f"{shown(word)} stands where the number {wanted}. or a score must"
            )
        else:
            self.said_in_pair += 1
            self._say(word.lower(), offset)

    def _count(self, word: str, offset: int) -> None:
        if self.said_in_pair != 2:
            which = ("first", "second")[self.said_in_pair]
            raise self.source.error(offset, f"{word} stands where the {which} move of a pair must")
        wanted = f"{len(self.moves) // 2 + 1}."
        if word != wanted:
            raise self.source.error(offset, f"the number is {word}, but it must be {wanted}")
        self.said_in_pair = 0

    def _say(self, word: str, offset: int) -> None:
        if self.last in (_RESIGN, _ACCEPT):
            raise self.source.error(offset, f"after {shown(self.last)} only the score can follow")
        answers = word in (_ACCEPT, _REJECT)
        if answers is not (self.last == _DRAW):
            fault = (
                f'{shown(word)} stands where no draw is offered; it only answers "draw"'
                if answers
                else f'"draw" is answered with accept or reject, not with {shown(word)}'
            )
            raise self.source.error(offset, fault)
        if self.last == _REJECT and word in (_DRAW, _RESIGN):
            raise self.source.error(
                offset, f"after a rejected draw a move must follow, not {shown(word)}"
            )
        ended = self.position.outcome
        if ended is not None:
            raise self.source.error(
                offset,
                f"{shown(word)} comes after the end: the game is over, {ended.score} "
                f"({why(ended)}), and only the score can follow",
            )
        if word == _REJECT:
            self.refused.append(len(self.moves))
        elif word not in (_ACCEPT, _DRAW, _RESIGN):
            self._move(word, offset)
        self.last = word

    def _move(self, word: str, offset: int) -> None:
        try:
            move = self.position.parse_move(word)
            self.position = self.position.play(move)
        except RulesError as error:
            raise self.source.error(offset, str(error)) from None
        self.moves.append(move)

    def _end(self, score: str, offset: int) -> None:
        if self.said_in_pair == 0:
            raise self.source.error(offset, f"{score} stands where a move must")
        if self.last in (_DRAW, _REJECT):
            wanted = "accept or reject" if self.last == _DRAW else "a move"
            raise self.source.error(offset, f'after "{self.last}" {wanted} must follow')
        self.score = score
        try:
            self._outcome()
        except ValueError as error:
            raise self.source.error(offset, str(error)) from None

    def _outcome(self) -> Outcome | None:
        """How it ended.

        Raises:
            ValueError: the score does not follow from what was said.
        """
        termination = {_RESIGN: RESIGNATION, _ACCEPT: AGREED}.get(self.last)
        outcome = conclude(self.position, self.score, termination)
        if outcome is None or self.position.outcome is not None:
            return outcome
        loser = None if outcome.winner is None else outcome.winner.opponent
        if self.last == _RESIGN and loser is not self.position.turn:
            msg = f"the score is {self.score}, but the player who resigned has lost"
        elif self.last == _ACCEPT and loser is not None:
            msg = f"the score is {self.score}, but both agreed to a draw: 1/2-1/2"
        elif termination is None and outcome.winner is None:
            msg = "the score 1/2-1/2 follows only when a draw was offered and accepted"
        elif termination is None and loser is self.position.turn:
            msg = (
                f"the score is {self.score}, but the game is not over: the loser can still move "
                'and must have said "resign"'
            )
        else:
            return outcome
        raise ValueError(msg)
