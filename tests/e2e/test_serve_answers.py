"""A node that serves, and those who ask it: challenges, groups, questions, and its monitor."""

import json
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.conformance.games import SHORT_ENDGAME
from tests.e2e.nodes import Node, Nodes, Running
from tests.e2e.recording import retained

BOT = """
[[bots]]
group = "bots"
player = "random"
greeting = "Good luck!"
"""
SHORT = ("--auto", "--level", "1", "--line", "--position", SHORT_ENDGAME)


def written(path: Path, text: str) -> Path:
    """The file with such a configuration."""
    path.write_text(text, encoding="utf-8")
    return path


async def serving(node: Node, path: Path, text: str) -> Running:
    """A service that answers."""
    written(path, text)
    running = await node.start("serve", "--config", path)
    await running.says("challenges are heard")
    return running


async def id_of(node: Node) -> str:
    """A node's id."""
    return (await node.run("id")).out.lines[0].replace("-", "").split()[0]


@pytest.fixture
def path(nodes: Nodes) -> Path:
    return nodes.folder / "server.toml"


@pytest.mark.gate
async def test_a_bot_takes_a_challenge_and_greets(nodes: Nodes, path: Path) -> None:
    server = nodes.node("server")
    running = await serving(server, path, BOT)
    challenging = await nodes.node("ann").run(
        "challenge", await id_of(server), "--name", "duel", *SHORT
    )
    assert "Both players have signed this result." in str(challenging.err)
    assert "Good luck!" in str(challenging.out) + str(challenging.err)
    await running.says("duel: over")


async def test_a_bot_declines_with_its_reason(nodes: Nodes, path: Path) -> None:
    server = nodes.node("server")
    await serving(server, path, BOT + "without_clock = false\n")
    challenging = await nodes.node("ann").run(
        "challenge", await id_of(server), "--name", "duel", *SHORT, code=ExitCode.OPPONENT_GONE
    )
    assert "this bot plays with a clock only" in str(challenging.err)


async def test_two_services_of_one_group_take_one_challenge_each(nodes: Nodes, path: Path) -> None:
    slow = BOT.replace('"random"', '"auto"') + "level = 10\nat_once = 1\n"
    one = await serving(nodes.node("one"), path, slow)
    two = await serving(nodes.node("two"), path, slow)
    challenging = []
    for name in ("first-game", "second-game"):
        challenger = await nodes.node(f"of-{name}").start("challenge", "bots", "--name", name)
        challenging.append(challenger)
    for running in (one, two):
        await running.says("playing against")
    names = {
        line.split(": playing")[0].rpartition(" ")[2]
        for running in (one, two)
        for line in running.err.lines
        if "playing against" in line
    }
    assert names == {"first-game", "second-game"}
    for challenger in challenging:
        await challenger.kill()


async def test_questions_are_answered_with_as_many_positions_as_allowed(
    nodes: Nodes, path: Path
) -> None:
    await serving(nodes.node("server"), path, BOT + "analysis_nodes = 5000\n")
    asking = await nodes.node("ann").run(
        "analyse", SHORT_ENDGAME, "--over", "bots", "--nodes", "20000", "--json"
    )
    answer = json.loads(asking.out.lines[0])
    assert 0 < answer["nodes"] <= 5000


async def test_its_card_says_what_is_free_and_is_gone_when_it_stops(
    nodes: Nodes, path: Path
) -> None:
    server = nodes.node("server")
    running = await serving(server, path, BOT + '[node]\nname = "club"\ngreeting = "Ask!"\n')
    listed = await nodes.node("ann").run("players", "--json")
    card = json.loads(listed.out.lines[0])
    assert (card["name"], card["groups"], card["free"], card["text"]) == (
        "club", ["bots"], 4, "Ask!",
    )  # fmt: skip
    running.send(signal.SIGTERM)
    await running.ends()
    assert nodes.broker is not None
    assert await retained(nodes.broker) == {}


async def test_whoever_watches_over_it_sees_its_games(nodes: Nodes, path: Path) -> None:
    server = nodes.node("server")
    table = '[[tables]]\nname = "club"\nruleset = "ataxx/uai"\nclock = "10m"\n'
    running = await serving(server, path, BOT + table + "[monitor]\nenabled = true\n")
    await running.says("metrics at http://127.0.0.1:")
    await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    told = json.loads(str((await server.run("status", "--json")).out))
    (game,) = [game for game in told["games"] if game["name"] == "club"]
    assert (told["ready"], told["connected"], game["state"]) == (True, True, "playing")
    assert all(0 < left <= 600_000 for left in game["remaining_ms"])


async def test_the_page_of_the_lobby_is_served_and_its_own_games_are_not_offered_there(
    nodes: Nodes, path: Path
) -> None:
    running = await serving(nodes.node("server"), path, BOT + "[web]\nenabled = true\n")
    await running.says("Open: http://127.0.0.1:")
    running.send(signal.SIGTERM)
    await running.ends()
