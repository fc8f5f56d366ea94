"""The acceptance scripts of ``tests/data/acceptance``: each run must record its .std file."""

import asyncio
from pathlib import Path

import pytest

from tests.e2e.harness import run_script, run_two_scripts

SCRIPTS = Path(__file__).parents[1] / "data" / "acceptance"
SINGLE = sorted(path for path in SCRIPTS.glob("*.in") if path.stem[-2:] not in {"-1", "-2"})
FIRST_OF_TWO = sorted(SCRIPTS.glob("*-1.in"))


@pytest.mark.parametrize("script", SINGLE, ids=lambda path: path.stem)
def test_a_program_follows_the_script(script: Path) -> None:
    expected = script.with_suffix(".std").read_text()
    assert asyncio.run(run_script(script.read_text())) == expected


@pytest.mark.parametrize("first", FIRST_OF_TWO, ids=lambda path: path.stem[:-2])
def test_two_programs_play_each_other_and_agree(first: Path) -> None:
    second = first.with_name(first.name.replace("-1.in", "-2.in"))
    one, two = asyncio.run(run_two_scripts(first.read_text(), second.read_text()))
    assert one == two
    assert one.splitlines()[0] in {"* Red wins.", "* Blue wins.", "* Draw."}
