"""What a page that is a node keeps over tabs, crashes and devices, and where it keeps nothing."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, expect

from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import Browser, Sight, chromium, needs_chromium
from tests.web.test_page_with_the_engine import begins
from tests.web.test_page_without_a_program import Place, place, served_page

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["place"]  # a fixture

CHECKERS = "checkers/acf"


async def two_play(place: Place, *hosts: str) -> tuple[Browser, Browser, Sight, Sight]:
    """Two browsers in a game of checkers, and their pages; the host moves first."""
    ana, bert = [await place.browser(name, hosts=("127.0.0.1", *hosts)) for name in ("ana", "bert")]
    host, link = await place.hosts(ana, CHECKERS)
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    return ana, bert, host, guest


async def play(mover: Sight, other: Sight, *moves: str) -> None:
    """Moves by turns, until both pages show them."""
    for move in moves:
        made = len(await mover.moves())
        await mover.until("() => document.title.startsWith('●')")
        await mover.types(move)
        for sight in (mover, other):
            await sight.makes_a_move(made)
        mover, other = other, mover


async def saved(sight: Sight, folder: Path) -> Path:
    """The file that the first page offers."""
    async with sight.page.expect_download() as download:
        await sight.press("Save to a file")
    path = folder / (await download.value).suggested_filename
    await (await download.value).save_as(path)
    return path


async def loads(sight: Sight, file: Path) -> None:
    """Give the first page a file."""
    await sight.page.wait_for_function("() => document.querySelector('#node').textContent !== ''")
    await sight.page.get_by_label("Your saved copy").set_input_files(file)
    await sight.press("Load the file")


async def debugger_of(sight: Sight) -> CDPSession:
    return await sight.page.context.new_cdp_session(sight.page)


def origin_of(sight: Sight) -> str:
    return sight.page.url.rpartition("/")[0]


@pytest.mark.gate
@pytest.mark.requirement("MP-SYNC-9")
async def test_a_game_goes_on_on_another_device_with_all_that_was_said_after_it_was_saved(
    place: Place, tmp_path: Path
) -> None:
    _, bert, host, guest = await two_play(place)
    await play(host, guest, "11-15", "22-18")
    first = await bert.open(place.page)
    file = await saved(first, tmp_path)
    # What is played after that stands in no file: only the opponent can tell it.
    await play(host, guest, "15-22", "25-18", "8-11", "29-25")
    await bert.context.close()
    phone = await (await place.browser("phone")).open(place.page)
    await loads(phone, file)
    await phone.hears("Games in the file: 1, of which 1 can go on under Your games")
    await phone.page.locator("#kept-games a").click()
    await phone.until("() => document.querySelectorAll('#moves li').length === 6")
    await play(host, phone, "4-8", "25-22")
    assert await phone.moves() == await host.moves()
    await host.press("Resign")
    await host.press("Yes")
    await phone.until("() => !document.querySelector('#banner').hidden")


async def test_a_game_out_of_a_file_waits_for_its_opponent(place: Place, tmp_path: Path) -> None:
    ana, bert, host, guest = await two_play(place)
    await play(host, guest, "11-15")
    file = await saved(await bert.open(place.page), tmp_path)
    await bert.context.close()
    await host.page.close()
    phone = await (await place.browser("phone")).open(place.page)
    await loads(phone, file)
    await phone.page.locator("#kept-games a").click()
    await phone.hears("This game was loaded from a file")
    # It is our turn, and nothing may be played yet.
    assert await phone.squares("can move") == []
    back = await ana.open(place.page)
    await back.page.locator("#kept-games a").click()
    await phone.hears("Your opponent is back, and the game goes on.")
    await play(phone, back, "22-18")


# How a file is spoilt, and what the page says of it.
BAD: dict[str, Callable[[str], str]] = {
    "This file does not hold a key and games.": lambda _: "not even JSON",
    "This file does not hold": lambda text: text[: len(text) // 2],
    "by a newer version": lambda text: text.replace('"version": 2', '"version": 3'),
    "a nickname is not signed": lambda text: text.replace('"name": "ana"', '"name": "anna"'),
    "game 1 of the page alone": lambda text: text.replace("ataxx/cs61b-2022", "ataxx/none"),
    "This file is damaged": lambda text: text.replace('"seed": "', '"seed": "0'),
    "its key is not that of": lambda text: text.replace('"node": "', '"node": "a', 1),
    "game 1: message 1 of the guest": lambda text: text.replace('"22-18"', '"22-17"'),
}


async def test_a_bad_file_changes_nothing_and_says_what_to_do(
    game_file: Path, tmp_path: Path
) -> None:
    with served_page() as address:
        async with chromium(tmp_path / "browser") as browser:
            sight = await browser.open(address)
            await sight.page.wait_for_function("() => document.querySelector('#node').textContent")
            node = await sight.page.inner_text("#node")
            for sentence, spoil in BAD.items():
                await loads(sight, spoilt(game_file, spoil))
                await sight.hears(sentence)
                assert await sight.page.inner_text("#node") == node
                await expect(sight.page.locator("#kept")).to_be_hidden()
            await sight.is_accessible()


def spoilt(file: Path, spoil: Callable[[str], str]) -> Path:
    """A bad copy of a file."""
    bad = file.with_name("bad.json")
    bad.write_text(spoil(file.read_text()))
    assert bad.read_bytes() != file.read_bytes()
    return bad


def node_of(file: Path) -> str:
    """Whose file it is, as the page shows it."""
    node = json.loads(file.read_text())["node"]
    return "-".join(node[at : at + 4] for at in range(0, len(node), 4))


@pytest.fixture
async def game_file(place: Place, tmp_path: Path) -> Path:
    """A file of somebody in mid-game, who has begun another one alone and knows ana."""
    ana = await place.browser("ana")
    await calls_itself(await ana.open(place.page), "ana")
    bert = await place.browser("bert")
    host, link = await place.hosts(ana, CHECKERS)
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    await expect(guest.page.locator("#players")).to_contain_text("ana")
    await play(host, guest, "11-15", "22-18")
    alone = await bert.open(place.page)
    await begins(alone, "ataxx/cs61b-2022", color="both")
    await alone.types("a7-a6")
    await alone.makes_a_move(0)
    return await saved(await bert.open(place.page), tmp_path)


async def calls_itself(sight: Sight, nickname: str) -> None:
    await sight.page.wait_for_function("() => document.querySelector('#node').textContent !== ''")
    await sight.page.fill("#nickname", nickname)
    await sight.press("Use this nickname")
    await sight.hears(f"You are now {nickname}")


async def test_a_file_brings_the_games_of_the_page_alone_and_whom_it_knew(
    place: Place, game_file: Path
) -> None:
    phone = await (await place.browser("phone")).open(place.page)
    await loads(phone, game_file)
    await phone.hears("Games on this page only: 1.")
    again = await saved(phone, game_file.parent)
    here, there = (json.loads(each.read_text()) for each in (again, game_file))
    for kept in ("local", "names", "hosts"):
        assert here[kept] == there[kept]
        assert len(here[kept]) == 1
    # Of a game that is known already the one with more moves stays.
    await phone.page.get_by_role("link", name="by hand, 1 move").click()
    await phone.makes_a_move(0)
    await phone.types("g7-g6")
    await phone.makes_a_move(1)
    await phone.page.goto(place.page)
    await loads(phone, game_file)
    await phone.hears("Games on this page only: 1.")
    await expect(phone.page.locator("#kept-games")).to_contain_text("by hand, 2 moves")


def as_before(text: str) -> str:
    """A file as version 1 wrote it."""
    file = json.loads(text)
    return json.dumps(
        {key: file[key] for key in ("format", "node", "seed", "games")} | {"version": 1}
    )


async def test_a_file_of_the_version_before_is_read(place: Place, game_file: Path) -> None:
    phone = await (await place.browser("phone")).open(place.page)
    await loads(phone, spoilt(game_file, as_before))
    await phone.hears("Games in the file: 1, of which 1 can go on")


async def test_another_key_replaces_this_one_only_with_consent_and_after_it_is_saved(
    place: Place, game_file: Path
) -> None:
    carol = await place.browser("carol")
    await place.hosts(carol, CHECKERS)
    sight = await carol.open(place.page)
    await sight.page.wait_for_function("() => document.querySelector('#node').textContent")
    before = await sight.page.inner_text("#node")
    await loads(sight, game_file)
    await sight.is_accessible()
    await sight.press("Cancel")
    await sight.hears("Nothing was changed.")
    assert await sight.page.inner_text("#node") == before
    await sight.press("Load the file")
    async with sight.page.expect_download() as download:
        await sight.press("Save and replace")
    assert node_of(Path(await (await download.value).path())) == before
    await sight.hears("1 can go on")
    assert await sight.page.inner_text("#node") == node_of(game_file)


# Collects all that the page says, however short.
_HEARD = """new MutationObserver(() => {
    window.heard ??= new Set();
    window.heard.add(document.querySelector("#says")?.textContent ?? "");
    const broker = document.querySelector("#broker");
    if (broker?.hidden === false) window.heard.add(broker.textContent);
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })"""


async def heard(sight: Sight) -> list[str]:
    """All that a page has said since it was loaded, each once."""
    return list(await sight.page.evaluate("[...window.heard]"))


async def test_a_reload_says_what_it_does_and_calls_no_broker_lost(place: Place) -> None:
    _, bert, host, guest = await two_play(place)
    await bert.context.add_init_script(_HEARD)
    for mover, other, move in ((host, guest, "11-15"), (guest, host, "22-18")):
        await play(mover, other, move)
        await guest.page.reload()
        await guest.board_is_drawn()
        await guest.makes_a_move(len(await host.moves()) - 1)
        said = await heard(guest)
        assert "Opening the game …" in said
        assert not [text for text in said if "broker lost" in text]


async def test_the_link_of_a_game_under_way_leads_back_to_it_without_a_broker(
    place: Place,
) -> None:
    ana, bert, host, guest = await two_play(place)
    await host.page.get_by_text("Let others watch").click()
    link = await host.page.locator("#watch code").inner_text()
    await play(host, guest, "11-15", "22-18")
    for sight in (host, guest):
        await sight.page.close()
    place.broker.stop()
    pages = []
    for browser in (ana, bert):
        sight = await browser.open(link)
        await expect(sight.page.locator("#kept-games")).to_contain_text("Checkers")
        await sight.press("Join the game")
        await sight.makes_a_move(1)
        await expect(sight.page.locator("#broker")).to_be_visible()
        pages.append(sight)
    await pages[0].types("15-22")
    place.broker.start()
    await pages[1].makes_a_move(2)
    # And with the broker back.
    await pages[1].page.goto(link)
    await pages[1].press("Join the game")
    await pages[1].makes_a_move(2)
    await play(pages[1], pages[0], "25-18")
    for browser in (ana, bert):
        browser.complaints.clear()  # Chromium's own lines on refused connections.


async def test_a_device_that_was_left_learns_what_another_one_with_its_key_has_played(
    place: Place, tmp_path: Path
) -> None:
    _, bert, host, laptop = await two_play(place)
    await play(host, laptop, "11-15")
    file = await saved(await bert.open(place.page), tmp_path)
    phone = await (await place.browser("phone")).open(place.page)
    await loads(phone, file)
    await phone.hears("1 can go on")
    await phone.page.locator("#kept-games a").click()
    await play(phone, host, "22-18", "15-22")
    # Its page stands open; the host that waits asks again, and gives back what is missing.
    await laptop.makes_a_move(2)
    await play(laptop, host, "25-18", "8-11")
    await phone.makes_a_move(4)
    await play(phone, host, "29-25")


@pytest.mark.requirement("MP-FAULT-3")
async def test_whoever_moves_on_two_devices_is_told_what_was_signed_and_accuses_nobody(
    place: Place, tmp_path: Path
) -> None:
    ana, bert, host, laptop = await two_play(place)
    await play(host, laptop, "11-15")
    file = await saved(await bert.open(place.page), tmp_path)
    mobile = await place.browser("phone")
    phone = await mobile.open(place.page)
    await loads(phone, file)
    await phone.hears("1 can go on")
    await phone.page.locator("#kept-games a").click()
    await phone.hears("the game goes on")
    # Neither device hears of the other one's move before both are signed.
    place.broker.stop()
    devices = [(laptop, "23-18"), (phone, "22-18")]
    for device, move in devices:
        await expect(device.page.locator("#broker")).to_be_visible()
        await device.types(move)
        await device.makes_a_move(1)
    place.broker.start()
    await host.is_over()
    # The move that came first is the game's; the other one is the proof.
    if (await host.moves())[-1] == "22-18":
        devices.reverse()
    (here, kept), (there, proof) = devices
    await here.hears(f"your key has signed {kept} on this device and {proof} on another")
    await there.hears("Another device with your key has made another move in this game")
    await expect(there.page.locator("#banner")).to_be_hidden()
    for browser in (ana, bert, mobile):
        browser.complaints.clear()  # Chromium's own lines on refused connections.


@pytest.mark.gate
async def test_a_second_tab_says_that_another_one_plays_and_takes_over(place: Place) -> None:
    _, bert, host, first = await two_play(place)
    await play(host, first, "11-15")
    second = await bert.open(first.page.url)
    await second.hears("You are playing this game in another tab.")
    await second.is_accessible()
    await play(first, host, "22-18")
    await second.press("Play here")
    await second.board_is_drawn()
    await first.hears("You are playing this game in another tab.")
    # What the first one shows is old, and no reason why nothing can be moved there.
    await first.types("18")
    await first.hears("You are playing this game in another tab.")
    # Of two tabs one calls, and the name of the game stands beside no other words.
    await expect(first.page).not_to_have_title(re.compile("Your move"))
    await first.page.set_viewport_size({"width": 390, "height": 844})
    title, pill = [
        await first.page.locator(each).bounding_box() for each in (".bar h1", "#connection")
    ]
    assert title is not None
    assert pill is not None
    assert pill["y"] >= title["y"] + title["height"]
    await play(host, second, "15-22", "25-18")
    await first.press("Play here")
    await first.board_is_drawn()
    await second.hears("You are playing this game in another tab.")
    await play(host, first, "8-11")


async def test_without_web_locks_the_newer_of_two_tabs_plays_and_the_older_one_signs_nothing(
    place: Place,
) -> None:
    # Browsers have no Web Locks on plain http, unless they know an address as this machine's.
    place.page = place.page.replace("127.0.0.1", "0.0.0.0")
    _, bert, host, first = await two_play(place, "0.0.0.0")
    assert await first.page.evaluate("navigator.locks") is None
    await play(host, first, "11-15")
    second = await bert.open(first.page.url)
    await second.board_is_drawn()
    await first.types("22-18")
    await first.hears("You are playing this game in another tab.")
    await play(second, host, "22-17")


async def test_a_tab_that_is_killed_in_mid_game_goes_on_where_it_was(place: Place) -> None:
    ana, bert, host, guest = await two_play(place)
    await play(host, guest, "11-15", "22-18")
    address = guest.page.url
    debugger = await debugger_of(guest)
    target = await debugger.send("Target.getTargetInfo")
    await debugger.send("Target.closeTarget", {"targetId": target["targetInfo"]["targetId"]})
    await host.types("15-22")
    again = await bert.open(address)
    await again.makes_a_move(2)
    await play(again, host, "25-18")
    # And both at once.
    for browser, sight in ((ana, host), (bert, again)):
        address = sight.page.url
        await sight.page.close()
        await browser.open(address)
    host, guest = (Sight(browser.context.pages[-1]) for browser in (ana, bert))
    await guest.makes_a_move(3)
    await host.makes_a_move(3)
    await play(host, guest, "8-11", "29-25")


# Takes all room that the browser gives this site; random, for what is kept is compressed.
_FILL = """async () => {
    const opening = indexedDB.open("filler", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("f", { autoIncrement: true });
    const database = await new Promise(done => { opening.onsuccess = () => done(opening.result); });
    for (let size = 1 << 20; size >= 64;) {
        const bytes = new Uint8Array(size);
        for (let at = 0; at < size; at += 65536) {
            crypto.getRandomValues(bytes.subarray(at, at + 65536));
        }
        const fits = await new Promise(done => {
            const writing = database.transaction("f", "readwrite");
            writing.objectStore("f").add(bytes);
            writing.oncomplete = () => done(true);
            writing.onabort = () => done(false);
        });
        if (!fits) size >>= 1;
    }
    database.close();
}"""


async def test_a_full_disk_stops_the_game_until_there_is_room(place: Place) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, CHECKERS)
    # Before the browser has looked how much room there is, which it remembers for a while.
    guest = await empty_page(bert, place.page)
    debugger, origin = await debugger_of(guest), origin_of(guest)
    quota = {"origin": origin, "quotaSize": 8_000_000}
    await debugger.send("Storage.overrideQuotaForOrigin", quota)
    await guest.page.goto(link)
    await guest.press("Join the game")
    await guest.board_is_drawn()
    await host.board_is_drawn()
    await play(host, guest, "11-15")
    await guest.page.evaluate(_FILL)
    await guest.types("22-18")
    await guest.hears("This browser is out of space")
    await debugger.send("Storage.overrideQuotaForOrigin", {"origin": origin})
    await guest.page.reload()
    await guest.board_is_drawn()
    # It was not kept, so it was not sent.
    assert await guest.moves() == await host.moves()
    await play(guest, host, "22-18", "15-22")


async def test_a_page_whose_storage_was_deleted_says_what_to_do(
    place: Place, tmp_path: Path
) -> None:
    _, bert, host, guest = await two_play(place)
    await play(host, guest, "11-15")
    first = await bert.open(place.page)
    file = await saved(first, tmp_path)
    address = guest.page.url
    debugger = await debugger_of(guest)
    await debugger.send(
        "Storage.clearDataForOrigin", {"origin": origin_of(guest), "storageTypes": "indexeddb"}
    )
    await guest.types("22-18")
    await guest.hears("This browser has deleted what the page had stored.")
    await guest.page.reload()
    await guest.reads("This browser does not have this game")
    await first.page.reload()
    await loads(first, file)
    await first.hears("1 can go on")
    again = await bert.open(address)
    await again.makes_a_move(0)
    await play(again, host, "22-18")


async def empty_page(browser: Browser, address: str) -> Sight:
    """A page without a script in the place of the first one."""
    page = '<!doctype html><link rel="icon" href="data:,">'
    empty = address.replace("index.html", "empty.html")
    await browser.context.route(
        empty, lambda route: route.fulfill(body=page, content_type="text/html")
    )
    return await browser.open(empty)


# Opens the database as a page of another version would, and keeps it open.
_OPEN = """version => new Promise((resolve, reject) => {
    const opening = indexedDB.open("ataxxd", version);
    opening.onupgradeneeded = () => {
        if (version !== 1) return;
        const database = opening.result;
        database.createObjectStore("node").put(new Uint8Array(32).fill(7), "seed");
        database.createObjectStore("games", { keyPath: "id" });
        database.createObjectStore("messages", { keyPath: ["game", "at"] })
            .createIndex("game", "game");
    };
    opening.onsuccess = () => { globalThis.held = opening.result; resolve(true); };
    opening.onerror = () => reject(opening.error);
})"""


async def test_an_older_tab_in_the_way_is_told_and_its_key_is_kept(tmp_path: Path) -> None:
    with served_page() as address:
        async with chromium(tmp_path / "browser") as browser:
            old = await empty_page(browser, address)
            await old.page.evaluate(_OPEN, 1)
            sight = await browser.open(address)
            await sight.hears("An older version of this page is open in another tab.")
            await old.page.close()
            await sight.page.reload()
            # What `ataxxd` calls the key of this seed.
            await expect(sight.page.locator("#node")).to_have_text("72as-yext-vngo-nlc5-w2nm")


async def test_a_tab_of_an_older_version_lets_a_newer_one_in_and_says_so(place: Place) -> None:
    _, bert, host, guest = await two_play(place)
    await play(host, guest, "11-15")
    newer = await empty_page(bert, place.page)
    await newer.page.evaluate(_OPEN, 99)
    await guest.types("22-18")
    await guest.hears("A newer version of this page is open in another tab.")


def _forbids(folder: Path) -> None:
    """Has a browser's user forbid all sites to keep anything."""
    settings = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (folder / "Default").mkdir(parents=True)
    (folder / "Default" / "Preferences").write_text(json.dumps(settings))


async def test_a_browser_that_keeps_nothing_says_so_and_still_watches(
    place: Place, tmp_path: Path
) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host, link = await place.hosts(ana, CHECKERS)
    guest = await place.joins(bert, link)
    await host.board_is_drawn()
    _forbids(tmp_path / "private")
    async with chromium(tmp_path / "private") as private:
        sight = await private.open(place.page)
        await sight.hears("This browser does not let the page store anything")
        await sight.page.fill("#broker", place.broker.websocket_url)
        await sight.press("Get a link")
        await sight.hears("Allow cookies and site data for this page")
        watching = await place.looks_on(private, link)
        await watching.board_is_drawn()
        await play(host, guest, "11-15")
        await watching.makes_a_move(0)
