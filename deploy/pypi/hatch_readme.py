"""What the package index shows: README.md, whose relative links and pictures lead nowhere there.

With the repository's address in pyproject.toml they lead into the repository. Without one, their
text is left.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?!https?:|#)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives the package its description."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds ``readme`` to the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        address = metadata.get("urls", {}).get("Repository", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text, address)}


def for_index(text: str, address: str) -> str:
    """The page as it reads outside the repository.

    Args:
        text: Markdown.
        address: of the repository, as GitHub and Forgejo have it; empty when there is none.
    """

    def outside(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        if not address:
            return words
        return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/HEAD/{target})"

    return _LINK.sub(outside, text)
