"""A network of its own for a test, so that the default port is free whatever the machine runs.

With a network namespace (Linux; root, or user namespaces) nothing outside can be reached
and nothing outside disturbs. Where there are none, the machine's own network serves while
its port is free.
"""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_DEFAULT_PORT = 1883

# A new namespace's loopback interface is down; SIOCGIFFLAGS and SIOCSIFFLAGS turn it on, and
# SIOCSIFADDR gives it another address.
_HOLD = """
import fcntl, socket, struct, sys
with socket.socket() as any_socket:
    flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, struct.pack("16sh", b"lo", 0)))[1]
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))
    for address in sys.argv[1:]:
        new = struct.pack("16sH2x4s8x", b"lo:1", socket.AF_INET, socket.inet_aton(address))
        fcntl.ioctl(any_socket, 0x8916, new)
print("up", flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def own_network(*addresses: str) -> AsyncIterator[tuple[str, ...] | None]:
    """What programs are run by to be in a network where the default port is free.

    It has one more address, if one is given; only its own programs reach that.

    Nothing (an empty tuple) where only the machine's own network is to be had; None when
    its default port is taken, or an address is asked for.
    """
    as_user: tuple[str, ...] = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    if shutil.which("unshare") and shutil.which("nsenter"):
        holder = await asyncio.create_subprocess_exec(
            "unshare",
            "--net",
            *as_user,
            sys.executable,
            "-c",
            _HOLD,
            *addresses,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert holder.stdin is not None
        assert holder.stdout is not None
        try:
            if await holder.stdout.readline() == b"up\n":
                keeping = ("--user", "--preserve-credentials") if as_user else ()
                yield ("nsenter", f"--target={holder.pid}", "--net", *keeping, "--")
                return
        finally:
            holder.stdin.close()
            await holder.wait()
    yield () if _is_free(_DEFAULT_PORT) and not addresses else None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
