"""asyncapi.yaml describes the topics and messages that the program uses, and no others."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ataxxd_protocol import PROTOCOL_VERSION, Topics
from ataxxd_protocol.topics import ANY_NAME
from tests.conformance.games import GUEST_KEY, HOST_KEY
from tests.conformance.letters import GROUP
from tools.schemas import MODELS

PROTOCOL = Path(__file__).parents[2] / "protocol"
API: dict[str, Any] = yaml.safe_load((PROTOCOL / "asyncapi.yaml").read_text(encoding="utf-8"))
CHANNELS: dict[str, dict[str, Any]] = API["channels"]
VALUES = {
    "root": "ataxxd",
    "name": "ourgame",
    "host": HOST_KEY.node,
    "node": GUEST_KEY.node,
    "part": "7",
    "to": HOST_KEY.node,
    "group": GROUP,
}


def resolved(reference: str) -> Any:
    """What a local reference leads to."""
    node: Any = API
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def topic_of(channel: dict[str, Any]) -> str:
    return str(re.sub(r"{(\w+)}", lambda match: VALUES[match[1]], channel["address"]))


def types_in_spec() -> dict[str, tuple[bool, set[str]]]:
    """Retained or not, and the message types, for each topic in the table of SPEC.md."""
    section = (PROTOCOL / "SPEC.md").read_text(encoding="utf-8").split("## 4. Topics")[1]
    table: dict[str, tuple[bool, set[str]]] = {}
    for line in re.findall(r"^\| `\{root\}.*$", section, re.MULTILINE):
        topics, _, retained, types = (cell.strip() for cell in line.strip("|").split("|"))
        kinds = {word for word in re.findall(r"[a-z-]+", types) if word in MODELS}
        for topic in topics.split(","):
            table[topic.strip(" `")] = (retained == "yes", kinds)
    return table


def test_it_is_asyncapi_3_of_this_version() -> None:
    assert API["asyncapi"] == "3.0.0"
    assert API["info"]["version"] == PROTOCOL_VERSION
    assert set(API) <= {
        *("asyncapi", "info", "servers", "defaultContentType", "channels", "operations"),
        "components",
    }


def test_every_reference_leads_somewhere() -> None:
    for reference in references(API):
        if reference.startswith("#/"):
            assert resolved(reference) is not None
        else:
            assert (PROTOCOL / reference).is_file(), reference


@pytest.mark.parametrize("name", CHANNELS)
def test_a_channel_is_a_topic_of_the_program_and_declares_its_parameters(name: str) -> None:
    channel = CHANNELS[name]
    address = Topics().parse(topic_of(channel))
    assert address is not None
    assert re.findall(r"{(\w+)}", channel["address"]) == list(channel["parameters"])
    kind = re.sub(r"Part|Any", "", name)
    assert address.kind == kind


def test_every_topic_of_the_program_is_a_channel() -> None:
    topics, host = Topics(), HOST_KEY.node
    assert {topic_of(channel) for channel in CHANNELS.values()} == {
        topics.offer("ourgame", host),
        topics.state("ourgame", host),
        topics.state("ourgame", host, 7),
        topics.out("ourgame", host, GUEST_KEY.node),
        topics.unread("ourgame", host, GUEST_KEY.node),
        topics.talk("ourgame", host, GUEST_KEY.node),
        topics.status("ourgame", host, GUEST_KEY.node),
        topics.statement("ourgame", host, GUEST_KEY.node),
        topics.who("ourgame"),
        topics.who(ANY_NAME),
        topics.card(GUEST_KEY.node),
        topics.nickname(GUEST_KEY.node),
        topics.post(GUEST_KEY.node, host),
        topics.challenge(GUEST_KEY.node, host),
        topics.decline(GUEST_KEY.node, host),
        topics.call(GUEST_KEY.node, GROUP),
        topics.event("ourgame", host),
        topics.event("ourgame", host, 7),
    }


def test_channels_carry_what_the_specification_says() -> None:
    assert {channel["address"]: set(channel["messages"]) for channel in CHANNELS.values()} == {
        topic: kinds for topic, (_, kinds) in types_in_spec().items()
    }


def test_every_message_has_its_schema_and_its_channel() -> None:
    messages = API["components"]["messages"]
    assert set(messages) == set(MODELS) - {"record"}
    for kind, message in messages.items():
        assert message["name"] == kind
        assert message["payload"]["schema"]["$ref"] == f"./schemas/{kind}.json"
    carried = {kind for channel in CHANNELS.values() for kind in channel["messages"]}
    assert carried == set(messages)


def test_operations_cover_every_channel_with_qos_1_and_retain_as_specified() -> None:
    seen = set()
    table = types_in_spec()
    for operation in API["operations"].values():
        channel = resolved(operation["channel"]["$ref"])
        mqtt = operation["bindings"]["mqtt"]
        assert mqtt["qos"] == 1
        if operation["action"] == "send":
            assert mqtt["retain"] is table[channel["address"]][0]
        assert [resolved(message["$ref"]) for message in operation["messages"]] == list(
            channel["messages"].values()
        )
        seen.add((operation["action"], channel["address"]))
    assert len(seen) == 2 * len(CHANNELS) == len(API["operations"])
