"""Builds the native module ``ataxxd._engine`` as part of building the package.

Hatchling calls this hook for wheels and for editable installs. It needs ``cargo``
and nothing else; the module it copies into ``ataxxd/`` works on every CPython from
3.11 on (the stable ABI).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

RUST_NEEDED = (1, 85)
INSTALL_RUST = "Install Rust from https://rustup.rs (or `rustup update`) and build again."


class EngineBuildHook(BuildHookInterface[Any]):
    """Runs cargo and puts its library where the wheel and an editable install find it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the module and names the wheel after what it runs on."""
        del version  # the same for "standard" and "editable"
        if self.target_name != "wheel":
            return
        if sysconfig.get_config_var("Py_GIL_DISABLED"):
            sys.exit("ataxxd: free-threaded Python has no stable ABI yet; use a standard CPython.")
        root = Path(self.root)
        library = build_library(root / "engine")
        suffix = ".pyd" if sys.platform == "win32" else ".abi3.so"
        target = root / "ataxxd" / f"_engine{suffix}"
        # A new file, not new content: a running process keeps the old one mapped.
        fresh = target.with_name(target.name + ".new")
        shutil.copy2(library, fresh)
        fresh.replace(target)
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{next(sys_tags()).platform}"


def build_library(workspace: Path) -> Path:
    """Compiles the workspace and returns the path of the library."""
    cargo = shutil.which("cargo") or shutil.which("cargo", path=Path.home() / ".cargo" / "bin")
    if cargo is None:
        sys.exit(f"ataxxd: cargo, which compiles the engine, was not found. {INSTALL_RUST}")
    check_version(cargo)
    env = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1", "PYO3_PYTHON": sys.executable}
    env.pop("CARGO_BUILD_TARGET", None)  # the library must run in this Python
    target = workspace / "target"
    env["CARGO_TARGET_DIR"] = str(target)
    command = [cargo, "build", "--release", "--locked", "--package", "ataxxd-engine"]
    if subprocess.run(command, cwd=workspace, env=env, check=False).returncode != 0:  # noqa: S603
        sys.exit("ataxxd: cargo could not compile the engine; its messages are above.")
    names = {"win32": "_engine.dll", "darwin": "lib_engine.dylib"}
    return target / "release" / names.get(sys.platform, "lib_engine.so")


def check_version(cargo: str) -> None:
    """Ends the build when cargo is too old for the workspace, with advice."""
    said = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"(\d+)\.(\d+)", said.stdout)
    if found is None:
        sys.exit(f"ataxxd: `{cargo} --version` failed: {said.stderr.strip()}. {INSTALL_RUST}")
    if (int(found[1]), int(found[2])) < RUST_NEEDED:
        needed = ".".join(map(str, RUST_NEEDED))
        sys.exit(f"ataxxd: Rust {needed} or newer is needed; this is {found[0]}. {INSTALL_RUST}")
