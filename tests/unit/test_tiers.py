"""What the gate has of the tests that run whole programs, and that no test is in no part."""

import ast
import re
import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from ataxxd.cli.app import COMMANDS
from ataxxd.rules import rulesets
from tests.docs.pages import ROOT, read_page
from tests.other_brokers import KINDS
from tests.tiers import GATE, in_part, part

HERE = Path(__file__).parents[1]
FOLDERS = sorted({path.parent.name for path in HERE.glob("*/test_*.py")} - {*GATE})
# These read commands and run none.
PAPER = ("docs/test_reference", "docs/test_links")
# A word in the tests of each interface: an option, a fixture or a helper.
INTERFACES = {
    "lines at a pipe": "typed",
    "a board in the terminal": "--tui",
    "a page in the browser": "chromium",
    "the lobby": "lobby",
    "lines for programs": "--json",
    "the Python client": "programs",
    "the guided start": "in_terminal",
    "websockets": "receive",
}


@pytest.fixture(scope="module")
def words() -> set[str]:
    """Names, texts and variants in the tests of the gate that run whole programs."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--gate", *FOLDERS],
        cwd=HERE,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    found = re.findall(r"^tests/(\S+?\.py)::(\w+)(?:\[(.*)\])?$", listed, re.MULTILINE)
    return set().union(
        *(
            words_of(HERE / file, name, variant)
            for file, name, variant in found
            if not file.startswith(PAPER)
        )
    )


def words_of(file: Path, name: str, variant: str) -> set[str]:
    """What one test and its helpers say; commands, which may be names elsewhere, with a dollar."""
    if variant.endswith(".md"):
        blocks = [block.text for block in read_page(ROOT / variant).blocks if "run" in block.marks]
        return {f"$ {word}" for word in re.findall(r"\bataxxd ([a-z]+)", "\n".join(blocks))}
    parts = re.split(r"[-/]", variant)
    said = {variant, *parts, f"$ {parts[0]}"}
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and (
            function.name == name or not function.name.startswith("test_")
        ):
            for node in ast.walk(function):
                said |= {f"$ {command}" for command in commands_in(node)}
                match node:
                    case ast.Constant(value=str(text)):
                        said |= {text, text.partition("/")[0]}
                    case ast.Name(id=text) | ast.Attribute(attr=text) | ast.arg(arg=text):
                        said.add(text)
                    case ast.keyword(arg=str(text)):
                        said.add(text)
    return said


def commands_in(node: ast.AST) -> list[str]:
    """The first word of a call or a list, or the word behind "ataxxd": maybe a command."""
    match node:
        case ast.Call(func=ast.Attribute(attr="host")):
            return ["host"]
        case ast.Call(func=ast.Attribute(attr="node")):
            return []
        case ast.Call(args=elements) | ast.List(elts=elements) | ast.Tuple(elts=elements):
            words = [each.value if isinstance(each, ast.Constant) else None for each in elements]
            at = words.index("ataxxd") + 1 if "ataxxd" in words else 0
            return [str(word) for word in words[at : at + 1]]
    return []


@pytest.mark.parametrize(
    ("what", "wanted"),
    [
        ("command", [f"$ {command}" for command in COMMANDS]),
        ("game", sorted({info.game for info in rulesets()})),
        ("broker", KINDS),
        ("interface", INTERFACES.values()),
    ],
)
def test_the_gate_has_each_at_least_once(what: str, wanted: list[str], words: set[str]) -> None:
    assert [word for word in wanted if word not in words] == [], f"no {what} of that name"


def test_each_test_outside_the_gate_is_in_one_part() -> None:
    for path in HERE.rglob("test_*.py"):
        name = path.relative_to(HERE).as_posix()
        assert sum(in_part(name, (number, 4)) for number in range(1, 5)) == 1


@pytest.mark.parametrize("text", ["0/4", "5/4", "4", "1/", "one/four"])
def test_a_part_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is no part"):
        part(text)
