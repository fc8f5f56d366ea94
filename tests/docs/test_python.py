"""Every Python session (``>>>``) in the documentation prints what it shows."""

import doctest
from pathlib import Path

import pytest

from tests.docs.pages import Page, page_paths, read_page

pytestmark = pytest.mark.gate


def sessions(page: Page) -> str:
    """The page's Python sessions as one text; blank lines keep the page's line numbers."""
    lines: list[str] = []
    for block in page.blocks:
        if block.language in {"python", "pycon"} and ">>>" in block.text:
            lines += [""] * (block.line - len(lines))
            lines += block.text.splitlines()
    return "\n".join([*lines, ""])


PAGES = [page for page in map(read_page, page_paths()) if sessions(page).strip()]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_python_sessions_print_what_the_page_shows(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(sessions(page), {}, str(page), str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=options).run(test, out=report.append)
    assert result.failed == 0, "".join(report)
