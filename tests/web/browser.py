"""A person at the page, in headless Chromium or Firefox: what it sees, clicks and types."""

import asyncio
import json
import os
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import BrowserContext, Locator, Page, async_playwright, expect

from ataxxd.engines.registry import make_bot
from ataxxd.node.game import Game
from ataxxd.node.local_game import LocalGame
from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.server import Auth, serve_channel
from tests.time_limits import DEADLINE

CHROMIUM = shutil.which("chromium")
FIREFOX = shutil.which("firefox-esr")
ARGUMENTS = (
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# CI must have it, so there its tests run and fail.
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="chromium is not installed: make browser",
)
needs_firefox = pytest.mark.skipif(
    FIREFOX is None and not os.environ.get("CI"),
    reason="firefox-esr is not installed: make browser",
)
# Firefox asks its maker for many things; none of that leaves this machine.
_PREFERENCES: Mapping[str, str | float | bool] = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "ui.prefersReducedMotion": 1,
}


@dataclass
class Browser:
    """A browser with its own user, and what must not have happened in it."""

    context: BrowserContext
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    async def open(self, link: str) -> "Sight":
        """A new tab with the page behind a link, once the board is drawn."""
        page = await self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname or ""))
        page.on(
            "console",
            lambda line: self.complaints.append(line.text) if line.type == "error" else None,
        )
        await page.goto(link)
        return Sight(page)


class Opens(Protocol):
    """A kind of browser."""

    def __call__(
        self, folder: Path, *, width: int = ..., height: int = ..., hosts: Collection[str] = ...
    ) -> AbstractAsyncContextManager[Browser]: ...


@asynccontextmanager
async def chromium(
    folder: Path,
    *,
    width: int = 1280,
    height: int = 800,
    program: str | None = CHROMIUM,
    hosts: Collection[str] = ("127.0.0.1",),
    options: Mapping[str, object] | None = None,
) -> AsyncIterator[Browser]:
    """Headless Chromium with a user of its own; fails when a page wrote an error.

    Args:
        folder: for its user.
        width: of its window.
        height: of its window.
        program: that turns into Chromium, such as in another network.
        hosts: that its pages may ask.
        options: more, by playwright's names.
    """
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            folder,
            executable_path=program,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
            timeout=1000 * DEADLINE,
            **{"args": ARGUMENTS, **(options or {})},  # type: ignore[arg-type]
        )
        async with _looked_after(context, hosts) as browser:
            yield browser


@asynccontextmanager
async def firefox(
    folder: Path,
    *,
    width: int = 1280,
    height: int = 800,
    hosts: Collection[str] = ("127.0.0.1",),
    dark: bool = False,
) -> AsyncIterator[Browser]:
    """Headless Firefox with a user of its own; fails when a page wrote an error.

    Args:
        folder: for its user, and for the program that Playwright starts.
        width: of the page.
        height: of the page.
        hosts: that its pages may ask.
        dark: whether its user likes pages dark.
    """
    program = _relayed_firefox(folder)
    async with async_playwright() as playwright:
        context = await playwright.firefox.launch_persistent_context(
            folder / "user",
            channel="moz-firefox",
            executable_path=program,
            viewport={"width": width, "height": height},
            timeout=1000 * DEADLINE,
            firefox_user_prefs={**_PREFERENCES, "ui.systemUsesDarkTheme": int(dark)},
        )
        async with _looked_after(context, hosts) as browser:
            yield browser


def _relayed_firefox(folder: Path) -> Path:
    assert FIREFOX is not None, needs_firefox.kwargs["reason"]
    folder.mkdir(parents=True)
    program = folder / "firefox"
    relay = shlex.join([sys.executable, "-m", "tests.web.bidi_relay", FIREFOX])
    root = shlex.quote(str(Path(__file__).parents[2]))
    program.write_text(f'#!/bin/sh\ncd {root} && exec {relay} "$@"\n')
    program.chmod(0o755)
    return program


@asynccontextmanager
async def _looked_after(context: BrowserContext, hosts: Collection[str]) -> AsyncIterator[Browser]:
    context.set_default_timeout(1000 * DEADLINE)
    expect.set_options(timeout=1000 * DEADLINE)
    browser = Browser(context)
    try:
        yield browser
    finally:
        # What a page says of its own end, such as of a request that was cut off, is no fault.
        complaints = [*browser.complaints]
        await context.close()
    assert complaints == []
    assert browser.hosts <= {*hosts}


def local_table(
    ruleset: str,
    *,
    moves: int = 0,
    text: str | None = None,
    seats: Mapping[Side, Seat] | None = None,
    bot: str = "random:3",
) -> LocalGame:
    """A table with a quick and repeatable opponent, some moves into a game."""
    start = Position.start(ruleset) if text is None else Position.from_text(ruleset, text)
    table = LocalGame(
        start,
        {side: make_bot(bot) for side in Side},
        seats={Side.SECOND: Seat.AUTO} if seats is None else seats,
        seed=4,
    )
    made: list[Move] = []
    position = start
    for number in range(moves):
        legal = position.legal_moves
        made.append(legal[(7 * number) % len(legal)])
        position = position.play(made[-1])
    table.new(start, made)
    return table


@asynccontextmanager
async def shown(table: Game) -> AsyncIterator[tuple[Room, Auth, list[str]]]:
    """A table behind a server of its own: its room, its auth, and what was said in the terminal."""
    said: list[str] = []
    room = Room(table)
    async with serve_channel(room, print_line=said.append) as auth:
        running = asyncio.create_task(room.run())
        try:
            yield room, auth, said
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


@dataclass
class Sight:
    """What a person sees of the page, and does at it."""

    page: Page

    async def until(self, condition: str) -> None:
        """Wait until a function of the page is true."""
        await self.page.wait_for_function(condition)

    @asynccontextmanager
    async def shows_in_passing(self, selector: str, text: str) -> AsyncIterator[None]:
        """What is done meanwhile has an element show a text, perhaps for a moment only."""
        await self.page.evaluate(
            """([selector, text]) => {
                const shown = document.querySelector(selector);
                window.passed = new Promise(resolve => new MutationObserver(
                    () => shown.textContent === text && resolve(true)
                ).observe(shown, { childList: true, characterData: true, subtree: true }));
            }""",
            [selector, text],
        )
        yield
        await self.until("() => window.passed")

    async def board_is_drawn(self) -> None:
        """Wait for the first board."""
        await self.page.wait_for_selector("[data-piece]")

    async def says(self) -> str:
        """The sentence below the board."""
        return (await self.page.text_content("#says")) or ""

    async def hears(self, part: str) -> None:
        """Wait until the sentence below the board holds `part`."""
        await expect(self.page.locator("#says")).to_contain_text(part)

    async def reads(self, part: str) -> None:
        """Wait until the sentence in the place of a board holds `part`."""
        await expect(self.page.locator("#waiting-says")).to_contain_text(part)

    async def click(self, square: str) -> None:
        """Click a square with the mouse."""
        await self.page.click(f'[data-square="{square}"]')

    async def tab_to_the_board(self) -> None:
        """Press Tab until the focus is on the board."""
        await self._tab_until("document.activeElement.dataset.square !== undefined")

    async def tab_to(self, button: str) -> None:
        """Press Tab until the focus is on a button."""
        await self._tab_until(f"document.activeElement.textContent === {json.dumps(button)}")

    async def tab_to_field(self, name: str) -> None:
        """Press Tab until the focus is in a field, by its id."""
        await self._tab_until(f"document.activeElement.id === {json.dumps(name)}")

    async def _tab_until(self, condition: str) -> None:
        for _ in range(400):
            if await self.page.evaluate(condition):
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(condition)

    async def walk_and_press(self, square: str) -> None:
        """Walk over the board by arrow keys and choose a square."""
        for _ in range(20):
            here, there = await self.page.evaluate(
                """square => [
                    document.activeElement,
                    document.querySelector(`[data-square="${square}"]`),
                ].map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width]; })""",
                square,
            )
            across, down = (round((there[axis] - here[axis]) / there[2]) for axis in (0, 1))
            if not across and not down:
                await self.page.keyboard.press("Enter")
                return
            if across:
                await self.page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
            if down:
                await self.page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
        raise AssertionError(f"{square} was not reached")

    async def is_accessible(self) -> None:
        """Check that axe finds no fault."""
        # The page lets no other script in; axe is put there by the debugger.
        found = await Axe().run(self.page)
        assert found.response["violations"] == [], found.generate_report()

    async def tells(self, text: str) -> None:
        """Say something."""
        await self.page.fill("#say-text", text)
        await self.press("Say")

    async def types(self, text: str) -> None:
        """Type a move, or a word in place of one."""
        await self.page.fill("#typed-move", text)
        await self.page.press("#typed-move", "Enter")

    def lines(self) -> Locator:
        """What of the talk is to be seen."""
        return self.page.locator("#said li:visible")

    async def label(self, square: str) -> str:
        """What a screen reader says of a square."""
        return (await self.page.get_attribute(f'[data-square="{square}"]', "aria-label")) or ""

    async def squares(self, words: str) -> list[str]:
        """The squares whose label holds `words`, as a screen reader finds them."""
        return list(
            await self.page.eval_on_selector_all(
                "[data-square]",
                "(all, words) => all.filter(e => (e.getAttribute('aria-label') ?? '')"
                ".includes(words)).map(e => e.dataset.square)",
                words,
            )
        )

    async def turn_or_end(self) -> str:
        """Wait until a person must act; ``move``, ``pass``, ``draw`` (to answer) or ``over``."""
        handle = await self.page.wait_for_function(
            "() => !document.querySelector('#banner').hidden ? 'over'"
            " : document.querySelector('#request-actions button') ? 'draw'"
            " : [...document.querySelectorAll('#actions button')]"
            ".some(b => b.textContent === 'Pass') ? 'pass'"
            " : document.title.startsWith('●') ? 'move' : false"
        )
        return str(await handle.json_value())

    async def is_over(self) -> None:
        """Wait until the page tells how the game ended; it may still be on its way to the table."""
        await expect(self.page.locator("#banner")).to_be_visible()

    async def moves(self) -> list[str]:
        """The list of moves."""
        return await self.page.locator("#moves button").all_inner_texts()

    async def makes_a_move(self, before: int) -> None:
        """Wait until there are more moves than before."""
        await self.until(f"() => document.querySelectorAll('#moves li').length > {before}")

    async def press(self, button: str) -> None:
        """Press a button by its name."""
        await self.page.get_by_role("button", name=button, exact=True).click()
