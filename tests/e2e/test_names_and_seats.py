"""Finding the right game and the free seat, as people do it at the command line."""

import json

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person

AUTO = ("--auto", "--level", "1", "--seed", "1")


async def test_a_third_joiner_is_told_that_the_seat_is_taken(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    person = Person(Side.SECOND, 1)
    await person.play(guest, plies=1)
    third = await nodes.node("third").run("join", "ourgame", *AUTO, code=ExitCode.SEAT_TAKEN)
    await_words = str(third.err)
    assert "seat is taken" in await_words
    assert "ataxxd watch ourgame#" in await_words
    await guest.type("resign")
    await guest.ends()
    await host.ends()
    after = await nodes.node("third").run("join", "ourgame", *AUTO, code=ExitCode.SEAT_TAKEN)
    assert "is over" in str(after.err)


async def test_of_two_who_join_at_once_one_plays_and_the_other_is_told(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO)
    guests = [await nodes.node(f"guest{i}").start("join", "ourgame", *AUTO) for i in range(3)]
    codes = sorted([await guest.ends(ExitCode.OK, ExitCode.SEAT_TAKEN) for guest in guests])
    await host.ends()
    assert codes == [ExitCode.OK, ExitCode.SEAT_TAKEN, ExitCode.SEAT_TAKEN]


async def test_open_games_are_listed_first_and_those_that_are_over_last(nodes: Nodes) -> None:
    over = await nodes.node("left").host("over", *AUTO)
    resigning = await nodes.node("guest").start("join", "over", typed=True)
    await resigning.prints("* Red moves")
    await resigning.type("resign")
    await resigning.ends()
    await over.ends()
    await nodes.node("left").host("played", *AUTO)
    playing = await nodes.node("guest").start("join", "played", typed=True)
    await playing.prints("* Red moves")
    await nodes.node("right").host("waits", *AUTO)
    watching = await nodes.node("anybody").start("watch", "waits")
    await watching.says("Nobody has joined it yet; waiting for it to begin.")
    listed = await nodes.node("anybody").run("games")
    rows = [line.split() for line in listed.out.lines]
    assert [(row[0], row[1]) for row in rows] == [
        ("waits", "open"),
        ("played", "playing"),
        ("over", "over"),
    ]
    assert rows[1][3:5] == ["1", "ply"]


async def test_two_hosts_of_one_name_are_told_apart_by_their_ids(nodes: Nodes) -> None:
    hosts = {
        who: await nodes.node(who).host("ourgame", *AUTO, "--color", color)
        for who, color in (("left", "red"), ("right", "blue"))
    }
    ids = {}
    for who in hosts:
        shown = (await nodes.node(who).run("id")).out.lines[0]
        ids[who] = next(word for word in shown.split() if word.count("-") == 4)
    both = await nodes.node("guest").run("join", "ourgame", *AUTO, code=ExitCode.NO_SUCH_GAME)
    assert "2 hosts offer" in str(both.err)
    assert all(f"ourgame#{grouped}" in str(both.err) for grouped in ids.values())

    listed = await nodes.node("guest").run("games", "--json")
    rows = [json.loads(line) for line in listed.out.lines]
    assert {row["host"] for row in rows} == {name.replace("-", "") for name in ids.values()}
    assert {(row["name"], row["state"]) for row in rows} == {("ourgame", "open")}
    plain = await nodes.node("guest").run("games")
    assert all(grouped in str(plain.out) for grouped in ids.values())

    # By the whole id, with dashes; and by its beginning, which is warned about.
    whole = await nodes.node("guest").start("join", f"ourgame#{ids['left']}", *AUTO)
    await whole.ends()
    await hosts["left"].ends()
    assert hosts["right"].alive
    beginning = await nodes.node("guest").start(
        "join", f"ourgame#{ids['right'][:7].upper()}", *AUTO
    )
    await beginning.says("is only the beginning of the host's id")
    await beginning.ends()
    await hosts["right"].ends()


async def test_a_host_that_is_not_the_one_known_under_the_name_is_pointed_out(
    nodes: Nodes,
) -> None:
    for who in ("friend", "stranger"):
        host = await nodes.node(who).host("ourgame", *AUTO)
        # The friend's game is over and still on the broker; the open one is meant.
        guest = await nodes.node("guest").start("join", "ourgame", *AUTO)
        await guest.ends()
        await host.ends()
        assert ("was hosted by" in str(guest.err)) is (who == "stranger")


async def test_an_unknown_name_is_answered_with_a_similar_one(nodes: Nodes) -> None:
    await nodes.node("host").host("ourgame", *AUTO)
    for command in ("join", "watch"):
        lost = await nodes.node("guest").run(
            command, "ourgmae", "--wait", "0.3", code=ExitCode.NO_SUCH_GAME
        )
        assert 'No game "ourgmae" on mqtt://127.0.0.1' in str(lost.err)
        assert 'Did you mean "ourgame" (host ' in str(lost.err)
    elsewhere = await nodes.node("guest").run(
        "join", "ourgame#aaaa", "--wait", "0.3", code=ExitCode.NO_SUCH_GAME
    )
    assert "has it, not aaaa" in str(elsewhere.err)


async def test_an_empty_broker_is_answered_with_how_to_open_a_game(nodes: Nodes) -> None:
    lost = await nodes.node("guest").run(
        "join", "ourgame", "--wait", "0.3", code=ExitCode.NO_SUCH_GAME
    )
    assert "ataxxd host ourgame" in str(lost.err)
    none = await nodes.node("guest").run("games", "--wait", "0.3")
    assert none.out.lines == []
    assert "ataxxd host NAME" in str(none.err)


async def test_a_second_game_of_ones_own_name_is_refused_until_the_first_is_given_up(
    nodes: Nodes,
) -> None:
    host, guest = nodes.node("host"), nodes.node("guest")
    first = await host.host("ourgame", *AUTO)
    playing = await guest.start("join", "ourgame", typed=True)
    await Person(Side.SECOND, 2).play(playing, plies=1)
    running = await host.run("host", "ourgame", code=ExitCode.NAME_IN_USE)
    assert "plays ourgame right now" in str(running.err)
    again = await guest.run("join", "ourgame", code=ExitCode.NAME_IN_USE)
    assert "ataxxd resume ourgame" in str(again.err)
    await first.kill()
    refused = await host.run("host", "ourgame", code=ExitCode.NAME_IN_USE)
    assert "ataxxd resume ourgame" in str(refused.err)
    assert "--new" in str(refused.err)
    await host.host("ourgame", "--new", *AUTO)


async def test_a_node_cannot_join_its_own_game(nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.host("ourgame", *AUTO)
    own = await host.run("join", "ourgame", code=ExitCode.USAGE)
    assert "--home" in str(own.err)
