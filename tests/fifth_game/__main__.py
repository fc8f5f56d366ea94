"""``make fifth-game``: adds Clobber to a copy of the source tree and shows that it works there.

The copy has the tracked files as they are now, the files in `clobber/`, and the lines of `lists`.
Then the engine is built, in a hurry rather than for speed, and `checks` are run in the copy.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fifth_game.lists import LISTS

ROOT = Path(__file__).parents[2]
GAME = Path(__file__).parent / "clobber"
_QUICKLY = {"LTO": "off", "CODEGEN_UNITS": "16", "OPT_LEVEL": "0"}


def main() -> int:
    """Copy, add, build and check; 1 when something did not work."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copy(tree)
        try:
            added = add(tree)
            for file, lines in added.items():
                print(f"{lines:4} lines: {file}")
            print(f"{_listed().total():4} lines in {len(_listed())} lists:")
            for file, lines in _listed().items():
                print(f"{lines:9}: {file}")
            begun = time.monotonic()
            build(tree, Path(folder) / "target")
            print(f"{'engine':22}built ({time.monotonic() - begun:.1f} s)", flush=True)
            run(tree, sys.executable, "-m", "tests.fifth_game.checks")
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"The fifth game does not work: {error}", file=sys.stderr)
            return 1
    print("A fifth game works with these files and lines.")
    return 0


def copy(tree: Path) -> None:
    """Copy the tracked files of this tree, as they are now."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def add(tree: Path) -> dict[str, int]:
    """Add the game to a tree; its files, and how many lines each has."""
    added = {}
    for path in sorted(path for path in GAME.rglob("*") if path.suffix in (".rs", ".py", ".js")):
        name = path.relative_to(GAME).as_posix()
        shutil.copy2(path, tree / name)
        added[name] = len(path.read_text().splitlines())
    for entry in LISTS:
        entry.add(tree)
    return added


def build(tree: Path, target: Path) -> None:
    """Build the engine of a tree with the usual tools, and put it where Python finds it."""
    run(
        tree,
        *("cargo", "build", "--quiet", "--release", "--locked", "--package", "ataxxd-engine"),
        *("--manifest-path", str(tree / "engine" / "Cargo.toml"), "--target-dir", str(target)),
    )
    run(
        tree,
        "cargo",
        "fmt",
        "--all",
        "--check",
        "--manifest-path",
        str(tree / "engine" / "Cargo.toml"),
    )
    shutil.copy2(target / "release" / "lib_engine.so", tree / "ataxxd" / "_engine.abi3.so")


def run(tree: Path, *command: str) -> None:
    """Run a command in a tree, whose packages go before those that are installed.

    Raises:
        CalledProcessError: its exit status is not 0.
    """
    packages = (tree, tree / "protocol", tree / "clients")
    environment = {
        **os.environ,
        **{f"CARGO_PROFILE_RELEASE_{name}": value for name, value in _QUICKLY.items()},
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "PYO3_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(str, packages)),
    }
    subprocess.run(command, cwd=tree, env=environment, check=True)


def _listed() -> Counter[str]:
    """How many lines are added to each list."""
    lines: Counter[str] = Counter()
    for entry in LISTS:
        lines[entry.file] += len(entry.lines)
    return lines


if __name__ == "__main__":
    sys.exit(main())
