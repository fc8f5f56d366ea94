"""Every link inside the project leads somewhere, and every page can be found from the index."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import ROOT, page_paths, read_page

pytestmark = pytest.mark.gate


@pytest.mark.parametrize("path", page_paths(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_and_anchor_resolves(path: Path) -> None:
    page = read_page(path)
    broken = []
    for line, target in page.links:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not there.exists():
            broken.append(f"{page}:{line}: {target}: there is no such file")
        elif not there.is_relative_to(ROOT):
            broken.append(f"{page}:{line}: {target}: leads out of the project")
        elif parts.fragment and parts.fragment not in read_page(there).anchors:
            broken.append(f"{page}:{line}: {target}: that page has no such heading")
    assert not broken, "\n".join(broken)


def test_every_page_of_the_documentation_is_linked_from_its_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {
        (index.parent / urlsplit(target).path).resolve() for _, target in read_page(index).links
    }
    orphans = [
        path for path in (ROOT / "docs").rglob("*.md") if path != index and path not in linked
    ]
    assert not orphans, f"add to docs/index.md: {[str(path.relative_to(ROOT)) for path in orphans]}"


def test_every_link_of_the_index_says_what_is_behind_it() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    links = re.findall(r"^- \[[^]]+\]\([^)]+\)(.*)$", index, re.MULTILINE)
    assert links
    assert not [line for line in links if not re.fullmatch(r": .{8,80}", line)]
