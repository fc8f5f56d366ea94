"""Adding a game touches lists and files of its own: no other module asks which game it is."""

import ast
from pathlib import Path

import pytest

from ataxxd.rules import rulesets

ROOT = Path(__file__).parents[2]
GAMES = {info.game for info in rulesets()}
IDS = {info.id for info in rulesets()}
MODULES = [
    path
    for folder in (
        *("ataxxd/cli", "ataxxd/engines", "ataxxd/node", "ataxxd/serve"),
        *("ataxxd/session", "ataxxd/tournament", "ataxxd/transport"),
        *("clients/ataxxd_clients", "protocol/ataxxd_protocol"),
    )
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.stem not in GAMES
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_that_is_not_a_games_own_compares_nothing_with_its_name(path: Path) -> None:
    asked = [
        f"line {comparison.lineno}: {constant.value}"
        for comparison in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(comparison, ast.Compare)
        for operand in (comparison.left, *comparison.comparators)
        for constant in getattr(operand, "elts", [operand])
        if isinstance(constant, ast.Constant) and constant.value in GAMES | IDS
    ]
    assert not asked
