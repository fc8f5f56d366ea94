"""What is written for users of a change can be put into the changelog."""

import re
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.gate


def test_every_change_not_yet_released_is_a_text_of_a_known_kind() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    texts = [path.read_text() for path in (ROOT / "changelog.d").glob("+*.md")]
    assert all(text.strip() for text in texts)


def test_the_changelog_has_the_place_where_releases_are_put() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    intro, releases = changelog.split("<!-- towncrier release notes start -->\n")
    assert "## " not in intro
    assert re.findall(r"^## \[(\S+)\]", releases, re.MULTILINE)
