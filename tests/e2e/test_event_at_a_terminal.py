"""A person at a terminal plays in an event: game after game, and no rematch in between."""

import asyncio

from ataxxd.errors import ExitCode
from ataxxd_protocol import grouped
from tests.e2e.nodes import Nodes
from tests.e2e.terminals import in_terminal
from tests.e2e.test_events import WEAK_ENGINE, check_archives, id_of, planned


async def test_a_person_plays_round_after_round_and_is_done(nodes: Nodes) -> None:
    host, person, engine = (nodes.node(name) for name in ("host", "person", "engine"))
    await planned(host, [person, engine], "--rounds", "2")
    hosting = await host.start("event", "run", "open")
    playing = await engine.start("event", "play", "open", *WEAK_ENGINE)
    environment = {"ATAXXD_HOME": str(person.home), "ATAXXD_BROKER": str(nodes.broker)}

    def play() -> int:
        with in_terminal(["event", "play", "open"], environment=environment) as terminal:
            at = 0
            for place, prompt in (("first", "Black:"), ("second", "White:")):
                at = terminal.read_until(f"you move {place}", at)
                at = terminal.read_until(prompt, at)
                terminal.type(b"resign\r")
            terminal.read_until("table after 2 of 2 rounds", at)
            code = terminal.wait()
            assert "rematch" not in terminal.text
            return code

    assert await asyncio.to_thread(play) == ExitCode.OK
    await hosting.ends()
    await playing.ends()
    assert f"({grouped(id_of(person))[:9]})" in hosting.out.lines[-1]


async def test_a_person_who_leaves_the_table_leaves_the_event_and_comes_back(nodes: Nodes) -> None:
    host, person, engine = (nodes.node(name) for name in ("host", "person", "engine"))
    await planned(host, [person, engine], "--rounds", "1")
    hosting = await host.start("event", "run", "open")
    playing = await engine.start("event", "play", "open", *WEAK_ENGINE)
    environment = {"ATAXXD_HOME": str(person.home), "ATAXXD_BROKER": str(nodes.broker)}

    def play(word: bytes, until: str) -> int:
        with in_terminal(["event", "play", "open"], environment=environment) as terminal:
            terminal.read_until("Black:")
            terminal.type(word)
            terminal.read_until(until)
            return terminal.wait()

    left = await asyncio.to_thread(play, b"quit\r", "Come back with: ataxxd event play open")
    assert left == ExitCode.OK
    back = await asyncio.to_thread(play, b"resign\r", "The event is over. You are 2nd of 2")
    assert back == ExitCode.OK
    await hosting.ends()
    await playing.ends()
    check_archives(host, [person, engine])
