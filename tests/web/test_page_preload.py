"""What the page of a game asks for early is used, whoever plays it, and missed aloud."""

import shutil
from pathlib import Path

from playwright.async_api import expect

from tests.interop.browser_peer import PEER, needs_browser_peer
from tests.web.browser import needs_chromium
from tests.web.test_page_without_a_program import Place, place, served_page

__all__ = ["place"]  # a fixture

# The browser complains of it, and by then of whatever else it had for nothing.
_DECOY = '<link rel="preload" href="start.css?for-nothing" as="fetch" crossorigin>'


@needs_chromium
@needs_browser_peer
async def test_the_rules_of_a_game_with_somebody_are_not_asked_for_in_vain(
    place: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "page"
    shutil.copytree(PEER / "build" / "page", folder)
    table = folder / "table.html"
    table.write_text(table.read_text().replace("</head>", f"{_DECOY}</head>"))
    # Nothing is kept, which would be the page as it was built.
    (folder / "service_worker.js").unlink()
    with served_page(folder) as place.page:
        browser = await place.browser("ann")
        warnings: list[str] = []
        browser.context.on("console", lambda line: warnings.append(line.text))
        # A missing worker is no fault here.
        sight, _ = await place.hosts(browser, "reversi/standard")
        while not any("for-nothing" in each for each in warnings):
            await browser.context.wait_for_event("console")
        # All that it complains of at once has come before this answer.
        await sight.page.evaluate("() => null")
        browser.complaints.clear()
    assert not any("engine.wasm" in each for each in warnings), warnings


@needs_chromium
@needs_browser_peer
async def test_whoever_hosts_where_the_rules_did_not_come_is_told(
    place: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "page"
    shutil.copytree(PEER / "build" / "page", folder)
    for name in ("service_worker.js", "engine.wasm.gzip"):
        (folder / name).unlink()
    with served_page(folder) as address:
        browser = await place.browser("ann")
        sight = await browser.open(address)
        await sight.page.fill("#broker", place.broker.websocket_url)
        for _ in range(2):
            await sight.press("Get a link")
            await expect(sight.page.locator("#says")).to_contain_text("404")
        browser.complaints.clear()
