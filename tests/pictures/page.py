"""Pictures of the page, taken of the real page in Chromium as people see it.

``python -m tests.pictures.page FOLDER`` writes every game on a laptop, and some of them in the
dark, on a phone, in the middle of a move, and when they are over; and a game between two pages
that are nodes, which `make peer` builds, on both side by side, too.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from PIL import Image
from playwright.async_api import expect

from ataxxd.cli.files import LocalGameFiles
from ataxxd.rules import Engine, Move, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Seat
from ataxxd_clients.web.server import serve_channel
from ataxxd_clients.web.study import StudyRoom
from tests.pictures.terminal import SHOTS, shrink
from tests.web.browser import Sight, chromium, local_table, shown
from tests.web.test_page_without_a_program import Place

LAPTOP, PHONE = (1366, 768), (390, 844)
_HEIGHT = 480
_SEATS = {Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO}


async def _nothing(_: Sight) -> None:
    """Leave the page as it comes up."""


def _click(*squares: str) -> Callable[[Sight], Awaitable[None]]:
    async def click(sight: Sight) -> None:
        for square in squares:
            await sight.click(square)

    return click


def _press(*buttons: str) -> Callable[[Sight], Awaitable[None]]:
    async def press(sight: Sight) -> None:
        for button in buttons:
            await sight.press(button)

    return press


@dataclass(frozen=True)
class View:
    """A picture of a page.

    Attributes:
        game: of `tests.pictures.terminal.SHOTS`.
        size: of the window, in pixels.
        options: of Chromium's context, such as its colour scheme.
        act: what the person does before.
    """

    game: str
    size: tuple[int, int] = LAPTOP
    options: Mapping[str, str] = field(default_factory=dict)
    act: Callable[[Sight], Awaitable[None]] = _nothing


_DARK = {"color_scheme": "dark"}
VIEWS = {
    "page-reversi-dark": View("reversi", options=_DARK),
    "page-checkers": View("checkers"),
    "page-loa-dark": View("loa", options=_DARK, act=_click("d1")),
    "page-phone-ataxx": View("ataxx", PHONE, act=_click("c5")),
    "page-phone-checkers-dark": View("checkers", PHONE, _DARK),
    "page-resigned": View("loa", act=_press("Resign", "Yes")),
}


async def take_study(folder: Path) -> None:
    """Write a picture of a study of a whole game, evaluated from end to end."""
    start = position = Position.start("reversi/standard")
    engine = Engine(1)
    moves: list[Move] = []
    while position.outcome is None:
        depth = 1 if position.turn is Side.FIRST else 4
        moves.append(engine.search(position, depth=depth, seed=len(moves)).move)
        position = position.play(moves[-1])
    room = StudyRoom(GameRecord(start, tuple(moves), position.outcome), LocalGameFiles())
    async with serve_channel(room, print_line=str) as auth:
        running = asyncio.create_task(room.run(), name="study")
        with tempfile.TemporaryDirectory() as home:
            async with chromium(Path(home), width=LAPTOP[0], height=LAPTOP[1]) as browser:
                sight = await browser.open(auth.link())
                await sight.board_is_drawn()
                await sight.press("Evaluate the game")
                await expect(sight.page.locator("#survey")).to_have_text("Evaluate the game")
                for _ in range(30):
                    await sight.press("One move forward")
                await expect(sight.page.locator(".verdict-line")).to_contain_text("Best: ")
                await sight.page.screenshot(path=folder / "page-study.png", animations="disabled")
        running.cancel()
        await asyncio.wait({running})


async def take_node(folder: Path) -> None:
    """Write pictures of a game between two pages that are nodes: on a laptop, and on a phone."""
    shot = SHOTS["reversi"]
    async with AsyncExitStack() as stack:
        place = Place(stack, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        laptop, phone = await place.browser("laptop"), await place.browser("phone")
        host, link = await place.hosts(laptop, shot.ruleset)
        await host.page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
        invited = await phone.open(link)
        await invited.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await expect(invited.page.locator("#invited-by")).to_contain_text("against")
        await invited.page.screenshot(path=folder / "page-node-invited.png", animations="disabled")
        await invited.press("Join the game")
        await host.board_is_drawn()
        await invited.tells("Good luck!")
        await expect(host.lines()).to_have_count(1)
        ways = cycle((host, invited))
        for number, move in enumerate(shot.moves[:12]):
            mover = next(ways)
            await mover.until("() => document.title.startsWith('●')")
            await mover.click(move)
            for sight in (host, invited):
                await sight.makes_a_move(number)
        await host.page.mouse.move(0, 0)
        await invited.page.evaluate("scrollTo(0, 0)")
        for sight, name in ((host, "page-node"), (invited, "page-node-phone")):
            await sight.page.screenshot(path=folder / f"{name}.png", animations="disabled")
    side_by_side(
        [folder / "page-node.png", folder / "page-node-phone.png"], folder / "page-both.png"
    )


def side_by_side(pictures: Sequence[Path], out: Path) -> None:
    """Write pictures beside each other, made as high as fits on a page of words."""
    made = []
    for picture in pictures:
        with Image.open(picture) as image:
            width = round(image.width * _HEIGHT / image.height)
            made.append(image.convert("RGB").resize((width, _HEIGHT), Image.Resampling.LANCZOS))
    gap = _HEIGHT // 20
    whole = Image.new("RGB", (sum(each.width + gap for each in made) - gap, _HEIGHT), "white")
    left = 0
    for each in made:
        whole.paste(each, (left, 0))
        left += each.width + gap
    whole.save(out)


async def take(folder: Path) -> None:
    """Write all pictures."""
    for name, view in VIEWS.items():
        shot = SHOTS[view.game]
        table = local_table(shot.ruleset, seats=_SEATS)
        position, moves = Position.start(shot.ruleset), []
        for text in shot.moves:
            moves.append(position.parse_move(text))
            position = position.play(moves[-1])
        if len(moves) % 2:
            del moves[-1]
        table.new(Position.start(shot.ruleset), moves)
        with tempfile.TemporaryDirectory() as home:
            width, height = view.size
            async with (
                shown(table) as (_, auth, _),
                chromium(Path(home), width=width, height=height, options=view.options) as browser,
            ):
                sight = await browser.open(auth.link())
                await sight.board_is_drawn()
                await view.act(sight)
                await sight.page.screenshot(path=folder / f"{name}.png", animations="disabled")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures.page")
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(chosen.folder))
    asyncio.run(take_study(chosen.folder))
    asyncio.run(take_node(chosen.folder))
    for picture in chosen.folder.glob("page-*.png"):
        shrink(picture)


if __name__ == "__main__":
    main()
