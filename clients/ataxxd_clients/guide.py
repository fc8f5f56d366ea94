"""A guided start: a series of questions whose answers form a command line.

The caller provides the questions. A `Guide` keeps the answers; `run_plain` asks in lines of text,
and `ataxxd_clients.tui.guide` on the full screen.
"""

import asyncio
import textwrap
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.sanitize import sanitized

Answers: TypeAlias = Mapping[str, str]


class BadAnswerError(Exception):
    """An answer is invalid; the message says why, and what is valid. Nothing is lost."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers to choose from.

    Attributes:
        value: the answer.
        label: the text shown for it.
    """

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Attributes:
        key: the key of the answer.
        text: the question in one line.
        choices: the answers to choose from; empty if it can only be typed.
        typed: what may be typed instead, in words; empty for nothing.
        default: the answer for Enter alone; empty for the first choice.
        note: what a person should know first, such as that no game was found.
        read: converts typed text to an answer; raises `BadAnswerError`.
    """

    key: str
    text: str
    choices: tuple[Choice, ...] = ()
    typed: str = ""
    default: str = ""
    note: str = ""
    read: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of the answers.

    Attributes:
        words: the command line after the program's name; empty to leave.
    """

    words: tuple[str, ...]


Ask: TypeAlias = Callable[[Answers], Awaitable[Question | Plan]]


class Guide:
    """The questions so far and their answers.

    Args:
        ask: returns the next question after some answers, or the plan; it may look for games,
            which takes time.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._answers: dict[str, str] = {}
        # Answers undone by `back`; they are proposed when their question comes again.
        self._remembered: dict[str, str] = {}
        self._asked: Question | None = None

    @property
    def answers(self) -> Answers:
        """The answers so far, in order."""
        return self._answers

    async def next(self) -> Question | Plan:
        """The question to ask now, or the plan."""
        step = await self._ask(dict(self._answers))
        self._asked = step if isinstance(step, Question) else None
        return step

    def proposal(self, question: Question) -> str:
        """The answer for Enter alone."""
        first = question.choices[0].value if question.choices else ""
        return self._remembered.get(question.key) or question.default or first

    def answer(self, text: str) -> None:
        """Answer the question that `next` asked.

        Args:
            text: a choice's value or its number, or what was typed; empty for the proposal.

        Raises:
            BadAnswerError: it is invalid; the question stands.
        """
        question = self._asked
        assert question is not None  # there was one to answer
        text = text.strip() or self.proposal(question)
        values = [choice.value for choice in question.choices]
        if (
            text not in values
            and text.isdecimal()
            and len(text) < 4
            and 0 < int(text) <= len(values)
        ):
            text = values[int(text) - 1]
        if text not in values:
            if not question.typed:
                raise BadAnswerError(f'"{text}" is none of the answers: choose one of them.')
            text = question.read(text)
        self._remembered[question.key] = self._answers[question.key] = text
        self._asked = None

    def back(self) -> bool:
        """Undo the last answer; returns False if there is none."""
        if not self._answers:
            return False
        self._answers.popitem()
        return True


_BACK = frozenset({"back", "\x1b"})
_LEAVE = frozenset({"quit", "q"})


def run_plain(
    guide: Guide, read: Callable[[str], str], write: Callable[[str], object], width: int = 60
) -> Plan:
    """Ask questions until there is a plan.

    Args:
        guide: the questions.
        read: shows a prompt and returns the line that is typed; raises `EOFError` at the end.
        write: prints a line.
        width: the most columns of a line.

    Returns:
        The plan; without words if the person leaves.
    """
    write("Type a number or the answer itself; back for the previous question; quit to leave.")
    while True:
        step = asyncio.run(guide.next())
        if isinstance(step, Plan):
            return step
        _show(step, guide.proposal(step), write, width)
        while True:
            try:
                typed = read("> ").strip()
            except EOFError:
                return Plan(())
            if typed in _LEAVE:
                return Plan(())
            if typed in _BACK:
                if not guide.back():
                    write("This is the first question.")
                    continue
                break
            try:
                guide.answer(typed)
            except BadAnswerError as error:
                for line in textwrap.wrap(sanitized(str(error)), width):
                    write(line)
                continue
            break


def _show(question: Question, proposal: str, write: Callable[[str], object], width: int) -> None:
    write("")
    for line in textwrap.wrap(sanitized(question.note), width):
        write(line)
    write(question.text)
    values = [choice.value for choice in question.choices]
    for number, choice in enumerate(question.choices, 1):
        lines = textwrap.wrap(sanitized(choice.label), width - 5)
        write(f" {number:2}  {lines[0]}")
        for line in lines[1:]:
            write(f"     {line}")
    if question.typed:
        write(f"{'Or type' if values else 'Type'} {question.typed}.")
    if proposal:
        usual = str(values.index(proposal) + 1) if proposal in values else proposal
        write(f"Enter alone: {sanitized(usual)}")
