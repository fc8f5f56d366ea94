"""The documentation builds into a site without a warning, and the site needs nobody else."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import ROOT, page_paths

pytestmark = pytest.mark.gate

# The whole site is built: half a minute of a processor, and more of a busy machine.

# What a browser fetches by itself. Where a link leads is the reader's own affair.
FETCHED = {
    ("audio", "src"), ("embed", "src"), ("iframe", "src"), ("image", "href"), ("img", "src"),
    ("img", "srcset"), ("link", "href"), ("object", "data"), ("script", "src"), ("source", "src"),
    ("use", "href"), ("video", "src"),
}  # fmt: skip


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """What ``make docs`` runs."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "-b", "html", "-c", ROOT / "docs" / "site"),
            *("-W", "--keep-going", "-n", "-E", "-q", "-d", target / "read"),
            *(source, target / "site"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT, target)
    assert done.returncode == 0, done.stdout
    assert not done.stdout
    return target / "site"


class References(HTMLParser):
    """What one page refers to: (tag, attribute, target)."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name, value) for name, value in attrs if value]


def test_a_reader_of_the_site_needs_no_network(site: Path) -> None:
    outside = [
        f"{page.relative_to(site)}: {target}"
        for page in site.rglob("*.html")
        for tag, name, target in References(page).found
        if (tag, name) in FETCHED and (urlsplit(target).netloc or urlsplit(target).scheme == "http")
    ]
    assert not outside
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), sheet


def test_everything_that_a_page_fetches_is_part_of_the_site(site: Path) -> None:
    missing = [
        f"{page.relative_to(site)}: {target}"
        for page in site.rglob("*.html")
        for tag, name, target in References(page).found
        if (tag, name) in FETCHED
        and (path := unquote(urlsplit(target).path))
        and not (page.parent / path).exists()
    ]
    assert not missing


def test_the_folder_of_the_site_opens_at_the_index(site: Path) -> None:
    targets = [target for tag, name, target in References(site / "index.html").found if tag == "a"]
    assert targets
    assert all((site / target).exists() for target in targets)


def test_every_page_of_the_project_is_in_the_navigation(site: Path) -> None:
    index = site / "docs" / "index.html"
    linked = {
        (index.parent / urlsplit(target).path).resolve()
        for tag, name, target in References(index).found
        if (tag, name) == ("a", "href")
    }
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in page_paths()]
    assert [page for page in pages if (site / page).resolve() not in linked] == [
        Path("docs/index.html")
    ]


def test_diagrams_are_drawn_into_the_page(site: Path) -> None:
    page = (site / "docs" / "design" / "architecture.html").read_text(encoding="utf-8")
    assert page.count('<svg id="diagram') == page.count('<figure class="diagram"') >= 1
    assert "node.runtime" in page
    assert "flowchart LR" not in page


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("# A page\n\n[away](nowhere.md)\n", "nowhere.md"),
        ("# A page\n\n[away](index.md#nowhere)\n", "nowhere"),
        ("# A page\n\n```mermaid\nflowchart LR\n  a --> [\n```\n", "mermaid"),
    ],
    ids=["a broken link", "a broken anchor", "a diagram that is none"],
)
def test_a_fault_ends_the_build(page: str, complaint: str, tmp_path: Path) -> None:
    docs = tmp_path / "project" / "docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text("# Index\n\n## Pages\n\n- [A page](page.md)\n")
    (docs / "page.md").write_text(page)
    done = build(docs.parent, tmp_path)
    assert done.returncode != 0
    assert complaint in done.stdout, done.stdout


def test_a_page_that_no_list_names_ends_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text("# Index\n\nSee [a page](page.md).\n")
    (docs / "page.md").write_text("# A page\n")
    done = build(docs.parent, tmp_path)
    assert done.returncode != 0
    assert "toc.not_included" in done.stdout, done.stdout
