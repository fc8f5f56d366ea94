"""Keeps hold of an engine: runs it, and kills it with all its children when its owner is gone.

Run as a script, with a pipe's descriptor and the engine's command. The owner keeps the other
end of the pipe open and writes nothing: its end, however it comes about, is the owner's. A
process that is killed can tidy nothing up, and an engine that hangs does not see that nobody
listens any more; this third process sees it, and does nothing else.

Imports nothing of this package, so that it starts in some ten milliseconds.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

# As shells have it: the command cannot be run.
CANNOT_RUN = 126


def main() -> None:
    """Run the command until it ends or the owner does; end with its status."""
    leash, command = int(sys.argv[1]), sys.argv[2:]
    try:
        engine = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - as the user said
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(CANNOT_RUN)
    threading.Thread(target=_follow, args=(engine,), daemon=True).start()
    os.read(leash, 1)
    _kill(engine)


def _follow(engine: "subprocess.Popen[bytes]") -> None:
    status = engine.wait()
    # What it may have started itself ends with it.
    _kill(engine)
    os._exit(status if status >= 0 else 128 - status)


def _kill(engine: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(engine.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
