"""Which files make which tests: T-1.in and T-2.in belong together."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_NO_SCRIPTS = {".std", ".out", ".err"}


@dataclass(frozen=True, slots=True)
class Test:
    """The files of one test.

    Attributes:
        name: what it is called.
        scripts: one script, or two whose programs play each other.
    """

    __test__ = False  # no test case of pytest's

    name: str
    scripts: tuple[Path, ...]


def collect(paths: Iterable[Path]) -> list[Test]:
    """The tests that files and folders hold, in their order; each test is named once.

    A folder stands for all scripts in it and below. A script T-1.in takes T-2.in along
    where there is one, named or not, and the other way round.

    Raises:
        ValueError: there is no such file, or no script in a folder; says which.
    """
    tests: dict[Path, Test] = {}
    for path in paths:
        for script in _scripts(path):
            test = _test_of(script)
            tests.setdefault(test.scripts[0].resolve(), test)
    return list(tests.values())


def pair(paths: Sequence[Path]) -> Test:
    """Two scripts as one test, whatever they are called.

    Raises:
        ValueError: there are not two, or one of them is no file.
    """
    if len(paths) != 2:
        msg = f"--pair takes two scripts that play each other, and {len(paths)} were named."
        raise ValueError(msg)
    for path in paths:
        _require(path, is_there=path.is_file())
    return Test(f"{paths[0].stem} and {paths[1].stem}", tuple(paths))


def _scripts(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(path.rglob("*.in"))
        if not found:
            msg = f"There is no script in {path}; the name of a script ends in .in."
            raise ValueError(msg)
        yield from found
        return
    _require(path, is_there=path.is_file())
    if path.suffix in _NO_SCRIPTS:
        msg = f"{path} is no script; name the script, {path.with_suffix('.in').name}."
        raise ValueError(msg)
    yield path


def _test_of(script: Path) -> Test:
    stem = script.stem.removesuffix("-1").removesuffix("-2")
    one, two = (script.with_name(f"{stem}-{number}{script.suffix}") for number in (1, 2))
    if script in (one, two) and one.is_file() and two.is_file():
        return Test(stem, (one, two))
    return Test(script.stem, (script,))


def _require(path: Path, *, is_there: bool) -> None:
    if not is_there:
        names = [each.name for each in path.parent.glob("*.in")]
        near = difflib.get_close_matches(path.name, names, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        msg = f"There is no script {path}.{hint}"
        raise ValueError(msg)
