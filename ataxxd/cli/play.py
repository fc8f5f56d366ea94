"""``ataxxd play``: offline play, and the old program's way into the network."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TextIO

import typer

from ataxxd.cli import options
from ataxxd.errors import StorageError, UsageError


def run(
    source: Annotated[
        Path | None, typer.Argument(metavar="IN", help="Read commands from here.")
    ] = None,
    output: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Write the output here.")
    ] = None,
    game: options.Game = "ataxx",
    ruleset: options.Ruleset = None,
    level: options.Level = None,
    seed: options.Seed = None,
    blocks: options.Blocks = None,
    position: options.Position = None,
    strict: options.Strict = False,
    display: Annotated[bool, typer.Option("--display", help="Open the graphical board.")] = False,
) -> int:
    """Play offline, against the engine or somebody beside you.

    Reads the game's line language (`help` lists it) from IN or standard input and answers
    on OUT or standard output. The first side is yours, the second is the engine's; change
    it with `auto` and `manual`.
    """
    from ataxxd.bots.registry import make_bot
    from ataxxd.cli.setup import start_position
    from ataxxd.node.control import Seat
    from ataxxd.node.local import LocalTable
    from ataxxd.rules import Side
    from ataxxd_clients.text.offline import play_offline
    from ataxxd_clients.text.session import Options

    if display:
        raise UsageError(
            "--display: this version has no graphical board. Play in the terminal: ataxxd play"
        )
    bot = "native" if level is None else f"native:{level}"
    table = LocalTable(
        start_position(game, ruleset, position, blocks),
        {side: make_bot(bot) for side in Side},
        seats={Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO},
        seed=seed,
    )
    with ExitStack() as stack:
        reader = sys.stdin if source is None else stack.enter_context(_opened(source, "r"))
        writer = sys.stdout if output is None else stack.enter_context(_opened(output, "w"))
        prompts = reader.isatty() and writer.isatty()
        return play_offline(
            table,
            input=reader,
            output=writer,
            errors=sys.stderr,
            options=Options(strict=strict, prompts=prompts),
        )


def _opened(path: Path, mode: str) -> TextIO:
    try:
        return path.open(mode, encoding="utf-8")  # type: ignore[return-value]
    except OSError as error:
        what = "read" if mode == "r" else "written"
        raise StorageError(f"{path} cannot be {what}: {error.strerror}.") from None
