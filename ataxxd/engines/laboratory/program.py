"""A marked program: a process that answers questions, and is trusted in nothing.

It is started again after it has crashed, hung, or answered what is no answer, so that the next
answer belongs to the next question.
"""

import shlex
import shutil
import time
from pathlib import Path

from ataxxd.engines.external.command import EngineCommand
from ataxxd.engines.external.process import EngineProcess, ProcessError
from ataxxd.engines.laboratory.questions import (
    AnswerError,
    board_eval_question,
    choose_move_question,
    read_move,
    read_value,
)
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Move, Position
from ataxxd.sanitize import sanitized


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
        raise UsageError('The command names no program. Write it, such as "python3 mine.py".')
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
