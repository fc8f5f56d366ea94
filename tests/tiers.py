"""Two tiers of tests: the gate, which every change passes, and the rest, which takes turns.

All tests of the folders in `GATE` are in the gate. Of the others, which run whole programs, those
are that the marker ``gate`` chooses: each command, game, broker and interface at least once, and
not every combination of them.
"""

import hashlib
import re
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

GATE = ("attacks", "conformance", "interop", "property", "unit")

_HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that choose tests; without them all that are named run."""
    group = parser.getgroup("tiers")
    group.addoption("--gate", action="store_true", help="only the tests of the gate")
    group.addoption(
        "--part",
        type=part,
        metavar="K/N",
        help="with --gate: also the Kth of N parts of the other tests, which are split by file",
    )


def part(text: str) -> tuple[int, int]:
    """The numbers of K/N.

    Raises:
        ArgumentTypeError: if there is no such part.
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ArgumentTypeError(f"{text} is no part, such as 1/4 or 4/4")
    return int(found[1]), int(found[2])


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is run, and how to run it again."""
    if not config.option.gate:
        return None
    if config.option.part is None:
        return "tests: the gate; make test-all runs all"
    number, count = config.option.part
    return f"tests: the gate and part {number}/{count} of the rest: make test PART={number}/{count}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the options do not choose, and begin with the tests that run whole programs.

    Those take longest and mostly wait, so that the others fill the time, and no process is left
    with one of them when the others have ended.
    """
    items.sort(key=lambda item: _folder(item) in GATE)
    if not config.option.gate:
        return
    chosen: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        wanted = in_gate(item) or in_part(_name(item), config.option.part)
        (chosen if wanted else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def _name(item: pytest.Item) -> str:
    return item.path.relative_to(_HERE).as_posix()


def _folder(item: pytest.Item) -> str:
    return _name(item).split("/")[0]


def in_gate(item: pytest.Item) -> bool:
    """Whether a test is in the gate; the marker's words choose among its variants."""
    if _folder(item) in GATE:
        return True
    if (marker := item.get_closest_marker("gate")) is None:
        return False
    return not marker.args or any(word in item.name for word in marker.args)


def in_part(name: str, wanted: tuple[int, int] | None) -> bool:
    """Whether a file of tests is in a part; its tests stay together, as they may share fixtures."""
    if wanted is None:
        return False
    number, count = wanted
    return int.from_bytes(hashlib.sha256(name.encode()).digest()) % count == number - 1
