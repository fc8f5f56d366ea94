"""A move that is entered on the other side's turn: shown, taken back, played, or dropped."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.node.local_game import LocalGame
from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import Seat
from tests.web.browser import Sight, chromium, needs_chromium, shown

pytestmark = [needs_chromium]


class Replies:
    """A bot that makes the moves it is given, each when the test lets it."""

    name = "replies"

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._replies: asyncio.Queue[str] = asyncio.Queue()
        # Whether a choice is under way that has not been told to stop.
        self._hears = False

    def reply(self, move: str) -> None:
        """Let it make a move."""
        self._replies.put_nowait(move)

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        self._hears = True
        text = asyncio.run_coroutine_threadsafe(self._replies.get(), self._loop).result()
        self._hears = False
        return position.parse_move(text) if text else position.legal_moves[0]

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        return False

    def stop(self) -> None:
        if self._hears:
            self._hears = False
            self.reply("")


def against(bot: Replies, ruleset: str, text: str | None = None) -> LocalGame:
    """A table at which the bot has the first move."""
    start = Position.start(ruleset) if text is None else Position.from_text(ruleset, text)
    return LocalGame(start, dict.fromkeys(Side, bot), seats={start.turn: Seat.AUTO})


def bot() -> Replies:
    return Replies(asyncio.get_running_loop())


async def waits(sight: Sight, squares: list[str]) -> None:
    """Wait until these squares, and no others, are marked as the next move."""
    await expect(sight.page.locator(".beforehand")).to_have_count(len(squares))
    assert sorted(await sight.squares("your next move")) == sorted(squares)


@pytest.mark.parametrize("way", ["clicks", "drag", "typing", "keys"])
async def test_it_is_played_the_moment_it_is_the_persons_turn(way: str, tmp_path: Path) -> None:
    red = bot()
    table = against(red, "ataxx/cs61b-2022")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        match way:
            case "clicks":
                await sight.click("a1")
                await sight.hears("It is Red's turn. a1 chosen")
                await sight.click("b2")
            case "drag":
                await sight.page.drag_and_drop('[data-square="a1"]', '[data-square="b2"]')
            case "typing":
                await sight.page.get_by_label("Type a move").fill("a1-b2")
                await sight.page.get_by_label("Type a move").press("Enter")
            case _:
                # The walk begins at the bottom left.
                await sight.page.focus('[data-square="a1"]')
                for key in ("Enter", "ArrowUp", "ArrowRight", "Enter"):
                    await sight.page.keyboard.press(key)
        await sight.hears("a1-b2 will be played as soon as it is your turn")
        await waits(sight, ["a1", "b2"])
        # All of it is the program's: a reload loses nothing, and a second page sees it.
        await sight.page.reload()
        await sight.board_is_drawn()
        await waits(sight, ["a1", "b2"])
        red.reply("a7-b6")
        await sight.hears("Blue plays b2.")
        await waits(sight, [])
        assert [move.text for move in table.moves] == ["b6", "b2"]
        red.reply("")


async def test_it_is_dropped_with_the_reason_when_it_is_not_legal_then(tmp_path: Path) -> None:
    red = bot()
    table = against(red, "ataxx/cs61b-2022", "6o/7/7/7/4x2/7/7 x 0 1")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("g7")
        await sight.click("e5")
        await waits(sight, ["g7", "e5"])
        red.reply("e3-e5")
        await sight.hears("Your premove was dropped. g7-e5 is not legal")
        await waits(sight, [])
        assert len(table.moves) == 1
        # And the person moves otherwise.
        await sight.click("g7")
        await sight.click("f7")
        await sight.makes_a_move(1)
        red.reply("")


async def test_escape_and_a_click_elsewhere_take_it_back(tmp_path: Path) -> None:
    black = bot()
    table = against(black, "loa/cs61b")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("d5")
        await sight.hears("It is Black's turn. Choose one of your pieces")
        await sight.click("a3")
        await sight.click("c3")
        await waits(sight, ["a3", "c3"])
        await sight.page.keyboard.press("Escape")
        await sight.hears("Taken back.")
        await waits(sight, [])
        # Also from where moves are typed.
        await sight.page.get_by_label("Type a move").fill("a3-c3")
        await sight.page.get_by_label("Type a move").press("Enter")
        await waits(sight, ["a3", "c3"])
        await sight.page.keyboard.press("Escape")
        await waits(sight, [])
        await sight.click("a3")
        await sight.click("c3")
        await waits(sight, ["a3", "c3"])
        await sight.click("e5")
        await waits(sight, [])
        # Another of the person's pieces begins another move.
        await sight.click("a3")
        await sight.click("c3")
        await waits(sight, ["a3", "c3"])
        await sight.click("a4")
        await waits(sight, ["a4"])
        await sight.page.keyboard.press("Escape")
        # Until the program has taken the move back, it would be played.
        await waits(sight, [])
        black.reply("")
        await sight.makes_a_move(0)
        await sight.until("() => document.title.startsWith('●')")
        assert len(table.moves) == 1


async def test_a_jump_over_several_pieces_is_known_by_where_it_ends(tmp_path: Path) -> None:
    black = bot()
    table = against(black, "checkers/cs61b-2004", "B:W26,30:B15,23,1")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("26")
        await sight.click("10")
        await waits(sight, ["26", "10"])
        black.reply("1-5")
        await sight.hears("and takes 2.")
        assert [move.text for move in table.moves] == ["1-5", "26x19x10"]


async def test_in_reversi_one_square_is_enough(tmp_path: Path) -> None:
    black = bot()
    table = against(black, "reversi/standard")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("e4")
        await sight.hears("Choose an empty square")
        await sight.click("c3")
        await waits(sight, ["c3"])
        await sight.click("c3")
        await waits(sight, [])
        await sight.click("c3")
        black.reply("d3")
        await sight.hears("White plays c3")
        assert [move.text for move in table.moves] == ["d3", "c3"]
        black.reply("")
