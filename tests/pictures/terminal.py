"""Pictures of the terminal UI, taken of the real program as it is played.

``python -m tests.pictures.terminal FOLDER`` writes one picture of every game in every size: SVG,
and with ``--png`` also PNG, for which Chromium draws them. With ``--kept`` it writes only what the
documents show, as PNG.
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright

from ataxxd.rules import Side
from ataxxd.session.events import Seat
from tests.unit.text.playing import local_table
from tests.unit.tui.screens import Screen, screen
from tests.web.browser import ARGUMENTS, CHROMIUM

# A font of this machine, as tall as Textual's lines: so that blocks of two lines touch.
STYLE = "svg text { font-family: 'DejaVu Sans Mono', monospace !important; font-size: 21px }"
SIZES = ((60, 18), (80, 24), (100, 30), (120, 40))
KEPT = {"ataxx": (100, 30), "checkers": (60, 18), "reversi": (80, 24), "loa": (60, 18)}
"""What the documents show: each game in a size."""


@dataclass(frozen=True)
class Shot:
    """A game to take a picture of.

    Attributes:
        ruleset: its rules.
        moves: typed first.
        squares: pointed at then, so that it is seen where a piece can go.
        words: typed last.
        position: where it begins, if not at the start.
    """

    ruleset: str
    moves: Sequence[str]
    squares: Sequence[str] = ()
    words: Sequence[str] = ()
    position: str | None = None


SHOTS = {
    "ataxx": Shot("ataxx/cs61b-2022", ("a7-b6", "a1-b2", "b6-c5", "g7-f6", "g1-f2"), ("f6",)),
    "reversi": Shot("reversi/standard", ("d3", "c5", "f6", "f5", "e6", "e3")),
    "checkers": Shot("checkers/acf", ("11-15", "23-19", "8-11", "22-17", "9-13", "17-14"), ("10",)),
    "loa": Shot("loa/cs61b", ("b1-b3", "a2-c2", "g1-g3", "a7-c7"), ("d1",)),
    "kings": Shot("checkers/acf", (), position="B:WK18,30,31:BK1,K6,15"),
}


@asynccontextmanager
async def played(shot: Shot, size: tuple[int, int], *, ascii_only: bool) -> AsyncIterator[Screen]:
    """The terminal UI as it is when all of a shot has been played."""
    seats = dict.fromkeys(Side, Seat.HUMAN)
    table = local_table(shot.position, ruleset=shot.ruleset, seats=seats)
    async with screen(table, size, ascii_only=ascii_only) as ui:
        for count, move in enumerate(shot.moves, 1):
            ui.type(move)
            await ui.until(lambda count=count: len(ui.app.browser.played) == count)  # type: ignore[misc]
        await ui.click(*shot.squares)
        for word in shot.words:
            ui.type(word)
        await ui.pilot.pause()
        yield ui


async def take(folder: Path, sizes: Sequence[tuple[int, int]], *, ascii_only: bool) -> list[Path]:
    """Write all pictures as SVG; where they are."""
    made = []
    for name, shot in SHOTS.items():
        for width, height in sizes:
            async with played(shot, (width, height), ascii_only=ascii_only) as ui:
                path = folder / f"{name}-{width}x{height}.svg"
                path.write_text(ui.app.export_screenshot(title=""), encoding="utf-8")
                made.append(path)
    return made


async def take_kept(folder: Path) -> list[Path]:
    """Write what the documents show, as PNG."""
    with tempfile.TemporaryDirectory() as scratch:
        made = await take(Path(scratch), [*dict.fromkeys(KEPT.values())], ascii_only=False)
        kept = [path for path in made if path.stem in _kept_names()]
        await draw(kept)
        pixels = [path.with_suffix(".png") for path in kept]
        for path in pixels:
            shrink(path)
        return [path.replace(folder / f"terminal-{path.name}") for path in pixels]


def shrink(picture: Path) -> None:
    """Write a PNG anew with the colours that it needs, which are few."""
    with Image.open(picture) as image:
        fewer = image.convert("RGB").quantize(240, dither=Image.Dither.NONE)
    fewer.save(picture, optimize=True)


def _kept_names() -> set[str]:
    return {f"{game}-{width}x{height}" for game, (width, height) in KEPT.items()}


async def draw(pictures: Sequence[Path]) -> None:
    """Make a PNG beside each SVG."""
    async with async_playwright() as player:
        browser = await player.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS])
        page = await browser.new_page(viewport={"width": 1600, "height": 1200})
        # Their font is fetched from elsewhere by those who have a network; one that is here does.
        await page.route("http*://**", lambda route: route.abort())
        for picture in pictures:
            await page.set_content(picture.read_text(encoding="utf-8"))
            await page.add_style_tag(content=STYLE)
            await page.locator("svg").screenshot(path=picture.with_suffix(".png"))
        await browser.close()


def size_of(text: str) -> tuple[int, int]:
    """Columns and lines, written ``80x24``."""
    columns, lines = text.split("x")
    return int(columns), int(lines)


def main() -> None:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures.terminal")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--png", action="store_true", help="draw them, too")
    parser.add_argument("--ascii", action="store_true", help="with signs of ASCII only")
    parser.add_argument("--size", action="append", metavar="WxH", help="only this size")
    parser.add_argument("--kept", action="store_true", help="what the documents show")
    chosen = parser.parse_args()
    sizes = [size_of(each) for each in chosen.size or ()] or SIZES
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if chosen.kept:
        asyncio.run(take_kept(chosen.folder))
        return
    made = asyncio.run(take(chosen.folder, sizes, ascii_only=chosen.ascii))
    if chosen.png:
        asyncio.run(draw(made))


if __name__ == "__main__":
    main()
