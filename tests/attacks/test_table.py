"""The page of attacks and the tests of this folder are one list."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.docs.pages import ROOT

_PAGE = (ROOT / "docs" / "design" / "attacks.md").read_text(encoding="utf-8")
_ROWS = re.findall(r"^\| (A-[0-9]+) \| (.+) \| (.+) \| (.+) \|$", _PAGE, re.MULTILINE)

_PLACES = re.findall(r"^\| (B-[0-9]+) \| .+ \| .+ \| `(.+)::(.+)` \|$", _PAGE, re.MULTILINE)


def tried() -> Iterator[str]:
    """The number of each attack that a test makes, found without importing it."""
    for path in sorted((ROOT / "tests" / "attacks").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("attack"):
                        yield ast.literal_eval(mark.args[0])


def test_each_attack_of_the_page_has_one_test_and_each_test_its_row() -> None:
    rows = [number for number, *_ in _ROWS]
    assert rows == [f"A-{number}" for number in range(1, len(rows) + 1)]
    assert Counter(tried()) == Counter(rows)
    assert len(rows) >= 20


def test_each_row_names_the_requirements_that_hold() -> None:
    spec = (ROOT / "protocol" / "SPEC.md").read_text(encoding="utf-8")
    for number, *_, by in _ROWS:
        named = re.findall(r"MP-[A-Z]+-[0-9]+", by)
        assert named, number
        assert all(f"**[{each}]**" in spec for each in named), number


def test_each_attack_on_the_program_names_a_test_that_there_is() -> None:
    assert [number for number, *_ in _PLACES] == [f"B-{n}" for n in range(1, len(_PLACES) + 1)]
    assert len(_PLACES) == len(re.findall(r"^\| B-", _PAGE, re.MULTILINE)) >= 15
    for number, path, name in _PLACES:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions = [
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        assert functions.count(name) == 1, (number, path, name)
