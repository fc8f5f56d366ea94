"""What is imported is declared, and what is declared has its reason written down."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.gate

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OURS = {"ataxxd", "ataxxd_protocol", "ataxxd_clients"}


# The program's own, with those of the parts that a plain installation leaves out.
INSTALLED = [
    *PROJECT["project"]["dependencies"],
    *(each for extra in PROJECT["project"]["optional-dependencies"].values() for each in extra),
]


def normalized(requirement: str) -> str:
    """The name in a requirement, spelled as PyPI compares names (PEP 503)."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def imported(path: Path) -> Iterator[str]:
    """The top-level modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_the_program_imports_only_what_it_depends_on() -> None:
    declared = {normalized(requirement) for requirement in INSTALLED}
    distributions = packages_distributions()
    undeclared = []
    for folder in ("ataxxd", "protocol/ataxxd_protocol", "clients/ataxxd_clients"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for module in set(imported(path)) - OURS - sys.stdlib_module_names:
                offered_by = {normalized(name) for name in distributions.get(module, ())}
                if not offered_by & declared:
                    undeclared.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not undeclared, "\n".join(undeclared)


def crates() -> set[str]:
    """The crates of others that the engine's workspace and its members name."""
    files = [ROOT / "engine" / "Cargo.toml", *(ROOT / "engine").glob("*/Cargo.toml")]
    manifests = [tomllib.loads(path.read_text(encoding="utf-8")) for path in files]
    tables = (
        table
        for each in manifests
        for table in (each.get("workspace", each), *each.get("target", {}).values())
    )
    named = (
        table.get(kind, {})
        for table in tables
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
    )
    return {name for names in named for name in names if not name.startswith("ataxxd-")}


def test_every_dependency_has_its_reason_written_down() -> None:
    page = (ROOT / "docs" / "design" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE)
    explained = {normalized(name) for row in rows for name in row.split(", ")}
    browser = json.loads((ROOT / "clients" / "browser" / "package.json").read_text("utf-8"))
    packages = {**browser["dependencies"], **browser["devDependencies"]}
    declared = {
        normalized(requirement)
        for requirement in (
            *INSTALLED,
            *(
                entry
                for group in PROJECT["dependency-groups"].values()
                for entry in group
                if isinstance(entry, str)  # and no reference to another group
            ),
            *crates(),
            *(name.split("/")[-1] for name in packages if not name.startswith("@types/")),
        )
    }
    assert declared - explained == set()
    assert explained - declared <= {"package", "crate", "---"}
