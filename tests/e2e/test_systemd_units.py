"""The shipped systemd units: what systemd itself says of them, and that nodes run under them."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.e2e.nodes import Nodes
from tests.time_limits import DEADLINE

UNITS = ROOT / "deploy" / "systemd"
SYSTEM, USER = UNITS / "ataxxd.service", UNITS / "user" / "ataxxd.service"
# Tenths on systemd's scale from 0 (safe) to 10; what is left is the network, and the disk it reads.
MAX_EXPOSED = 12


@pytest.fixture
def analyze() -> str:
    """systemd's judge of units."""
    found = shutil.which("systemd-analyze")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("there is no systemd-analyze, and CI must have it: make services")
        pytest.skip("there is no systemd-analyze: make services")
    return found


def installed(unit: Path, folder: Path) -> Path:
    """A unit as on a machine where the program is installed: some program is where it says."""
    program = folder / "bin" / "ataxxd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = folder / unit.name
    changed, count = re.subn(
        r"^ExecStart=\S+", f"ExecStart={program}", unit.read_text(), flags=re.MULTILINE
    )
    assert count == 1
    path.write_text(changed)
    return path


def said(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


@pytest.mark.parametrize("unit", [SYSTEM, USER], ids=["system", "user"])
def test_systemd_has_nothing_to_say_against_a_unit(
    unit: Path, analyze: str, tmp_path: Path
) -> None:
    scope = "--user" if unit is USER else "--system"
    path = installed(unit, tmp_path)
    done = said(analyze, scope, "verify", "--man=no", path, folder=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_the_system_unit_is_hardly_exposed(analyze: str, tmp_path: Path) -> None:
    options = ("--no-pager", "--offline=true", f"--threshold={MAX_EXPOSED}")
    done = said(analyze, "security", *options, SYSTEM, folder=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("unit", [SYSTEM, USER], ids=["system", "user"])
def test_a_unit_stops_reloads_and_gives_up_as_the_program_wants_it(unit: Path) -> None:
    settings = dict(re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE))
    assert settings["KillSignal"] == "SIGTERM"
    assert settings["ExecReload"].endswith("kill -HUP $MAINPID")
    assert settings["Restart"] == "on-failure"
    # USAGE, STORAGE and NAME_IN_USE: no restart helps.
    assert settings["RestartPreventExitStatus"].split() == ["2", "10", "12"]


# What MemoryDenyWriteExecute= asks of the kernel, then the program in this process.
DENY_WRITE_EXECUTE = """
import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
    sys.exit("refused")
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux'")
async def test_a_game_needs_no_memory_that_is_written_and_executed(nodes: Nodes) -> None:
    forbidding = (sys.executable, "-c", DENY_WRITE_EXECUTE)
    probe = await asyncio.create_subprocess_exec(*forbidding, "/bin/true", stderr=DEVNULL)
    if await probe.wait() != 0:
        pytest.skip("this kernel cannot forbid it (Linux 6.3 can)")
    auto = ("--auto", "--level", "1")
    host = await nodes.node("host").host("ourgame", *auto, prefix=forbidding)
    guest = await nodes.node("guest").start("join", "ourgame", *auto, prefix=forbidding)
    for running in (host, guest):
        await running.ends()
