"""The page is kept by the browser: it opens and plays without a network, and says which it is."""

import gzip
import os
import subprocess
import time
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.async_api import Worker, expect

from ataxxd.rules import Position
from tests.interop.browser_peer import PEER, needs_browser_peer
from tests.time_limits import BUILT
from tests.web.browser import Browser, Sight, chromium, needs_chromium
from tests.web.test_page_with_the_engine import begins, plays_some_move
from tests.web.test_page_without_a_program import served_page

pytestmark = needs_browser_peer
_CARRY_IT = {"digest.txt", "service_worker.js"}
_KEPT = "() => navigator.serviceWorker?.controller !== null"


def build_page(folder: Path) -> str:
    """Builds the page into a folder; what the build printed."""
    return subprocess.run(
        ["node", "build.mjs", str(folder)],
        cwd=PEER,
        capture_output=True,
        text=True,
        timeout=BUILT,
        check=True,
    ).stdout


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a page by their names."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def digest_of(files: dict[str, bytes]) -> str:
    """The digest of a page: what sha256sum says of what it says of the files."""
    names = sorted(files.keys() - _CARRY_IT)
    lines = (f"{sha256(files[name]).hexdigest()}  {name}\n" for name in names)
    return sha256("".join(lines).encode()).hexdigest()


def test_two_builds_are_the_same_bytes_and_print_their_digest(tmp_path: Path) -> None:
    printed = [build_page(tmp_path / name) for name in ("one", "two")]
    one, two = files_of(tmp_path / "one"), files_of(tmp_path / "two")
    assert one == two
    assert all(digest_of(one) in each for each in printed)


def test_the_page_and_its_node_are_at_most_200_kb_without_the_search(tmp_path: Path) -> None:
    build_page(tmp_path)
    files = files_of(tmp_path)
    sizes = {name: len(gzip.compress(files[name])) for name in files if "search-" not in name}
    print("compressed:", sum(sizes.values()), sizes)
    assert {"worker.js", "engine.wasm.gzip", "static/main.js"} <= sizes.keys()
    assert sum(sizes.values()) <= 200_000


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    """A browser, and nothing else: no broker, no program."""
    async with chromium(tmp_path / "browser", width=390, height=844) as opened:
        yield opened


async def is_kept(sight: Sight) -> None:
    """Wait until the browser has the whole page."""
    await sight.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    await sight.until(_KEPT)


@needs_chromium
@pytest.mark.gate
async def test_the_engine_is_played_in_airplane_mode(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await is_kept(sight)
        await begins(sight, "reversi/standard", level=2)
        position = await plays_some_move(sight, Position.start("reversi/standard"))
        await sight.makes_a_move(1)
    # The web server is gone, and so is the network.
    await browser.context.set_offline(True)
    await sight.page.reload()
    await sight.board_is_drawn()
    played = (await sight.moves())[1]
    await plays_some_move(sight, position.play(position.parse_move(played)))
    await sight.makes_a_move(3)
    await sight.page.goto(address)
    await expect(sight.page.locator("#kept-games")).to_contain_text("Reversi")


@needs_chromium
async def test_about_shows_the_digest_of_the_page(browser: Browser) -> None:
    with served_page() as address:
        sight = await browser.open(address)
        await expect(sight.page.locator("#digest")).to_have_text(
            digest_of(files_of(PEER / "build" / "page"))
        )


@needs_chromium
async def test_a_newer_version_is_told_and_loaded_when_the_person_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "page"
    build_page(folder)
    with served_page(folder) as address:
        sight = await browser.open(address)
        await is_kept(sight)
        old = await sight.page.inner_text("#digest")
        (folder / "start.css").write_text(
            (folder / "start.css").read_text() + "\n/* another build */\n"
        )
        rebuilt = files_of(folder)
        new = digest_of(rebuilt)
        worker = (folder / "service_worker.js").read_text()
        for name in ("start.css", "digest.txt"):
            content = f"{new}\n".encode() if name == "digest.txt" else rebuilt[name]
            listed = worker.partition(f'"{name}":"')[2].partition('"')[0]
            worker = worker.replace(listed, sha256(content).hexdigest())
        (folder / "digest.txt").write_text(f"{new}\n")
        (folder / "service_worker.js").write_text(worker.replace(old, new))
        # A web server tells versions of a file apart by whole seconds.
        later = time.time() + 60
        for name in ("start.css", "digest.txt", "service_worker.js"):
            os.utime(folder / name, (later, later))
        await sight.page.reload()
        await expect(sight.page.locator("#newer")).to_be_visible()
        assert await sight.page.inner_text("#digest") == old
        await sight.press("Load it")
        await expect(sight.page.locator("#digest")).to_have_text(new)
        await expect(sight.page.locator("#newer")).to_be_hidden()


@needs_chromium
async def test_a_notification_leads_to_its_table_and_opens_one_that_was_closed(
    browser: Browser,
) -> None:
    with served_page() as address:
        await browser.context.grant_permissions(["notifications"])
        sight = await browser.open(address)
        await is_kept(sight)
        await begins(sight, "ataxx/cs61b-2022")
        table = sight.page.url
        (worker,) = browser.context.service_workers
        # The browser lets a worker do either only for a person.
        await worker.evaluate("""() => {
            globalThis.done = [];
            WindowClient.prototype.focus = async function () { done.push(`focus ${this.url}`); };
            Clients.prototype.openWindow = async (url) => { done.push(`open ${url}`); };
        }""")
        await clicks_the_notification(worker, table)
        await sight.page.goto(address)
        await clicks_the_notification(worker, table)
        assert await worker.evaluate("done") == [f"focus {table}", f"open {table}"]


async def clicks_the_notification(worker: Worker, table: str) -> None:
    """Tell the worker that its notification of a table was clicked; ends when it has acted."""
    await worker.evaluate(
        """async table => {
            await registration.showNotification("It is your turn", { tag: table });
            const [notification] = await registration.getNotifications({ tag: table });
            const before = done.length;
            dispatchEvent(new NotificationEvent("notificationclick", { notification }));
            while (done.length === before) await new Promise(then => setTimeout(then, 10));
        }""",
        table,
    )
