"""The lobby in the browser: several nodes meet by clicks alone."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import expect

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes, Running
from tests.e2e.test_names_and_seats import known_elsewhere_and_other
from tests.web.browser import Sight, chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]


class Lobbies:
    """Lobbies of nodes of their own, each in a browser of its own user."""

    def __init__(self, nodes: Nodes, stack: AsyncExitStack, folder: Path) -> None:
        self.nodes = nodes
        self._stack = stack
        self._folder = folder

    async def open(self, name: str, **screen: int) -> tuple[Sight, Running]:
        """The lobby of a node, once it is shown."""
        running = await self.nodes.node(name).start("lobby")
        browser = await self._stack.enter_async_context(
            chromium(self._folder / f"browser-{name}", **screen)  # type: ignore[arg-type]
        )
        sight = await browser.open(await link_of(running))
        await expect(sight.page.locator("#node")).not_to_be_empty()
        return sight, running


@pytest.fixture
async def lobbies(mosquitto: Mosquitto, tmp_path: Path) -> AsyncIterator[Lobbies]:
    nodes = Nodes(tmp_path, mosquitto.url)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(nodes.close)
        yield Lobbies(nodes, stack, tmp_path)


@pytest.mark.gate
async def test_one_hosts_one_joins_and_a_third_watches_all_by_clicks(lobbies: Lobbies) -> None:
    host, host_program = await lobbies.open("host")
    guest, guest_program = await lobbies.open("guest")
    looker, looker_program = await lobbies.open("looker")
    await host.page.fill("#host-name", "club")
    await host.page.fill("#host-clock", "10m+5s")
    await host.press("Open the game")
    await expect(host.page.get_by_text("Waiting for a guest …")).to_be_visible()

    await expect(guest.page.locator("#open li")).to_contain_text("10m each and 5s a move")
    await guest.press("Join club")
    for sight in (host, guest):
        await sight.board_is_drawn()
    await expect(looker.page.locator("#running li")).to_contain_text("Ataxx")
    await looker.press("Watch club")
    await looker.board_is_drawn()
    await host.click("a7")
    await host.click("b6")
    for sight in (guest, looker):
        await sight.hears("Red plays b6")

    # The way back: the table is still there, and a second one beside it.
    await host.page.get_by_role("link", name="Lobby").click()
    await expect(host.page.locator("#tables li")).to_contain_text("playing")
    await host.press("Play")
    await host.board_is_drawn()
    await host.page.get_by_role("link", name="Lobby").click()
    await expect(host.page.locator("#tables li")).to_have_count(2)
    await expect(host.page.locator("#tables li").last).to_contain_text("you vs our engine, Ataxx")
    await host.page.get_by_role("link", name="Go to table").first.click()
    # A page that is opened after a move shows it and does not announce it.
    await host.board_is_drawn()
    await guest.click("a1")
    await guest.click("a2")
    await host.hears("Blue plays a2")

    # Who leaves may go on later.
    await host.press("Leave")
    await host.press("Yes")
    # A page that is left at once may not have sent what was clicked.
    await host.hears("Your other tables are in the lobby.")
    await host.page.get_by_role("link", name="Lobby").click()
    await expect(host.page.locator("#kept li")).to_contain_text("2 plies")
    await host.press("Resume club")
    await host.board_is_drawn()
    await host.press("Resign")
    await host.press("Yes")
    for sight in (host, guest, looker):
        await sight.is_over()

    # A rematch at the same tables.
    await guest.press("Rematch")
    await host.hears("Your opponent would like a rematch")
    await host.press("Rematch")
    await guest.hears("A new game begins; you play Red.")
    for sight in (host, guest, looker):
        await sight.page.get_by_role("link", name="Lobby").click()
        await sight.press("End program")
        await sight.press("Yes")
    for program in (host_program, guest_program, looker_program):
        await program.ends()


async def test_a_broker_that_is_lost_is_told_until_it_is_back(
    lobbies: Lobbies, mosquitto: Mosquitto
) -> None:
    sight, _ = await lobbies.open("ana")
    for _ in range(2):
        mosquitto.kill()
        await sight.hears("The broker cannot be reached; the program keeps trying.")
        mosquitto.start()
        await expect(sight.page.locator("#says")).to_be_empty()


async def test_two_challenge_each_other_by_clicks_twice_and_a_second_guest_comes(
    lobbies: Lobbies,
) -> None:
    ana, _ = await lobbies.open("ana")
    bo, _ = await lobbies.open("bo")
    for sight, name in ((ana, "Ana"), (bo, "bo")):
        await sight.page.fill("#call-me-nickname", name)
        await sight.press("Save")
        await expect(sight.page.locator("#called")).to_contain_text(f"{name.lower()} (")
    await ana.page.get_by_role("button", name=re.compile(r"^Challenge bo \(")).click()
    await ana.page.select_option("#challenge-ruleset", "reversi/standard")
    await ana.page.fill("#challenge-clock", "soon")
    await ana.press("Send the challenge")
    await expect(ana.page.locator("#challenge-clock-error")).to_be_visible()
    await ana.page.fill("#challenge-clock", "")
    await ana.press("Send the challenge")
    await expect(ana.page.get_by_text(re.compile(r"Waiting for bo \(.* …"))).to_be_visible()

    challenge = bo.page.locator("#challenges li")
    await expect(challenge).to_contain_text("asks you for a game of Reversi")
    await expect(bo.page.locator("#open li")).to_have_count(0)
    found = await Axe().run(bo.page)
    assert found.response["violations"] == [], found.generate_report()
    await bo.page.reload()
    await challenge.get_by_role("button", name=re.compile("^Accept")).click()
    for sight in (ana, bo):
        await sight.board_is_drawn()
    await expect(ana.page.locator("#players")).to_contain_text("bo (")
    await expect(bo.page.locator("#players")).to_contain_text("ana (")
    await ana.page.reload()
    await ana.board_is_drawn()
    await ana.press("Resign")
    await ana.press("Yes")
    await bo.is_over()

    # A rematch from the list, which the other side declines; and then not.
    for sight in (ana, bo):
        await sight.page.get_by_role("link", name="Lobby").click()
    await expect(ana.page.locator("#tables li")).to_contain_text("you vs bo (")
    finished = ana.page.locator("#finished li")
    await expect(finished).to_contain_text("White wins: Black resigned")
    # By the game that both have signed.
    rated = re.compile(r"rated 1[5-9]\d\d in Reversi")
    await expect(ana.page.locator("#people li")).to_contain_text(rated)
    await finished.get_by_role("button", name=re.compile("^Rematch")).click()
    await challenge.get_by_role("button", name=re.compile("^Decline")).click()
    await expect(challenge).to_have_count(0)
    await expect(ana.page.locator("#waiting")).to_contain_text("bo (")
    await expect(ana.page.locator("#waiting")).to_contain_text("declines: ")
    await expect(ana.page.get_by_text("Waiting for bo")).to_be_hidden()
    await expect(ana.page.locator("#cancel")).to_be_hidden()
    await ana.page.get_by_role("link", name="Lobby").click()
    await finished.get_by_role("button", name=re.compile("^Rematch")).click()
    await expect(challenge).to_contain_text("you play Black, and begin")
    await expect(challenge).to_contain_text(re.compile(r"^ana \(.*\) 1[0-4]\d\d asks"))
    await challenge.get_by_role("button", name=re.compile("^Accept")).click()
    await bo.board_is_drawn()
    # At the table, too.
    await expect(bo.page.locator("#players")).to_contain_text(re.compile(r"ana \(.*?\) 1[0-4]\d\d"))
    await expect(ana.page.locator("#players")).to_contain_text(re.compile(r"bo \(.*?\) 1[5-9]\d\d"))
    await bo.press("Resign")
    await bo.press("Yes")
    await ana.is_over()

    # A second guest, who sees it all, and joins an open game.
    cy, _ = await lobbies.open("cy")
    await expect(cy.page.locator("#people li")).to_have_count(2)
    await expect(cy.page.locator("#over li").first).to_contain_text("ana (")
    await ana.page.get_by_role("link", name="Lobby").click()
    await ana.press("Open the game")
    await expect(cy.page.locator("#open li")).to_contain_text("ana (")
    await cy.press("Join ourgame")
    await cy.board_is_drawn()
    await ana.board_is_drawn()
    await expect(ana.page.locator("#players")).to_contain_text("unnamed (")

    # One of the games of before is studied, and the way leads back.
    await ana.page.get_by_role("link", name="Lobby").click()
    await expect(finished).to_have_count(2)
    await finished.first.get_by_role("button", name=re.compile("^Study")).click()
    await expect(ana.page.locator("#who")).to_contain_text("ana (")
    await ana.page.get_by_role("link", name="Lobby").click()
    await expect(ana.page.locator("#tables")).to_contain_text("studying")


async def test_challenges_that_were_left_a_day_ago_are_accepted_and_declined_by_clicks(
    lobbies: Lobbies,
) -> None:
    nodes = lobbies.nodes
    ann, bob, eve = (nodes.node(name) for name in ("ann", "bob", "eve"))
    ann_id = (await ann.run("id")).out.lines[0].split()[0]
    for who in (bob, eve):
        name = who.home.name
        await who.run("challenge", ann_id, "--leave", "7d", "--name", name, "--say", f"I am {name}")
    nodes.day = 1
    lobby, program = await lobbies.open("ann")
    rows = lobby.page.locator("#challenges li")
    await expect(rows).to_have_count(2)
    await rows.filter(has_text="I am bob").get_by_role("button", name="Decline").click()
    await expect(rows).to_have_count(1)
    await rows.filter(has_text="I am eve").get_by_role("button", name="Accept").click()
    await expect(lobby.page).to_have_url(re.compile("/table/"))
    await lobby.page.get_by_role("link", name="Lobby").click()
    await expect(lobby.page.locator("#tables li")).to_have_count(1)
    await lobby.press("End program")
    await lobby.press("Yes")
    await program.ends()
    assert "bob  declined  " in str((await bob.run("games", "--mine")).out)
    assert "eve  your turn  " in str((await eve.run("games", "--mine")).out)


@pytest.mark.parametrize("way", ["list", "form"])
async def test_a_person_is_asked_in_the_page_before_another_host_is_joined(
    way: str, lobbies: Lobbies
) -> None:
    friend, stranger = await known_elsewhere_and_other(lobbies.nodes)
    sight, _ = await lobbies.open("guest")
    await expect(sight.page.locator("#open li")).to_contain_text(
        "not the host you have joined before"
    )
    if way == "form":
        await sight.page.fill("#join-invitation", "ourgame")
    for answer in ("No", "Yes"):
        if way == "list":
            await sight.press("Join ourgame")
        else:
            await sight.page.press("#join-invitation", "Enter")
        question = sight.page.locator("#sure-text")
        await expect(question).to_contain_text('"ourgame" was hosted by')
        await expect(question).to_contain_text(re.compile(f"{friend[:9]}.*{stranger[:9]}"))
        await expect(question).to_contain_text("Join anyway?")
        found = await Axe().run(sight.page)
        assert found.response["violations"] == [], found.generate_report()
        await sight.press(answer)
        if answer == "No":
            await expect(question).to_be_hidden()
            await expect(sight.page.locator("#tables-section")).to_be_hidden()
            await sight.hears("You have not joined that game.")
    await sight.board_is_drawn()
    # By now that host is known, too.
    await sight.page.get_by_role("link", name="Lobby").click()
    await expect(sight.page.locator("#running li")).to_contain_text("ourgame")
    await expect(sight.page.locator("#running li")).not_to_contain_text("joined before")


@pytest.mark.parametrize(
    ("field", "entry", "words"),
    [
        ("host-name", "Our Game!", "is not a name for a game"),
        ("host-clock", "soon", "The clock 'soon' is not a clock: write 5+3"),
        ("host-grace", "0s", "The grace '0s' is not a length of time"),
        ("host-blocks", "z9", "z9"),
        ("host-position", "nonsense", "nonsense"),
        ("host-guest", "bob", "The guest's id 'bob' is not a node id"),
        ("join-invitation", "no such game!", "is not a name for a game"),
        ("join-invitation", "nowhere", 'No game "nowhere"'),
        ("join-invitation", "a@mqtt://198.51.100.1", "another broker"),
        ("against-level", "eleven", '"eleven": there is no such level'),
        ("call-me-nickname", "Ana Bo", "is not a nickname"),
    ],
)
async def test_bad_input_is_explained_beside_its_field(
    field: str, entry: str, words: str, lobbies: Lobbies
) -> None:
    sight, _ = await lobbies.open("me")
    if field == "host-guest":
        await sight.page.select_option("#host-access", "node")
    if field in ("host-grace", "host-blocks", "host-position"):
        await sight.page.get_by_text("More").click()
    await sight.page.fill(f"#{field}", entry)
    await sight.page.press(f"#{field}", "Enter")
    await expect(sight.page.locator(f"#{field}-error")).to_contain_text(words)
    await expect(sight.page.locator(f"#{field}")).to_have_attribute("aria-invalid", "true")
    await expect(sight.page.locator(f"#{field}")).to_be_focused()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
async def test_axe_finds_no_fault_and_nothing_is_wider_than_the_screen(
    width: int, height: int, lobbies: Lobbies
) -> None:
    await lobbies.nodes.node("host").host("ourgame", "--auto")
    sight, _ = await lobbies.open("me", width=width, height=height)
    await expect(sight.page.locator("#open li")).to_have_count(1)
    await sight.page.fill("#host-name", "!")
    await sight.press("Open the game")
    await expect(sight.page.locator(".error")).to_have_count(1)
    found = await Axe().run(sight.page)
    assert found.response["violations"] == [], found.generate_report()
    wide = await sight.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide


async def test_a_port_that_is_taken_is_explained(lobbies: Lobbies) -> None:
    _, program = await lobbies.open("one")
    line = await program.says("Open: http://127.0.0.1:")
    port = line.partition("127.0.0.1:")[2].partition("/")[0]
    refused = await lobbies.nodes.node("other").run("lobby", "--port", port, code=ExitCode.USAGE)
    assert f"--port {port}: nothing can listen there" in str(refused.err)
