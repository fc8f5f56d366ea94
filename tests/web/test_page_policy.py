"""The page's policy holds in its workers, too, which heed only the header they came with."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.async_api import Worker

from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd_clients.invitation import page_files
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import Sight, chromium, needs_chromium
from tests.web.test_page_offline import is_kept
from tests.web.test_page_without_a_program import served_page

pytestmark = [needs_chromium, needs_browser_peer]


@contextmanager
def open_server() -> Iterator[tuple[str, list[str]]]:
    """A web server that answers pages from anywhere; its address, and what it was asked for."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name there
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            serving.join()


async def node_of(sight: Sight) -> Worker:
    """The worker in which the page's node runs, once it does."""
    await sight.page.wait_for_function("() => document.querySelector('#ruleset').length > 0")
    (worker,) = (each for each in sight.page.workers if each.url.endswith("/worker.js"))
    return worker


async def fetches(worker: Worker, address: str) -> bool:
    """Whether a worker gets an answer from an address."""
    asks = "address => fetch(address).then(answer => answer.ok, () => false)"
    return bool(await worker.evaluate(asks, address))


@pytest.mark.gate
async def test_the_node_on_a_page_of_our_own_server_asks_no_other(tmp_path: Path) -> None:
    files = page_files()
    assert files is not None
    with open_server() as (elsewhere, asked):
        async with (
            EmbeddedBroker(port=0, page=Page(files)) as broker,
            chromium(tmp_path / "browser", width=390, height=844) as browser,
        ):
            home = f"http://127.0.0.1:{broker.web_port}"
            worker = await node_of(await browser.open(f"{home}/index.html"))
            assert await fetches(worker, f"{home}/digest.txt")
            assert not await fetches(worker, f"{elsewhere}/secret")
        assert asked == []


async def test_on_a_server_that_sends_no_policy_it_holds_once_the_page_is_kept(
    tmp_path: Path,
) -> None:
    with open_server() as (elsewhere, asked), served_page() as address:
        async with chromium(tmp_path / "browser", width=390, height=844) as browser:
            sight = await browser.open(address)
            # Else it would be no wonder that it is refused below.
            assert await fetches(await node_of(sight), f"{elsewhere}/first")
            await is_kept(sight)
            await sight.page.reload()
            worker = await node_of(sight)
            assert await fetches(worker, address.replace("index.html", "digest.txt"))
            assert not await fetches(worker, f"{elsewhere}/second")
        assert asked == ["/first"]
