"""Keeps hold of an engine: runs it, and kills it with all its children when its owner is gone.

Run as a script, with a pipe's descriptor and the engine's command. The owner keeps the other
end of the pipe open and writes nothing: when the pipe closes, the owner is gone, for whatever
reason. A process that is killed cannot clean up, and an engine that hangs does not notice that
nobody listens any more; this third process notices, and does nothing else.

On Linux, processes that the engine has put into sessions of their own become children of this
process when their parent ends, and are killed with the rest.

Imports nothing of this package, so that it starts in some ten milliseconds.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading

# The exit status of a command that cannot be run, as in shells.
CANNOT_RUN = 126

# On Linux: orphaned descendants become children of this process.
_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Run the command until it ends or the owner does; end with its status."""
    pipe, command = int(sys.argv[1]), sys.argv[2:]
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        engine = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - as the user said
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(CANNOT_RUN)
    threading.Thread(target=_follow, args=(engine,), daemon=True).start()
    os.read(pipe, 1)
    _kill(engine)


def _follow(engine: "subprocess.Popen[bytes]") -> None:
    status = engine.wait()
    # Its children must not outlive it.
    _kill(engine)
    os._exit(status if status >= 0 else 128 - status)


def _kill(engine: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(engine.pid, signal.SIGKILL)
    # Descendants outside the group become our children as orphans, and so may theirs in turn.
    while children := _children():
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    """The children of this process, as /proc has them; none where there is no /proc."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError):
        for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 -- quicker
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
                if int(stat.read().rpartition(b")")[2].split()[1]) == os.getpid():
                    found.append(int(name))
    return found


if __name__ == "__main__":
    main()
