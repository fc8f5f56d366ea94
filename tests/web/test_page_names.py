"""A page that is a node: nicknames, known hosts, and looking on with others."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.rules.values import ruleset_info
from ataxxd_clients.text.games import line_language
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import Browser, Sight, chromium, needs_chromium
from tests.web.test_page_without_a_program import Place, place

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["place"]  # a fixture

CHECKERS = "checkers/acf"


async def calls_itself(place: Place, browser: Browser, name: str) -> str:
    """Give a browser's node a nickname on the first page; how others read it."""
    sight = await browser.open(place.page)
    await sight.page.wait_for_function("() => document.querySelector('#node').textContent !== ''")
    await sight.page.get_by_label("Your nickname").fill(name)
    await sight.press("Use this nickname")
    await sight.hears(f"You are now {name} (")
    node = await sight.page.inner_text("#node")
    await sight.page.close()
    return f"{name} ({node[:9]})"


async def looks_for(place: Place, browser: Browser, name: str, button: str) -> Sight:
    """Look for the games of a name on the first page."""
    sight = await browser.open(place.page)
    await sight.page.get_by_label("Name", exact=True).fill(name)
    await sight.page.fill("#find-broker", place.broker.websocket_url)
    await sight.press(button)
    return sight


@pytest.mark.gate
@pytest.mark.requirement("MP-NICK-2", "MP-NICK-4")
async def test_players_and_spectators_read_nicknames_beside_the_ids(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    names = [await calls_itself(place, ana, "ana"), await calls_itself(place, bert, "bert")]
    host, link = await place.hosts(ana, CHECKERS)
    guest = await place.joins(bert, link)
    watching = await place.looks_on(await place.browser("carol"), link)
    await expect(host.page.locator("#players")).to_contain_text(names[1])
    await expect(guest.page.locator("#players")).to_contain_text(names[0])
    for name in names:
        await expect(watching.page.locator("#players")).to_contain_text(name)


@pytest.mark.gate
async def test_an_invitation_says_who_invites_to_which_game(place: Place, tmp_path: Path) -> None:
    ana = await place.browser("ana")
    name = await calls_itself(place, ana, "ana")
    page = (await ana.open(place.page)).page
    await page.evaluate("() => localStorage.setItem('ataxxd.clock', '5+3')")
    host, link = await place.hosts(ana, CHECKERS)
    async with chromium(tmp_path / "phone", width=390, height=844) as phone:
        sight = await phone.open(link)
        invited = sight.page.locator("#invited-by")
        title = ruleset_info(CHECKERS).title
        second = line_language(CHECKERS).names[1]
        await expect(invited).to_have_text(
            f"{title}, against {name}. You play {second}, and your opponent begins; "
            "5m each and 3s a move."
        )
        await sight.is_accessible()
        await sight.press("Join the game")
        await host.board_is_drawn()
    sight = await (await place.browser("second")).open(link)
    await expect(sight.page.locator("#invited-by")).to_contain_text("Its seat is taken")
    sight = await (await place.browser("late")).open(link.replace("#", "#no-such-"))
    await expect(sight.page.locator("#invited-by")).to_contain_text("does not offer this game now")


async def test_a_nickname_that_is_none_is_refused_with_what_it_may_be(place: Place) -> None:
    ana = await place.browser("ana")
    sight = await ana.open(place.page)
    await sight.page.wait_for_function("() => document.querySelector('#node').textContent !== ''")
    await sight.page.get_by_label("Your nickname").fill("you")
    await sight.press("Use this nickname")
    await sight.hears("use up to 32 letters a to z, digits and dashes")


async def test_another_host_of_a_known_name_is_joined_only_with_consent(place: Place) -> None:
    home = {name: place.nodes.node(name) for name in ("club", "other")}
    for node in home.values():
        await node.run("id", "--name", "club")
    first = await home["club"].host("club", "--auto", "--game", "checkers")
    bert = await place.browser("bert")
    sight = await looks_for(place, bert, "club", "Look for the game")
    await expect(sight.page.locator("#found")).to_contain_text("hosted by club (")
    await sight.page.locator("#found a").click()
    await sight.press("Join the game")
    await sight.board_is_drawn()
    await first.close()
    await home["other"].host("club", "--auto", "--game", "checkers")
    sight = await looks_for(place, bert, "club", "Look for the game")
    found = sight.page.locator("#found li", has_text="not the host you have joined before")
    await expect(found).to_contain_text(", new key)")
    await found.locator("a").click()
    await expect(sight.page.locator("#other-host")).to_contain_text("Anybody can take a name")
    await sight.is_accessible()
    await sight.press("No")
    await expect(sight.page.locator("#joining")).to_be_hidden()
    await found.locator("a").click()
    await sight.press("Yes, I know who that is")
    await sight.press("Join the game")
    await sight.board_is_drawn()
    again = await looks_for(place, bert, "club", "Look for the game")
    await expect(again.page.locator("#found")).to_contain_text("you have joined this host before")


@pytest.mark.gate
async def test_a_game_is_watched_by_its_name_with_its_clocks_and_the_talk(place: Place) -> None:
    node = place.nodes.node("host")
    await node.run("id", "--name", "hanna")
    await node.host("ourgame", "--clock", "5m", "--game", "checkers", typed=True)
    await place.nodes.node("guest").start("join", "ourgame", typed=True)
    carol = await place.browser("carol")
    name = await calls_itself(place, carol, "carol")
    sight = await looks_for(place, carol, "ourgame", "Watch by name")
    await sight.page.locator("#found a").click()
    await sight.board_is_drawn()
    clocks = sight.page.locator("#players .clock")
    await expect(clocks).to_have_count(2)
    await expect(clocks.first).to_be_visible()
    await expect(clocks.first).to_contain_text(":")
    await expect(sight.page.locator("#players")).to_contain_text("hanna (")
    looker = await place.nodes.node("looker").start("watch", "ourgame", "--talk", typed=True)
    await looker.says("hanna")
    await sight.tells("hello from the page")
    # The nickname may come after the line.
    await looker.says(f"{name.partition(' ')[2]}: hello from the page")
    await looker.type("hello from the terminal")
    await expect(sight.lines()).to_contain_text(["hello from the page", "hello from the terminal"])
    nobody = await looks_for(place, carol, "nothing", "Watch by name")
    await nobody.hears('There is no game "nothing" there.')
