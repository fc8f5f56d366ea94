"""What the page says of brokers, clocks and browsers with which no game can be played."""

import time
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics, encode
from tests.certificates import Certificates
from tests.conformance.games import make_offer
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import ARGUMENTS, chromium, needs_chromium
from tests.web.test_page_with_the_engine import begins
from tests.web.test_page_without_a_program import Place, place, served_page

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["place"]  # a fixture

_DAY_MS = 86_400_000
_NOWHERE = "ws://127.0.0.1:1/"


def link_to(broker: str) -> str:
    """Where a game would be on a broker."""
    return f"#ours~{'a' * 20}~{broker}"


@pytest.mark.gate
async def test_a_page_from_https_says_that_it_needs_a_broker_with_tls(tmp_path: Path) -> None:
    trusting = {"ignore_https_errors": True, "args": [*ARGUMENTS, "--ignore-certificate-errors"]}
    with served_page(certificates=Certificates.make(tmp_path / "certificates")) as address:
        async with chromium(tmp_path / "browser", options=trusting) as browser:
            sight = await browser.open(f"{address}{link_to(_NOWHERE)}")
            await sight.hears("choose a broker with wss")
            await expect(sight.page.locator("#joining")).to_be_hidden()
            await sight.page.fill("#broker", "ws://127.0.0.1:1883")
            await sight.press("Get a link")
            await sight.hears("choose a broker with wss")
            table = await browser.open(f"{address.replace('index', 'table')}{link_to(_NOWHERE)}")
            await table.reads("choose a broker with wss")


@pytest.mark.gate
async def test_a_broker_without_a_websocket_is_told_before_there_is_a_link(place: Place) -> None:
    ana = await place.browser("ana")
    # Mosquitto's port for programs.
    broker = place.broker.url.replace("mqtt:", "ws:")
    sight = await ana.open(place.page)
    await sight.page.wait_for_function("() => document.querySelector('#ruleset').length > 0")
    await sight.page.fill("#broker", broker)
    await sight.press("Get a link")
    await sight.hears(f"No MQTT broker answers browsers at {broker}")
    # What was typed is still there to be mended.
    await expect(sight.page.locator("#broker")).to_have_value(broker)
    joining = await ana.open(f"{place.page}{link_to(broker)}")
    await joining.press("Join the game")
    await joining.hears(f"No MQTT broker answers browsers at {broker}")
    watching = await ana.open(f"{place.page}{link_to(broker)}")
    await watching.press("Watch")
    await watching.reads(f"No MQTT broker answers browsers at {broker}")
    await watching.page.get_by_role("link", name="Go to the first page").click()
    await expect(watching.page.locator("#host")).to_be_visible()
    ana.complaints.clear()  # Chromium's own lines on refused connections.


async def test_whoever_waits_for_a_guest_is_told_that_the_broker_is_gone(place: Place) -> None:
    ana = await place.browser("ana")
    sight, _ = await place.hosts(ana, "ataxx/cs61b-2022")
    place.broker.stop()
    await sight.reads("Trying again")
    place.broker.start()
    await sight.reads("Connected again")
    ana.complaints.clear()  # Chromium's own lines on refused connections.


@pytest.mark.parametrize("days", [-3, 3])
async def test_a_clock_that_is_wrong_is_told_when_a_game_is_joined(place: Place, days: int) -> None:
    # As a device sees a fresh offer whose own clock is some days off.
    created = int(time.time() * 1000) + days * _DAY_MS
    offer = make_offer(name="ours", created_ms=created, expires_ms=created + _DAY_MS)
    async with MqttTransport(place.broker.url) as transport:
        await transport.publish(Topics().offer("ours", offer.host), encode(offer), retain=True)
    ana = await place.browser("ana")
    sight = await ana.open(f"{place.page}#ours~{offer.host}~{place.broker.websocket_url}")
    await sight.press("Join the game")
    await sight.hears("Check the date and time here")


async def test_a_browser_without_simd_says_that_the_engine_needs_it(
    tmp_path: Path,
) -> None:
    old = {"args": [*ARGUMENTS, "--js-flags=--no-enable-ssse3 --no-enable-sse4-1"]}
    with served_page() as address:
        async with chromium(tmp_path / "browser", options=old) as browser:
            sight = await browser.open(address)
            await begins(sight, "ataxx/cs61b-2022")
            await sight.press("Hint")
            await sight.hears("its WebAssembly has no SIMD")
