"""Makes a Debian package of a wheel: ``python deploy/debian/build.py WHEEL``.

Debian's own versions of what ataxxd needs are too old, so the locked ones go along in
/usr/lib/ataxxd, where nothing else imports them. Some of them are compiled for one Python: the
package is for the Debian release whose ``python3`` the machine that builds it has. ``--python`` and
``--requirements`` name others, which is how it is tested without a network.

DEBFULLNAME and DEBEMAIL name who maintains the package, as for Debian's own tools; else it is who
made the last commit. SOURCE_DATE_EPOCH dates the files; else it is the last commit's time.
"""

from __future__ import annotations

import argparse
import gzip
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
LIBRARY = "usr/lib/ataxxd"
# The oldest C libraries that wheels are built for, up to that of Debian 12.
GLIBC = ("2_17", "2_26", "2_28", "2_31", "2_34", "2_35", "2_36")

CONTROL = """\
Package: ataxxd
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: python3 (>= {python}), python3 (<< {after}), libc6 (>= 2.36), libgcc-s1
{homepage}Suggests: mosquitto
Section: net
Priority: optional
Description: board games between two machines, over any MQTT broker
 Play Ataxx, reversi, English checkers or Lines of Action with a friend, or let
 programs play. There is no game server to trust: every move is signed, and
 checked by both sides.
 .
 The package brings along what ataxxd needs of other Python packages, in a
 folder of its own.
"""
LAUNCHER = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/ataxxd")
from ataxxd.__main__ import main

main()
"""
# As Debian's helpers write them: the machine compiles the files for the Python that it has.
POSTINST = """\
#!/bin/sh
set -e
if [ "$1" = configure ]; then py3compile -p ataxxd /usr/lib/ataxxd; fi
"""
PRERM = """\
#!/bin/sh
set -e
py3clean -p ataxxd
"""
OVERRIDES = """\
# Its Python packages are wheels of others, as they were built.
ataxxd: embedded-library
ataxxd: unstripped-binary-or-object
ataxxd: unusual-interpreter
# It is not uploaded to Debian.
ataxxd: initial-upload-closes-no-bugs
"""


def output(*command: str) -> str:
    """What a command prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)  # noqa: S603
    return done.stdout.strip()


def install(wheel: Path, requirements: Path, target: Path, python: str) -> None:
    """Puts the wheel and the locked packages that it needs into a folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    machine = platform.machine()
    place = ["--target", str(target), "--only-binary", ":all:", "--no-deps", "--no-compile"]
    place += ["--python-version", python, "--implementation", "cp"]
    place += [f"--platform=manylinux_{glibc}_{machine}" for glibc in GLIBC]
    place += [f"--platform=manylinux2014_{machine}", f"--platform=linux_{machine}"]
    locked = ["--require-hashes", "-r", str(requirements)]
    subprocess.run([*pip, *place, *locked], check=True)  # noqa: S603
    shutil.rmtree(target / "bin")
    subprocess.run([*pip, *place, str(wheel)], check=True)  # noqa: S603
    shutil.rmtree(target / "bin")


def licences(library: Path) -> str:
    """The copyright file: our licence, and where to find that of each package."""
    others = sorted(path.name.removesuffix(".dist-info") for path in library.glob("*.dist-info"))
    listed = "\n".join(f" {name}" for name in others if not name.startswith("ataxxd-"))
    ours = (ROOT / "LICENSE").read_text(encoding="utf-8")
    return f"{ours}\nThe licence of each of these stands in its folder in /{LIBRARY}:\n{listed}\n"


def write(path: Path, text: str) -> None:
    """Write a file of the package; one whose name ends in gz is compressed reproducibly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


def fill(root: Path, wheel: Path, requirements: Path, python: Path, made: datetime) -> None:
    """Everything that the package installs, and its control files."""
    minor = int(output(str(python), "-c", "import sys; print(sys.version_info.minor)"))
    library, doc = root / LIBRARY, root / "usr/share/doc/ataxxd"
    install(wheel, requirements, library, f"3.{minor}")
    write(root / "usr/bin/ataxxd", LAUNCHER)
    unit = (ROOT / "deploy/systemd/ataxxd.service").read_text(encoding="utf-8")
    write(
        root / "usr/lib/systemd/system/ataxxd.service", unit.replace("/usr/local/bin", "/usr/bin")
    )
    write(root / "usr/share/man/man1/ataxxd.1.gz", (HERE / "ataxxd.1").read_text("utf-8"))
    write(root / "usr/share/lintian/overrides/ataxxd", OVERRIDES)
    write(doc / "copyright", licences(library))
    version = wheel.name.split("-")[1] + "-1"
    name = os.environ.get("DEBFULLNAME") or output("git", "log", "-1", "--format=%an")
    mail = os.environ.get("DEBEMAIL") or output("git", "log", "-1", "--format=%ae")
    maintainer = f"{name} <{mail}>"
    write(
        doc / "changelog.Debian.gz",
        f"ataxxd ({version}) unstable; urgency=medium\n\n  * Built from the release.\n\n"
        f" -- {maintainer}  {format_datetime(made)}\n",
    )
    write(doc / "changelog.gz", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project.get("urls", {}).get("Repository")
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    control = CONTROL.format(
        version=version,
        architecture=output("dpkg", "--print-architecture"),
        maintainer=maintainer,
        size=size,
        homepage=f"Homepage: {address}\n" if address else "",
        python=f"3.{minor}",
        after=f"3.{minor + 1}",
    )
    write(root / "DEBIAN/control", control)
    write(root / "DEBIAN/postinst", POSTINST)
    write(root / "DEBIAN/prerm", PRERM)


def main() -> None:
    """Puts the package beside the wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", type=Path, default=Path("/usr/bin/python3"), metavar="PYTHON")
    parser.add_argument("--requirements", type=Path, default=ROOT / "requirements" / "deb.txt")
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve()
    if "SOURCE_DATE_EPOCH" not in os.environ:
        os.environ["SOURCE_DATE_EPOCH"] = output("git", "log", "-1", "--format=%ct")
    made = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        fill(root, wheel, arguments.requirements, arguments.python, made)
        for path in (root, *root.rglob("*")):
            program = path.parent.name in {"bin", "DEBIAN"} and path.name != "control"
            path.chmod(0o755 if path.is_dir() or program else 0o644)
        subprocess.run(  # noqa: S603
            ["dpkg-deb", "--root-owner-group", "--build", root, wheel.parent],  # noqa: S607
            check=True,
        )


if __name__ == "__main__":
    main()
