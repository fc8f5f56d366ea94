"""Seeks between real programs: whoever would like the same game meets, and nobody else."""

import asyncio
import json
import signal

import pytest

from ataxxd.errors import ExitCode
from tests.e2e.nodes import Node, Nodes, Running
from tests.e2e.recording import retained

WAITS = "No seek to join yet"
PLAYS = ("--player", "random", "--ruleset", "ataxx/uai")


async def seek(node: Node, *options: str) -> Running:
    """A player who seeks a game."""
    return await node.start("seek", *PLAYS, *options)


async def waiting(node: Node, *options: str) -> Running:
    """A player who seeks a game that nobody else seeks yet."""
    running = await seek(node, *options)
    await running.says(WAITS)
    return running


async def play(*players: Running) -> None:
    """Both players of a game come to its end, and have signed it."""
    for player in players:
        await player.ends()
        assert "Both players have signed this result." in str(player.err)
    # However quick the game was, it was said first who has come.
    told = [line for player in players for line in player.err.lines]
    assert sum(" has joined. You play " in line for line in told) == len(players) // 2


async def withdrawn(running: Running) -> None:
    """A seek is given up by Ctrl-C, and nobody has come."""
    running.send(signal.SIGINT)
    await running.says("The seek is withdrawn.")
    await running.ends(ExitCode.INTERRUPTED)
    assert "has joined" not in str(running.err)
    assert "resume" not in str(running.err)


@pytest.mark.gate
async def test_the_second_who_seeks_a_game_joins_the_first_and_so_the_next_evening(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    for one, other in ((ann, bob), (bob, ann)):
        first = await waiting(one, "--rating-range", "1000-1800", "--rated")
        listed = [json.loads(line) for line in (await other.run("games", "--json")).out.lines]
        (game,) = [game for game in listed if game["state"] == "open"]
        assert game["name"].startswith("seek-1000-1800-")
        second = await seek(other, "--rated", "--rating-range", "1000-2000")
        await second.says("seeks the same game")
        await second.says("no takebacks")
        await play(first, second)


async def test_two_who_seek_at_once_meet(nodes: Nodes) -> None:
    ann, bob = await asyncio.gather(seek(nodes.node("ann")), seek(nodes.node("bob")))
    await play(ann, bob)


async def test_of_three_at_once_one_waits_until_a_fourth_comes(nodes: Nodes) -> None:
    three = await asyncio.gather(*(seek(nodes.node(name)) for name in ("ann", "bob", "cid")))
    ends = [asyncio.create_task(each.end()) for each in three]
    left = set(ends)
    while len(left) > 1:
        _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
    fourth = await seek(nodes.node("dan"))
    await asyncio.wait(left)
    await play(*three, fourth)


async def test_those_who_do_not_fit_wait_on_and_nothing_is_left_of_a_seek_that_is_given_up(
    nodes: Nodes,
) -> None:
    quick = await waiting(nodes.node("ann"), "--clock", "5+0")
    slow = await waiting(nodes.node("bob"), "--clock", "10+0")
    strong = await waiting(nodes.node("cid"), "--clock", "5+0", "--rating-range", "1800-2200")
    # A newcomer is rated 1500.
    other = await seek(nodes.node("dan"), "--clock", "10+0", "--rating-range", "1400-1600")
    await play(slow, other)
    for each in (quick, strong):
        await withdrawn(each)
    assert nodes.broker is not None
    # That of the game that was played is left.
    assert sum(topic.endswith("/offer") for topic in await retained(nodes.broker)) == 1
    await nodes.node("ann").run("resume", code=ExitCode.NO_SUCH_GAME)


async def test_whoever_has_won_is_not_in_the_range_of_newcomers_by_its_own_archive(
    nodes: Nodes,
) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    won = await waiting(ann)
    lost = await bob.start("seek", "--ruleset", "ataxx/uai", typed=True)
    await lost.says("You have the seat")
    await lost.type("resign")
    await play(won, lost)
    modest = await waiting(nodes.node("cid"), "--rating-range", "1400-1600")
    # Had it not won, it would join.
    strong = await waiting(ann)
    await play(strong, await seek(bob))
    await withdrawn(modest)


async def test_who_leaves_its_side_open_gives_way_to_who_does_not(nodes: Nodes) -> None:
    either = await waiting(nodes.node("ann"))
    black = await seek(nodes.node("bob"), "--color", "first")
    await either.says("seeks the same game")
    await play(either, black)
    assert "You play Black." in str(black.err)


async def test_two_who_want_the_same_side_wait_for_somebody_else(nodes: Nodes) -> None:
    one = await waiting(nodes.node("ann"), "--color", "first")
    other = await waiting(nodes.node("bob"), "--color", "first")
    white = await seek(nodes.node("cid"), "--color", "second")
    await play(one, white)
    await withdrawn(other)


async def test_a_seek_whose_player_is_gone_is_not_waited_for(nodes: Nodes) -> None:
    dead = await waiting(nodes.node("ann"))
    await dead.kill()
    alive = await waiting(nodes.node("bob"))
    other = await seek(nodes.node("cid"))
    await play(alive, other)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rating-range", "1600-1200"), "such as 1200-1600"),
        (("--rated", "--grace", "never"), "silence must end the game"),
    ],
)
async def test_what_says_nothing_is_refused(
    nodes: Nodes, options: tuple[str, ...], words: str
) -> None:
    running = await seek(nodes.node("ann"), *options)
    await running.says(words)
    await running.ends(ExitCode.USAGE)
