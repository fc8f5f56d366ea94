"""SPEC.md, its tests and the implementation say the same."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ataxxd.session.ledger import TERMINATIONS, TRANSITIONS
from ataxxd_protocol import MAX_PAYLOAD, PROTOCOL_VERSION
from ataxxd_protocol.messages import Entry, LogMessage
from tools.schemas import LOG_MODELS, MODELS, schema

ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "protocol" / "SPEC.md").read_text(encoding="utf-8")
DEFINITION = re.compile(r"^- \*\*\[(MP-[A-Z]+-[0-9]+)\]\*\* ", re.MULTILINE)


def blocks() -> list[str]:
    """The paragraphs, list items and table rows of the specification."""
    text = re.sub(r"^(#.*)$", r"\n\1\n", SPEC, flags=re.MULTILINE)
    parts = re.split(r"\n\s*\n|\n(?=[-|] )|\n(?=\|)", text)
    return [part.strip() for part in parts if part.strip()]


def requirements_of(path: Path) -> Iterator[str]:
    """The ids in the requirement marks of a test file, found without importing it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement":
            for argument in node.args:
                assert isinstance(argument, ast.Constant), f"{path}: write the id out"
                yield str(argument.value)


def tables_after(heading: str) -> list[list[str]]:
    """The first cells of each table below a heading, up to the next heading."""
    section = re.split(r"^#+ ", SPEC.split(f"\n{heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [
        [row.split("|")[1].strip().strip("`") for row in table.splitlines()[2:]] for table in tables
    ]


def test_every_requirement_is_defined_once() -> None:
    twice = [name for name, count in Counter(DEFINITION.findall(SPEC)).items() if count > 1]
    assert not twice


def test_every_must_stands_in_a_requirement() -> None:
    loose = [
        block
        for block in blocks()
        if re.search(r"\b(MUST|SHALL|REQUIRED)\b", block)
        and not DEFINITION.match(block)
        and not block.startswith("This page is normative")
    ]
    assert not loose, loose


def test_every_requirement_demands_something() -> None:
    empty = [
        block[:40]
        for block in blocks()
        if DEFINITION.match(block) and not re.search(r"\bMUST\b|malformed", block)
    ]
    assert not empty


def test_every_requirement_has_a_test_and_every_test_names_a_requirement() -> None:
    defined = set(DEFINITION.findall(SPEC))
    tested = {
        name
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for name in requirements_of(path)
    }
    assert not defined - tested, f"no test for {sorted(defined - tested)}"
    assert not tested - defined, f"unknown: {sorted(tested - defined)}"


def test_references_to_requirements_lead_somewhere() -> None:
    mentioned = set(re.findall(r"MP-[A-Z]+-[0-9]+", SPEC))
    assert mentioned == set(DEFINITION.findall(SPEC))


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind != "record"])
def test_the_table_of_a_message_has_exactly_its_fields(kind: str) -> None:
    (written,) = tables_after(f"### {kind}")
    if issubclass(MODELS[kind], LogMessage):
        (common,) = tables_after("### The fields of every log message")
        written = written + common
    assert sorted(written) == sorted(schema(kind)["properties"])


def test_the_tables_of_records_have_exactly_their_fields() -> None:
    record, entry = tables_after("## 11. Records")
    assert sorted(record) == sorted(schema("record")["properties"])
    assert sorted(entry) == sorted(Entry.model_fields)


def test_the_tables_of_a_clubs_log_have_exactly_its_fields() -> None:
    entries, head, proof = tables_after("### 11.2 A club's log")
    assert sorted(head) == sorted(schema("head")["properties"])
    assert sorted(proof) == sorted(schema("proof")["properties"])
    assert sorted(entries) == sorted(set(LOG_MODELS) - {"head", "proof"})
    for kind in entries:
        (fields,) = re.findall(rf"^\| `{kind}` \| (.*) \|$", SPEC, re.MULTILINE)
        for field in set(schema(kind)["properties"]) - {"type", "at_ms"}:
            assert f"`{field}`" in fields, f"{kind}: {field}"


def test_the_table_of_transitions_is_the_programs() -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| ([\w-]+) \| [^|]+ \| [^|]+ \|$",
        SPEC.split("### 7.2 Transitions")[1].split("- **[")[0],
        re.MULTILINE,
    )
    written = {
        (phase, kind) for phases, kind in rows for phase in phases.split(", ") if phase != "phase"
    }
    assert written == {(phase.value, kind) for phase, kind in TRANSITIONS}


def test_the_table_of_faults_is_the_programs() -> None:
    section = SPEC.split("## 8. Faults")[1].split("## 9.")[0]
    written: dict[str, str] = {}
    for row in re.findall(r"^\| (`.*) \| .* \| `([a-z-]+)` \|$", section, re.MULTILINE):
        for code in re.findall(r"`([a-z/-]+)`", row[0]):
            written[code] = row[1]
    source = (ROOT / "ataxxd" / "session" / "ledger.py").read_text()
    made = re.findall(r'Fault\(\s*role,\s*"([a-z/-]+)"', source)
    made += [f"{kind}/not-your-turn" for kind in ("move", "resign", "draw", "takeback", "abort")]
    assert set(written) == set(made)
    for code, termination in written.items():
        assert TERMINATIONS.get(code, "protocol-violation") == termination


def test_version_and_limits_are_the_programs() -> None:
    assert SPEC.startswith(f"# The mailbox protocol, version {PROTOCOL_VERSION}\n")
    assert f"{MAX_PAYLOAD:,} bytes" in SPEC
