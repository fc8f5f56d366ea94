"""The reversi laboratory of COMP24011: its reference player, and the marking of programs beside it.

Values, moves and marks are those of the laboratory's sheet; how a marked program is asked is ours,
and described in docs/how-to/mark-a-reversi-program.md:

    boardEval {...|...}        the value of the state:  -12
    chooseMove 8 [...|...]     the move, 8 plies deep:  (5,4)

An answer that begins with ``error`` says what went wrong, as the laboratory's report would. A
program is trusted in nothing. It is started again after it has crashed, hung, or answered what is
no answer, so that the next answer belongs to the next question.

Twelve test games beside the reference player make twenty marks. White maximises and Black
minimises, every ply counts, skipped turns included, and of equal moves the first in the list is
chosen. A test game is twenty moves from a random board position. Everything but the seconds is a
function of the seed, on any machine. A board position is taken only where the reference itself, in
the place of the marked program, changes the board score in its favour: every game can be won, and
a program that always plays right wins them all.
"""

import random
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ataxxd.engines.base import RandomBot, seed_for
from ataxxd.engines.external.process import EngineCommand, EngineProcess, ProcessError
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Engine, Move, Position, RulesError, Side
from ataxxd.rules.reversi import board_eval, laboratory_text
from ataxxd.sanitize import sanitized

BOARD_EVAL, CHOOSE_MOVE = "boardEval", "chooseMove"
ERROR = "error"
_QUESTION = re.compile(r"\s*(?:(boardEval)|chooseMove\s+([1-9][0-9]?))\s*([{\[].*)", re.DOTALL)
_FORMS = {BOARD_EVAL: f"{BOARD_EVAL} STATE", CHOOSE_MOVE: f"{CHOOSE_MOVE} DEPTH STATE"}
_NUMBER = re.compile(r"[-+]?[0-9]{1,9}")
_MAX_SHOWN = 60

Chooser = Callable[[Position, int], Move]
T = TypeVar("T")


class ProgramError(Exception):
    """The program did not answer a question; the message says what it did instead.

    Attributes:
        in_step: whether its next answer is certain to belong to the next question.
    """

    def __init__(self, message: str, *, in_step: bool = True) -> None:
        super().__init__(message)
        self.in_step = in_step


def board_eval_question(position: Position) -> str:
    """The question for the value of a state."""
    return f"{BOARD_EVAL} {laboratory_text(position)}"


def choose_move_question(position: Position, depth: int) -> str:
    """The question for the move of a player with a depth."""
    return f"{CHOOSE_MOVE} {depth} {laboratory_text(position)}"


def read_value(line: str) -> int:
    """The value in an answer.

    Raises:
        ProgramError: there is none.
    """
    _check_error(line)
    if _NUMBER.fullmatch(line.strip()) is None:
        msg = f"answered {_quoted(line)}, which is not a whole number"
        raise ProgramError(msg, in_step=False)
    return int(line)


def read_move(line: str, position: Position) -> Move:
    """The legal move in an answer.

    Raises:
        ProgramError: there is none.
    """
    _check_error(line)
    try:
        return position.parse_move("".join(line.lower().split()))
    except RulesError as error:
        why = str(error).partition(" is not legal: ")[2]
        what = f"which is not legal: {why}" if why else "which is not a move such as (5,4)"
        raise ProgramError(f"answered {_quoted(line)}, {what}", in_step=bool(why)) from None


def answer(question: str, choose: Chooser) -> str:
    """Answer a question as a program that plays by `choose`; ``error: ...`` if it is invalid."""
    found = _QUESTION.fullmatch(question)
    if found is None:
        return f"{ERROR}: {_explain_invalid(question)}"
    try:
        position = Position.from_text("reversi/standard", found[3].strip())
    except RulesError as error:
        return f"{ERROR}: {error}"
    if found[1]:
        return str(board_eval(position))
    if position.outcome is not None:
        return f"{ERROR}: the game is over in this state, there is no move to choose"
    return position.format_move(choose(position, int(found[2])), "laboratory")


def _explain_invalid(text: str) -> str:
    """Why a text is not a question, depending on which one it begins like."""
    word = (text.split() or [""])[0]
    asked = next((form for name, form in _FORMS.items() if name.lower() == word.lower()), None)
    if asked is None:
        return f"{_quoted(word)} is not a question; ask {' or '.join(_FORMS.values())}"
    depth = ", where DEPTH is 1 to 99" if word.lower() == CHOOSE_MOVE.lower() else ""
    return f"ask {asked}{depth}; STATE is such as {{........|...}} or [...]"


def _check_error(line: str) -> None:
    if line.lower().startswith(ERROR):
        msg = f"answered {_quoted(line)}"
        raise ProgramError(msg)


def _quoted(line: str) -> str:
    return repr(line if len(line) <= _MAX_SHOWN else line[:_MAX_SHOWN] + "…")


class Program:
    """A program under test, for one thread only; close it in the end.

    Attributes:
        spent_s: the total time of its answers, in seconds.
    """

    def __init__(self, words: list[str]) -> None:
        """A program by its command: the words, or one text of them.

        Raises:
            UsageError: there is no such program.
        """
        words = _split(words)
        self._command = _command(words)
        self._name = shlex.join(words)
        self._process: EngineProcess | None = None
        self.spent_s = 0.0

    @property
    def name(self) -> str:
        """The command as it was typed."""
        return self._name

    def board_eval(self, position: Position, limit_s: float) -> int:
        """Ask for the value of a state.

        Raises:
            ProgramError: it does not give one within the time limit.
        """
        return self._ask(board_eval_question(position), limit_s, read_value)[0]

    def choose_move(self, position: Position, depth: int, limit_s: float) -> tuple[Move, float]:
        """Ask for a move; returns it, checked to be legal, and the seconds it took.

        Raises:
            ProgramError: it does not give one within the time limit.
        """
        question = choose_move_question(position, depth)
        return self._ask(question, limit_s, lambda line: read_move(line, position))

    def check(self, position: Position, limit_s: float) -> None:
        """Check that the program answers at least one of the questions correctly.

        Raises:
            EngineError: it answers neither; the message says what it does instead.
        """
        try:
            self.board_eval(position, limit_s)
        except ProgramError as error:
            failure = error
        else:
            return
        try:
            self.choose_move(position, 1, limit_s)
        except ProgramError as error:
            self.close()
            also = "" if str(error) == str(failure) else f" Asked chooseMove, it {error}."
            raise EngineError(
                f"{self._name} cannot be marked. "
                f"Asked boardEval, it {failure}.{also} Try it by hand: start it, and type "
                f"{board_eval_question(position)}"
            ) from None

    def close(self) -> None:
        """End the program and all processes that it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, question: str, limit_s: float, read: Callable[[str], T]) -> tuple[T, float]:
        """Ask a question; returns what `read` makes of the answer, and the seconds that it took."""
        # Leftover output would be taken for the answer: start the program afresh.
        if (
            self._process is not None
            and self._process.close.alive
            and self._process.count_pending()
        ):
            self.close()
        if self._process is None or not self._process.close.alive:
            self._process = EngineProcess(self._command)
        process = self._process
        began = time.monotonic()
        try:
            process.send_line(question, began + limit_s)
            line = process.read_line(began + limit_s)
        except ProcessError as error:
            raise ProgramError(error.what.removesuffix(".")) from None
        finally:
            seconds = time.monotonic() - began
            self.spent_s += seconds
        try:
            return read(sanitized(line)), seconds
        except ProgramError as error:
            if not error.in_step:
                self.close()
            raise


def _split(words: list[str]) -> list[str]:
    """The words of a command, which may have come as one text."""
    if len(words) == 1:
        try:
            words = shlex.split(words[0])
        except ValueError as error:
            raise UsageError(f"The command {words[0]!r} cannot be read: {error}.") from None
    if not words:
        raise UsageError('The command is empty. Write one, such as "python3 mine.py".')
    return words


def _command(words: list[str]) -> EngineCommand:
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(
            f"The program {words[0]!r} is not found, or cannot be executed. "
            f"Install it, or give its path, such as ./{Path(words[0]).name}"
        )
    # Made absolute, since the program is started in another folder.
    program = str(Path(program).absolute()) if "/" in program else program
    return EngineCommand((program, *words[1:]), Path.cwd())


RULESET = "reversi/standard"
# The search keeps no table; an engine is never smaller than this.
_HASH_MB = 1


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move, and the minimax value of the state after it."""

    move: Move
    value: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The value of a state at a given depth, with its moves.

    Attributes:
        value: the minimax value for White.
        choice: the first of the best moves; None if the game is over or the depth is 0.
        moves: every legal move in the order of the list; empty if `choice` is None.
    """

    value: int
    choice: Move | None
    moves: tuple[MoveValue, ...]


class ReferencePlayer:
    """``ReferenceMoveChooser``; for one thread only."""

    def __init__(self) -> None:
        self._engine = Engine(_HASH_MB)

    def choose_move(self, position: Position, depth: int) -> Move:
        """The move of a player with a depth of at least 1.

        Raises:
            ValueError: the game is over, or the depth is 0.
        """
        return self._engine.alphabeta(position, depth)[0]

    def value(self, position: Position, depth: int) -> int:
        """The minimax value at a depth; at 0, or if the game is over, ``boardEval``."""
        if depth == 0 or position.outcome is not None:
            return board_eval(position)
        value = self._engine.alphabeta(position, depth)[1]
        assert value is not None
        return value

    def judge(self, position: Position, depth: int) -> Judgement:
        """Judge a state and every move in it."""
        if depth == 0 or position.outcome is not None:
            return Judgement(board_eval(position), None, ())
        moves = tuple(
            MoveValue(move, self.value(position.play(move), depth - 1))
            for move in position.legal_moves
        )
        choice, value = self._engine.alphabeta(position, depth)
        assert value is not None
        return Judgement(value, choice, moves)


MOVES = 20
STEP_S = 0.2
# The fewest and most random moves before the board positions; four games in a row cover all phases
# of a game, since skipped turns, and ends within reach of the search, come only late.
_PHASES = ((4, 14), (15, 25), (26, 36), (37, 46))
# The tolerance when seconds are compared.
_TINY_S = 1e-9


@dataclass(frozen=True, slots=True)
class Scheme:
    """The settings of a group of test games.

    Attributes:
        depth: the marked program's depth.
        opponent: the depth of the reference as its opponent; None for a random player.
        sides: the marked program's side in each game.
    """

    depth: int
    opponent: int | None
    sides: tuple[Side, ...]

    @property
    def opponent_name(self) -> str:
        """``Random`` or ``Reference(5)``."""
        return "Random" if self.opponent is None else f"Reference({self.opponent})"


_WHITE, _BLACK = Side.SECOND, Side.FIRST
SCHEMES = (
    Scheme(4, None, (_WHITE,) * 4),
    Scheme(8, 5, (_WHITE,) * 4),
    Scheme(8, 7, (_WHITE, _WHITE, _BLACK, _BLACK)),
)


def schemes_for_slow_programs(depth: int) -> tuple[Scheme, ...]:
    """The scheme for slow programs: both players look that many plies less far ahead."""
    schemes = []
    for scheme in SCHEMES:
        less = max(0, scheme.depth - depth)
        opponent = None if scheme.opponent is None else max(1, scheme.opponent - less)
        schemes.append(Scheme(scheme.depth - less, opponent, scheme.sides))
    return tuple(schemes)


@dataclass(frozen=True, slots=True)
class Trial:
    """A test game.

    Attributes:
        number: its number, from 1.
        scheme: its settings.
        side: the marked program's side.
        start: the position that it begins from.
        seed: the seed of a random opponent.
    """

    number: int
    scheme: Scheme
    side: Side
    start: Position
    seed: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the marked program: its answers and their times.

    Attributes:
        ply: the number of the move in the game, from 1.
        position: the state.
        reference_move: the reference's move.
        move: the program's move; None if it gave none, and the first legal move was made.
        move_error: why it gave none.
        minimax_values: the minimax values of `move` and of `reference_move`; None if these are
            the same move, or there is no `move`.
        reference_s: seconds that the reference took.
        seconds: seconds that the program took for `move`.
        reference_value: the reference's value.
        value: the program's value; None if it gave none.
        value_error: why it gave none.
    """

    ply: int
    position: Position
    reference_move: Move
    move: Move | None
    move_error: str
    minimax_values: tuple[int, int] | None
    reference_s: float
    seconds: float
    reference_value: int
    value: int | None
    value_error: str

    @property
    def is_right(self) -> bool:
        """Whether it chose the reference's move."""
        return self.move == self.reference_move

    @property
    def has_right_value(self) -> bool:
        """Whether it evaluates the board as the reference does."""
        return self.value == self.reference_value

    def is_fast(self, handicap: float) -> bool:
        """Whether it chose the right move no slower than the reference times a factor."""
        return self.is_right and count_time_steps(self.seconds) <= count_time_steps(
            self.reference_s * handicap
        )


def count_time_steps(seconds: float) -> int:
    """Seconds rounded up to fifths, at least one, as the laboratory measures them."""
    whole, rest = divmod(seconds, STEP_S)
    return max(1, int(whole) + (rest > _TINY_S))


@dataclass(frozen=True, slots=True)
class PlayedTrial:
    """A test game that has been played.

    Attributes:
        trial: the test game.
        turns: the turns of the marked program.
        end: the last state.
    """

    trial: Trial
    turns: tuple[Turn, ...]
    end: Position

    @property
    def scores(self) -> tuple[int, int]:
        """The board score before and after, White's pieces minus Black's."""
        return _score(self.trial.start), _score(self.end)

    @property
    def is_won(self) -> bool:
        """Whether the board score changed in favour of the marked program."""
        before, after = self.scores
        return after > before if self.trial.side is _WHITE else after < before


def make_trials(seed: int, schemes: tuple[Scheme, ...]) -> Iterator[Trial]:
    """The test games of a seed, made lazily."""
    reference = ReferencePlayer()
    number = 0
    for scheme in schemes:
        for side in scheme.sides:
            number += 1
            yield _make_winnable_trial(seed, number, scheme, side, reference)


def _make_winnable_trial(
    seed: int, number: int, scheme: Scheme, side: Side, reference: ReferencePlayer
) -> Trial:
    choices = random.Random(f"{seed} {number}")  # noqa: S311 -- to be repeatable
    fewest, most = _PHASES[number % len(_PHASES)]
    while True:
        position = Position.start(RULESET)
        for _ in range(choices.randint(fewest, most)):
            if position.outcome is None:
                position = position.play(choices.choice(position.legal_moves))
        trial = Trial(number, scheme, side, position, choices.getrandbits(63))
        if position.outcome is None and _reference_wins(trial, reference):
            return trial


def _reference_wins(trial: Trial, reference: ReferencePlayer) -> bool:
    depth = trial.scheme.depth
    end = _play_out(trial, reference, lambda position, _: reference.choose_move(position, depth))
    return PlayedTrial(trial, (), end).is_won


def _play_out(
    trial: Trial, reference: ReferencePlayer, choose: Callable[[Position, int], Move]
) -> Position:
    """The end of a test game; `choose` plays for the marked program, and gets the ply, from 1."""
    position, opponent = trial.start, trial.scheme.opponent
    for ply in range(1, MOVES + 1):
        if position.outcome is not None:
            break
        if position.turn is trial.side:
            move = choose(position, ply)
        elif opponent is None:
            move = RandomBot().choose(position, seed=seed_for(trial.seed, ply))
        else:
            move = reference.choose_move(position, opponent)
        position = position.play(move)
    return position


class Examiner:
    """Plays test games with a program.

    Args:
        program: the marked program.
        move_s: its time limit for an answer, in seconds.
        game_s: its time limit for all answers of a game, in seconds.
    """

    def __init__(self, program: Program, move_s: float, game_s: float) -> None:
        self._program = program
        self._move_s = move_s
        self._game_s = game_s
        self._reference = ReferencePlayer()

    def play(self, trial: Trial) -> PlayedTrial:
        """Play a test game to its end, whatever the program does."""
        turns = list[Turn]()
        ends_at = self._program.spent_s + self._game_s

        def choose(position: Position, ply: int) -> Move:
            turn = self._turn(trial, position, ply, ends_at)
            turns.append(turn)
            return turn.move or position.legal_moves[0]

        end = _play_out(trial, self._reference, choose)
        return PlayedTrial(trial, tuple(turns), end)

    def _turn(self, trial: Trial, position: Position, ply: int, ends_at: float) -> Turn:
        value, move, seconds = None, None, 0.0
        value_trouble = move_trouble = ""
        # Asked first, so that restarting the program does not count as time for the move.
        try:
            value = self._program.board_eval(position, self._limit(ends_at))
        except ProgramError as error:
            value_trouble = str(error)
        began = time.perf_counter()
        right_move = self._reference.choose_move(position, trial.scheme.depth)
        reference_s = time.perf_counter() - began
        try:
            move, seconds = self._program.choose_move(
                position, trial.scheme.depth, self._limit(ends_at)
            )
        except ProgramError as error:
            move_trouble = str(error)
        worth = None
        if move is not None and move != right_move:
            worth = (
                self._minimax_value(trial, position, move),
                self._minimax_value(trial, position, right_move),
            )
        return Turn(
            ply, position, right_move, move, move_trouble, worth, reference_s, seconds,
            board_eval(position), value, value_trouble,
        )  # fmt: skip

    def _minimax_value(self, trial: Trial, position: Position, move: Move) -> int:
        return self._reference.value(position.play(move), trial.scheme.depth - 1)

    def _limit(self, ends_at: float) -> float:
        left = ends_at - self._program.spent_s
        if left <= 0:
            msg = f"has used up its {self._game_s:g} s for this game"
            raise ProgramError(msg)
        return min(self._move_s, left)


def _score(position: Position) -> int:
    black, white = position.counts
    return white - black


# The share of all turns that earns so many marks. The sheet names those below full marks.
_VALUE_THRESHOLDS = ((1.0, 2), (0.5, 1))
_MOVE_THRESHOLDS = ((1.0, 4), (0.8, 3), (0.65, 2), (0.5, 1))
_SPEED_THRESHOLDS = ((1.0, 2), (0.5, 1))


@dataclass(frozen=True, slots=True)
class Mark:
    """The marks for one thing.

    Attributes:
        what: the criterion, such as ``board evaluation``.
        marks: the marks given.
        most: the most marks possible.
        count: games won, or turns done right.
        of: all games or turns.
    """

    what: str
    marks: int
    most: int
    count: int
    of: int


def calculate_marks(games: Sequence[PlayedTrial], handicap: float) -> list[Mark]:
    """The marks for test games, in the order of the laboratory's sheet.

    Args:
        games: all test games played.
        handicap: by how many times slower than ours the reference is assumed to be.
    """
    schemes = dict.fromkeys(game.trial.scheme for game in games)
    marks = []
    for scheme in schemes:
        of_scheme = [game for game in games if game.trial.scheme is scheme]
        won = sum(game.is_won for game in of_scheme)
        what = f"depth {scheme.depth} beats {scheme.opponent_name}"
        marks.append(Mark(what, won, len(of_scheme), won, len(of_scheme)))
    turns = [turn for game in games for turn in game.turns]

    def share(what: str, levels: Sequence[tuple[float, int]], good: Callable[[Turn], bool]) -> Mark:
        count = sum(map(good, turns))
        earned = (marks for least, marks in levels if turns and count >= least * len(turns))
        return Mark(what, next(earned, 0), levels[0][1], count, len(turns))

    return [
        *marks,
        share("board evaluation", _VALUE_THRESHOLDS, lambda turn: turn.has_right_value),
        share("minimax search", _MOVE_THRESHOLDS, lambda turn: turn.is_right),
        share("speed", _SPEED_THRESHOLDS, lambda turn: turn.is_fast(handicap)),
    ]
