"""Verdicts in words: a line for each test, details of a failure, a summary."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ataxxd.sanitize import sanitized
from ataxxd_clients.accept.judging import Verdict

_MOST_DIFF_LINES = 60
_MOST_ERROR_LINES = 10
_GREEN, _RED, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"


def verdict_line(verdict: Verdict, *, width: int = 0, color: bool = False) -> str:
    """``ok`` or ``FAILED``, the test, and its seconds or why it failed.

    Args:
        verdict: how it went.
        width: columns for the name.
        color: whether to use a terminal's colours.
    """
    name = f"{sanitized(verdict.test.name):{width}}"
    if verdict.failure is None:
        return f"{_painted('ok    ', _GREEN, color=color)}  {name}  {verdict.seconds:5.1f} s"
    return f"{_painted('FAILED', _RED, color=color)}  {name}  {sanitized(verdict.failure)}"


def details(verdict: Verdict) -> Iterator[str]:
    """What helps to find out why a test failed; nothing for one that passed."""
    if verdict.failure is None:
        return
    yield sanitized(f"---- {verdict.test.name}: {verdict.failure}")
    if verdict.difference is not None:
        yield from _some(verdict.difference.diff, _MOST_DIFF_LINES, "of the comparison")
    for number, printed in enumerate(verdict.printed, start=1):
        which = f"program {number}" if len(verdict.printed) > 1 else "the program"
        if verdict.difference is None:
            yield f"Printed by {which}, as far as it counts:"
            yield from _some(printed.output, _MOST_DIFF_LINES, "of output")
        if printed.errors:
            yield f"Standard error of {which}:"
            yield from _some(printed.errors, _MOST_ERROR_LINES, "of standard error", last=True)
    scripts = " ".join(str(path) for path in verdict.test.scripts)
    yield sanitized(f"Every line that passed: ataxxd accept --verbose {scripts}")


def summary(verdicts: Sequence[Verdict], seconds: float) -> str:
    """How many tests passed and failed."""
    failed = sum(verdict.failure is not None for verdict in verdicts)
    passed = len(verdicts) - failed
    return (
        f"{passed} passed, {failed} failed, {seconds:.1f} s"
        if failed
        else (f"{passed} passed, {seconds:.1f} s")
    )


def keep(verdict: Verdict, folder: Path) -> list[Path]:
    """Write T.out and T.err for each script T.in of a test; returns the files.

    Args:
        verdict: how the test went.
        folder: where to write; files of these names are replaced.

    Raises:
        OSError: a file cannot be written.
    """
    files: list[Path] = []
    for printed in verdict.printed:
        told = (*printed.errors, *([] if verdict.failure is None else [verdict.failure]))
        for ending, lines in ((".out", printed.output), (".err", told)):
            path = folder / f"{printed.script.stem}{ending}"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            files.append(path)
    return files


def _some(lines: Sequence[str], most: int, of_what: str, *, last: bool = False) -> Iterator[str]:
    """The first, or last, `most` lines, indented, and how many more there are."""
    more = len(lines) - most
    for line in lines[-most:] if last else lines[:most]:
        yield f"    {sanitized(line)}"
    if more > 0:
        yield f"    ({more} {'earlier' if last else 'more'} lines {of_what})"


def _painted(text: str, paint: str, *, color: bool) -> str:
    return f"{paint}{text}{_PLAIN}" if color else text
