"""A guide in lines of text, for any terminal: numbered answers, one typed line each."""

import asyncio
import textwrap
from collections.abc import Callable

from ataxxd.sanitize import sanitized
from ataxxd_clients.guide.asking import BadAnswer, Guide, Plan, Question

_BACK = frozenset({"back", "\x1b"})
_LEAVE = frozenset({"quit", "q"})


def run_plain(
    guide: Guide, read: Callable[[str], str], write: Callable[[str], object], width: int = 60
) -> Plan:
    """Ask until the answers come to something.

    Args:
        guide: the questions.
        read: shows a prompt and returns the line that is typed; raises `EOFError` at the end.
        write: prints a line.
        width: columns to keep to.

    Returns:
        The plan; without words when the person leaves.
    """
    write("Type a number or the answer itself; back for the question before; quit to leave.")
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
            except BadAnswer as error:
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
