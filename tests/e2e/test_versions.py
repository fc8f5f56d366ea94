"""Real nodes of two protocol versions: both are told which side to upgrade, and no game begins."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd_protocol import PROTOCOL_VERSION
from ataxxd_protocol.version import MAJOR, MINOR
from tests.docs.pages import ROOT
from tests.e2e.nodes import Nodes

NEWER = f"{MAJOR}.{MINOR + 1}"


@contextmanager
def newer_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is started meanwhile is of the next minor version."""
    shutil.copytree(ROOT / "protocol" / "ataxxd_protocol", folder / "ataxxd_protocol")
    version = folder / "ataxxd_protocol" / "version.py"
    version.write_text(version.read_text().replace(f"MINOR = {MINOR}", f"MINOR = {MINOR + 1}"))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    with monkeypatch.context() as changed:
        changed.setenv("PYTHONPATH", os.pathsep.join(paths))
        yield


@pytest.mark.gate
@pytest.mark.requirement("MP-VER-1", "MP-VER-2")
async def test_a_newer_guest_tells_its_person_to_have_the_host_upgraded(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await nodes.node("host").host("ourgame", typed=True)
    with newer_programs(nodes.folder / "newer", monkeypatch):
        guest = await nodes.node("guest").run("join", "ourgame", code=ExitCode.INCOMPATIBLE)
    for words in (PROTOCOL_VERSION, NEWER, "upgrade the host"):
        assert words in guest.err.lines[-1]
    assert host.alive


@pytest.mark.requirement("MP-VER-1", "MP-VER-2")
async def test_an_older_guest_is_told_to_upgrade_itself(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with newer_programs(nodes.folder / "newer", monkeypatch):
        host = await nodes.node("host").host("ourgame", typed=True)
    guest = await nodes.node("guest").run("join", "ourgame", code=ExitCode.INCOMPATIBLE)
    for words in (PROTOCOL_VERSION, NEWER, "upgrade this node"):
        assert words in guest.err.lines[-1]
    assert host.alive


async def test_a_game_of_another_version_is_listed_and_watched_by_nobody(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with newer_programs(nodes.folder / "newer", monkeypatch):
        await nodes.node("host").host("ourgame", typed=True)
    watch = await nodes.node("watch").run("watch", "ourgame", code=ExitCode.INCOMPATIBLE)
    assert "upgrade this node" in watch.err.lines[-1]


async def test_a_game_under_way_belongs_to_the_version_that_began_it(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = nodes.node("host")
    host = await home.host("ourgame", typed=True)
    await host.kill()
    with newer_programs(nodes.folder / "newer", monkeypatch):
        resumed = await home.run("resume", code=ExitCode.INCOMPATIBLE)
        for words in (PROTOCOL_VERSION, NEWER, "Finish it with the ataxxd that began it"):
            assert words in resumed.err.lines[-1]
        # It is in nobody's way.
        other = await home.host("another", typed=True)
        await other.kill()
        again = await home.start("resume", typed=True)
        await again.says("Waiting for a guest")
