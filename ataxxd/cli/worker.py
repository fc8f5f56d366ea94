"""``ataxxd worker``: plays games of matches that were started elsewhere."""

import os
import platform
from importlib.util import find_spec

from ataxxd.cli.commands.engines import WorkerOptions
from ataxxd.cli.say import say
from ataxxd.cli.signals import run_until_stopped
from ataxxd.engines.match.checkpoint import Result
from ataxxd.errors import ExitCode, UsageError
from ataxxd.extras import installing
from ataxxd.rules import Side
from ataxxd.wording import counted


def run(options: WorkerOptions) -> int:
    """Play games of matches that `ataxxd match --queue` hands out."""
    name = options.name
    check_nats("ataxxd worker")
    if name == "":
        raise UsageError("--name needs a name, or leave it out.")
    name = name or f"{platform.node()}-{os.getpid()}"
    code = run_until_stopped(
        _work(options.url, name, options.concurrency, allow_engines=options.allow_engines)
    )
    # There is no other way to end it, so that this is what was wanted.
    return ExitCode.OK if code == ExitCode.INTERRUPTED else code


def check_nats(what: str) -> None:
    """Check that the client of NATS is installed, which `what` needs.

    Raises:
        UsageError: it is not.
    """
    if find_spec("nats") is None:
        raise UsageError(
            f"{what} needs the package nats-py, which a plain installation leaves out. Install it: "
            f"{installing('queue')}"
        )


async def _work(url: str, name: str, concurrency: int, *, allow_engines: bool) -> ExitCode:
    from ataxxd.match_queue.server import connected  # noqa: PLC0415 - needs nats-py
    from ataxxd.match_queue.worker import Worker  # noqa: PLC0415 - needs nats-py

    played = 0

    def show(result: Result, titles: tuple[str, str]) -> None:
        nonlocal played
        played += 1
        first, second = (titles[result.player(side)] for side in Side)
        say(f"Game {result.number + 1}: {first} - {second} {result.score} ({result.termination})")

    server = await connected(url, say)
    try:
        say(f"Worker {name} plays games from {server.address}; Ctrl-C ends it.")
        worker = Worker(server, name, concurrency, allow_engines=allow_engines, show=show)
        await worker.run()
    finally:
        await server.close()
        say(f"Played {counted(played, 'game')}.")
    return ExitCode.OK
