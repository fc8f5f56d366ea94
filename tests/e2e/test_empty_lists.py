"""What a new node says that has nothing to list yet: what to do."""

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("archive",), "/new yet. Play one: `ataxxd host NAME"),
        (("archive", "--game", "loa"), "/new yet. Play one: `ataxxd host NAME"),
        (("ratings",), "No rated games yet: a game counts once it is over and has a result"),
        (("players", "--wait", "0.2"), "Be the first: `ataxxd challenges --name NAME"),
        (("games", "--wait", "0.2"), "Open one: ataxxd host NAME"),
        (("challenges", "--wait", "0.2"), "No challenge came. See who is there"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
async def test_an_empty_list_says_what_to_do(
    words: tuple[str, ...], told: str, nodes: Nodes
) -> None:
    listed = await nodes.node("new").run(*words)
    assert told in str(listed.err)
    assert str(listed.out).strip() == ""


async def test_an_empty_list_for_programs_is_empty(nodes: Nodes) -> None:
    for words in (("archive",), ("players", "--wait", "0.2"), ("games", "--wait", "0.2")):
        listed = await nodes.node("new").run(*words, "--json")
        assert str(listed.out).strip() == ""
        assert str(listed.err).strip() == ""


async def test_a_command_to_type_names_the_broker_that_was_named(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    new = nodes.node("new")
    elsewhere = "localhost".join(mosquitto.url.split("127.0.0.1"))
    wanted, there = ("--wait", "0.2", "--broker", elsewhere), f"--broker {elsewhere}"
    listed = await new.run("games", *wanted)
    assert f"Open one: ataxxd host NAME {there}\n" in f"{listed.err}\n"
    missed = await new.run("join", f"cup@{elsewhere}", *wanted[:2], code=ExitCode.NO_SUCH_GAME)
    assert f"`ataxxd games {there}`. Or open it: ataxxd host cup {there}" in str(missed.err)
    nobody = await new.run("challenge", "nobody", *wanted[2:], code=ExitCode.NO_SUCH_GAME)
    assert f"See who is there: `ataxxd players {there}`." in str(nobody.err)
