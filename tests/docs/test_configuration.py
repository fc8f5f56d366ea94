"""The reference of the configuration says what the program knows, and nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from ataxxd.serve.config import Config
from ataxxd.serve.config_file import section_of
from tests.docs.pages import ROOT

pytestmark = pytest.mark.gate

PAGE = ROOT / "docs" / "reference" / "configuration.md"


def rows() -> Iterator[str]:
    """The headings and rows that the page must have, in order."""
    for name, field in Config.model_fields.items():
        section = section_of(field)
        assert section is not None
        several = field.annotation is not section
        yield f"## `[[{name}]]`" if several else f"## `[{name}]`"
        for key, value in section.model_fields.items():
            yield f"| `{key}` | {_usual(value)} | {value.description}{_such_as(value)} |"


def _usual(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is None:
        return ""
    default = field.default
    return f"`{json.dumps(str(default) if isinstance(default, Path) else default)}`"


def _such_as(field: FieldInfo) -> str:
    return (
        f" Such as {' or '.join(f'`{each}`' for each in field.examples)}." if field.examples else ""
    )


def test_the_page_has_every_section_and_key_with_its_default_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^## `\[.*$|^\| `.*$", page, re.MULTILINE)
    assert found == [*rows()]
