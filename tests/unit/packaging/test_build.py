"""What users install, as it is built."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


def build(
    tree: Path, target: str, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Build a tree's source archive or wheel."""
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder],
        cwd=tree,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_source_archive_built_from_its_own_content_has_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert build(ROOT, "sdist", first).returncode == 0
    (archive,) = first.iterdir()
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    (tree,) = (tmp_path / "unpacked").iterdir()
    for path in tree.rglob("*.py"):
        path.touch()  # when something was checked out is nobody's business
    assert build(tree, "sdist", second).returncode == 0
    assert (second / archive.name).read_bytes() == archive.read_bytes()


@pytest.mark.parametrize("platform", ["win_amd64", "manylinux_2_17_riscv64", "linux_x86_64"])
def test_a_wheel_for_a_platform_that_zig_is_not_asked_for_is_refused(
    platform: str, tmp_path: Path
) -> None:
    ended = build(ROOT, "wheel", tmp_path / "dist", ATAXXD_PLATFORM=platform)
    assert ended.returncode == 1
    assert f"ataxxd: {platform} is no platform" in ended.stderr
    assert not list(tmp_path.glob("dist/*.whl"))


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no Rust here")
def test_a_platform_that_rust_has_no_library_for_is_told_before_anything_is_built() -> None:
    done = subprocess.run(
        ["make", "wheel-targets", "WHEELS=manylinux_2_17_vax"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "rustup target add vax-unknown-linux-gnu" in done.stderr
    assert "make wheels WHEELS=manylinux_2_17_" in done.stderr
