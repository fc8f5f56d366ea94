"""Machines on one network, for tests: network namespaces, joined by a bridge.

Linux only; as root, or where users may have namespaces of their own. Nothing outside is
reached, and nothing outside disturbs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

# What holds the machines: it makes a namespace for each, tells their processes, joins them by a
# bridge in its own, and is there until its input is closed.
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

hosts, count = sys.argv[1], int(sys.argv[2])
# Without snooping it passes multicast on from the first moment.
ip("link", "add", "bridge", "type", "bridge", "mcast_snooping", "0")
ip("link", "set", "bridge", "up")
ends = [machine() for _ in range(count)]
for number, end in enumerate(ends):
    ip("link", "add", f"port{number}", "type", "veth", "peer", "name", f"end{number}")
    ip("link", "set", f"port{number}", "master", "bridge", "up")
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
    """One of them.

    Attributes:
        address: on their network.
        prefix: what a program is run by to be on it.
    """

    address: str
    prefix: tuple[str, ...]


@contextmanager
def machines_on_one_network(count: int, name: str) -> Iterator[Sequence[Machine]]:
    """Machines that reach each other and nobody else; none where none can be made.

    Args:
        count: how many.
        name: what all call the first one, by ``/etc/hosts``, besides its address.
    """
    if any(_program(each) is None for each in ("ip", "mount", "nsenter", "unshare")):
        yield ()
        return
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write(f"127.0.0.1 localhost\n192.0.2.1 {name}\n")
        hosts.flush()
        with _made(hosts.name, count) as machines:
            yield machines


@contextmanager
def _made(hosts: str, count: int) -> Iterator[Sequence[Machine]]:
    as_user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    alone = [str(_program("unshare")), "--net", *as_user]
    with subprocess.Popen(
        [*alone, sys.executable, "-c", _HOLD, hosts, f"{count}"],
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
            yield machines
        finally:
            with suppress(BrokenPipeError):
                holder.stdin.close()
            holder.wait()


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
