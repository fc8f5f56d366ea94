"""Nothing that a node prints, logs or leaves readable tells its secrets or steers a terminal."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.journal import Journal
from ataxxd.session.state import Role
from tests.brokers import Mosquitto
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes, Running

PASSWORD = "correct-horse/battery"
ESCAPE = "\x1b]0;owned\x07"


def seed_of(home: Path) -> str:
    """The secret half of a node's key file."""
    return (home / "identity.key").read_text(encoding="ascii").split()[1]


def everything(running: Running) -> str:
    """All that a process printed."""
    return f"{running.out}\n{running.err}"


@pytest.mark.gate
async def test_nothing_printed_or_logged_in_a_whole_game_tells_a_secret(
    nodes: Nodes, make_mosquitto: Callable[..., Mosquitto]
) -> None:
    broker = make_mosquitto(users={"ann": PASSWORD})
    url = broker.url.replace("//", f"//ann:{PASSWORD.replace('/', '%2F')}@")
    host = await nodes.node("host", broker=url).start("-v", "host", "ourgame", *AUTO)
    await host.says("Waiting for a guest")
    journal = Journal(nodes.folder / "host" / "journal.db")
    (stored,) = journal.unfinished(role=Role.HOST)
    journal.close()
    ran = [await nodes.node("looker", broker=url).run("-v", "games") for _ in range(2)]
    # Before the start, the host's half of the coin toss is a secret too.
    assert stored.settings["secret"] not in everything(host)
    guest = nodes.node("guest", broker=url)
    ran.append(await guest.run("-v", "join", f"ourgame@{url}", *AUTO))
    await host.ends()
    ran += [
        host,
        await guest.run("-v", "doctor"),
        await guest.run("-v", "resume", code=ExitCode.NO_SUCH_GAME),
        await guest.run("-v", "join", f"our!game@{url}", code=ExitCode.USAGE),
        await guest.run("join", "one", "two", url, code=ExitCode.USAGE),
        await guest.run("join", "ourgame", "--broker", f"{url}:x", code=ExitCode.USAGE),
    ]
    secrets = [PASSWORD, PASSWORD.replace("/", "%2F")]
    secrets += [seed_of(nodes.folder / who) for who in ("host", "guest")]
    for running in ran:
        assert not [secret for secret in secrets if secret in everything(running)], running.report()


async def test_only_the_host_who_invites_tells_the_secret_of_an_invitation(nodes: Nodes) -> None:
    host = await nodes.node("host").start("-v", "host", "ourgame", *AUTO, "--invited")
    await host.says("Waiting for a guest")
    invitation = re.search(r"ourgame#[a-z2-7-]+\.([0-9a-f]{16})", str(host.err))
    assert invitation is not None
    guest = nodes.node("guest")
    ran = [
        await guest.run(
            "-v", "watch", invitation[0], "--wait", "0.1", "--broker", "mqtt://[", code=2
        ),
        await guest.run(
            "-v", "join", invitation[0].replace("our", "no"), code=ExitCode.NO_SUCH_GAME
        ),
        await guest.run(
            "-v", "join", invitation[0].replace("our", "OUR!GAME"), code=ExitCode.USAGE
        ),
        await guest.run("-v", "join", f"ourgame#18.{invitation[1]}", code=ExitCode.USAGE),
        await guest.run("-v", "join", invitation[0], *AUTO),
    ]
    await host.ends()
    for running in ran:
        assert invitation[1] not in everything(running), running.report()
    assert str(host.err).count(invitation[1]) == 1


async def test_only_the_owner_can_read_what_a_node_keeps_to_itself(nodes: Nodes) -> None:
    # The home was there before, and was open.
    home = nodes.folder / "host"
    home.mkdir(mode=0o755)
    host = await nodes.node("host").host("ourgame", *AUTO)
    private = ["identity.key", "journal.db", "journal.db-wal", "journal.db-shm"]
    modes = {name: stat.S_IMODE((home / name).stat().st_mode) for name in private}
    assert modes == dict.fromkeys(private, 0o600)
    await host.kill()
    made = await nodes.node("new").run("id")
    assert stat.S_IMODE((nodes.folder / "new").stat().st_mode) == 0o700, made.report()


async def test_a_home_in_which_everybody_may_write_is_refused(nodes: Nodes) -> None:
    home = nodes.folder / "open"
    home.mkdir()
    home.chmod(0o777)
    running = await nodes.node("open").run("id", code=ExitCode.STORAGE)
    assert "chmod go-w" in str(running.err)
    assert not (home / "identity.key").exists()


@pytest.mark.parametrize("suffix", [".json", ".txt", ".pdn", ".pgn", ".ggf", ".moves", ".xyz"])
async def test_files_and_their_names_cannot_steer_the_terminal(suffix: str, nodes: Nodes) -> None:
    hostile = nodes.folder / f"{ESCAPE}game{suffix}"
    hostile.write_text(f'[White "{ESCAPE}"]\n{ESCAPE} 1. {ESCAPE}\n', encoding="utf-8")
    node = nodes.node("node")
    for command in (
        ("verify", hostile),
        ("convert", hostile, nodes.folder / "out.pdn"),
        ("play", "--init", hostile),
        ("watch", f"our{ESCAPE}game"),
        ("join", f"ourgame@{ESCAPE}"),
        ("host", "ourgame", "--position", ESCAPE),
        ("host", "ourgame", "--ruleset", ESCAPE),
        (ESCAPE,),
        ("id", f"--{ESCAPE}"),
    ):
        running = await node.start(*command)
        await running.ends(*range(1, 13))
        assert "\x1b" not in everything(running), running.report()
        assert "internal error" not in everything(running), running.report()


async def test_a_file_name_that_is_no_text_is_an_error_like_any_other(nodes: Nodes) -> None:
    name = os.fsdecode(b"\xff\xfe.json")
    running = await nodes.node("node").run("verify", name, code=ExitCode.STORAGE)
    assert "\\udcff\\udcfe.json cannot be read" in str(running.err)
