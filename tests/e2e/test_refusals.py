"""Wrong words and unreachable brokers: each refused with what, why, what next, and its code."""

from collections.abc import Callable

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto, free_port
from tests.e2e.nodes import Nodes

COMMANDS = (
    "host", "join", "watch", "hots", "play", "perft", "id", "challenges", "ratings", "archive",
    "picture",
)  # fmt: skip
FULL = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo x 0 1"


@pytest.mark.gate("doctor")
@pytest.mark.parametrize("command", ["host", "join", "watch", "games", "doctor"])
async def test_a_dead_broker_is_named_and_how_to_start_one(command: str, nodes: Nodes) -> None:
    port = free_port()
    node = nodes.node("node", broker=f"mqtt://ann:secret@127.0.0.1:{port}")
    names = ("ourgame",) if command in ("host", "join", "watch") else ()
    running = await node.run(command, *names, code=ExitCode.NO_BROKER)
    said = str(running.err)
    assert f"127.0.0.1:{port}" in said
    assert "ataxxd broker" in said
    assert "secret" not in said
    assert "Invite" not in said, "nobody can come"


async def test_after_a_dead_broker_nothing_is_left_to_resume(nodes: Nodes) -> None:
    node = nodes.node("node", broker=f"mqtt://127.0.0.1:{free_port()}")
    host = await node.run("host", "ourgame", code=ExitCode.NO_BROKER)
    assert "resume" not in str(host.err), "what is not there is not promised"
    running = await node.run("resume", code=ExitCode.NO_SUCH_GAME)
    assert "No unfinished game" in str(running.err)


@pytest.mark.gate
async def test_a_wrong_password_is_refused_without_showing_it(
    nodes: Nodes, make_mosquitto: Callable[..., Mosquitto]
) -> None:
    broker = make_mosquitto(users={"ann": "right-word"})
    for login in ("ann:wrong-word@", "bob:right-word@", ""):
        node = nodes.node("node", broker=broker.url.replace("//", f"//{login}"))
        for command in (("host", "ourgame"), ("join", "ourgame")):
            running = await node.run(*command, code=ExitCode.BROKER_REFUSED)
            assert f"127.0.0.1:{broker.port}" in str(running.err)
            assert "-word" not in str(running.err)
    right = nodes.node("right", broker=broker.url.replace("//", "//ann:right-word@"))
    host = await right.host("ourgame")
    assert "-word" not in str(host.err)


ANY_MOVES = ("--auto", "--level", "0", "--time", "1s")


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (("host", "Our!Game"), ("'Our!Game' is not a name", "such as ourgame")),
        (("host", ""), ("is not a name for a game",)),
        (("host", "a" * 33), ("up to 32",)),
        (("host", "ourgame\n"), ("is not a name for a game",)),
        (("join", "our/game"), ("our/game",)),
        (("watch", "+"), ("'+' is not a name for a game",)),
        (("join", "ourgame@"), ("No broker stands behind ourgame@: write one",)),
        (("host", "ourgame", "--blocks", "a1"), ("a1", "holds a piece")),
        (("host", "ourgame", "--blocks", "h9"), ("'h9' is not a square",)),
        (("host", "ourgame", "--position", "x5o/7 x 0 1"), ("7 ranks",)),
        (("host", "ourgame", "--position", FULL), ("is over", "nobody could move")),
        (("host", "ourgame", "--game", "chess"), ("no game 'chess'", "ataxx")),
        (("host", "ourgame", "--ruleset", "ataxx/mars"), ("ataxx/cs61b-2022",)),
        (("host", "ourgame", "--lan"), ("--lan", "--broker")),
        (("host", "ourgame", "--link"), ("websocket only", "--broker wss://", "--lan")),
        (("host", "ourgame", "--link", "--page", "play.example"), ("not the address of a page",)),
        (("host", "ourgame", "--link", "--page", "https://a/#b"), ("not the address of a page",)),
        (("host", "ourgame", "--link", "--broker", "wss://a"), ("--page https://HOST/",)),
        (
            ("host", "ourgame", "--link", "--broker", "ws://a", "--page", "https://play.example"),
            ("TLS only", "wss://"),
        ),
        (
            ("host", "ourgame", "--link", "--broker", "ws://ana:pass@a"),
            ("wants a password", "by command"),
        ),
        (
            ("host", "ourgame", "--link", "--broker", "ws://a/%20", "--page", "http://a"),
            ("a link cannot name ws://a/%20",),
        ),
        (("join", "https://play.example/#ourgame~abc"), ("link is broken", "copy all of it")),
        (("watch", "http://a/#2!ourgame"), ("newer version of ataxxd", "Update")),
        (("host", "ourgame", "--color", "green"), ("green",)),
        (("host", "ourgame", "--ascii", "--display"), ("leave it out with --display",)),
        (("watch", "ourgame", "--ascii", "--display"), ("leave it out with --display",)),
        (("play", "--ascii", "--display"), ("leave it out with --display",)),
        (("host", "ourgame", "--level", "-1"), ("--level", "0")),
        (("host", "ourgame", *ANY_MOVES), ("thinks about none",)),
        (("join", "ourgame", *ANY_MOVES), ("thinks about none",)),
        (("challenge", "ann", *ANY_MOVES), ("thinks about none",)),
        (("event", "play", "open", *ANY_MOVES), ("thinks about none",)),
        (("host",), ("Missing argument",)),
        (("id", "a b c!!"), ('no use for "a b c!!". To choose a nickname: ataxxd id --name NAME',)),
        (("--home", "x", "id"), ("stands after it: ataxxd id --home DIR",)),
        (("--home", "x"), ("stands after it: ataxxd COMMAND --home DIR",)),
        (("--json", "event", "show"), ("stands after it: ataxxd event show --json",)),
        (("--nosuch", "id"), ("No such option: --nosuch.",)),
        (("id", "--name", "computer"), ("cannot be a nickname", "with which the program itself")),
        (("challenges", "--decline", "12"), ('"12" is not the ID of a challenge', "6 digits")),
        (("challenges", "--name", "Big Bob!"), ("'Big Bob!' is not a nickname",)),
        (("ratings", "--as-of", "today"), ("'today' is not a day: write it as 2040-01-31",)),
        (("archive", "--since", "1.2.26"), ("'1.2.26' is not a day",)),
        (("picture", "board"), ("board is no kind of picture", ".svg")),
        (
            ("picture", "gone.json"),
            ("no file gone.json, and the picture", "first: ataxxd picture board.svg gone.json"),
        ),
        (("picture", "a.pgn", "b.png"), ("There is no file a.pgn", "ataxxd picture b.png a.pgn")),
        (("watch", "club#27b0"), ("nor of a game's", "ataxxd games")),
        (("join", "ourgame@ftp://example.org"), ("ftp", "mqtt://")),
        (("join", "ourgame#no!id"), ("no!id", "invitation")),
        (("hots", "ourgame"), ("hots",)),
        (
            ("play", "--game", "chess"),
            ("no game 'chess'; this node plays ataxx, reversi, checkers, loa.",),
        ),
        (("play", "--game", "chekers"), ('checkers, loa. Did you mean "checkers"?',)),
        (("perft", "--ruleset", "ataxx/mars", "1"), ("ataxx/mars",)),
    ],
    ids=lambda value: " ".join(value)[:40].strip() if value and value[0] in COMMANDS else "",
)
async def test_wrong_words_are_explained(
    arguments: tuple[str, ...], texts: tuple[str, ...], nodes: Nodes
) -> None:
    running = await nodes.node("node").run(*arguments, code=ExitCode.USAGE)
    for text in texts:
        assert text in str(running.err), running.report()


async def test_resuming_nothing_says_what_to_do(nodes: Nodes) -> None:
    none = await nodes.node("node").run("resume", code=ExitCode.NO_SUCH_GAME)
    assert "ataxxd host NAME" in str(none.err)
    named = await nodes.node("node").run("resume", "ourgame", code=ExitCode.NO_SUCH_GAME)
    assert 'No unfinished game "ourgame"' in str(named.err)


async def test_a_file_that_is_not_there_cannot_be_verified(nodes: Nodes) -> None:
    running = await nodes.node("node").run("verify", "missing.json", code=ExitCode.STORAGE)
    assert "missing.json cannot be read: No such file" in str(running.err)
    named = await nodes.node("node").run("verify", "ourgame", code=ExitCode.STORAGE)
    assert "first: ataxxd archive ourgame --export FOLDER" in str(named.err)


async def test_who_plays_a_game_that_is_resumed_stays_the_same(nodes: Nodes) -> None:
    host, guest = nodes.node("host"), nodes.node("guest")
    hosting = await host.host("ourgame", "--auto", "--level", "1")
    joined = await guest.start("join", "ourgame", "--line")
    await joined.says("You have the seat and play Blue.")
    await hosting.kill()
    await joined.kill()
    refused = await guest.run("resume", "ourgame", "--auto", code=ExitCode.USAGE)
    told = 'You play "ourgame" yourself, and who plays stays the same to the end of a game.'
    command = f"ataxxd resume ourgame --home {guest.home}"
    assert f"{told} Continue with: {command}" in str(refused.err)
    going_on = await host.start("resume", "--auto")
    await going_on.says('Continuing "ourgame" against unnamed (')
