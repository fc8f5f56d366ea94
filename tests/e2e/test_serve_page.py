"""A serving node that hands out the page for browsers beside its own broker."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from tests.brokers import free_port
from tests.e2e.nodes import Nodes
from tests.events import next_of
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import chromium, needs_chromium

pytestmark = [needs_chromium, needs_browser_peer]


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that know no broker."""
    made = Nodes(tmp_path, None)
    yield made
    await made.close()


async def test_a_browser_finds_the_page_and_the_broker_at_one_port(
    alone: Nodes, tmp_path: Path
) -> None:
    config = tmp_path / "ataxxd.toml"
    config.write_text(
        f"[broker]\nembedded = true\nport = {free_port()}\npage_port = {free_port()}\n"
    )
    serving = await alone.node("club").start("serve", "--config", config)
    line = await serving.says("the page for browsers is at")
    place = line[line.index("http://") :].strip()
    async with chromium(tmp_path / "user") as browser:
        sight = await browser.open(place)
        await sight.page.wait_for_function("() => document.querySelector('#ruleset').length > 0")
    async with MqttTransport(f"{place.replace('http:', 'ws:')}mqtt") as page:
        await page.subscribe("here")
        await page.publish("here", b"mine")
        assert (await next_of(page, Received)).payload == b"mine"
