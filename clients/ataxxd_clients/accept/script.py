"""Acceptance scripts as data: the command to run, then steps.

A script is the program's own input with lines for the harness in between, which begin
with ``#*`` and so are comments to the program. This module runs nothing.
"""

import difflib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


class ScriptError(Exception):
    """A script is invalid; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send the program this line of input."""

    text: str


@dataclass(frozen=True, slots=True)
class SetTime:
    """Set the time limits for a move, and for one side's moves of a game, in seconds."""

    move_s: float
    game_s: float


@dataclass(frozen=True, slots=True)
class AwaitMove:
    """Wait for a move of the program's AI."""


@dataclass(frozen=True, slots=True)
class AwaitResult:
    """Wait for the result and print it."""


@dataclass(frozen=True, slots=True)
class AwaitGame:
    """Wait for moves of the program's AIs up to the result; `shown`: print the result."""

    shown: bool


@dataclass(frozen=True, slots=True)
class PlayRemote:
    """Play against the other program up to the result; `shown`: print the result."""

    shown: bool


Action: TypeAlias = Send | SetTime | AwaitMove | AwaitResult | AwaitGame | PlayRemote


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a script.

    Attributes:
        line: its number in the file, from 1.
        action: what to do.
    """

    line: int
    action: Action


@dataclass(frozen=True, slots=True)
class Script:
    """A script as written.

    Attributes:
        path: its file.
        command: the words of the command that starts the program.
        steps: the steps, in order.
    """

    path: Path
    command: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def remote_line(self) -> int | None:
        """The first line that needs a second program; None if there is none."""
        found = (step.line for step in self.steps if isinstance(step.action, PlayRemote))
        return next(found, None)


_FOR_THE_HARNESS = re.compile(r"\s*#\*(.*)")
_BLANK_OR_COMMENT = re.compile(r"\s*(#.*)?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")

_WAITS: dict[str, Action] = {
    "move": AwaitMove(),
    "win+": AwaitResult(),
    "move/win": AwaitGame(shown=False),
    "move/win+": AwaitGame(shown=True),
    "remote move/win": PlayRemote(shown=False),
    "remote move/win+": PlayRemote(shown=True),
}


def read_script(path: Path) -> Script:
    """Read a script from its file.

    Raises:
        ScriptError: the file cannot be read or is not a script.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text (UTF-8)"
        raise ScriptError(f"{path} cannot be read: {why}.") from None
    return parse_script(path, text)


def parse_script(path: Path, text: str) -> Script:
    """Parse a script; `path` is used only as its name.

    Comments and blank lines before the command line are ignored; all later lines that are not for
    the harness go to the program, including comments.

    Raises:
        ScriptError: there is no command line, or a line for the harness is invalid.
    """
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        if found := _FOR_THE_HARNESS.fullmatch(line):
            command = _command(path, number, found[1])
            break
        if not _BLANK_OR_COMMENT.fullmatch(line):
            raise ScriptError(
                f'{path}, line {number}: "{line.strip()}" comes before the command line. '
                "A script begins with the program to run, such as: #* ataxxd play"
            )
    else:
        raise ScriptError(
            f"{path} has no command line. A script begins with one, such as: #* ataxxd play"
        )
    steps = tuple(Step(number, _action(path, number, line)) for number, line in lines)
    return Script(path, command, steps)


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command line, split as a shell does without expanding anything.

    Raises:
        ValueError: there are none, or a quote is not closed.
    """
    words = tuple(shlex.split(text))
    if not words:
        raise ValueError("there is no program to run")
    return words


def _command(path: Path, number: int, text: str) -> tuple[str, ...]:
    try:
        return split_command(text)
    except ValueError as error:
        why = str(error).removesuffix(".").lower()
        raise ScriptError(
            f"{path}, line {number}: the command line cannot be used: {why}."
        ) from None


def _action(path: Path, number: int, line: str) -> Action:
    found = _FOR_THE_HARNESS.fullmatch(line)
    if not found:
        return Send(line)
    words = found[1].partition("#")[0].split()
    if words[:1] == ["time"]:
        return _time(path, number, words[1:])
    name = " ".join(words)
    if name in _WAITS:
        return _WAITS[name]
    near = difflib.get_close_matches(name, [*_WAITS, "time"], n=1)
    hint = f"Did you mean #*{near[0]}?" if near else f"It knows time, {', '.join(_WAITS)}."
    raise ScriptError(f'{path}, line {number}: the harness has no command "#*{name}". {hint}')


def _time(path: Path, number: int, words: list[str]) -> SetTime:
    if len(words) == 2 and all(_NUMBER.fullmatch(word) for word in words):
        move_s, game_s = map(float, words)
        if move_s > 0 and game_s > 0:
            return SetTime(move_s, game_s)
    raise ScriptError(
        f"{path}, line {number}: #*time takes two numbers of seconds, for a move and for a "
        "game, such as: #*time 10 60"
    )
