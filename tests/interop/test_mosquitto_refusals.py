"""Brokers that cannot be reached or say no: each told apart, each with its remedy."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.transport.base import BrokerRefused, BrokerUnreachable, BrokerUrlError
from ataxxd.transport.mqtt import MqttTransport
from tests.bad_servers import hanging_up_server, silent_server
from tests.brokers import (
    Mosquitto,
    free_port,
)
from tests.certificates import Certificates
from tests.time_limits import DEADLINE

pytestmark = pytest.mark.usefixtures("links")


async def refusal(url: str, *, patience: float = DEADLINE) -> Exception:
    """What opening a transport there raises; everything it made must be gone again."""
    before = asyncio.all_tasks()
    with pytest.raises((BrokerRefused, BrokerUnreachable, BrokerUrlError)) as caught:
        async with MqttTransport(url, timeout=patience):
            pass
    assert asyncio.all_tasks() == before
    return caught.value


async def test_a_dead_port_is_unreachable_and_says_how_to_start_a_broker() -> None:
    port = free_port()
    error = await refusal(f"mqtt://127.0.0.1:{port}")
    assert isinstance(error, BrokerUnreachable)
    assert error.exit_code is ExitCode.NO_BROKER
    assert "nothing listens there" in str(error)
    assert f"ataxxd broker --port {port}" in str(error)


async def test_an_unknown_host_name_is_called_that() -> None:
    error = await refusal("mqtt://no-such-host.invalid")
    assert isinstance(error, BrokerUnreachable)
    assert "no-such-host.invalid:1883" in str(error)


async def test_a_server_that_says_nothing_is_given_up() -> None:
    with silent_server() as port:
        error = await refusal(f"mqtt://127.0.0.1:{port}", patience=0.2)
    assert isinstance(error, BrokerUnreachable)
    assert "did not answer" in str(error)


async def test_a_server_that_hangs_up_is_not_waited_for() -> None:
    with hanging_up_server() as port:
        error = await refusal(f"mqtt://127.0.0.1:{port}", patience=3600)
    assert isinstance(error, BrokerRefused)
    assert "closed the connection" in str(error)


async def test_a_wrong_password_is_refused_and_not_shown(
    make_mosquitto: Callable[..., Mosquitto],
) -> None:
    mosquitto = make_mosquitto(users={"ann": "right"})
    host = f"127.0.0.1:{mosquitto.port}"
    async with MqttTransport(f"mqtt://ann:right@{host}") as transport:
        assert "right" not in repr(transport) + transport.url + repr(transport.addresses)
    error = await refusal(f"mqtt://ann:wrong@{host}")
    assert isinstance(error, BrokerRefused)
    assert error.exit_code is ExitCode.BROKER_REFUSED
    assert '"ann"' in str(error)
    assert "mqtt://USER:PASSWORD@HOST" in str(error)
    assert "wrong@" not in str(error)


async def test_a_missing_user_is_refused(make_mosquitto: Callable[..., Mosquitto]) -> None:
    mosquitto = make_mosquitto(users={"ann": "right"})
    error = await refusal(mosquitto.url)
    assert isinstance(error, BrokerRefused)
    assert "without a user" in str(error)


async def test_a_certificate_of_an_unknown_authority_is_not_trusted(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates, tmp_path: Path
) -> None:
    mosquitto = make_mosquitto(certificates=certificates)
    plain = await refusal(f"mqtts://127.0.0.1:{mosquitto.tls_port}")
    assert isinstance(plain, BrokerRefused)
    assert "not trusted" in str(plain)
    assert "?ca=FILE" in str(plain)
    other = Certificates.make(tmp_path / "other", name="another authority")
    error = await refusal(f"mqtts://127.0.0.1:{mosquitto.tls_port}?ca={other.ca}")
    assert isinstance(error, BrokerRefused)
    assert str(other.ca) in str(error)


async def test_a_password_for_a_broker_with_tls_is_not_asked_for_without(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(users={"ann": "right"}, certificates=certificates)
    error = await refusal(f"mqtts://ann:wrong@127.0.0.1:{mosquitto.tls_port}?ca={certificates.ca}")
    assert "mqtts://USER:PASSWORD@HOST" in str(error)


@pytest.mark.parametrize(
    ("host", "address", "days", "why"),
    [
        ("127.0.0.1", "127.0.0.1", (-5, -1), "has expired, if this machine's clock is right: ask"),
        ("127.0.0.1", "127.0.0.1", (1, 5), "is not valid yet: is this machine's clock right?"),
        ("127.0.0.1", "127.0.0.2", (-1, 1), "was not made for 127.0.0.1. Use the name that"),
        ("localhost", "127.0.0.1", (-1, 1), "was not made for localhost. Use the name that"),
    ],
)
async def test_what_is_wrong_with_a_certificate_of_the_right_authority_is_told(
    make_mosquitto: Callable[..., Mosquitto],
    certificates: Certificates,
    host: str,
    address: str,
    days: tuple[float, float],
    why: str,
) -> None:
    mosquitto = make_mosquitto(certificates=certificates.for_broker(address, days=days))
    error = await refusal(f"mqtts://{host}:{mosquitto.tls_port}?ca={certificates.ca}")
    assert isinstance(error, BrokerRefused)
    assert str(error).startswith(f"The certificate of mqtts://{host}:{mosquitto.tls_port} {why}")
    assert "authority" not in str(error)


async def test_a_missing_client_certificate_is_refused_with_a_hint(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(certificates=certificates, client_certificates=True)
    error = await refusal(mosquitto.tls_url, patience=3600)
    assert isinstance(error, BrokerRefused)
    assert "certificate" in str(error)


async def test_tls_to_a_plain_port_says_so(mosquitto: Mosquitto) -> None:
    error = await refusal(f"mqtts://127.0.0.1:{mosquitto.port}")
    assert isinstance(error, BrokerRefused)
    assert "TLS" in str(error)


async def test_plain_mqtt_to_a_tls_port_says_so(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(certificates=certificates)
    error = await refusal(f"mqtt://127.0.0.1:{mosquitto.tls_port}", patience=3600)
    assert isinstance(error, BrokerRefused)
    assert "mqtts://" in str(error)


async def test_a_websocket_address_on_a_plain_port_says_so(mosquitto: Mosquitto) -> None:
    error = await refusal(f"ws://127.0.0.1:{mosquitto.port}")
    assert isinstance(error, BrokerRefused)
    assert "websocket" in str(error)


async def test_a_missing_ca_file_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.pem"
    error = await refusal(f"mqtts://127.0.0.1:{free_port()}?ca={missing}")
    assert isinstance(error, BrokerUrlError)
    assert str(missing) in str(error)


async def test_a_ca_file_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "notes.txt"
    wrong.write_text("milk, bread")
    error = await refusal(f"mqtts://127.0.0.1:{free_port()}?ca={wrong}")
    assert isinstance(error, BrokerUrlError)
    assert "PEM" in str(error)


async def test_giving_up_while_connecting_leaves_nothing_behind() -> None:
    before = asyncio.all_tasks()
    with silent_server() as port:
        transport = MqttTransport(f"mqtt://127.0.0.1:{port}", timeout=0.2)
        opening = asyncio.create_task(transport.__aenter__())
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
    assert asyncio.all_tasks() == before
