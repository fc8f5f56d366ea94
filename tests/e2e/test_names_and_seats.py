"""Finding the right game and the free seat, as people do it at the command line."""

import json
import re
from contextlib import closing

import pytest

from ataxxd.cli import guided_start
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.rules import Side
from ataxxd_clients.guide import Question
from tests.e2e.nodes import Node, Nodes
from tests.e2e.people import Person
from tests.e2e.terminals import in_terminal

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


async def test_who_has_the_seat_is_told_at_once_and_the_next_game_can_be_waited_for(
    nodes: Nodes,
) -> None:
    for name in ("ann", "bob"):
        await nodes.node(name).run("id", "--name", name)
    host = await nodes.node("ann").host("ourgame", *AUTO)
    guest = await nodes.node("bob").start("join", "ourgame", typed=True)
    await guest.prints("* Red moves")
    third = await nodes.node("third").start("join", "ourgame", *AUTO, "--wait", "600")
    told = await third.says('"ourgame" is being played by ')
    assert re.search(r" by ann \(\S+\) and bob \(\S+\): `ataxxd watch ourgame#[0-9a-f]+`[.] ", told)
    await guest.type("resign")
    await guest.ends()
    await host.ends()
    again = await nodes.node("ann").host("ourgame", *AUTO)
    await third.says("You have the seat")
    await third.ends()
    await again.ends()


async def test_whoever_joins_a_game_of_theirs_again_is_sent_to_resume_at_once(nodes: Nodes) -> None:
    await nodes.node("host").host("ourgame", *AUTO)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.prints("* Red moves")
    await guest.kill()
    # Nothing is waited for: half an hour would be longer than any test.
    refused = await nodes.node("guest").run(
        "join", "ourgame", "--wait", "1800", code=ExitCode.NAME_IN_USE
    )
    resume = f"ataxxd resume ourgame --home {nodes.node('guest').home}"
    assert f"Continue it: {resume}" in str(refused.err)


async def test_of_two_who_join_at_once_one_plays_and_the_other_is_told(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO)
    guests = [await nodes.node(f"guest{i}").start("join", "ourgame", *AUTO) for i in range(3)]
    codes = sorted([await guest.ends(ExitCode.OK, ExitCode.SEAT_TAKEN) for guest in guests])
    await host.ends()
    assert codes == [ExitCode.OK, ExitCode.SEAT_TAKEN, ExitCode.SEAT_TAKEN]


@pytest.mark.gate
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
    assert "never joined" not in str(whole.err), "the invitation says who is meant"
    await hosts["left"].ends()
    assert hosts["right"].alive
    beginning = await nodes.node("another").start(
        "join", f"ourgame#{ids['right'][:7].upper()}", *AUTO
    )
    await beginning.says("is only the beginning of the host's id")
    await beginning.ends()
    await hosts["right"].ends()


async def whole_id(node: Node) -> str:
    """A node's id in groups."""
    shown = (await node.run("id")).out.lines[0]
    return next(word for word in shown.split() if word.count("-") == 4)


async def known_and_other(nodes: Nodes) -> tuple[str, str]:
    """A friend, whose game was joined and is over, and a stranger who offers that name now."""
    host = await nodes.node("friend").host("ourgame", *AUTO)
    guest = await nodes.node("guest").run("join", "ourgame", *AUTO)
    assert "before" not in str(guest.err)
    await host.ends()
    await nodes.node("stranger").host("ourgame", *AUTO)
    return await whole_id(nodes.node("friend")), await whole_id(nodes.node("stranger"))


async def known_elsewhere_and_other(nodes: Nodes) -> tuple[str, str]:
    """A friend, joined on a broker that is gone, and a stranger who offers that name here."""
    friend = await whole_id(nodes.node("friend"))
    guest = nodes.node("guest")
    await whole_id(guest)
    with closing(Journal(Home(guest.home).journal)) as journal:
        journal.add_known_host("ourgame", plain(friend))
    await nodes.node("stranger").host("ourgame", *AUTO)
    return friend, await whole_id(nodes.node("stranger"))


def plain(grouped: str) -> str:
    """An id without its hyphens."""
    return grouped.replace("-", "")


async def test_a_program_does_not_join_another_host_than_the_known_one(nodes: Nodes) -> None:
    friend, stranger = await known_and_other(nodes)
    guest = nodes.node("guest")
    for words in (AUTO, ("--line",)):
        refused = await guest.run("join", "ourgame", *words, code=ExitCode.OTHER_HOST)
        assert f"was hosted by unnamed ({friend}) before; now by unnamed ({stranger})" in str(
            refused.err
        )
        assert f"ourgame#{stranger}" in str(refused.err)
    # The beginning of an id is no proof of it.
    await guest.run("join", f"ourgame#{stranger[:9]}", *AUTO, code=ExitCode.OTHER_HOST)
    await guest.run("join", f"ourgame#{stranger}", *AUTO)
    # By now both are known.
    for who in ("friend", "stranger"):
        host = await nodes.node(who).host("ourgame", *AUTO)
        await guest.run("join", "ourgame", *AUTO)
        await host.ends()


async def test_whoever_says_so_joins_any_host(nodes: Nodes) -> None:
    await known_and_other(nodes)
    await nodes.node("guest").run("join", "ourgame", "--new-host", *AUTO)


async def test_a_person_is_asked_before_another_host_is_joined(nodes: Nodes) -> None:
    _, stranger = await known_and_other(nodes)
    home = str(nodes.node("guest").home)
    environment = {"ATAXXD_HOME": home, "ATAXXD_BROKER": str(nodes.broker)}
    for answer, code in ((b"\r", ExitCode.OTHER_HOST), (b"n\r", ExitCode.OTHER_HOST)):
        with in_terminal(["join", "ourgame"], environment=environment) as guest:
            guest.read_until("Join anyway? [y/N]")
            guest.type(answer)
            assert guest.wait() == code
            assert stranger in guest.text
    with in_terminal(["join", "ourgame"], environment=environment) as guest:
        guest.read_until("Join anyway? [y/N]")
        guest.type(b"y\r")
        guest.read_until("Blue:")
    with in_terminal(["join", "ourgame", "--auto"], environment=environment) as guest:
        assert guest.wait() != ExitCode.OK
        assert "[y/N]" not in guest.text


async def test_whoever_finds_a_host_for_the_first_time_is_told_so_and_how_to_mean_another(
    nodes: Nodes,
) -> None:
    for told in (True, False):
        host = await nodes.node("friend").host("ourgame", *AUTO)
        guest = await nodes.node("guest").run("join", "ourgame", *AUTO)
        await host.ends()
        assert ("You have never joined a game of unnamed (" in str(guest.err)) == told
        assert ("ask them for their invitation: ourgame#ID" in str(guest.err)) == told


async def test_of_two_hosts_of_a_name_the_known_one_is_meant(nodes: Nodes) -> None:
    friend, stranger = await known_and_other(nodes)
    host = await nodes.node("friend").host("ourgame", *AUTO)
    guest = await nodes.node("guest").run("join", "ourgame", *AUTO)
    await host.ends()
    assert f'"ourgame" is offered by unnamed ({stranger}) too' in str(guest.err)
    assert f"hosted by unnamed ({friend})" in str(guest.err)


async def test_whoever_watches_a_known_name_is_told_of_another_host(nodes: Nodes) -> None:
    friend, stranger = await known_elsewhere_and_other(nodes)
    guest = nodes.node("guest")
    changed = f"was hosted by unnamed ({friend}) before; now by unnamed ({stranger})"
    for words in ((), ("--json",)):
        watching = await guest.start("watch", "ourgame", *words)
        await watching.says(changed)
        await watching.kill()
    # A stranger's node has joined nobody; and whoever gives the whole id knows whom it means.
    for node, name in (("anybody", "ourgame"), ("guest", f"ourgame#{stranger}")):
        watching = await nodes.node(node).start("watch", name)
        await watching.says("Nobody has joined it yet; waiting for it to begin.")
        await watching.kill()
        assert "before" not in str(watching.err)


async def test_the_note_of_another_host_stays_on_a_terminal_that_is_drawn_anew(
    nodes: Nodes,
) -> None:
    await known_elsewhere_and_other(nodes)
    environment = {"ATAXXD_HOME": str(nodes.node("guest").home), "ATAXXD_BROKER": str(nodes.broker)}
    with (
        in_terminal(["watch", "ourgame"], environment=environment) as drawn,
        in_terminal(["watch", "ourgame", "--tui"], environment=environment) as board,
    ):
        drawn.read_until("Nobody has joined it yet")
        said = board.read_until("was hosted by")
        board.read_until("was hosted by", said)
        await nodes.node("player").run("join", "ourgame", *AUTO)
        drawn.read_until("was hosted by", drawn.read_until("1. Red played"))


async def test_of_two_hosts_of_a_name_the_known_one_is_watched(nodes: Nodes) -> None:
    friend, stranger = await known_and_other(nodes)
    # That of the known one is over.
    watching = await nodes.node("guest").run("watch", "ourgame")
    told = await watching.says(f'"ourgame" is offered by unnamed ({stranger}) too')
    assert told.endswith(f"This game is over. To watch the other: ataxxd watch ourgame#{stranger}")
    environment = {"ATAXXD_HOME": str(nodes.node("guest").home), "ATAXXD_BROKER": str(nodes.broker)}
    with in_terminal(["watch", "ourgame"], environment=environment) as drawn:
        assert drawn.wait() == ExitCode.OK
        assert "ataxxd watch ourgame#" in drawn.text.rpartition(" played ")[2]
    await nodes.node("friend").host("ourgame", *AUTO)
    watching = await nodes.node("guest").start("watch", "ourgame")
    told = await watching.says(f'"ourgame" is offered by unnamed ({stranger}) too')
    assert told.endswith("who has not hosted it before.")
    await nodes.node("player").run("join", f"ourgame#{friend}", *AUTO)
    await watching.ends()


async def test_games_of_another_host_than_the_known_one_are_marked(nodes: Nodes) -> None:
    friend, stranger = await known_and_other(nodes)
    # Nor is a name marked that we host ourselves.
    await nodes.node("guest").host("ourgame", *AUTO)
    await nodes.node("friend").host("other", *AUTO)
    marks = {}
    for node in ("guest", "anybody"):
        listed = await nodes.node(node).run("games", "--json")
        rows = [json.loads(line) for line in listed.out.lines]
        marks[node] = {row["host"]: row["instead_of"] for row in rows if "instead_of" in row}
    assert marks == {"guest": {plain(stranger): plain(friend)}, "anybody": {}}
    listed = await nodes.node("guest").run("games")
    marked = [line for line in listed.out.lines if "not the host you have joined before" in line]
    assert len(marked) == 1
    assert stranger in marked[0]


async def test_the_guided_start_asks_before_another_host_is_joined(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    friend, stranger = await known_elsewhere_and_other(nodes)
    monkeypatch.setenv("ATAXXD_BROKER", str(nodes.broker))
    monkeypatch.setenv("ATAXXD_HOME", str(nodes.node("guest").home))
    plans = {}
    for answer in ("no", "yes"):
        guide = guided_start.make_guide(tui=False, on_notice=lambda _: None)
        for answers in ({"what": "join"}, {}, {"other_host": answer}):
            step = await guide.next()
            assert isinstance(step, Question)
            guide.answer(answers.get(step.key, ""))
            if step.key == "place":
                assert "not the host you have joined before" in step.choices[0].label
            if step.key == "other_host":
                assert f"unnamed ({friend}) before; now by unnamed ({stranger})" in step.note
        while isinstance(step := await guide.next(), Question):
            guide.answer("")
        plans[answer] = step.words
    assert plans == {"no": (), "yes": ("join", f"ourgame#{stranger}")}


async def test_an_unknown_name_is_answered_with_a_similar_one(nodes: Nodes) -> None:
    await nodes.node("host").host("ourgame", *AUTO)
    for command in ("join", "watch"):
        lost = await nodes.node("guest").run(
            command, "ourgmae", "--wait", "0.3", code=ExitCode.NO_SUCH_GAME
        )
        assert 'No game "ourgmae" on mqtt://127.0.0.1' in str(lost.err)
        assert 'Did you mean "ourgame" (host ' in str(lost.err)
        assert re.search(r", opened \d+[ms]( \d+s)? ago\)\?", str(lost.err))
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
    assert f"ataxxd resume ourgame --home {guest.home}" in str(again.err)
    await first.kill()
    refused = await host.run("host", "ourgame", code=ExitCode.NAME_IN_USE)
    assert f"ataxxd resume ourgame --home {host.home}" in str(refused.err)
    assert f"ataxxd host ourgame --new --home {host.home}" in str(refused.err)
    await host.host("ourgame", "--new", *AUTO)


async def test_a_node_cannot_join_its_own_game(nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.host("ourgame", *AUTO)
    own = await host.run("join", "ourgame", code=ExitCode.USAGE)
    assert "--home" in str(own.err)


@pytest.mark.parametrize("command", ["join", "watch"])
async def test_whoever_looks_for_a_game_for_long_is_told_so(command: str, nodes: Nodes) -> None:
    looking = await nodes.node("guest").start(command, "ourgame", "--wait", "600")
    await looking.says('Looking for "ourgame" for 600 s; Ctrl-C gives up.')
    await nodes.node("host").host("ourgame", *AUTO)
    await looking.says("Joining" if command == "join" else "Nobody has joined it yet")
