"""Games between pages that are nodes: nothing runs here but a broker and a web server."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from itertools import cycle
from pathlib import Path
from threading import Thread

import pytest
import zxingcpp
from PIL import Image
from playwright.async_api import expect

from ataxxd.rules import Position
from ataxxd.session.record import Standing, verify_record
from ataxxd.times import parse_clock
from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd_clients.text.games import line_language
from ataxxd_protocol import Topics
from tests.brokers import Mosquitto
from tests.certificates import Certificates
from tests.conftest import require
from tests.e2e.nodes import Nodes, Running
from tests.e2e.recording import retained
from tests.interop.browser_peer import PEER, VECTORS, needs_browser_peer
from tests.web.browser import Browser, Opens, Sight, chromium, needs_chromium
from tests.web.test_whole_games_over_the_network import SHORT_GAMES

pytestmark = [needs_chromium, needs_browser_peer]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name there
        """Nothing."""


@contextmanager
def served_page(
    folder: Path = PEER / "build" / "page", certificates: Certificates | None = None
) -> Iterator[str]:
    """The folder of the page behind a web server that knows nothing of it; its address.

    With certificates it is served by https.
    """
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if certificates is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates.cert, certificates.key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            scheme = "http" if certificates is None else "https"
            yield f"{scheme}://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            serving.join()


class Place:
    """A broker, the page, and browsers with users of their own."""

    def __init__(self, stack: AsyncExitStack, folder: Path) -> None:
        require(Mosquitto)
        self._stack, self._folder = stack, folder
        self.broker = stack.enter_context(Mosquitto(folder / "mosquitto", websockets=True))
        self.page = stack.enter_context(served_page())
        self.nodes = Nodes(folder, self.broker.url)
        stack.push_async_callback(self.nodes.close)

    async def browser(
        self, name: str, program: Opens = chromium, hosts: Collection[str] = ("127.0.0.1",)
    ) -> Browser:
        return await self._stack.enter_async_context(
            program(self._folder / name, width=1000, height=700, hosts=hosts)
        )

    async def hosts(
        self, browser: Browser, ruleset: str, color: str = "first"
    ) -> tuple[Sight, str]:
        """A page that waits for a guest, and the link that it shows."""
        sight = await browser.open(self.page)
        await sight.page.wait_for_function("() => document.querySelector('#ruleset').length > 0")
        await sight.page.select_option("#ruleset", ruleset)
        await sight.page.select_option("#color", color)
        await sight.page.fill("#broker", self.broker.websocket_url)
        await sight.press("Get a link")
        link = await sight.page.locator("#join code").inner_text()
        await self.has_the_offer(link)
        return sight, link

    async def has_the_offer(self, link: str) -> None:
        """Wait until the broker has what a link leads to, which a page shows before."""
        name, node = link.partition("#")[2].split("~")[:2]
        while not await retained(self.broker.url, Topics().offer(name, node)):
            pass

    async def has_left(self, host: str, said: bytes) -> None:
        """Wait until a guest has left something at the broker for its host that is away."""
        topic = Topics().unread("ourgame", host, "+")
        while not any(said in each for each in (await retained(self.broker.url, topic)).values()):
            pass

    async def joins(self, browser: Browser, link: str) -> Sight:
        sight = await browser.open(link)
        await sight.press("Join the game")
        await sight.board_is_drawn()
        return sight

    async def looks_on(self, browser: Browser, link: str) -> Sight:
        sight = await browser.open(link)
        await sight.press("Watch")
        return sight

    async def watches(self, link: str, record: Path) -> Running:
        return await self.nodes.node("looker").start("watch", link, "--transcript", record)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        yield Place(stack, tmp_path)


async def reloads(sight: Sight) -> None:
    """Load a page anew."""
    await sight.page.reload()
    await sight.board_is_drawn()


async def play_out(
    ruleset: str,
    host: Sight,
    guest: Sight,
    *,
    breaks: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """A short game by clicks; after the first move something may happen."""
    language, position = line_language(ruleset), Position.start(ruleset)
    ways = cycle((host, guest))
    for number, text in enumerate(SHORT_GAMES[ruleset].split()):
        mover = next(ways)
        if number == 1 and breaks is not None:
            await breaks()
        await mover.until("() => document.title.startsWith('●')")
        move = position.parse_move(text)
        for square in language.paths(move, position)[0]:
            await mover.click(square)
        position = position.play(move)
        for sight in (host, guest):
            await sight.makes_a_move(number)
    assert position.outcome is not None
    for sight in (host, guest):
        await sight.is_over()
    assert await host.moves() == await guest.moves()
    assert await host.page.inner_text("#banner") == await guest.page.inner_text("#banner")


@pytest.mark.gate("ataxx")
@pytest.mark.parametrize("ruleset", SHORT_GAMES)
async def test_two_pages_play_a_whole_game_and_a_spectator_verifies_it(
    place: Place, ruleset: str, tmp_path: Path
) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, ruleset)
    record = tmp_path / "seen.json"
    watching = await place.watches(link, record)
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await play_out(ruleset, host, guest, breaks=partial(reloads, guest))
    await watching.ends(0)
    verdict = await asyncio.to_thread(lambda: verify_record(record.read_bytes()))
    assert verdict.standing is Standing.AGREED
    assert len(verdict.ledger.moves) == len(SHORT_GAMES[ruleset].split())


@pytest.mark.gate
async def test_this_program_joins_a_page_that_is_a_node(place: Place, tmp_path: Path) -> None:
    ana = await place.browser("ana")
    host, link = await place.hosts(ana, "ataxx/cs61b-2022", "second")
    record = tmp_path / "guest.json"
    guest = await place.nodes.node("bert", broker="mqtt://127.0.0.1:1").start(
        *("join", link, "--auto", "--level", "1", "--transcript", str(record))
    )
    await host.board_is_drawn()
    await host.makes_a_move(0)
    await host.press("Resign")
    await host.press("Yes")
    await host.is_over()
    await guest.ends(0)
    verdict = await asyncio.to_thread(lambda: verify_record(record.read_bytes()))
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert verdict.ledger.outcome.termination == "resignation"


async def test_a_page_hosts_with_a_clock_and_witnesses_and_remembers_them(
    place: Place, tmp_path: Path
) -> None:
    ana, witness = await place.browser("ana"), place.nodes.node("witness")
    shown = (await witness.run("id", "--short")).out.lines[0]
    start = await ana.open(place.page)
    await start.page.fill("#broker", place.broker.websocket_url)
    await start.page.get_by_text("Witnesses", exact=True).click()
    says = start.page.locator("#says[data-look=error]")
    for wrong, fault in (("bob", '"bob" is not a node'), (f"{shown} {shown}", "named twice")):
        await start.page.fill("#witnesses", wrong)
        await start.press("Get a link")
        await expect(says).to_contain_text(fault)
    await start.page.fill("#witnesses", shown.upper())
    await start.page.select_option("#clock", "5+3")
    # What is chosen is there again at the next game.
    for _ in range(2):
        await start.press("Get a link")
        link = await start.page.locator("#join code").inner_text()
        await place.has_the_offer(link)
        watching = await witness.start("watch", link, "--witness")
        await watching.says("You are a witness of this game")
        record = tmp_path / "guest.json"
        guest = await place.nodes.node("bert").start(
            *("join", link, "--auto", "--level", "1", "--transcript", str(record))
        )
        terms = await guest.says("Terms: ")
        assert "5m each and 3s a move" in terms
        assert f"witnesses of claims: {shown}" in terms
        await start.press("Resign")
        await start.press("Yes")
        await start.is_over()
        await guest.ends(0)
        await watching.ends(0)
        offer = (await asyncio.to_thread(verify_record, record.read_bytes())).ledger.offer
        assert offer.clock is not None
        assert offer.clock.model_dump(exclude_none=True) == parse_clock("5m+3s")
        assert offer.witnesses == (shown.replace("-", ""),)
        start = await ana.open(place.page)
        await expect(start.page.locator("#clock")).to_have_value("5+3")
        await expect(start.page.locator("#witnesses")).to_have_value(shown)


async def test_a_page_watches_two_others_and_sees_each_move(place: Place) -> None:
    ana, bert, carol = [await place.browser(name) for name in ("ana", "bert", "carol")]
    host, link = await place.hosts(ana, "reversi/standard")
    early = await place.looks_on(carol, link)
    guest = await place.joins(bert, link)
    await early.board_is_drawn()
    await play_out("reversi/standard", host, guest)
    late = await place.looks_on(carol, link)
    for sight in (early, late):
        await sight.is_over()
        assert await sight.moves() == await host.moves()
    await early.page.reload()
    await early.is_over()
    nowhere = await place.looks_on(carol, link.replace("#game-", "#gone-"))
    await nowhere.reads('There is no game "gone-')


async def test_a_page_that_a_broker_hands_out_knows_that_broker(place: Place) -> None:
    folder = PEER / "build" / "page"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    async with EmbeddedBroker(port=0, page=Page(files)) as broker:
        ana, bert = await place.browser("ana"), await place.browser("bert")
        sight = await ana.open(f"http://127.0.0.1:{broker.web_port}/")
        address = f"ws://127.0.0.1:{broker.web_port}/mqtt"
        for field in ("#broker", "#find-broker"):
            await expect(sight.page.locator(field)).to_have_value(address)
        await expect(sight.page.locator("#ruleset option").first).to_be_attached()
        await sight.press("Get a link")
        guest = await place.joins(bert, await sight.page.locator("#join code").inner_text())
        await sight.board_is_drawn()
        # What is cut off by the end of the broker is no fault.
        for each in (sight, guest):
            await each.page.close()


async def test_whoever_comes_to_a_taken_seat_is_told_how_to_watch(place: Place) -> None:
    ana, bert, late = [await place.browser(name) for name in ("ana", "bert", "late")]
    _, link = await place.hosts(ana, "ataxx/cs61b-2022")
    await place.joins(bert, link)
    sight = await late.open(link)
    await expect(sight.page.locator("#joining-title")).to_contain_text('invited to "')
    await sight.press("Join the game")
    told = sight.page.locator("#waiting-says")
    await expect(told).to_contain_text("Somebody else has the seat")
    # Nobody is waited for any more.
    await expect(sight.page.locator("#waiting-text")).to_have_text("You have no seat in this game")
    await sight.press("Cancel")
    looking = await place.looks_on(late, link)
    await looking.board_is_drawn()


async def test_a_rematch_between_two_pages_outlives_reloads(place: Place) -> None:
    ana, bert, carol = [await place.browser(name) for name in ("ana", "bert", "carol")]
    host, link = await place.hosts(ana, "reversi/standard")
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    watching = await place.looks_on(carol, link)
    await watching.board_is_drawn()
    await play_out("reversi/standard", host, guest)
    await host.press("Rematch")
    await guest.hears("Your opponent would like a rematch")
    # Who asked goes on asking when its page is loaded again.
    await host.page.reload()
    await host.board_is_drawn()
    await guest.press("Rematch")
    for sight in (host, guest, watching):
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await expect(sight.page.locator("#broker")).to_be_hidden()
    # The sides are swapped, and what is loaded again is the new game.
    await guest.page.reload()
    await guest.board_is_drawn()
    await play_out("reversi/standard", guest, host, breaks=partial(reloads, host))
    await watching.is_over()
    assert await watching.moves() == await guest.moves()
    await guest.press("Leave")


async def test_a_game_that_is_over_is_found_on_the_first_page_and_its_record_saved(
    place: Place,
) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    for games in (1, 2):
        host, link = await place.hosts(ana, "reversi/standard")
        guest = await place.joins(bert, link)
        await play_out("reversi/standard", host, guest)
        # An offer that nobody takes is no game.
        idle, _ = await place.hosts(ana, "reversi/standard")
        await idle.press("Cancel")
        for sight in (host, guest):
            await sight.page.get_by_role("button", name="Rematch", exact=True).wait_for()
        for browser, sight in ((ana, host), (bert, guest)):
            await sight.page.close()
            sight.page = (await browser.open(place.page)).page
            await sight.page.get_by_text("Finished games").click()
            found = sight.page.locator("#over-games a")
            await expect(found).to_have_count(games)
            await expect(found.first).to_contain_text(", against unnamed (")
            await expect(sight.page.locator("#kept-games li")).to_have_count(0)
            await sight.is_accessible()
            await found.first.click()
            await sight.is_over()
            async with sight.page.expect_download() as download:
                await sight.page.get_by_role("link", name="record").click()
            record = (await (await download.value).path()).read_bytes()
            assert verify_record(record).standing is Standing.AGREED


async def test_the_link_of_a_page_can_be_scanned_off_it(place: Place) -> None:
    ana = await place.browser("ana")
    host, link = await place.hosts(ana, "ataxx/cs61b-2022")
    picture = await host.page.locator("#join svg.code").screenshot()
    (code,) = zxingcpp.read_barcodes(Image.open(BytesIO(picture)))
    assert code.text == link
    await expect(host.page.locator("#join")).to_contain_text("Send your guest this link")


async def test_whoever_plays_has_the_link_for_others_to_watch(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, "ataxx/cs61b-2022")
    guest = await place.joins(bert, link)
    for sight in (host, guest):
        await sight.page.get_by_text("Let others watch").click()
        await expect(sight.page.locator("#watch code")).to_have_text(link)
        await expect(sight.page.get_by_role("img", name=link)).to_be_visible()


async def test_a_link_that_is_broken_or_leads_nowhere_says_so(place: Place) -> None:
    ana = await place.browser("ana")
    broken = await ana.open(f"{place.page}#ours~abc~ws://127.0.0.1:1/")
    await broken.hears("This link is broken")
    later = await ana.open(f"{place.page}#2!ours~{'a' * 20}~{place.broker.websocket_url}")
    await later.hears("a newer version of this page")
    nowhere = await ana.open(f"{place.page}#ours~{'a' * 20}~{place.broker.websocket_url}")
    await nowhere.press("Join the game")
    await expect(nowhere.page.locator("#says")).to_contain_text("Nobody answers")


async def test_a_record_is_checked_in_the_page_and_studied(place: Place, tmp_path: Path) -> None:
    records = json.loads((VECTORS / "records.json").read_bytes())["valid"]
    record = next(each["record"] for each in records if each.get("termination") == "time")
    genuine, altered = tmp_path / "game.json", tmp_path / "altered.json"
    genuine.write_text(record)
    altered.write_text(record.replace('"elapsed_ms":', '"elapsed_ms":1', 1))
    ana = await place.browser("ana")
    sight = await ana.open(place.page)
    said = sight.page.locator("#verified")
    await sight.page.get_by_label("File").set_input_files(altered)
    await sight.press("Check it")
    await expect(sight.page.locator("#says")).to_contain_text(
        "This record does not hold: entry 3: its content does not match its check"
    )
    await expect(said).to_be_empty()
    await sight.page.get_by_label("File").set_input_files(genuine)
    await sight.press("Check it")
    await expect(said).to_contain_text('Every rule holds: "ourgame"')
    await expect(said).to_contain_text("lost on time. Both players have signed this result.")
    await sight.press("Study this game")
    await expect(sight.page.locator("#banner")).to_contain_text("lost on time")
    assert len(await sight.moves()) == 1


async def test_a_flag_that_falls_is_claimed_by_the_page_and_nobody_is_welcomed_who_watches(
    place: Place,
) -> None:
    host = await place.nodes.node("ann").host("ourgame", "--clock", "1s", typed=True)
    bert, carol = await place.browser("bert"), await place.browser("carol")
    name = (await place.nodes.node("ann").run("id")).out.lines[0].replace("-", "")
    link = f"{place.page}#ourgame~{name}~{place.broker.websocket_url}"
    looker = await place.looks_on(carol, link)
    await expect(looker.page.locator("#waiting-text")).to_be_visible()
    guest = await place.joins(bert, link)
    await looker.board_is_drawn()
    await looker.hears("You are watching")
    assert "guest" not in await looker.says()
    # No clock runs before its player's first move, so each may take its time for that.
    await host.type("a7-b6")
    await guest.makes_a_move(0)
    await guest.types("g7f7")
    await expect(guest.page.locator("#banner")).to_contain_text("You win.")
    await expect(looker.page.locator("#banner")).to_contain_text("Red lost on time.")
    await host.says("Red lost on time.")


async def test_a_page_leaves_its_receipt_to_a_host_that_wrote_last(place: Place) -> None:
    ann, bert = place.nodes.node("ann"), await place.browser("bert")
    host = await ann.host("ourgame", "--clock", "1s", typed=True)
    name = (await ann.run("id")).out.lines[0].replace("-", "")
    guest = await place.joins(bert, f"{place.page}#ourgame~{name}~{place.broker.websocket_url}")
    await host.type("a7-b6")
    await guest.makes_a_move(0)
    await guest.types("g7f7")
    host.hang_up()
    await host.ends(0)
    await expect(guest.page.locator("#banner")).to_contain_text("You win.")
    # The two are never there at the same time.
    address = guest.page.url
    await place.has_left(name, b'"type":"score"')
    await guest.page.close()
    again = await ann.start("resume", "ourgame", typed=True)
    await again.says("Your opponent has not confirmed that they have your signature.")
    await again.ends(0)
    guest = await bert.open(address)
    await guest.hears("You both have the whole game, signed.")
    await place.has_left(name, b'"type":"sync"')
    await guest.page.close()
    heard = await ann.start("resume", "ourgame", typed=True)
    await heard.ends(0)
    assert "Your opponent has not confirmed" not in str(heard.err)


async def test_talk_takebacks_and_draws_between_two_pages(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, "checkers/acf")
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await host.tells("good luck")
    await expect(guest.lines()).to_contain_text(["good luck"])
    table = guest.page.url
    await guest.page.goto("about:blank")
    await host.hears("Your opponent has lost the connection; your moves wait for them.")
    await host.tells("still there?")
    await host.hears("Your opponent gets this when they are back, if you are still here.")
    await guest.page.goto(table)
    await host.hears("Your opponent is back.")
    await expect(guest.lines()).to_contain_text(["still there?"])
    await host.types("11-15")
    await guest.makes_a_move(0)
    await host.press("Ask for takeback")
    await host.hears("Asked. The request stands")
    await guest.press("Agree")
    await guest.until("() => document.querySelectorAll('#moves li').length === 0")
    await host.types("11-16")
    await guest.makes_a_move(0)
    await guest.press("Offer a draw")
    await guest.types("22-18")
    await guest.hears("22-18 will be played as soon as it is your turn")
    await host.press("Reject")
    await host.makes_a_move(1)
    await host.types("16-20")
    await guest.makes_a_move(2)
    await guest.press("Offer a draw")
    await host.press("Accept")
    for sight in (host, guest):
        await expect(sight.page.locator("#banner")).to_contain_text("A draw")


async def test_whoever_has_left_is_asked_for_no_rematch(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, "ataxx/cs61b-2022")
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await host.press("Resign")
    await host.press("Yes")
    rematch = host.page.get_by_role("button", name="Rematch", exact=True)
    await expect(rematch).to_be_visible()
    await guest.press("Leave")
    await host.hears("Your opponent has left.")
    await expect(rematch).to_have_count(0)
