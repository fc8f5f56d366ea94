"""What the program tells people to type works where they installed it."""

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
    said = subprocess.run(
        [python, "-c", "from ataxxd.extras import installing; print(installing('serve'))"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == told.format(python=python)
