"""A marked program: a process that answers questions, and is trusted in nothing.

    boardEval {...|...}        the value of the state:  -12
    chooseMove 8 [...|...]     the move, 8 plies deep:  (5,4)

An answer that begins with ``error`` says what went wrong, as the laboratory's report would.
The program is started again after it has crashed, hung, or answered what is no answer, so that the
next answer belongs to the next question.
"""

import re
import shlex
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from ataxxd.engines.external.command import EngineCommand
from ataxxd.engines.external.process import EngineProcess, ProcessError
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Move, Position, RulesError
from ataxxd.rules.reversi import board_eval, laboratory_text
from ataxxd.sanitize import sanitized

BOARD_EVAL, CHOOSE_MOVE = "boardEval", "chooseMove"
ERROR = "error"
_QUESTION = re.compile(r"\s*(?:(boardEval)|chooseMove\s+([1-9][0-9]?))\s*([{\[].*)", re.DOTALL)
_FORMS = {BOARD_EVAL: f"{BOARD_EVAL} STATE", CHOOSE_MOVE: f"{CHOOSE_MOVE} DEPTH STATE"}
_NUMBER = re.compile(r"[-+]?[0-9]{1,9}")
_LONGEST_SHOWN = 60

Chooser = Callable[[Position, int], Move]


class AnswerError(Exception):
    """An answer that is none; the message quotes it and says why.

    Attributes:
        in_step: whether it is one all the same to the question that was asked, so that the next
            answer will be one to the next question.
    """

    def __init__(self, message: str, *, in_step: bool = True) -> None:
        super().__init__(message)
        self.in_step = in_step


def board_eval_question(position: Position) -> str:
    """Asks for the value of a state."""
    return f"{BOARD_EVAL} {laboratory_text(position)}"


def choose_move_question(position: Position, depth: int) -> str:
    """Asks for the move of a player of a depth."""
    return f"{CHOOSE_MOVE} {depth} {laboratory_text(position)}"


def read_value(line: str) -> int:
    """The value that an answer names.

    Raises:
        AnswerError: it names none.
    """
    _check_error(line)
    if _NUMBER.fullmatch(line.strip()) is None:
        msg = f"answered {_quoted(line)}, which is not a whole number"
        raise AnswerError(msg, in_step=False)
    return int(line)


def read_move(line: str, position: Position) -> Move:
    """The legal move that an answer names.

    Raises:
        AnswerError: it names none.
    """
    _check_error(line)
    try:
        return position.parse_move("".join(line.lower().split()))
    except RulesError as error:
        why = str(error).partition(" is not legal: ")[2]
        what = f"which is not legal: {why}" if why else "which is not a move such as (5,4)"
        raise AnswerError(f"answered {_quoted(line)}, {what}", in_step=bool(why)) from None


def answer(question: str, choose: Chooser) -> str:
    """The answer of a program that plays by `choose`; ``error: ...`` to what is no question."""
    found = _QUESTION.fullmatch(question)
    if found is None:
        return f"{ERROR}: {_why_none(question)}"
    try:
        position = Position.from_text("reversi/standard", found[3].strip())
    except RulesError as error:
        return f"{ERROR}: {error}"
    if found[1]:
        return str(board_eval(position))
    if position.outcome is not None:
        return f"{ERROR}: the game is over in this state, there is no move to choose"
    return position.format_move(choose(position, int(found[2])), "laboratory")


def _why_none(text: str) -> str:
    """What is wrong with a text that is no question, by the one it begins as."""
    word = (text.split() or [""])[0]
    asked = next((form for name, form in _FORMS.items() if name.lower() == word.lower()), None)
    if asked is None:
        return f"{_quoted(word)} is not a question; ask {' or '.join(_FORMS.values())}"
    depth = ", where DEPTH is 1 to 99" if word.lower() == CHOOSE_MOVE.lower() else ""
    return f"ask {asked}{depth}; STATE is such as {{........|...}} or [...]"


def _check_error(line: str) -> None:
    if line.lower().startswith(ERROR):
        msg = f"answered {_quoted(line)}"
        raise AnswerError(msg)


def _quoted(line: str) -> str:
    return repr(line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "…")


class ProgramError(Exception):
    """The program did not answer a question; the message says what it did instead."""


class Program:
    """A program under test; used from one thread, and closed in the end.

    Attributes:
        spent_s: how long it has been waited for, all in all.
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
        """Its command, as it was typed."""
        return self._name

    def board_eval(self, position: Position, limit_s: float) -> int:
        """Its value of a state.

        Raises:
            ProgramError: it names none within the limit.
        """
        line, _ = self._ask(board_eval_question(position), limit_s)
        try:
            return read_value(line)
        except AnswerError as error:
            raise self._answered_wrongly(error) from None

    def choose_move(self, position: Position, depth: int, limit_s: float) -> tuple[Move, float]:
        """Its move in a state, which is legal, and the seconds that it took.

        Raises:
            ProgramError: it names none within the limit.
        """
        line, seconds = self._ask(choose_move_question(position, depth), limit_s)
        try:
            return read_move(line, position), seconds
        except AnswerError as error:
            raise self._answered_wrongly(error) from None

    def check(self, position: Position, limit_s: float) -> None:
        """Make sure that the program answers at least one of the questions as it must.

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
        """End it with all that it has started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, question: str, limit_s: float) -> tuple[str, float]:
        process = self._in_step()
        began = time.monotonic()
        try:
            process.tell(question, began + limit_s)
            line = process.hear(began + limit_s)
        except ProcessError as error:
            raise ProgramError(error.what.removesuffix(".")) from None
        finally:
            seconds = time.monotonic() - began
            self.spent_s += seconds
        return sanitized(line), seconds

    def _in_step(self) -> EngineProcess:
        """The process, with nothing left to hear of what was asked before."""
        if self._process is not None and self._process.close.alive and self._process.unheard():
            self.close()
        if self._process is None or not self._process.close.alive:
            self._process = EngineProcess(self._command)
        return self._process

    def _answered_wrongly(self, error: AnswerError) -> ProgramError:
        if not error.in_step:
            self.close()
        return ProgramError(str(error))


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
    # A path relative to this folder, as it is started elsewhere.
    program = str(Path(program).absolute()) if "/" in program else program
    return EngineCommand((program, *words[1:]), Path.cwd())
