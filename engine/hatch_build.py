"""Builds the native module ``ataxxd._engine`` as part of building the package.

Hatchling calls this hook for source archives, wheels and editable installs. Wheels need ``cargo``
and nothing else; the module in them works on every CPython from 3.11 on (the stable ABI).

``ATAXXD_PLATFORM`` names another platform than this machine's, as wheels do:
``manylinux_2_17_aarch64``, ``musllinux_1_2_x86_64``. That takes cargo-zigbuild, which links with
the C library of that platform, and for musl patchelf, which gives that library its name.
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
PAGE = Path("clients", "browser", "build", "page")


class EngineBuildHook(BuildHookInterface[Any]):
    """Runs cargo and puts its library where the wheel and an editable install find it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the module and names the wheel after what it runs on.

        The browser's page, which takes Node.js to build, is included if it was built.
        """
        root = Path(self.root)
        page = root / PAGE
        if self.target_name != "wheel":
            if page.is_dir():
                build_data["force_include"][str(page)] = PAGE.as_posix()
            return
        if sysconfig.get_config_var("Py_GIL_DISABLED"):
            sys.exit("ataxxd: free-threaded Python has no stable ABI yet; use a standard CPython.")
        platform = os.environ.get("ATAXXD_PLATFORM", "") if version == "standard" else ""
        library = build_library(root / "engine", platform)
        module = "_engine.pyd" if sys.platform == "win32" else "_engine.abi3.so"
        if version == "standard":
            build_data["force_include"][str(library)] = f"ataxxd/{module}"
            if page.is_dir():
                build_data["force_include"][str(page)] = "ataxxd_clients/page"
        else:
            target = root / "ataxxd" / module
            # A new file, not new content: a running process keeps the old one mapped.
            fresh = target.with_name(target.name + ".new")
            shutil.copy2(library, fresh)
            fresh.replace(target)
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform or next(sys_tags()).platform}"


def build_library(workspace: Path, platform: str) -> Path:
    """Compiles the workspace and returns the path of the library.

    Args:
        workspace: the folder of ``Cargo.toml``.
        platform: what the library is for, as wheels name it; empty for this machine.
    """
    cargo = shutil.which("cargo") or shutil.which("cargo", path=Path.home() / ".cargo" / "bin")
    if cargo is None:
        sys.exit(f"ataxxd: cargo, which compiles the engine, was not found. {INSTALL_RUST}")
    check_version(cargo)
    env = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1"}
    env.pop("CARGO_BUILD_TARGET", None)  # the library must run where the wheel says
    target = workspace / "target"
    env["CARGO_TARGET_DIR"] = str(target)
    flags = same_bytes_anywhere(workspace, env)
    options = ["--release", "--locked", "--package", "ataxxd-engine"]
    if platform:
        triple, version = rust_target(platform)
        env["PYO3_NO_PYTHON"] = "1"
        if triple.endswith("musl"):
            flags.append("-Ctarget-feature=-crt-static")
        command = [cargo, "zigbuild", *options, "--target", triple + version]
        folder, name = target / triple / "release", "lib_engine.so"
    else:
        env["PYO3_PYTHON"] = sys.executable
        command = [cargo, "build", *options]
        names = {"win32": "_engine.dll", "darwin": "lib_engine.dylib"}
        folder, name = target / "release", names.get(sys.platform, "lib_engine.so")
    env["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
    if subprocess.run(command, cwd=workspace, env=env, check=False).returncode != 0:  # noqa: S603
        sys.exit("ataxxd: cargo could not compile the engine; its messages are above.")
    if platform.startswith("musl"):
        name_libc_of_musl(folder / name, platform)
    return folder / name


def name_libc_of_musl(library: Path, platform: str) -> None:
    """Name musl's library as systems with Python on musl do; zig names it ``libc.so``."""
    architecture = platform.removeprefix("musllinux_").split("_", 2)[2]
    libc = f"libc.musl-{architecture}.so.1"
    done = subprocess.run(["patchelf", "--replace-needed", "libc.so", libc, library], check=False)  # noqa: S603, S607
    if done.returncode != 0:
        sys.exit("ataxxd: patchelf could not name musl's C library in the engine.")


def rust_target(platform: str) -> tuple[str, str]:
    """What Rust calls a wheel's platform, and the oldest C library it runs on."""
    found = re.fullmatch(r"(many|musl)linux_(\d+)_(\d+)_(x86_64|aarch64)", platform)
    if found is None:
        sys.exit(f"ataxxd: {platform} is no platform that wheels are built for from elsewhere.")
    if found[1] == "musl":  # Rust has one version of it at a time
        return f"{found[4]}-unknown-linux-musl", ""
    return f"{found[4]}-unknown-linux-gnu", f".{found[2]}.{found[3]}"


def same_bytes_anywhere(workspace: Path, env: dict[str, str]) -> list[str]:
    """The compiler's flags that keep folders of this machine out of the library."""
    home = Path(env.get("CARGO_HOME") or Path.home() / ".cargo")
    own = env.get("RUSTFLAGS", "").split()
    return [*own, f"--remap-path-prefix={workspace}=engine", f"--remap-path-prefix={home}=cargo"]


def check_version(cargo: str) -> None:
    """Ends the build when cargo is too old for the workspace, with advice."""
    said = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"(\d+)\.(\d+)", said.stdout)
    if found is None:
        sys.exit(f"ataxxd: `{cargo} --version` failed: {said.stderr.strip()}. {INSTALL_RUST}")
    if (int(found[1]), int(found[2])) < RUST_NEEDED:
        needed = ".".join(map(str, RUST_NEEDED))
        sys.exit(f"ataxxd: Rust {needed} or newer is needed; this is {found[0]}. {INSTALL_RUST}")
