"""Brokers' addresses: what an invitation means, and what others may see."""

import pytest

from ataxxd.transport.address import (
    add_user,
    broker_url,
    format_public,
    is_same_broker,
    resolve_broker,
    with_password,
)

INVITED = "mqtts://broker.example.org"
OWN = "mqtts://:secret@broker.example.org:8883?ca=ca.pem"


def test_an_invitation_leads_by_our_own_address_of_its_broker() -> None:
    assert resolve_broker(INVITED, OWN) == OWN
    assert resolve_broker(INVITED, None) == INVITED
    assert resolve_broker(None, OWN) == OWN
    assert resolve_broker(None, None) is None


@pytest.mark.parametrize(
    "elsewhere",
    ["mqtts://other.example.org", "mqtt://broker.example.org", "mqtts://broker.example.org:9883"],
)
def test_an_invitation_to_another_broker_leads_there(elsewhere: str) -> None:
    assert resolve_broker(elsewhere, OWN) == elsewhere
    assert not is_same_broker(elsewhere, OWN)


def test_an_address_without_a_scheme_is_plain_mqtt() -> None:
    assert broker_url("192.168.1.5") == "mqtt://192.168.1.5"
    assert is_same_broker("192.168.1.5", "mqtt://192.168.1.5:1883")


def test_a_password_without_a_user_is_this_nodes() -> None:
    assert add_user("mqtt://:secret@here", "k7fq") == "mqtt://k7fq:secret@here"
    assert add_user("mqtt://ann:secret@here", "k7fq") == "mqtt://ann:secret@here"


def test_people_see_no_secrets() -> None:
    assert format_public(OWN) == "mqtts://broker.example.org:8883"
    # No addresses, and the first has a password with a slash that is not escaped.
    assert format_public("mqtt://ann:correct/horse@a") == "mqtt://ann"
    assert format_public("mqtt://ann:x@127.0.0.1:27613:x") == "mqtt://127.0.0.1"


def test_a_list_is_the_same_cluster_where_one_address_is() -> None:
    own = "mqtts://:secret@a,b,c"
    assert resolve_broker("mqtts://b:8883,d", own) == own
    assert resolve_broker("mqtts://d,e", own) == "mqtts://d,e"
    assert not is_same_broker("mqtt://b", own)


def test_people_see_a_list_without_secrets_and_as_short_as_it_can_be_read() -> None:
    assert format_public("mqtts://:secret@a:9000?ca=ca.pem,b,mqtts://:other@c:1,ws://d") == (
        "mqtts://a:9000,b,c:1,ws://d"
    )
    assert is_same_broker(format_public("wss://u:s@a/way,b,wss://c/way"), "wss://c/way")
    assert format_public("wss://u:s@a/way,b,wss://c/way") == "wss://a/way,b,c"
    assert format_public("mqtt://[::1]:5,[::2]") == "mqtt://[::1]:5,[::2]"


def test_every_address_of_a_list_gets_the_user_and_the_password() -> None:
    assert add_user("mqtt://:a@x,mqtt://:b@y", "k7fq") == "mqtt://k7fq:a@x,mqtt://k7fq:b@y"
    assert with_password("mqtts://ann@x,y,mqtts://z", "p,/") == (
        "mqtts://ann:p%2C%2F@x,y,mqtts://:p%2C%2F@z"
    )


def test_a_list_whose_first_address_is_bare_is_plain_mqtt() -> None:
    assert broker_url("a,mqtts://b") == "mqtt://a,mqtts://b"
