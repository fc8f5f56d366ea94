"""Two machines on one network, for tests: two network namespaces and a cable between them.

Linux only; as root, or where users may have namespaces of their own. Nothing outside is
reached, and nothing outside disturbs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

# What holds the machines: it makes a namespace for each, tells their processes, joins them by
# a cable, and is there until its input is closed.
_HOLD = """
import subprocess, sys

def ip(*words, at=None):
    enter = [] if at is None else ["nsenter", f"--target={at}", "--net", "--"]
    subprocess.run([*enter, "ip", *words], check=True)

def machine():
    wait = "print(flush=True); import sys; sys.stdin.read()"
    held = subprocess.Popen(
        ["unshare", "--net", "--mount", sys.executable, "-c", wait],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )
    held.stdout.readline()  # it is in its network now
    return held

hosts, name = sys.argv[1:]
ends = [machine(), machine()]
ip("link", "add", "end0", "type", "veth", "peer", "name", "end1")
for number, end in enumerate(ends):
    ip("link", "set", f"end{number}", "netns", str(end.pid))
    ip("link", "set", "lo", "up", at=end.pid)
    ip("addr", "add", f"192.0.2.{number + 1}/24", "dev", f"end{number}", at=end.pid)
    ip("link", "set", f"end{number}", "up", at=end.pid)
    ip("route", "add", "224.0.0.0/4", "dev", f"end{number}", at=end.pid)
    mount = ["nsenter", f"--target={end.pid}", "--mount", "--", "mount", "--bind", hosts]
    subprocess.run([*mount, "/etc/hosts"], check=True)
print(*(end.pid for end in ends), flush=True)
sys.stdin.read()
for end in ends:
    end.stdin.close()
    end.wait()
"""


@dataclass(frozen=True)
class Machine:
    """One of the two.

    Attributes:
        address: on the network between them.
        prefix: what a program is run by to be on it.
    """

    address: str
    prefix: tuple[str, ...]


@contextmanager
def two_machines(name: str) -> Iterator[tuple[Machine, Machine] | None]:
    """Two machines that reach each other and nobody else; None where none can be made.

    Args:
        name: what both call the first one, by ``/etc/hosts``, besides its address.
    """
    if any(_program(each) is None for each in ("ip", "mount", "nsenter", "unshare")):
        yield None
        return
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write(f"127.0.0.1 localhost\n192.0.2.1 {name}\n")
        hosts.flush()
        with _made(hosts.name, name) as machines:
            yield machines


@contextmanager
def _made(hosts: str, name: str) -> Iterator[tuple[Machine, Machine] | None]:
    as_user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    with subprocess.Popen(
        [str(_program("unshare")), "--net", *as_user, sys.executable, "-c", _HOLD, hosts, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"},
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        try:
            pids = holder.stdout.readline().split()
            keeping = ("--user", "--preserve-credentials") if as_user else ()
            machines = [
                Machine(
                    f"192.0.2.{number}",
                    (
                        str(_program("nsenter")),
                        f"--target={pid}",
                        "--net",
                        "--mount",
                        *keeping,
                        "--",
                    ),
                )
                for number, pid in enumerate(pids, start=1)
            ]
            yield (machines[0], machines[1]) if machines else None
        finally:
            with suppress(BrokenPipeError):
                holder.stdin.close()
            holder.wait()


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
