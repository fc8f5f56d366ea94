"""The questions that a marked program is asked, and their answers: one line each.

    boardEval {...|...}        the value of the state:  -12
    chooseMove 8 [...|...]     the move, 8 plies deep:  (5,4)

An answer that begins with ``error`` says what went wrong, as the laboratory's report would.
This module knows the texts, and no process.
"""

import re
from collections.abc import Callable

from ataxxd.rules import Move, Position, RulesError
from ataxxd.rules.reversi import board_eval, laboratory_text

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
        msg = f"answered {_quoted(line)}, which is no whole number"
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
        what = f"which is not legal: {why}" if why else "which is no move such as (5,4)"
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
        return f"{_quoted(word)} is no question; ask {' or '.join(_FORMS.values())}"
    depth = ", where DEPTH is 1 to 99" if word.lower() == CHOOSE_MOVE.lower() else ""
    return f"ask {asked}{depth}; STATE is such as {{........|...}} or [...]"


def _check_error(line: str) -> None:
    if line.lower().startswith(ERROR):
        msg = f"answered {_quoted(line)}"
        raise AnswerError(msg)


def _quoted(line: str) -> str:
    return repr(line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "…")
