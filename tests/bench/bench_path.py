"""The files that a move passes from a page to the broker, traced in a real program.

A file counts where a function is called with the move: as text, as bytes that hold it, as a
`Move`, or in a value of up to four levels that has one of these. What shows legal moves on the page
comes before the page's command, what shows this one comes after the broker; neither counts.
"""

import asyncio
import dataclasses
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from pydantic import BaseModel

from ataxxd.cli.app import main as ataxxd
from ataxxd.rules import Move
from tests.brokers import Mosquitto
from tests.docs.pages import ROOT
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium
from tests.web.test_display_command import link_of

OURS = ("ataxxd/", "clients/", "protocol/")
MOVE = ("a7", "c5")
FIRST = "clients/ataxxd_clients/web/channel.py"
LAST = "ataxxd/transport/mqtt.py"
TOLD_IN = "ATAXXD_BENCH_PATH"


def has_move(value: object, levels: int = 4) -> bool:
    """Whether a value is the move, or has it."""
    match value:
        case Move():
            return value.text == "".join(MOVE)
        case str():
            return "".join(MOVE) in value or "-".join(MOVE) in value
        case bytes() | bytearray() | memoryview():
            return "".join(MOVE).encode() in bytes(value)
        case _ if not levels:
            return False
        case list() | tuple() | dict():
            values = value.values() if isinstance(value, dict) else value
            return len(value) < 9 and any(has_move(each, levels - 1) for each in values)
        case BaseModel():
            return any(has_move(each, levels - 1) for each in vars(value).values())
        case _ if dataclasses.is_dataclass(value):
            names = (field.name for field in dataclasses.fields(value))
            return any(has_move(getattr(value, name, None), levels - 1) for name in names)
        case _:
            return False


def traced() -> None:
    """Run the program behind the words ``python -m ataxxd``, and write the files that it passed."""
    sys.argv[1:4] = []
    files: dict[str, None] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        file = code.co_filename.removeprefix(f"{ROOT}/")
        if event != "call" or file in files or not file.startswith(OURS) or LAST in files:
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if (files or file == FIRST) and any(
            has_move(frame.f_locals.get(name)) for name in names if name != "self"
        ):
            files[file] = None

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        ataxxd()
    finally:
        sys.setprofile(None)
        Path(os.environ[TOLD_IN]).write_text("\n".join(files))


async def passed() -> list[str]:
    """Host from a page, make a move in it, and leave when it is answered: the files, in order."""
    with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder) / "broker") as broker:
        told = Path(folder) / "files"
        environment = {"PYTHONPATH": f"{ROOT}", TOLD_IN: str(told)}
        nodes = Nodes(Path(folder), broker.url)
        prefix = ("env", *(f"{name}={value}" for name, value in environment.items()))
        tracing = (*prefix, sys.executable, "-m", "tests.bench.bench_path")
        try:
            host = await nodes.node("host").start(
                "host", "ourgame", "--display", "--color", "first", prefix=tracing
            )
            link = await link_of(host)
            guest = await nodes.node("guest").start("join", "ourgame", "--auto", "--level", "1")
            async with chromium(Path(folder) / "browser") as browser:
                sight = await browser.open(link)
                await sight.board_is_drawn()
                for square in MOVE:
                    await sight.click(square)
                await sight.makes_a_move(1)
                await sight.press("Leave")
                await sight.press("Yes")
                await host.ends()
            await guest.kill()
        finally:
            await nodes.close()
        return told.read_text().split()


def main() -> None:
    """Print the files and their number."""
    files = asyncio.run(passed())
    print("\n".join(files))
    print(f"{len(files)} files")


if __name__ == "__main__":
    run: Callable[[], None] = traced if TOLD_IN in os.environ else main
    run()
