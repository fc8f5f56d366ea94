"""The page that is a node, in Firefox: against Chromium, against this program, and looking on."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from ataxxd.session.record import Standing, verify_record
from tests.interop.browser_peer import needs_browser_peer
from tests.time_limits import DEADLINE
from tests.web.browser import Browser, Sight, firefox, needs_chromium, needs_firefox
from tests.web.test_display_command import link_of
from tests.web.test_page_without_a_program import Place, place, play_out, reloads
from tests.web.test_saving_a_game import saved
from tests.web.test_whole_games_over_the_network import SHORT_GAMES

pytestmark = [needs_chromium, needs_firefox, needs_browser_peer]
__all__ = ["place"]  # a fixture


async def closes_the_tab(browser: Browser, address: str, sight: Sight) -> None:
    """Close a tab in the middle of a game, and go on in another one from the first page."""
    await sight.page.close()
    sight.page = (await browser.open(address)).page
    await sight.page.click("#kept-games a")
    await sight.board_is_drawn()


async def joins_by_name(browser: Browser, place: Place, name: str) -> Sight:
    """The first page looks for a game, and joins it."""
    sight = await browser.open(place.page)
    await sight.page.fill("#find-name", name)
    await sight.page.fill("#find-broker", place.broker.websocket_url)
    await sight.press("Look for the game")
    await sight.page.click("#found a")
    await sight.press("Join the game")
    await sight.board_is_drawn()
    return sight


async def record_of(sight: Sight, folder: Path) -> bytes:
    """The record that a player's page saves when both have signed the result."""
    await sight.page.get_by_role("button", name="Rematch", exact=True).wait_for()
    return (await saved(sight, "record", folder)).read_bytes()


async def have_the_same_record(place: Place, records: Sequence[bytes], file: Path) -> None:
    """Check that what all sides have is one file, of a game that is over and holds."""
    content = await asyncio.to_thread(file.read_bytes)
    assert [record == content for record in records] == [True] * len(records)
    assert verify_record(content).standing is Standing.AGREED
    await place.nodes.node("judge").run("verify", file)


@pytest.mark.gate("ataxx")
@pytest.mark.parametrize("ruleset", ["ataxx/cs61b-2022", "checkers/cs61b-2004"])
async def test_firefox_and_chromium_play_and_firefox_closes_its_tab(
    place: Place, ruleset: str, tmp_path: Path
) -> None:
    fox, chrome = await place.browser("firefox", firefox), await place.browser("chromium")
    fox_hosts = ruleset.startswith("ataxx")
    hosting, joining = (fox, chrome) if fox_hosts else (chrome, fox)
    host, link = await place.hosts(hosting, ruleset)
    watched = tmp_path / "watched.json"
    watching = await place.watches(link, watched)
    guest = await place.joins(joining, link)
    await host.board_is_drawn()
    in_firefox = host if fox_hosts else guest
    breaks = partial(closes_the_tab, fox, place.page, in_firefox)
    await play_out(ruleset, host, guest, breaks=breaks)
    await watching.ends()
    records = [await record_of(sight, tmp_path) for sight in (host, guest)]
    await have_the_same_record(place, records, watched)


async def test_this_program_joins_a_game_that_firefox_hosts(place: Place, tmp_path: Path) -> None:
    fox, chrome = await place.browser("firefox", firefox), await place.browser("chromium")
    host, link = await place.hosts(fox, "reversi/standard")
    kept = tmp_path / "guest.json"
    program = await place.nodes.node("guest").start("join", link, "--display", "--transcript", kept)
    guest = await chrome.open(await link_of(program))
    await host.board_is_drawn()
    breaks = partial(closes_the_tab, fox, place.page, host)
    await play_out("reversi/standard", host, guest, breaks=breaks)
    record = await record_of(host, tmp_path)
    await guest.press("Leave")
    await program.ends()
    await have_the_same_record(place, [record], kept)


async def test_firefox_joins_a_game_that_this_program_hosts(place: Place, tmp_path: Path) -> None:
    fox, chrome = await place.browser("firefox", firefox), await place.browser("chromium")
    kept = tmp_path / "host.json"
    program = await place.nodes.node("host").host(
        "ourgame", "--display", "--game", "loa", "--transcript", kept
    )
    host = await chrome.open(await link_of(program))
    guest = await joins_by_name(fox, place, "ourgame")
    await host.board_is_drawn()
    breaks = partial(closes_the_tab, fox, place.page, guest)
    await play_out("loa/cs61b", host, guest, breaks=breaks)
    record = await record_of(guest, tmp_path)
    await host.press("Leave")
    await program.ends()
    await have_the_same_record(place, [record], kept)


async def test_firefox_watches_a_game_and_saves_its_record(place: Place, tmp_path: Path) -> None:
    fox, chrome = await place.browser("firefox", firefox), await place.browser("chromium")
    host, link = await place.hosts(chrome, "ataxx/cs61b-2022")
    looker = await place.looks_on(fox, link)
    watched = tmp_path / "watched.json"
    watching = await place.watches(link, watched)
    guest = await place.joins(await place.browser("guest"), link)
    await looker.board_is_drawn()
    await play_out("ataxx/cs61b-2022", host, guest, breaks=partial(reloads, looker))
    await looker.until("() => !document.querySelector('#banner').hidden")
    assert await looker.moves() == SHORT_GAMES["ataxx/cs61b-2022"].split()
    await watching.ends()
    final = watched.read_bytes()
    async with asyncio.timeout(DEADLINE):
        # The signatures come after the end that the page shows.
        while (await saved(looker, "record", tmp_path)).read_bytes() != final:
            pass
    await have_the_same_record(place, [], watched)
