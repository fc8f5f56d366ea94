"""Brokers' addresses: what an invitation means, and what others may see."""

import pytest

from ataxxd.node.addresses import broker_url, meant, named, public, same_place

INVITED = "mqtts://broker.example.org"
OWN = "mqtts://:secret@broker.example.org:8883?ca=ca.pem"


def test_an_invitation_leads_by_our_own_address_of_its_broker() -> None:
    assert meant(INVITED, OWN) == OWN
    assert meant(INVITED, None) == INVITED
    assert meant(None, OWN) == OWN
    assert meant(None, None) is None


@pytest.mark.parametrize(
    "elsewhere",
    ["mqtts://other.example.org", "mqtt://broker.example.org", "mqtts://broker.example.org:9883"],
)
def test_an_invitation_to_another_broker_leads_there(elsewhere: str) -> None:
    assert meant(elsewhere, OWN) == elsewhere
    assert not same_place(elsewhere, OWN)


def test_an_address_without_a_scheme_is_plain_mqtt() -> None:
    assert broker_url("192.168.1.5") == "mqtt://192.168.1.5"
    assert same_place("192.168.1.5", "mqtt://192.168.1.5:1883")


def test_a_password_without_a_user_is_this_nodes() -> None:
    assert named("mqtt://:secret@here", "k7fq") == "mqtt://k7fq:secret@here"
    assert named("mqtt://ann:secret@here", "k7fq") == "mqtt://ann:secret@here"


def test_people_see_no_secrets() -> None:
    assert public(OWN) == "mqtts://broker.example.org:8883"
