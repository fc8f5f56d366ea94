"""Two pages play each other through Mosquitto, and a third one watches."""

import re
from pathlib import Path

from playwright.async_api import expect

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.journals import let_time_pass
from tests.web.browser import chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
# Three squares are free.
NEAR_THE_END = "xxxxxx1/xxxxxxo/xxxxxxx/xxxxxxx/ooooooo/ooooooo/1ooooo1 x 0 1"


async def test_a_game_with_talk_and_a_takeback_is_played_and_watched_in_three_pages(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        record = tmp_path / "record.json"
        host = await nodes.node("host").host(
            "ourgame", "--display", "--clock", "10m", "--position", NEAR_THE_END,
            "--transcript", record,
        )  # fmt: skip
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            watching = await nodes.node("looker").start("watch", "ourgame", "--display")
            looker = await browser.open(await link_of(watching))
            for sight in (red, blue, looker):
                await sight.board_is_drawn()
            assert "ourgame" in await red.page.title()
            clock = await red.page.locator(".clock").first.inner_text()
            assert re.fullmatch("10:00|[0-9]:[0-5][0-9]", clock)

            await red.tells("Good luck!")
            await blue.until("() => document.querySelector('#said').textContent.includes('Good')")

            await blue.click("g6")
            await blue.hears("It is Red's turn.")
            await red.click("f7")
            await red.click("g7")
            for sight in (blue, looker):
                await sight.hears("Red plays")
            await red.types("takeback")
            await blue.press("No")
            await expect(blue.page.locator("#request")).to_be_hidden()
            for sight in (red, blue):
                await expect(sight.page.locator("#said")).to_contain_text("rather not take")
            await red.types("abort")
            await red.press("Yes")
            await expect(blue.page.locator("#request")).to_contain_text(
                "end the game without a result"
            )
            await blue.types("refuse")
            await expect(blue.page.locator("#request")).to_be_hidden()
            await blue.click("b1")
            await blue.click("a1")
            await red.hears("Blue plays a1.")
            await red.press("Ask for takeback")
            await red.hears("Asked. The request stands")
            await expect(blue.page.locator("#request")).to_be_visible()
            await blue.types("agree")
            for sight in (red, blue, looker):
                await sight.until("() => document.querySelectorAll('#moves li').length === 0")
                assert "empty" in await sight.label("g7")

            await red.click("f7")
            await red.click("g7")
            await blue.until("() => document.title.startsWith('●')")
            # It is Blue's turn: a decision to resign waits, and can be taken back.
            request = red.page.locator("#request")
            for answer in ("Play on", ""):
                await red.press("Resign")
                await red.press("Yes")
                await expect(request).to_contain_text("resign as soon as it is your turn")
                if answer:
                    await red.press(answer)
                    await expect(request).to_be_hidden()
            await blue.click("b1")
            await blue.click("a1")
            for sight in (red, blue, looker):
                await sight.is_over()
                assert "resigned" in await sight.page.inner_text("#banner")
                await sight.press("Leave")
            for running in (host, guest, watching):
                await running.ends()
        await nodes.node("judge").run("verify", record)
    finally:
        await nodes.close()


async def test_each_page_is_told_in_its_own_person_that_a_flag_fell(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display", "--clock", "1h")
        watching = await nodes.node("looker").start("watch", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red, looker = [await browser.open(await link_of(each)) for each in (host, watching)]
            guest = await nodes.node("guest").start("join", "ourgame", "--display")
            blue = await browser.open(await link_of(guest))
            for sight in (red, blue, looker):
                await sight.board_is_drawn()
                # Blue's does not run before its first move.
                clock = sight.page.locator(".clock").nth(1)
                await expect(clock).to_have_text("60:00")
                await expect(clock).to_have_class(re.compile("waiting"))
                await expect(clock).to_have_attribute("title", re.compile("first move"))
            await red.click("a7")
            await red.click("a6")
            await blue.click("a1")
            await blue.click("a2")
            await red.hears("Blue plays a2.")
            # The time of a player runs on while it is away, and its move comes too late.
            await red.page.close()
            await host.kill()
            let_time_pass(tmp_path / "host", hours=2)
            host = await nodes.node("host").start("resume", "--display")
            red = await browser.open(await link_of(host))
            await red.board_is_drawn()
            await red.click("a6")
            await red.click("a5")
            for sight, words in (
                (red, "You lost on time."),
                (blue, "Your opponent's time ran out."),
                (looker, "Red lost on time."),
            ):
                await expect(sight.page.locator("#banner-text")).to_have_text(words)
                await expect(sight.page.locator(".clock")).to_have_text(
                    ["0:00", re.compile("^(60|[3-5].):..$")]
                )
                await expect(sight.page.locator("#typed")).to_be_hidden()
            await expect(blue.page.locator("#banner-score")).to_have_text("You win.")
            # The next game has all of it again.
            await red.press("Rematch")
            await blue.press("Rematch")
            for sight in (red, blue):
                await expect(sight.page.locator("#banner")).to_be_hidden()
                await expect(sight.page.locator("#typed")).to_be_visible()
                await expect(sight.page.locator(".clock").nth(1)).to_have_text("60:00")
    finally:
        await nodes.close()


async def test_who_looks_on_talks_to_others_who_do_and_mutes_whom_they_do_not_want(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display", "--talk")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            await blue.board_is_drawn()
            watching = [
                await nodes.node(name).start("watch", "ourgame", "--display", "--talk")
                for name in ("anne", "ben")
            ]
            anne, ben = [await browser.open(await link_of(each)) for each in watching]
            for sight in (anne, ben):
                await sight.board_is_drawn()
                await expect(sight.page.get_by_label("to the other spectators")).to_be_visible()

            await anne.tells("A fine opening!")
            await expect(anne.lines()).to_have_text(["You: A fine opening!"])
            await expect(ben.lines()).to_have_text([re.compile("spectator .*: A fine opening!")])
            # A player hears it who asked for it, the other one does not.
            await expect(red.lines()).to_have_text([re.compile("spectator .*: A fine opening!")])
            await red.tells("Hello, Blue.")
            await expect(blue.lines()).to_have_text([re.compile("Red: Hello, Blue.")])
            await expect(ben.lines()).to_have_count(2)

            await ben.page.locator("#said .mute").first.click()
            await expect(ben.lines()).to_have_count(1)
            await anne.tells("Red should jump.")
            await expect(red.lines()).to_have_count(3)
            # Also after a reload; what was said is there again.
            await ben.page.reload()
            await ben.board_is_drawn()
            await expect(ben.lines()).to_have_text([re.compile("Red: Hello, Blue.")])
            await ben.page.locator("#muted button").click()
            await expect(ben.lines()).to_have_count(3)
            await expect(ben.lines().last).to_contain_text("Red should jump.")
    finally:
        await nodes.close()


async def test_lines_for_programs_and_a_page_for_people_exclude_each_other(tmp_path: Path) -> None:
    nodes = Nodes(tmp_path, None)
    try:
        refused = await nodes.node("looker").run(
            "watch", "ourgame", "--display", "--json", code=ExitCode.USAGE
        )
        assert "choose one" in str(refused.err)
    finally:
        await nodes.close()


async def test_the_page_says_that_an_offer_of_a_draw_stands_also_after_a_restart(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    waits = "Your offer of a draw waits for White's answer."
    try:
        host = await nodes.node("host").host("ourgame", "--game", "checkers", "--display")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            black = await browser.open(await link_of(host))
            white = await browser.open(await link_of(guest))
            await black.press("Offer a draw")
            await expect(black.page.locator("#request-text")).to_have_text(waits)
            await black.hears(waits)
            await expect(white.page.locator("#request-text")).to_have_text("Black offers a draw.")
            await black.page.close()
            await host.kill()
            host = await nodes.node("host").start("resume")
            black = await browser.open(await link_of(host))
            await expect(black.page.locator("#request-text")).to_have_text(waits)
            await white.press("Reject")
            for sight in (black, white):
                await expect(sight.page.locator("#request")).to_be_hidden()
    finally:
        await nodes.close()
