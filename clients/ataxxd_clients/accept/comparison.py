"""What a program printed against what the ``.std`` file says it prints.

As the course's tester does it, comments, blanks at the end of a line and blank lines do not
count, on either side; blanks before a message do not either. A board counts to the blank.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ataxxd_clients.accept.messages import is_message, with_single_blanks

_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, slots=True)
class Difference:
    """How two outputs differ.

    Attributes:
        line: the first line of the ``.std`` file that is not as printed, from 1; its number
            of lines and one more where something was printed beyond its end.
        expected: that line; None beyond the end.
        printed: what was printed there; None where the output had come to its end.
        diff: both as a unified diff.
    """

    line: int
    expected: str | None
    printed: str | None
    diff: tuple[str, ...]

    def __str__(self) -> str:
        if self.printed is None:
            return f'"{self.expected}" is missing'
        if self.expected is None:
            return f'"{self.printed}" was not expected'
        return f'expected "{self.expected}", printed "{self.printed}"'


def compare(printed: Sequence[str], standard: Sequence[str]) -> Difference | None:
    """How the lines printed differ from the standard's; None when they agree."""
    got = [line for _, line in _that_count(printed)]
    numbered = list(_that_count(standard))
    wanted = [line for _, line in numbered]
    if got == wanted:
        return None
    same = 0
    for one, two in zip(got, wanted, strict=False):
        if one != two:
            break
        same += 1
    return Difference(
        line=numbered[same][0] if same < len(numbered) else len(standard) + 1,
        expected=wanted[same] if same < len(wanted) else None,
        printed=got[same] if same < len(got) else None,
        diff=tuple(difflib.unified_diff(wanted, got, "expected", "printed", lineterm="")),
    )


def _that_count(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    """The lines that count, with their numbers from 1."""
    for number, line in enumerate(lines, start=1):
        bare = _COMMENT.sub("", line).rstrip()
        if bare:
            yield number, with_single_blanks(bare) if is_message(bare) else bare
