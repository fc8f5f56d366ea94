"""The wheel, installed by uv where there is neither a compiler nor a network."""

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.unit.packaging.test_build import build


def run(*command: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command of a user who has no other programs."""
    return subprocess.run(
        command,
        env={"HOME": str(home), "PATH": str(home / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree for this machine."""
    folder = tmp_path_factory.mktemp("wheel")
    built = build(ROOT, "wheel", folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.iterdir()
    return wheel


@pytest.fixture(scope="module")
def home(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a user who has installed the wheel."""
    home = tmp_path_factory.mktemp("home")
    # What the package index would bring is that of the tests.
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = (requirement.partition(">")[0] for requirement in needed)
    without = home / "without.txt"
    without.write_text("".join(f"{name}; python_version < '3'\n" for name in names))
    uv = Path(sys.executable).with_name("uv")
    offline = ("--offline", "--no-index")
    options = (*offline, "--python", sys.executable, "--overrides", without)
    installed = run(uv, "tool", "install", *options, wheel, home=home)
    assert installed.returncode == 0, installed.stderr
    (packages,) = home.glob(".local/share/uv/tools/ataxxd/lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return home


def test_the_wheel_is_installed_and_runs_where_nothing_can_be_compiled(home: Path) -> None:
    said = run(home / ".local" / "bin" / "ataxxd", "perft", "--game", "ataxx", "3", home=home)
    assert said.stdout == "6460\n", said.stderr


def test_an_extra_is_added_to_the_wheel_that_was_installed(home: Path, wheel: Path) -> None:
    python = (home / ".local" / "bin" / "ataxxd").resolve().with_name("python")
    asked = (
        "from ataxxd import extras; "
        "print(extras.install_command('serve'), extras.__file__, sep='\\n')"
    )
    told, module = run(python, "-I", "-c", asked, home=home).stdout.splitlines()
    assert told == f"uv tool install 'ataxxd[serve] @ {wheel.as_uri()}'"
    assert Path(module).is_relative_to(home)  # and is not that of the tests
