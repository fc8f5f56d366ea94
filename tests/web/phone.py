"""A phone in the same room: it scans a QR code off a terminal, and has a browser."""

import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import zxingcpp
from PIL import Image

from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.web.browser import CHROMIUM, Browser, chromium

ADDRESS = "192.168.77.5"
# Upper and lower half of a character: is it light?
_HALVES = {"\u2588": (1, 1), "\u2580": (1, 0), "\u2584": (0, 1), " ": (0, 0)}
_PIXELS = 4


def scanned(screen: str) -> str:
    """What the QR code on a screen says."""
    rows = [line for line in screen.splitlines() if len(line) > 20 and set(line) <= _HALVES.keys()]
    assert rows, screen
    image = Image.new("L", (len(rows[0]), 2 * len(rows)))
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            for half, light in enumerate(_HALVES[character]):
                image.putpixel((x, 2 * y + half), 255 * light)
    size = (_PIXELS * image.width, _PIXELS * image.height)
    (code,) = zxingcpp.read_barcodes(image.resize(size, Image.Resampling.NEAREST))
    return str(code.text)


@contextmanager
def hosting(
    network: Sequence[str], home: Path, *options: str
) -> Iterator[tuple[TerminalProgram, str]]:
    """`ataxxd host --lan --link` at a terminal in a network, and the link that its QR code says."""
    runner = shutil.which(network[0])
    assert runner is not None
    with in_terminal(
        ["host", "ourgame", "--lan", "--link", *options],
        size=(100, 50),
        environment={"ATAXXD_HOME": str(home)},
        program=(runner, *network[1:], sys.executable, "-m", "ataxxd"),
    ) as host:
        host.read_until("Waiting for a guest")
        yield host, scanned(host.text)


def _in_network(network: Sequence[str], folder: Path) -> Path:
    folder.mkdir()
    program = folder / "chromium"
    program.write_text(f'#!/bin/sh\nexec {" ".join(network)} {CHROMIUM} "$@"\n')
    program.chmod(0o755)
    return program


@asynccontextmanager
async def phone(network: Sequence[str], folder: Path) -> AsyncIterator[Browser]:
    """A browser of a phone's size in a network."""
    program = _in_network(network, folder)
    async with chromium(
        folder / "user",
        width=390,
        height=844,
        program=str(program),
        hosts=(ADDRESS,),
        options={"is_mobile": True, "has_touch": True, "device_scale_factor": 3},
    ) as browser:
        yield browser
