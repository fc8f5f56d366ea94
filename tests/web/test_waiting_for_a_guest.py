"""The page of a host before anybody has come, and how others are let in."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd_clients.invitation import Invitation
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.server import Auth, make_app, running, serve_channel
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, local_table, needs_chromium, shown
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
INVITATION = Invitation(
    "ourgame", "ataxxd join ourgame#k7fq", "ataxxd watch ourgame#k7fq", "10m each"
)


async def test_the_page_waits_with_the_invitation_and_becomes_the_board_when_somebody_joins(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").start("host", "ourgame", "--display", "--clock", "10m")
        async with chromium(tmp_path / "browser") as browser:
            await browser.context.grant_permissions(["clipboard-read", "clipboard-write"])
            red = await browser.open(await link_of(host))
            await expect(red.page.get_by_text("Waiting for a guest …")).to_be_visible()
            command = await red.page.inner_text(".command")
            assert (await host.says("Invite somebody")).endswith(command)
            await expect(red.page.get_by_role("img", name=command)).to_be_visible()
            await expect(red.page.get_by_text("Terms: ")).to_contain_text("10m")
            await red.press("Copy")
            await expect(red.page.locator("#waiting-says")).to_have_text("Copied.")
            assert await red.page.evaluate("navigator.clipboard.readText()") == command
            await red.page.reload()
            await expect(red.page.locator(".command")).to_have_text(command)

            guest = await nodes.node("guest").start(*command.split()[1:], "--auto")
            await red.board_is_drawn()
            await red.hears("Your guest is here. Red to move")
            await expect(red.page.locator("#waiting")).to_be_hidden()
            # From now on the seat is taken, and others can only watch.
            await red.page.get_by_text("Let others watch").click()
            watch = await red.page.inner_text("#watch .command")
            assert watch == command.replace("join", "watch")
            await nodes.node("looker").start(*watch.split()[1:])
            await red.click("a7")
            await red.click("b6")
            await red.makes_a_move(1)
            await red.press("Leave")
            await red.press("Yes")
            # A page that is closed at once may not have sent what was clicked.
            await host.ends()
        await host.says("Continue with: ataxxd resume ourgame")
        assert guest.alive
    finally:
        await nodes.close()


@pytest.mark.gate
async def test_the_page_of_a_game_with_a_link_leads_with_the_link(
    make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> None:
    broker = make_mosquitto(websockets=True)
    nodes = Nodes(tmp_path, broker.websocket_url)
    try:
        host = await nodes.node("host").start(
            *("host", "ourgame", "--display", "--link", "--page", "http://127.0.0.1/")
        )
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            link = (await host.says("In a browser")).split(": ", 1)[1]
            typed = (await host.says("Invite somebody")).split(": ", 1)[1]
            await expect(red.page.locator("#join .command")).to_have_text([link, typed])
            await expect(red.page.get_by_role("img", name=link)).to_be_visible()
            await expect(red.page.get_by_text("Send your guest this link")).to_be_visible()
            await red.is_accessible()
            await nodes.node("guest").start("join", link, "--auto")
            await red.hears("Your guest is here.")
            await red.page.get_by_text("Let others watch").click()
            watched = red.page.locator("#watch .command")
            await expect(watched).to_have_text([link, typed.replace("join", "watch")])
    finally:
        await nodes.close()


async def test_to_cancel_withdraws_the_offer_and_ends_the_program(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").start("host", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            await host.says("Waiting for a guest")
            await red.press("Cancel")
            await host.ends()
            await host.says("The offer is withdrawn.")
            await expect(red.page.locator("#waiting-says")).to_contain_text("You have left")
        games = await nodes.node("looker").run("games")
        assert "ourgame" not in str(games.out)
    finally:
        await nodes.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_while_the_page_waits(scheme: str, tmp_path: Path) -> None:
    room = Room(title="ourgame", invitation=INVITATION)
    async with (
        serve_channel(room, print_line=str) as auth,
        chromium(tmp_path, width=390, height=844, options={"color_scheme": scheme}) as browser,
    ):
        sight = await browser.open(auth.link())
        await expect(sight.page.locator(".command")).to_have_text("ataxxd join ourgame#k7fq")
        await sight.is_accessible()


async def test_an_invitation_that_is_told_again_is_not_drawn_again(tmp_path: Path) -> None:
    room = Room(title="ourgame", invitation=INVITATION)
    listener = socket.create_server(("127.0.0.1", 0))
    auth = Auth(listener.getsockname()[1])
    async with (
        running(make_app(room, auth, print_link=str), listener) as server,
        chromium(tmp_path) as browser,
    ):
        sight = await browser.open(auth.link())
        code = await sight.page.wait_for_selector("#join .code")
        assert code is not None
        async with sight.shows_in_passing("#connection", "connected"):
            for connection in [*server.server_state.connections]:
                connection.transport.abort()
        await sight.press("Cancel")
        await expect(sight.page.locator("#waiting-says")).to_contain_text("You have left")
        assert await code.evaluate("code => code.isConnected")


async def test_a_broker_of_this_machine_alone_is_called_so_and_has_no_code(tmp_path: Path) -> None:
    near = Invitation("ourgame", "ataxxd join ourgame#k7fq", "", reaches=False)
    room = Room(title="ourgame", invitation=near)
    async with serve_channel(room, print_line=str) as auth, chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        note = sight.page.get_by_text("The broker serves this machine only")
        await expect(note).to_be_visible()
        await expect(sight.page.locator(".code")).to_have_count(0)


async def test_an_offline_game_has_nobody_to_share_with(tmp_path: Path) -> None:
    async with (
        shown(local_table("reversi/standard")) as (_, auth, _),
        chromium(tmp_path) as browser,
    ):
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await expect(sight.page.get_by_text("Let others watch")).to_be_hidden()
