"""Topics and reading them back."""

import pytest

from ataxxd_protocol import Address, Topics
from tests.conformance.games import GUEST_KEY, HOST_KEY

HOST, GUEST = HOST_KEY.node, GUEST_KEY.node
TOPICS = Topics()


@pytest.mark.requirement("MP-TOPIC-1", "MP-VER-1")
@pytest.mark.parametrize(
    ("topic", "address"),
    [
        (TOPICS.offer("ourgame", HOST), Address("offer", "ourgame", HOST, HOST)),
        (TOPICS.state("ourgame", HOST), Address("state", "ourgame", HOST, HOST)),
        (TOPICS.state("ourgame", HOST, 7), Address("state", "ourgame", HOST, HOST, 7)),
        (TOPICS.out("ourgame", HOST, GUEST), Address("out", "ourgame", HOST, GUEST)),
        (TOPICS.status("ourgame", HOST, GUEST), Address("status", "ourgame", HOST, GUEST)),
        (TOPICS.who("ourgame"), Address("who", "ourgame")),
        (TOPICS.who(), Address("who", "_")),
        (TOPICS.card(GUEST), Address("card", "_", writer=GUEST)),
        (TOPICS.post(HOST, GUEST), Address("post", "_", writer=HOST, to=GUEST)),
        (TOPICS.call(HOST, "clubbots"), Address("call", "clubbots", writer=HOST)),
    ],
)
def test_every_topic_reads_back_as_what_it_is_for(topic: str, address: Address) -> None:
    assert topic.startswith("ataxxd/1/")
    assert TOPICS.parse(topic) == address


@pytest.mark.requirement("MP-TOPIC-1")
@pytest.mark.parametrize(
    "topic",
    [
        "",
        "ataxxd",
        "ataxxd/1",
        "ataxxd/1/",
        "ataxxd/1/ourgame",
        f"ataxxd/2/ourgame/{HOST}/offer",
        f"elsewhere/1/ourgame/{HOST}/offer",
        f"/ataxxd/1/ourgame/{HOST}/offer",
        f"ataxxd/1/ourgame/{HOST}/offer/",
        f"ataxxd/1/Ourgame/{HOST}/offer",
        f"ataxxd/1/-game/{HOST}/offer",
        f"ataxxd/1/{'a' * 33}/{HOST}/offer",
        f"ataxxd/1/ourgame\n/{HOST}/offer",
        f"ataxxd/1/ourgame/{HOST}\n/offer",
        f"ataxxd/1/ourgame/{HOST[:-1]}/offer",
        f"ataxxd/1/ourgame/{HOST.upper()}/offer",
        f"ataxxd/1/ourgame/{HOST}/secret",
        f"ataxxd/1/ourgame/{HOST}/state/0",
        f"ataxxd/1/ourgame/{HOST}/state/01",
        f"ataxxd/1/ourgame/{HOST}/state/1000",
        f"ataxxd/1/ourgame/{HOST}/state/x",
        f"ataxxd/1/ourgame/{HOST}/{GUEST}",
        f"ataxxd/1/ourgame/{HOST}/{GUEST}/in",
        f"ataxxd/1/ourgame/{HOST}/{GUEST}\n/out",
        f"ataxxd/1/_/{HOST}/offer",
        "ataxxd/1/who",
        "ataxxd/1/+/who",
        f"ataxxd/1/ourgame/{HOST}/card",
        f"ataxxd/1/_/{HOST}/card/1",
        f"ataxxd/1/_/{HOST}/post",
        f"ataxxd/1/_/{HOST}/post/clubbots",
        f"ataxxd/1/ourgame/{HOST}/post/{GUEST}",
        f"ataxxd/1/_/{HOST}/call/_",
        f"ataxxd/1/_/{HOST}/call/Clubbots",
    ],
)
def test_any_other_topic_is_not_ours(topic: str) -> None:
    assert TOPICS.parse(topic) is None


def test_the_root_can_be_another() -> None:
    club = Topics("club/ataxx")
    topic = club.out("ourgame", HOST, GUEST)
    assert topic == f"club/ataxx/1/ourgame/{HOST}/{GUEST}/out"
    assert club.parse(topic) == Address("out", "ourgame", HOST, GUEST)
    assert TOPICS.parse(topic) is None
