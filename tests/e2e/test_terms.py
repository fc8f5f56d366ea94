"""The terms of a game, as two people at pipes live by them: talk, consent, time, invitations."""

import json
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import Standing, verify_record
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes, Running
from tests.journals import let_time_pass

NEARLY_OVER = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"


async def two_people(nodes: Nodes, *terms: str) -> tuple[Running, Running]:
    """A host and a guest at pipes, the host on turn."""
    host = await nodes.node("host").host(
        "ourgame", "--transcript", nodes.folder / "host.json", *terms, typed=True
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", nodes.folder / "guest.json", typed=True
    )
    await host.says("has joined")
    await guest.says("You have the seat")
    return host, guest


def record(folder: Path, name: str) -> bytes:
    return (folder / f"{name}.json").read_bytes()


async def test_who_is_muted_is_not_heard_until_it_is_wanted(nodes: Nodes) -> None:
    host, guest = await two_people(nodes)
    await host.type("say one")
    await guest.says("Red: one")
    await guest.type("mute")
    await guest.says("What others say is hidden now; unmute shows it again.")
    await host.type("say two", "a7-b6")
    await guest.prints("* Red moves a7-b6.")
    await guest.type("unmute")
    await guest.says("What others say is shown again.")
    await host.type("say three")
    await guest.says("Red: three")
    assert "Red: two" not in guest.report()


async def test_people_talk_take_back_and_abort(nodes: Nodes) -> None:
    host, guest = await two_people(nodes)
    await host.type("say Guten Tag, schöne Grüße!", "a7-b6")
    await guest.says("Red: Guten Tag, schöne Grüße!")
    await guest.prints("* Red moves a7-b6.")
    await host.type("takeback")
    await guest.says("Red asks to take a move back. Type agree or refuse, or play on.")
    await guest.type("agree")
    await host.says("Taken back: the last move (as agreed)")
    await host.type("a7-a6")
    await guest.prints("* Red moves a7-a6.")
    await guest.type("a1-a2")
    await host.prints("* Blue moves a1-a2.")
    await guest.type("abort")
    await host.says("Blue asks to end the game without a result")
    await host.type("refuse")
    await host.says("Refused. You said: I would rather not abort the game.")
    await guest.says("Red: I would rather not abort the game.")
    await host.type("refuse")
    await host.says("Your opponent has not asked for anything")
    await host.type("abort")
    for running in (host, guest):
        await running.ends()
        assert "Finished: No result: the game was aborted. Both players" in str(running.err)
        assert "it has no result" in str(running.err)
        assert "Draw" not in str(running.out)
    assert record(nodes.folder, "host") == record(nodes.folder, "guest")
    judged = await nodes.node("anybody").run("verify", nodes.folder / "host.json", "--json")
    assert json.loads(judged.out.lines[0])["termination"] == "aborted"


async def test_a_takeback_that_was_refused_stays_refused_over_a_restart(nodes: Nodes) -> None:
    host, guest = await two_people(nodes)
    await host.type("a7-b6")
    await guest.prints("* Red moves a7-b6.")
    await host.type("takeback")
    await guest.says("Red asks to take a move back")
    await guest.type("refuse")
    await host.says("Blue: I would rather not take the move back.")
    await host.type("takeback")
    await host.says("You have asked for it already, and your opponent knows")
    await host.kill()
    await guest.says("Your opponent has lost the connection")
    host = await nodes.node("host").start("resume", typed=True)
    await guest.says("Your opponent is back")
    await host.type("takeback")
    await host.says("Blue: I would rather not take the move back.")
    request = "Red asks to take a move back"
    assert str(guest.err).count(request) == 1
    heard = len(guest.err.lines)
    await guest.type("a1-a2")
    await host.prints("* Blue moves a1-a2.")
    await host.type("takeback")
    await guest.says(request, heard)


async def test_a_refused_request_is_not_shown_again_to_whoever_refused_it(nodes: Nodes) -> None:
    host, guest = await two_people(nodes)
    await host.type("a7-b6")
    await guest.prints("* Red moves a7-b6.")
    await host.type("abort")
    await guest.says("Red asks to end the game without a result")
    await guest.type("refuse")
    await host.says("Blue: I would rather not abort the game.")
    await guest.kill()
    await host.says("Your opponent has lost the connection")
    guest = await nodes.node("guest").start("resume", typed=True)
    await host.says("Your opponent is back")
    await host.type("say Please?", "abort")
    await host.says("You have asked for it already, and your opponent knows")
    await guest.says("Red: Please?")
    await guest.type("refuse")
    await guest.says("Your opponent has not asked for anything")
    assert "asks to end" not in guest.report()


async def test_whoever_leaves_before_the_result_is_confirmed_is_told_what_is_waited_for(
    nodes: Nodes,
) -> None:
    host, guest = await two_people(nodes)
    await guest.kill()
    await host.type("abort")
    await host.says("Waiting for your opponent to confirm the result; Ctrl-C leaves at once.")
    host.send(signal.SIGINT)
    await host.says("Your opponent has not confirmed the result. To send it again later:")
    await host.ends(ExitCode.INTERRUPTED)


async def test_a_game_that_nobody_confirms_is_put_aside_after_a_day(nodes: Nodes) -> None:
    host, guest = await two_people(nodes)
    await guest.kill()
    await host.type("abort")
    await host.says("Waiting for your opponent to confirm the result")
    host.send(signal.SIGINT)
    await host.ends(ExitCode.INTERRUPTED)
    again = nodes.node("host")
    mine = ("games", "--mine", "--wait", "0.1")
    let_time_pass(again.home, 23)
    assert "ourgame  over, unconfirmed for 23h" in str((await again.run(*mine)).out)
    listed = json.loads(str((await again.run(*mine, "--json")).out))
    assert listed["unconfirmed_since_ms"] < listed["created_ms"]
    let_time_pass(again.home, 2)
    signed = "your opponent has not signed the result. Find its record with: ataxxd archive ourgame"
    aside = await again.run(*mine)
    assert f'"ourgame" is over, and waits no longer for your opponent to confirm it: {signed}' in (
        str(aside.err)
    )
    assert "You have no unfinished games" in str(aside.err)
    resumed = await again.run("resume", "ourgame", code=ExitCode.NO_SUCH_GAME)
    assert f": it is over, and {signed}" in str(resumed.err)
    assert "ataxx" in str((await again.run("archive", "ourgame")).out)


async def test_a_person_whose_opponent_is_gone_may_claim(nodes: Nodes) -> None:
    host, guest = await two_people(nodes, "--grace", "1s")
    await host.type("claim", "a7-b6")
    await host.says("You can claim the game only while you wait")
    await guest.prints("* Red moves a7-b6.")
    await host.says("No answer for 1s: wait, or win by typing claim")
    await guest.kill()
    await host.type("claim")
    await host.prints("* Red wins.")
    await host.says("Your opponent has not confirmed the result")
    await host.ends()

    late = await nodes.node("guest").start("resume", typed=True)
    again = await nodes.node("host").start("resume", typed=True)
    await late.ends()
    await again.ends()
    verdict = verify_record(record(nodes.folder, "guest"))
    assert verdict.standing in (Standing.AGREED, Standing.CONTESTED)
    assert verdict.ledger.outcome is not None
    assert verdict.ledger.outcome.termination == "abandoned"
    assert record(nodes.folder, "host") == record(nodes.folder, "guest")


async def test_a_flag_falls_by_itself(nodes: Nodes) -> None:
    host, guest = await two_people(nodes, "--clock", "1s")
    # Nobody moves: however busy the machine is, the second and what a first move has free are over.
    await guest.prints("* Blue wins.")
    await host.prints("* Blue wins.")
    for running in (host, guest):
        await running.ends()
        assert "Finished: Red lost on time." in str(running.err)
    # Who has lost by the own clock needs no proof of it.
    assert "The proof is in" in str(guest.err)
    assert "The proof is in" not in str(host.err)
    assert record(nodes.folder, "host") == record(nodes.folder, "guest")


async def test_several_games_are_played_with_colours_swapped(nodes: Nodes) -> None:
    terms = ("--games", "2", "--position", NEARLY_OVER, "--clock", "1h+1s")
    host = await nodes.node("host").host(
        "ourgame", *AUTO, *terms, "--transcript", nodes.folder / "host.json"
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", *AUTO, "--games", "2", "--transcript", nodes.folder / "guest.json"
    )
    await host.ends()
    await guest.ends()
    sides = []
    for name in ("host", "host-2"):
        verdict = verify_record(record(nodes.folder, name))
        assert verdict.standing is Standing.AGREED
        assert record(nodes.folder, name) == record(nodes.folder, name.replace("host", "guest"))
        sides.append(verdict.ledger.host_side)
    assert len(set(sides)) == 2


async def test_only_the_invited_get_in(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO, "--invited", "--position", NEARLY_OVER)
    invitation = (await host.says("ataxxd join ourgame#")).split("ataxxd join ")[1]
    secret = invitation.partition("@")[0].partition(".")[2]
    stranger = await nodes.node("stranger").run("join", "ourgame", code=ExitCode.SEAT_TAKEN)
    assert "is by invitation only" in str(stranger.err)
    guess = invitation.replace(secret, "0" * len(secret))
    guessing = await nodes.node("guessing").run("join", guess, *AUTO, code=ExitCode.SEAT_TAKEN)
    assert "does not know the secret" in str(guessing.err)
    await nodes.node("guest").run("join", invitation, *AUTO)
    await host.ends()


async def test_a_seat_is_kept_for_one_node(nodes: Nodes) -> None:
    guest = nodes.node("guest")
    own = await guest.run("id")
    host = await nodes.node("host").host(
        "ourgame", *AUTO, "--guest", own.out.lines[0].split()[-1], "--position", NEARLY_OVER
    )
    other = await nodes.node("other").run("join", "ourgame", *AUTO, code=ExitCode.SEAT_TAKEN)
    await other.says(f" is kept for unnamed ({own.out.lines[0].split()[-1]}).")
    await guest.run("join", "ourgame", *AUTO)
    await host.ends()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clock", "soon"), "is not a clock: write 5+3"),
        (("--clock", "10m/game"), "30s/move"),
        (("--grace", "0s"), "is not a length of time"),
        (("--guest", "bob"), "is not a node id"),
        (("--guest", "a" * 20, "--invited"), "leave out --invited"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
async def test_terms_that_say_nothing_are_explained(
    options: tuple[str, ...], words: str, nodes: Nodes
) -> None:
    failed = await nodes.node("host").run("host", "ourgame", *options, code=ExitCode.USAGE)
    assert words in str(failed.err)


async def test_spectators_talk_and_a_player_hears_it_only_when_it_asks(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", "--talk", typed=True)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.says("You have the seat")
    watching = [
        await nodes.node(f"watch{i}").start("watch", "ourgame", "--talk", "--json", typed=True)
        for i in range(2)
    ]
    for each in watching:
        await each.prints('"event": "start"')
    await watching[0].type("Wer gewinnt? 👀", "\x1b[2Jsteered")
    heard = json.loads(await watching[1].prints('"event": "talk"'))
    assert heard["text"] == "Wer gewinnt? 👀"
    await watching[0].says("Not said")
    await host.says("Wer gewinnt? 👀")
    await host.type("abort")
    for running in (host, guest, *watching):
        await running.ends()
    assert "Wer gewinnt?" not in str(guest.err)
    assert not any('"talk"' in line for line in watching[0].out.lines)
