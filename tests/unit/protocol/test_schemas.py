"""The published JSON Schemas: current, valid, and of one mind with the models."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.time_limits import DEADLINE
from tools.schemas import FOLDER, MODELS, schema, schema_files

ROOT = Path(__file__).parents[3]


def test_the_schemas_in_the_tree_are_current() -> None:
    found = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    assert found == schema_files(), "run: python -m tools.schemas"


@pytest.mark.parametrize("kind", MODELS)
def test_a_schema_is_valid_and_closed(kind: str) -> None:
    made = schema(kind)
    Draft202012Validator.check_schema(made)
    assert made["additionalProperties"] is False
    assert set(made["required"]) <= set(made["properties"])
    assert "null" not in json.dumps(made)


def test_the_module_writes_the_schemas_and_removes_stale_ones(tmp_path: Path) -> None:
    (tmp_path / "shout.json").write_text("{}")
    subprocess.run(
        [sys.executable, "-m", "tools.schemas", str(tmp_path)],
        cwd=ROOT,
        check=True,
        timeout=DEADLINE,
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == schema_files()
