"""The page of exit codes and the program agree."""

import re

from ataxxd.errors import ExitCode
from tests.docs.pages import ROOT


def test_the_page_lists_every_exit_code_with_its_number_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert [(int(number), name) for number, name in rows] == [
        (code.value, code.name) for code in ExitCode
    ]
