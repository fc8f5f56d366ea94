"""A page without a program: what it offers, and games against its own engine."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from ataxxd.rules import Position, rulesets
from ataxxd_clients.text.games import line_language
from tests.interop.browser_peer import PEER, needs_browser_peer
from tests.web.browser import (
    Browser,
    Opens,
    Sight,
    chromium,
    firefox,
    needs_chromium,
    needs_firefox,
)
from tests.web.test_page_without_a_program import Place, place, served_page

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["place"]  # a fixture

GAMES = {info.game: info.id for info in rulesets()}


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    """A browser, and nothing else: no broker, no program."""
    async with chromium(tmp_path / "browser", width=390, height=844) as opened:
        yield opened


def origin(address: str) -> str:
    """Whom an address asks."""
    return urlsplit(address).netloc


async def begins(
    sight: Sight, ruleset: str, *, color: str = "first", level: int | None = None
) -> None:
    """Begin a game against the engine from the first page."""
    page = sight.page
    await page.select_option("#engine-ruleset", ruleset)
    await page.select_option("#engine-color", color)
    if level is not None:
        await page.select_option("#engine-level", str(level))
    await sight.press("Play the engine")
    await sight.board_is_drawn()


async def plays_some_move(sight: Sight, position: Position) -> Position:
    """Click the first legal move of a position."""
    move = position.legal_moves[0]
    for square in line_language(position.ruleset).paths(move, position)[0]:
        await sight.click(square)
    return position.play(move)


async def test_both_menus_have_the_games_in_the_order_of_all_lists(browser: Browser) -> None:
    titles = [info.title for info in rulesets()]
    with served_page() as address:
        page = (await browser.open(address)).page
        for menu in ("#ruleset", "#engine-ruleset"):
            await expect(page.locator(f"{menu} option")).to_have_count(len(titles))
            assert await page.locator(f"{menu} option").all_text_contents() == titles


@pytest.mark.gate("ataxx")
@pytest.mark.parametrize("game", GAMES)
async def test_the_engine_answers_on_a_page_without_any_program(
    browser: Browser, game: str
) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES[game], level=2)
        await plays_some_move(sight, Position.start(GAMES[game]))
        await sight.makes_a_move(1)
        await sight.until("() => document.title.startsWith('●')")
        # What the page shows outlives it.
        moves = await sight.moves()
        await sight.page.reload()
        await sight.board_is_drawn()
        assert await sight.moves() == moves
        await sight.press("Undo")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await sight.page.reload()
        await sight.board_is_drawn()
        await sight.press("Redo")
        await sight.makes_a_move(1)
        assert await sight.moves() == moves


async def test_the_level_changes_in_the_middle_of_a_game_and_is_kept(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["reversi"], level=1)
        await plays_some_move(sight, Position.start(GAMES["reversi"]))
        await sight.makes_a_move(1)
        level = sight.page.get_by_label("Level of the computer")
        await expect(level).to_have_value("1")
        await level.select_option("3")
        await sight.page.reload()
        await expect(level).to_have_value("3")
        await sight.page.goto(address)
        await expect(sight.page.locator("#kept-games")).to_contain_text("the engine, level 3")


@pytest.mark.gate
async def test_the_pages_engine_gives_hints_and_evaluates(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["ataxx"])
        await sight.press("Hint")
        await sight.hears("The engine would play")
        await sight.hears(", which grows by 1")
        await sight.press("Evaluate")
        await expect(sight.page.locator(".verdict-line")).to_contain_text(", which grows by 1")
        verdict = sight.page.locator(".verdict-words")
        await expect(verdict).not_to_have_text("Not evaluated yet")
        await sight.is_accessible()


async def test_a_move_that_gives_a_piece_away_is_marked(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["checkers"], color="both")
        for number, move in enumerate(("11-16", "21-17", "8-11", "22-18", "16-19")):
            await sight.types(move)
            await sight.makes_a_move(number)
        await sight.press("Evaluate")
        given_away = sight.page.locator("#moves li:last-child button")
        # A man costs about as much as lies between the two.
        await expect(given_away).to_have_accessible_name(re.compile("^16-19, a (mistake|blunder)$"))
        await expect(given_away).to_have_attribute("data-mark", re.compile(r"^\?\??$"))
        await expect(sight.page.locator("#moves li:first-child button")).to_have_text("11-16")
        await expect(sight.page.locator("#moves li:first-child button")).to_have_attribute(
            "data-mark", ""
        )
        await sight.is_accessible()
        await sight.press("Stop evaluating")
        await expect(given_away).to_have_accessible_name("16-19")


async def test_the_engine_takes_a_resignation_and_a_new_game_begins(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["checkers"], color="second", level=1)
        await sight.makes_a_move(0)
        await sight.press("Resign")
        await sight.press("Yes")
        await expect(sight.page.locator("#banner")).to_contain_text("White resigned")
        await sight.press("New game")
        await expect(sight.page.locator("#banner")).to_be_hidden()
        await sight.makes_a_move(0)


async def test_what_is_wanted_later_does_not_come_before_the_board(browser: Browser) -> None:
    loaded = "() => performance.getEntriesByType('resource').map(each => each.name).join()"
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["ataxx"], color="both")
        before = str(await sight.page.evaluate(loaded))
        assert "main.js" in before
        assert not re.search("lessons|lean-qr", before)
        await sight.press("Help")
        await expect(sight.page.locator("#lesson figure").first).to_be_visible()
        assert "lessons.js" in str(await sight.page.evaluate(loaded))


async def test_two_people_play_on_one_page(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await begins(sight, GAMES["ataxx"], color="both")
        position = Position.start(GAMES["ataxx"])
        for number in range(3):
            position = await plays_some_move(sight, position)
            await sight.makes_a_move(number)


async def test_the_first_page_is_accessible_in_light_and_dark(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await sight.page.wait_for_function("() => document.querySelector('#ruleset').length > 0")
        await sight.is_accessible()
        # Two forms ask for a game, and two for a broker: their names tell them apart.
        for name in ("Play with a friend", "Play the engine"):
            form = sight.page.get_by_role("form", name=name)
            await expect(form.get_by_label("Game")).to_be_visible()
        for name in ("Play with a friend", "Join or watch by name"):
            form = sight.page.get_by_role("form", name=name)
            await expect(form.get_by_label("Broker")).to_be_visible()
        await sight.page.emulate_media(color_scheme="dark")
        await sight.is_accessible()


async def test_the_first_page_keeps_its_margins_on_a_small_phone(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        # Who closes the page before has an error of the browser's own.
        await sight.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        await sight.page.set_viewport_size({"width": 320, "height": 568})
        # Rounded: where a line is broken, the browser itself is off by a fraction of a pixel.
        edges = "() => [...document.querySelectorAll('#start *')].map("
        edges += "each => Math.round(each.getBoundingClientRect().right))"
        assert max(await sight.page.evaluate(edges)) <= 320 - 16


async def test_a_game_is_forgotten_only_by_whoever_is_sure(browser: Browser) -> None:
    with served_page() as address:
        for _ in range(2):
            sight = await browser.open(address)
            await begins(sight, GAMES["reversi"], color="first")
        sight = await browser.open(address)
        games, asked = sight.page.locator("#kept-games li"), sight.page.get_by_role("dialog")
        forget = games.first.get_by_role("button", name=re.compile("^Forget Reversi"))
        await expect(games).to_have_count(2)
        await forget.press("Enter")
        await expect(asked).to_have_accessible_name(re.compile(r"^Forget this game\? Reversi"))
        await sight.is_accessible()
        await sight.page.keyboard.press("Escape")
        await expect(asked).to_be_hidden()
        await expect(forget).to_be_focused()
        await expect(games).to_have_count(2)
        await forget.press("Enter")
        await asked.get_by_role("button", name="Forget it").press("Enter")
        await expect(games).to_have_count(1)
        await expect(games.get_by_role("link")).to_be_focused()
        await sight.hears("Forgotten: Reversi")


async def test_the_rules_are_wrapped_for_the_page_and_not_for_a_terminal(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await sight.page.set_viewport_size({"width": 320, "height": 640})
        await begins(sight, GAMES["loa"], color="first")
        await sight.press("Help")
        rules = sight.page.get_by_role("group", name="The rules of the game")
        first = re.compile(
            "^Black and White take turns. .* in one group wins; corners touch too[.]$"
        )
        await expect(rules.locator("p").first).to_have_text(first)
        await expect(rules.locator("dt")).to_have_text(["b1-d3", "b1", "-"])
        await expect(rules.locator("dd").first).to_have_text(
            re.compile("^move a piece .* take one[.]$")
        )
        widths = "each => [each.scrollWidth, each.clientWidth]"
        scrolled, shown = await sight.page.locator("#help").evaluate(widths)
        assert scrolled == shown


async def test_the_first_page_answers_in_sight_of_the_button_that_was_pressed(
    browser: Browser,
) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await sight.page.set_viewport_size({"width": 320, "height": 568})
        await sight.page.wait_for_function("() => document.querySelector('#node').textContent")
        says = sight.page.locator("#says")
        for nickname in ("ana", "bert"):
            await sight.page.fill("#nickname", nickname)
            await sight.press("Use this nickname")
            await sight.hears(f"You are now {nickname}")
            await expect(says).to_be_in_viewport(ratio=1)
            async with sight.page.expect_download():
                await sight.press("Save to a file")
            await sight.hears("Saved.")
            await expect(says).to_be_in_viewport(ratio=1)
        await sight.is_accessible()


async def test_a_game_is_joined_by_its_name(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, GAMES["ataxx"])
    name = link.partition("#")[2].split("~")[0]
    guest = await bert.open(place.page)
    await guest.page.fill("#find-name", "nobody-here")
    await guest.page.fill("#find-broker", place.broker.websocket_url)
    await guest.press("Look for the game")
    await guest.hears('Nobody hosts "nobody-here"')
    await guest.page.fill("#find-name", name)
    await guest.press("Look for the game")
    await guest.page.click("#found a")
    await guest.press("Join the game")
    await guest.board_is_drawn()
    await host.board_is_drawn()


async def test_a_game_that_is_over_is_studied_with_one_click(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, GAMES["reversi"])
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await plays_some_move(host, Position.start(GAMES["reversi"]))
    await guest.makes_a_move(0)
    moves = await guest.moves()
    await guest.press("Resign")
    await guest.press("Yes")
    await guest.press("Study this game")
    verdict = guest.page.locator(".verdict-words")
    await expect(verdict).to_contain_text("+")
    await expect(guest.page.locator("#banner")).to_contain_text("White resigned")
    assert await guest.moves() == moves
    # Other moves can be tried from any position.
    await guest.press("Undo")
    await plays_some_move(guest, Position.start(GAMES["reversi"]))
    await guest.makes_a_move(0)


@pytest.mark.parametrize(
    "program", [chromium, pytest.param(firefox, marks=needs_firefox)], ids=["chromium", "firefox"]
)
async def test_a_page_asks_nobody_but_its_web_server_and_the_broker(
    place: Place, program: Opens
) -> None:
    ana, bert = await place.browser("ana", program), await place.browser("bert")
    asked: set[str] = set()
    for browser in (ana, bert):
        browser.context.on("request", lambda request: asked.add(origin(request.url)))
        browser.context.on(
            "page", lambda page: page.on("websocket", lambda it: asked.add(origin(it.url)))
        )
    host, link = await place.hosts(ana, GAMES["ataxx"])
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await guest.page.goto(place.page)
    await begins(guest, GAMES["reversi"], level=1)
    await plays_some_move(guest, Position.start(GAMES["reversi"]))
    await guest.makes_a_move(1)
    assert origin(place.page) in asked
    assert asked <= {origin(place.page), origin(place.broker.websocket_url)}


async def listen_to_workers(page: Page) -> asyncio.Queue[str]:
    """Whom the workers of a page ask: no event of the page tells their websockets."""
    debugger = await page.context.new_cdp_session(page)
    asked: asyncio.Queue[str] = asyncio.Queue()
    sending: set[asyncio.Task[object]] = set()

    def sent(task: asyncio.Task[object]) -> None:
        sending.discard(task)
        if not task.cancelled():
            task.exception()  # a worker of the page before may be gone

    def attached(event: dict[str, Any]) -> None:
        for number, method in enumerate(("Network.enable", "Runtime.runIfWaitingForDebugger")):
            message = json.dumps({"id": number, "method": method})
            to = {"sessionId": event["sessionId"], "message": message}
            task = asyncio.ensure_future(debugger.send("Target.sendMessageToTarget", to))
            sending.add(task)
            task.add_done_callback(sent)

    def told(event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        match message.get("method"):
            case "Network.webSocketCreated":
                asked.put_nowait(origin(message["params"]["url"]))
            case "Network.requestWillBeSent":
                asked.put_nowait(origin(message["params"]["request"]["url"]))

    debugger.on("Target.attachedToTarget", attached)
    debugger.on("Target.receivedMessageFromTarget", told)
    # None runs before it is listened to.
    await debugger.send(
        "Target.setAutoAttach",
        {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False},
    )
    return asked


@pytest.mark.gate
async def test_nor_do_the_workers_of_the_page_ask_anybody_else(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    _, link = await place.hosts(ana, GAMES["ataxx"])
    guest = await bert.open(place.page)
    heard = await listen_to_workers(guest.page)
    await guest.page.goto(link)
    await guest.page.reload()
    await guest.press("Join the game")
    await guest.board_is_drawn()
    asked: set[str] = set()
    # It is told on another way than what is drawn.
    while (broker := origin(place.broker.websocket_url)) not in asked:
        asked.add(await heard.get())
    await guest.page.goto(place.page)
    await begins(guest, GAMES["reversi"], level=1)
    await plays_some_move(guest, Position.start(GAMES["reversi"]))
    await guest.makes_a_move(1)
    # The search, which only a worker asks for.
    while (server := origin(place.page)) not in asked:
        asked.add(await heard.get())
    while not heard.empty():
        asked.add(heard.get_nowait())
    assert asked == {server, broker}


def test_the_pages_policy_has_no_exception_but_webassembly() -> None:
    for name in ("index.html", "table.html"):
        page = (PEER / "build" / "page" / name).read_text()
        (policy,) = re.findall('http-equiv="content-security-policy" content="([^"]+)"', page)
        assert re.findall(r"'[a-z-]*unsafe[a-z-]*'", policy) == ["'wasm-unsafe-eval'"]
        assert not re.search(" style=| on[a-z]+=|<script>|<style>", page)
