"""What the program tells people to type works where they installed it."""

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


@pytest.mark.parametrize(
    ("place", "mark", "told"),
    [
        ("pipx", "pipx_metadata.json", "pipx install --force 'ataxxd[serve]'"),
        ("tool", "uv-receipt.toml", "uv tool install 'ataxxd[serve]'"),
        ("archive-v0", None, "uvx --from 'ataxxd[serve]' ataxxd"),
        ("uv", None, "uv pip install --python {python} 'ataxxd[serve]'"),
        ("pip", "pip.py", "{python} -m pip install 'ataxxd[serve]'"),
        ("active", "pip.py", "pip install 'ataxxd[serve]'"),
    ],
)
def test_an_extra_is_added_by_the_tool_that_installed_the_program(
    place: str, mark: str | None, told: str, tmp_path: Path
) -> None:
    home = tmp_path / place
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    path = tmp_path / "empty"
    if mark is not None and mark.endswith(".py"):
        (folder,) = home.glob("lib/python*/site-packages")
        (folder / mark).touch()
    elif mark is not None:
        (home / mark).touch()
    if place == "active":
        path = python.parent
        (path / "pip").touch(0o755)
    assert said(python, path) == told.format(python=python)


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        (
            {"url": "file:///a.whl", "archive_info": {}},
            "uv tool install 'ataxxd[serve] @ file:///a.whl'",
        ),
        (
            {"url": "https://example.org/a", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}},
            "uv tool install 'ataxxd[serve] @ git+https://example.org/a'",
        ),
    ],
)
def test_what_came_from_elsewhere_than_the_package_index_comes_from_there_again(
    origin: dict[str, object], told: str, tmp_path: Path
) -> None:
    home = tmp_path / "tool"
    venv.create(home, symlinks=True)
    (home / "uv-receipt.toml").touch()
    (packages,) = home.glob("lib/python*/site-packages")
    recorded = packages / "ataxxd-0.1.0.dist-info"
    recorded.mkdir()
    (recorded / "METADATA").write_text("Metadata-Version: 2.1\nName: ataxxd\nVersion: 0.1.0\n")
    (recorded / "direct_url.json").write_text(json.dumps(origin))
    assert said(home / "bin" / "python", tmp_path / "empty") == told


def said(python: Path, path: Path) -> str:
    """What the program says to a user with this Python and this search path."""
    done = subprocess.run(
        [python, "-c", "from ataxxd.extras import install_command as get; print(get('serve'))"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
