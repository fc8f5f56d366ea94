"""What the page on security says is shown by a test is shown by it."""

import re

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.gate

_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| who")
]


def test_each_test_that_the_threats_name_is_there_and_carries_their_requirements() -> None:
    assert len(_ROWS) > 20
    for _, what, answer, shown in _ROWS:
        named = [ROOT / path for path in re.findall(r"`(tests/[\w./]+)`", shown)]
        assert all(path.exists() for path in named), f"{what}: {shown}"
        files = [
            file for path in named for file in ([path] if path.is_file() else path.rglob("*.py"))
        ]
        carried = "".join(file.read_text(encoding="utf-8") for file in files)
        for requirement in re.findall(r"MP-[A-Z]+-\d+", answer):
            assert f'"{requirement}"' in carried, (
                f"{what}: no test of {shown} carries {requirement}"
            )


def test_what_is_said_to_be_prevented_or_detected_is_shown() -> None:
    for _, what, answer, shown in _ROWS:
        assert bool(shown) is not answer.startswith("not covered"), what
