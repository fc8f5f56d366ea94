"""Broker addresses: every form, every mistake, and no secret shown."""

import re
from pathlib import Path

import pytest

from ataxxd.errors import ConfigError
from ataxxd.transport.address import BrokerAddress, parse_address, parse_addresses
from ataxxd.transport.base import BrokerUrlError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mqtt://example.org", "mqtt://example.org:1883"),
        ("mqtts://example.org", "mqtts://example.org:8883"),
        ("ws://example.org", "ws://example.org:80/mqtt"),
        ("wss://example.org/broker", "wss://example.org:443/broker"),
        ("mqtt://127.0.0.1:2000/", "mqtt://127.0.0.1:2000"),
        ("mqtt://[::1]:2000", "mqtt://[::1]:2000"),
        ("MQTT://Example.ORG", "mqtt://example.org:1883"),
        ("example.org", "mqtt://example.org:1883"),
        ("  localhost:1884 ", "mqtt://localhost:1884"),
    ],
)
def test_an_address_is_shown_in_full(text: str, shown: str) -> None:
    assert str(parse_address(text)) == shown


def test_user_and_password_are_decoded_and_never_shown() -> None:
    address = parse_address("mqtts://ann%40home:p%2Fw%3A%20d@example.org")
    assert (address.user, address.password) == ("ann@home", "p/w: d")
    for text in (str(address), repr(address)):
        assert "ann" not in text
        assert "p/w" not in text
        assert "example.org" in text


def test_certificates_come_from_the_query() -> None:
    address = parse_address("mqtts://h?ca=/a.pem&cert=/c.pem&key=/k.pem")
    assert (address.ca, address.cert, address.key) == (
        Path("/a.pem"),
        Path("/c.pem"),
        Path("/k.pem"),
    )
    assert address.tls
    assert not address.websocket


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://example.org", '"http" is not a way to reach a broker'),
        ("mqtt://", "it has no host"),
        ("mqtt://:1883", "it has no host"),
        ("", "it has no host"),
        ("mqtt://h:port", "port is not a number"),
        ("mqtt://h:70000", "at most 65535"),
        ("mqtt://h:0", "port 0"),
        ("mqtt://[::1", "brackets"),
        ("mqtt://a b", "it has no host"),
        ("mqtt://h/path", "no path"),
        ("mqtt://h#part", '"#part"'),
        ("mqtt://h?ca=/x", "write mqtts://"),
        ("ws://h?ca=/x", "write wss://"),
        ("mqtts://h?key=/x", "no certificate"),
        ("mqtts://h?ca=", "names no file"),
        ("mqtts://h?tls=off", 'unknown option "tls"'),
        ("mqtt://:secret@h", "a password but no user"),
    ],
)
def test_a_mistake_is_named_and_the_right_form_shown(text: str, why: str) -> None:
    with pytest.raises(BrokerUrlError) as caught:
        parse_address(text)
    assert why in str(caught.value)
    assert "mqtt://[USER:PASSWORD@]HOST[:PORT]" in str(caught.value)
    assert isinstance(caught.value, ConfigError)


@pytest.mark.parametrize(
    "text",
    [
        "http://ann:secret@h",
        "mqtt://ann:secret@h:x",
        "mqtt://ann:se/secret@h",
        "mqtt://ann:se?secret@h",
        "mqtt://ann:se#secret@h",
        "ann:secret@h/path",
    ],
)
def test_an_error_never_shows_the_password(text: str) -> None:
    with pytest.raises(BrokerUrlError) as caught:
        parse_address(text)
    assert "secret" not in str(caught.value)


def test_equal_addresses_are_equal() -> None:
    assert parse_address("h") == BrokerAddress("mqtt", "h", 1883)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", ["mqtt://a:1883"]),
        ("a,b:1884", ["mqtt://a:1883", "mqtt://b:1884"]),
        (" mqtts://a , wss://b/x", ["mqtts://a:8883", "wss://b:443/x"]),
        ("mqtts://a:9000,b,[::1]:1", ["mqtts://a:9000", "mqtts://b:8883", "mqtts://[::1]:1"]),
        ("wss://a/way,b", ["wss://a:443/way", "wss://b:443/way"]),
    ],
)
def test_several_addresses_stand_with_commas_between_them(text: str, shown: list[str]) -> None:
    assert [str(address) for address in parse_addresses(text)] == shown


def test_a_bare_host_of_a_list_is_reached_as_the_first_is() -> None:
    first, second, third = parse_addresses("mqtts://ann:s@a:9000?ca=/ca.pem,b,mqtt://bob:t@c")
    assert (second.user, second.password, second.ca) == ("ann", "s", Path("/ca.pem"))
    assert (third.user, third.password, third.ca) == ("bob", "t", None)
    assert first.port == 9000


@pytest.mark.parametrize(
    ("text", "password", "hosts"),
    [
        ("mqtt://ann:p,q@a", "p,q", ["a"]),
        ("mqtt://ann:p,q,r@a,b", "p,q,r", ["a", "b"]),
        ("mqtt://ann:p,q@a,mqtt://ann:p,q@b", "p,q", ["a", "b"]),
    ],
)
def test_a_comma_in_a_password_divides_nothing(text: str, password: str, hosts: list[str]) -> None:
    addresses = parse_addresses(text)
    assert [address.host for address in addresses] == hosts
    assert {address.password for address in addresses} == {password}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,", "a comma too many"),
        ("a,,b", "a comma too many"),
        (",a", "it has no host"),
        ("a,b:port", "port is not a number"),
        ("a,http://b", '"http" is not a way'),
        ("a,b/path", "no path"),
        ("a,b,a:1883", "names one of them twice"),
    ],
)
def test_a_mistake_in_a_list_is_named(text: str, why: str) -> None:
    with pytest.raises(BrokerUrlError, match=re.escape(why)):
        parse_addresses(text)
