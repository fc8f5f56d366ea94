"""The Debian package, built without a network of the packages that the tests stand on.

`make deb` takes those that are locked from the package index; here they are the installed ones,
packed into wheels again. The rest is the same: the wheel of this tree, dpkg-deb and lintian.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.markers import Marker

from tests.docs.pages import ROOT
from tests.unit.packaging.test_build import build
from tests.unit.packaging.test_repository_address import ADDRESS, set_address

pytestmark = pytest.mark.skipif(
    shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed: this is no Debian"
)

LOCKED = re.compile(r"^(?P<name>[\w.-]+)==\S+(?: ; (?P<marker>.*?))? \\$", re.MULTILINE)
# What pip writes when it installs, and what Python does when it runs.
NOT_IN_A_WHEEL = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}


def packed(name: str, folder: Path) -> Path:
    """An installed package as a wheel."""
    installed = distribution(name)
    files = [
        file
        for file in installed.files or ()
        if ".." not in file.parts and "__pycache__" not in file.parts
    ]
    (metadata,) = {file.parts[0] for file in files if file.match("*.dist-info/METADATA")}
    said = re.findall(r"^Tag: (.*)$", installed.read_text("WHEEL") or "", re.MULTILINE)
    parts = zip(*(tag.split("-") for tag in said), strict=True)
    tags = (".".join(sorted(set(each))) for each in parts)
    wheel = folder / f"{'-'.join([metadata.removesuffix('.dist-info'), *tags])}.whl"
    kept = [file for file in files if file.name not in NOT_IN_A_WHEEL or file.parts[0] != metadata]
    record = f"{metadata}/RECORD"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in kept:
            archive.write(Path(str(file.locate())), str(file))
        archive.writestr(record, "".join(f"{path},,\n" for path in (*map(str, kept), record)))
    return wheel


@pytest.fixture(scope="module")
def requirements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The names that are locked for the package, with the digests of the wheels beside the file."""
    folder = tmp_path_factory.mktemp("wheels")
    lines = []
    for found in LOCKED.finditer((ROOT / "requirements" / "deb.txt").read_text(encoding="utf-8")):
        if found["marker"] is None or Marker(found["marker"]).evaluate():
            wheel = packed(found["name"], folder)
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            version = wheel.name.split("-")[1]
            lines.append(f"{found['name']}=={version} --hash=sha256:{digest}\n")
    (folder / "requirements.txt").write_text("".join(lines))
    return folder / "requirements.txt"


@pytest.fixture(scope="module")
def package(requirements: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a tree with a public address."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "deploy", tree / "deploy")
    for name in ("LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tree / "pyproject.toml").write_text(set_address(text), encoding="utf-8")
    built = build(ROOT, "wheel", tree / "dist")
    assert built.returncode == 0, built.stderr
    (wheel,) = (tree / "dist").iterdir()
    made = subprocess.run(
        [
            *(sys.executable, tree / "deploy" / "debian" / "build.py", wheel),
            *("--python", sys.executable, "--requirements", requirements),
        ],
        env={
            **os.environ,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(requirements.parent),
            "DEBFULLNAME": "Ann Example",
            "DEBEMAIL": "ann@forge.example",
            "SOURCE_DATE_EPOCH": "1700000000",
            "DPKG_DEB_COMPRESSOR_LEVEL": "0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (package,) = (tree / "dist").glob("*.deb")
    return package


@pytest.mark.gate
def test_it_says_what_it_is_and_which_python_it_is_for(package: Path) -> None:
    said = subprocess.run(
        ["dpkg-deb", "--field", package], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert f"\nHomepage: {ADDRESS}\n" in said
    assert "\nMaintainer: Ann Example <ann@forge.example>\n" in said
    major, minor, *_ = sys.version_info
    needed = f"python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1})"
    assert f"\nDepends: {needed}, libc6 (>= 2.36), libgcc-s1\n" in said


@pytest.mark.gate
def test_it_installs_the_program_its_unit_and_its_papers_and_nothing_elsewhere(
    package: Path,
) -> None:
    listed = subprocess.run(
        ["dpkg-deb", "--contents", package], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    modes = {}
    for line in listed.splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        assert owner == "root/root", line
        assert mode[5] == mode[8] == "-", f"others may write: {line}"
        if not path.endswith("/"):
            modes[path.removeprefix("./")] = mode
    papers = {f"usr/share/doc/ataxxd/{name}" for name in DOCUMENTS}
    program = {"usr/bin/ataxxd", "usr/lib/systemd/system/ataxxd.service"}
    ours = {
        *program,
        *papers,
        "usr/share/man/man1/ataxxd.1.gz",
        "usr/share/lintian/overrides/ataxxd",
    }
    library = {path for path in modes if path.startswith("usr/lib/ataxxd/")}
    assert set(modes) - library == ours
    assert {path for path, mode in modes.items() if "x" in mode} == {"usr/bin/ataxxd"}
    assert "usr/lib/ataxxd/ataxxd/_engine.abi3.so" in library
    assert not [path for path in library if path.endswith(".pyc")]


DOCUMENTS = ("changelog.Debian.gz", "changelog.gz", "copyright")


@pytest.mark.gate
def test_it_needs_no_python_package_but_its_own(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    # Without site-packages: what it imports is its own or Python's.
    launcher = (tmp_path / "usr/bin/ataxxd").read_text()
    place = "/usr/lib/ataxxd"
    assert place in launcher
    played = subprocess.run(
        [
            *(sys.executable, "-I", "-S", "-c", launcher.replace(place, f"{tmp_path}{place}")),
            "play",
        ],
        env={"HOME": str(tmp_path), "LANG": "C.UTF-8"},
        input="board\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (played.returncode, played.stderr) == (0, "")
    assert "r - - - - - b" in played.stdout


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is not installed")
def test_lintian_finds_nothing(package: Path) -> None:
    judged = subprocess.run(
        ["lintian", "--fail-on", "error,warning", package],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (judged.returncode, judged.stdout) == (0, "")
