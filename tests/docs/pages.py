"""The Markdown pages of the project, read as data: headings, links and code blocks.

Knows nothing of what the blocks mean; `test_commands` and `test_python` run them.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced code block.

    Attributes:
        line: the line of its fence in the page, from 1.
        language: the first word after the fence, such as ``sh``.
        marks: the other words, such as ``run`` or ``terminal=guest``.
        text: the lines between the fences.
    """

    line: int
    language: str
    marks: tuple[str, ...]
    text: str

    @property
    def terminal(self) -> str | None:
        """The name of the terminal this block is typed in, where a page uses several."""
        names = [mark.removeprefix("terminal=") for mark in self.marks if "terminal=" in mark]
        return names[0] if names else None


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown page.

    Attributes:
        path: where it is.
        anchors: the fragment identifiers that GitHub gives its headings.
        links: every target of a link or an image, with the line it stands near.
        blocks: its fenced code blocks, in order.
    """

    path: Path
    anchors: frozenset[str]
    links: tuple[tuple[int, str], ...]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))


def page_paths() -> list[Path]:
    """All Markdown files of the project, in a stable order; build outputs are not pages."""
    top = ROOT.glob("*.md")
    below = [
        path for folder in ("docs", "protocol", "deploy") for path in (ROOT / folder).rglob("*.md")
    ]
    return sorted(top) + sorted(below)


@functools.cache
def read_page(path: Path) -> Page:
    """Parse one page as CommonMark with tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    return Page(path, frozenset(_anchors(tokens)), tuple(_links(tokens)), tuple(_blocks(tokens)))


def _anchors(tokens: list[Token]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for opening, inline in itertools.pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = "".join(
            child.content
            for child in inline.children or ()
            if child.type in {"text", "code_inline"}
        )
        slug = _slug(words)
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        yield f"{slug}-{number}" if number else slug


def _slug(heading: str) -> str:
    """GitHub's rule: lower case; letters, digits, `-` and `_` stay; blanks become hyphens."""
    kept = (
        char
        for char in heading.strip().lower()
        if char in "-_ " or unicodedata.category(char)[0] in "LN"
    )
    return re.sub(" ", "-", "".join(kept))


def _links(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    for token in tokens:
        if token.type != "inline" or token.map is None:
            continue
        for child in token.children or ():
            for attribute in ("href", "src"):
                target = child.attrGet(attribute)
                if target is not None:
                    yield token.map[0] + 1, str(target)


def _blocks(tokens: list[Token]) -> Iterator[Block]:
    for token in tokens:
        if token.type == "fence" and token.map is not None:
            language, *marks = token.info.split() or [""]
            yield Block(token.map[0] + 1, language, tuple(marks), token.content)
