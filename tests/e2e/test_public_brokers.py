"""`host --public`: the first broker of a list that does what a game needs; here all are local."""

import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from tests.bad_servers import silent_server
from tests.brokers import Mosquitto
from tests.certificates import Certificates
from tests.e2e.namespaces import own_network
from tests.e2e.nodes import Nodes
from tests.events import next_of

NOBODY = "ws://127.0.0.1:1/mqtt"


def listed(folder: Path, *urls: str) -> Path:
    path = folder / "brokers.toml"
    path.write_text("".join(f'[[brokers]]\nurl = "{url}"\n' for url in urls))
    return path


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that know no broker."""
    made = Nodes(tmp_path, None)
    yield made
    await made.close()


@pytest.mark.gate
async def test_the_first_broker_that_keeps_messages_is_taken_and_stands_in_the_link(
    alone: Nodes, make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> None:
    forgetful = make_mosquitto(websockets=True, extra="retain_available false")
    good = make_mosquitto(websockets=True)
    with silent_server() as port:
        silent = f"ws://127.0.0.1:{port}/mqtt"
        brokers = listed(tmp_path, NOBODY, silent, forgetful.websocket_url, good.websocket_url)
        host = await alone.node("host").host(
            *("ourgame", "--public", "--public-list", str(brokers), "--auto", "--level", "1"),
            *("--link", "--page", "http://127.0.0.1/"),
        )
    assert await host.says("strangers can read the game")
    line = await host.says("In a browser")
    left_out = [told for told in str(host.err).splitlines() if told.startswith("Not that one")]
    for told, broker in zip(left_out, (NOBODY, silent, forgetful.websocket_url), strict=True):
        assert broker in told
    link = line.split(": ", 1)[1]
    assert link.endswith(f"~{good.websocket_url}")
    guest = await alone.node("guest").start("join", link, "--auto", "--level", "1")
    await guest.ends(ExitCode.OK)
    await host.ends(ExitCode.OK)
    # What the trial left with the broker is gone.
    async with MqttTransport(good.url) as looker:
        await looker.subscribe("ataxxd/1/_/+/doctor")
        await looker.publish("ataxxd/1/_/x/doctor", b"mine")
        assert (await next_of(looker, Received)).payload == b"mine"


async def test_a_broker_with_tls_is_taken_by_the_authority_that_the_list_names(
    alone: Nodes,
    make_mosquitto: Callable[..., Mosquitto],
    certificates: Certificates,
    tmp_path: Path,
) -> None:
    forgetful, good = (
        make_mosquitto(websockets=True, certificates=certificates, extra=extra)
        for extra in ("retain_available false", "")
    )
    brokers = listed(tmp_path, forgetful.websocket_url, good.websocket_url)
    for name in ("first", "second"):
        host = await alone.node("host").host(
            *(name, "--public", "--public-list", str(brokers)),
            *("--link", "--page", "https://play.example/"),
        )
        left_out = await host.says("Not that one")
        assert left_out.endswith(
            f"wss://127.0.0.1:{forgetful.websocket_port}/mqtt keeps no messages for those who "
            "come later."
        )
        link = await host.says("In a browser")
        assert link.endswith(f"~wss://127.0.0.1:{good.websocket_port}/mqtt")
        host.send(signal.SIGINT)
        await host.ends(ExitCode.INTERRUPTED)


async def test_without_a_network_it_says_so_whatever_the_list_has(tmp_path: Path) -> None:
    async with own_network() as prefix:
        if not prefix:
            pytest.skip("this needs network namespaces, which Linux gives root or every user")
        offline = Nodes(tmp_path, None, prefix)
        for _ in range(2):
            host = await offline.node("host").run(
                "host", "ourgame", "--public", code=ExitCode.NO_BROKER
            )
            assert "its name cannot be looked up now, as without a network" in str(host.err)
            assert "No public broker can be reached. Check that this machine is online" in str(
                host.err
            )
        await offline.close()


async def test_if_none_can_be_reached_it_says_why_and_what_to_do(
    alone: Nodes, tmp_path: Path
) -> None:
    brokers = listed(tmp_path, NOBODY)
    host = await alone.node("host").run(
        "host", "ourgame", "--public", "--public-list", brokers, code=ExitCode.NO_BROKER
    )
    assert "No public broker can be reached" in str(host.err)
    assert NOBODY in str(host.err)
    assert "--broker" in str(host.err)


async def test_if_all_are_left_out_it_says_what_to_do(
    alone: Nodes, make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> None:
    forgetful = make_mosquitto(websockets=True, extra="retain_available false")
    brokers = listed(tmp_path, NOBODY, forgetful.websocket_url)
    host = await alone.node("host").run(
        "host", "ourgame", "--public", "--public-list", brokers, code=ExitCode.NO_BROKER
    )
    assert "No public broker can be used now. Try later" in str(host.err)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a list of brokers"),
        ("brokers = 3", "is not a list of brokers (brokers: 3 is not a list in brackets)"),
        ('[[brokers]]\nurl = "ws://a"\nkind = 3', "is not a list of brokers"),
        ("[[brokers", "line 1: this is not TOML: a bracket is not closed"),
        ('[[brokers]]\nurl = "ftp://a"', "ftp"),
    ],
)
async def test_a_bad_list_is_refused(text: str, why: str, alone: Nodes, tmp_path: Path) -> None:
    path = tmp_path / "brokers.toml"
    path.write_text(text)
    host = await alone.node("host").run(
        "host", "ourgame", "--public", "--public-list", path, code=ExitCode.USAGE
    )
    assert why in str(host.err)


async def test_public_and_another_broker_exclude_each_other(alone: Nodes) -> None:
    host = await alone.node("host").run("host", "ourgame", "--public", "--lan", code=ExitCode.USAGE)
    assert "choose one" in str(host.err)
