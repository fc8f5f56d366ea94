"""The page of a match between engines, in headless Chromium, beside real programs."""

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.errors import ExitCode
from tests.conftest import require
from tests.e2e.nodes import Nodes
from tests.nats_server import NatsServer
from tests.web.browser import Sight, chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
ENDLESS = ("match", "auto", "random", "--nodes", "500", "--games", "100000", "--sprt", "0:0.01")


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Programs without a broker."""
    made = Nodes(tmp_path, None)
    yield made
    await made.close()


async def has_row(sight: Sight, name: str, *cells: object) -> None:
    """Wait until a row of the page's tables says so."""
    row = sight.page.get_by_role("row").filter(
        has=sight.page.get_by_role("rowheader", name=name, exact=True)
    )
    await expect(row.get_by_role("cell")).to_have_text([*map(str, cells)])


@pytest.mark.gate("light")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
async def test_a_match_is_seen_in_the_browser_until_it_ends(
    scheme: str, width: int, alone: Nodes, tmp_path: Path
) -> None:
    match = await alone.node("me").start(*ENDLESS, "--display", "--json")
    link = await link_of(match)
    async with chromium(
        tmp_path / "browser", width=width, options={"color_scheme": scheme}
    ) as browser:
        sight = await browser.open(link)
        facts = sight.page.locator(".facts")
        await expect(facts).to_contain_text("SPRT 0 to 0.01: log-likelihood ratio")
        await expect(sight.page.locator(".count")).to_contain_text(" of 100000 games.")
        await expect(sight.page.locator(".pace")).to_contain_text("games per second, 1 game under")
        await expect(sight.page.locator("meter")).to_have_accessible_name(
            re.compile(r"^Log-likelihood ratio .*, between -2\.94 \(refuted\) and 2\.94 \(shown\)$")
        )
        await sight.is_accessible()
        match.send(signal.SIGINT)
        await match.ends(ExitCode.INTERRUPTED)
        says = sight.page.locator("#says")
        await expect(says).to_have_text("The program has ended. This is how the match stood.")
        result = json.loads(str(match.out))
        won, drawn, lost = (result[each] for each in ("won", "drawn", "lost"))
        await has_row(sight, result["players"][0], won, drawn, lost, 0)
        await has_row(sight, "pairs", *result["pairs"])
        await sight.is_accessible()


async def test_workers_are_seen_in_the_browser_of_whoever_looks_on(
    alone: Nodes, tmp_path: Path
) -> None:
    require(NatsServer)
    with NatsServer(tmp_path / "nats") as server:
        watching = await alone.node("other").start("match", "--watch", server.url, "--display")
        async with chromium(tmp_path / "browser") as browser:
            sight = await browser.open(await link_of(watching))
            await expect(sight.page.locator("#none")).to_be_visible()
            await sight.is_accessible()
            match = await alone.node("me").start(*ENDLESS, "--state", "s", "--queue", server.url)
            workers = [
                await alone.node(name).start("worker", server.url, "--name", name)
                for name in ("attic", "shed")
            ]
            table = sight.page.get_by_role("region", name="Workers")
            for name in ("attic", "shed"):
                await expect(table.get_by_role("rowheader", name=name, exact=True)).to_be_visible()
            await expect(sight.page.locator(".pace")).to_contain_text("2 workers, ")
            await sight.is_accessible()
            for running in (*workers, match, watching):
                running.send(signal.SIGINT)
            await asyncio.gather(
                *(worker.ends() for worker in workers),
                match.ends(ExitCode.INTERRUPTED),
                watching.ends(ExitCode.INTERRUPTED),
            )
