"""Files that cannot be read or written: each a clear message and code 10, and no game is lost."""

import asyncio
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.e2e.crashes import AUTO, ROLES, RoughGame
from tests.e2e.nodes import Nodes, Running
from tests.e2e.people import Person
from tests.e2e.recording import recording


async def interrupted_game(nodes: Nodes) -> RoughGame:
    """A game in which both have moved, both players killed."""
    game = RoughGame(nodes)
    await game.open()
    game.running["guest"] = await nodes.node("guest").start("join", "ourgame", typed=True)
    await Person(Side.SECOND, 1).play(game.running["guest"], plies=3)
    await game.kill("host", "guest")
    return game


def told_in_one_line(running: Running, *texts: str) -> None:
    """Check that the last word on standard error is one message of ours with these texts."""
    last = running.err.lines[-1]
    assert last.startswith("ataxxd: "), running.report()
    assert "internal error" not in last
    for text in texts:
        assert text in last, running.report()


@pytest.mark.gate
async def test_a_key_that_others_can_read_is_not_used(nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.run("id")
    (host.home / "identity.key").chmod(0o644)
    for command in (("id",), ("host", "ourgame"), ("join", "ourgame"), ("resume",), ("doctor",)):
        running = await host.run(*command, code=ExitCode.STORAGE)
        assert "can be read by others (mode 0644)" in str(running.err)
        assert "chmod 600" in str(running.err)


@pytest.mark.parametrize("content", [b"", b"ataxxd-ed25519-1 12", b"\xff\xfe" * 40])
async def test_a_damaged_key_is_never_replaced_silently(content: bytes, nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.run("id")
    key = host.home / "identity.key"
    key.write_bytes(content)
    running = await host.run("host", "ourgame", code=ExitCode.STORAGE)
    told_in_one_line(running, "identity.key is damaged", "backup")
    assert key.read_bytes() == content


async def test_a_journal_that_is_no_database_is_refused_and_left_alone(nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.run("id")
    journal = host.home / "journal.db"
    journal.write_bytes(b"This is not a database. " * 400)
    for command in (("host", "ourgame"), ("resume",), ("doctor",)):
        running = await host.run(*command, code=ExitCode.STORAGE)
        assert "is damaged" in str(running.err)
        assert "Restore it from a backup" in str(running.err)
    assert journal.read_bytes().startswith(b"This is not")


async def test_a_journal_of_a_newer_program_is_refused(nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.run("doctor")
    with sqlite3.connect(host.home / "journal.db") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    running = await host.run("host", "ourgame", code=ExitCode.STORAGE)
    told_in_one_line(running, "version 99", "Upgrade ataxxd")


LONGER = """replace(payload, '"elapsed_ms":', '"elapsed_ms":1')"""
NEWEST = "WHERE seq = (SELECT max(seq) FROM messages)"


@pytest.mark.parametrize(
    "damage",
    [
        f"UPDATE messages SET payload = {LONGER} {NEWEST}",
        f"UPDATE messages SET payload = CAST({LONGER} AS BLOB) {NEWEST}",
        "UPDATE messages SET role = 'guest'",
        "UPDATE games SET offer = x'7b7d'",
        "UPDATE games SET settings = '{'",
    ],
    ids=["type", "content", "author", "offer", "settings"],
)
async def test_a_journal_whose_content_was_altered_is_not_played_on(
    damage: str, nodes: Nodes
) -> None:
    await interrupted_game(nodes)
    host = nodes.node("host")
    with sqlite3.connect(host.home / "journal.db") as database:
        database.execute(damage)
    database.close()
    running = await host.run("resume", code=ExitCode.STORAGE)
    told_in_one_line(running, "is damaged", "Restore it from a backup")


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702])
async def test_a_home_in_which_others_may_write_is_refused(mode: int, nodes: Nodes) -> None:
    host = nodes.node("host")
    await host.run("id")
    host.home.chmod(mode)
    for command in (("id",), ("host", "ourgame")):
        running = await host.run(*command, code=ExitCode.STORAGE)
        told_in_one_line(running, f"chmod go-w {host.home}", "--home")
    host.home.chmod(0o750)
    await host.run("id")


async def test_a_home_that_cannot_be_made_is_said(nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    running = await nodes.node("file/home").run("id", code=ExitCode.STORAGE)
    told_in_one_line(running, "cannot be made", "--home")


async def test_a_transcript_that_cannot_be_written_is_noticed_before_the_game(
    nodes: Nodes, tmp_path: Path
) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO)
    for command in ("host", "join", "watch"):
        for place in (tmp_path / "missing" / "record.json", tmp_path):
            name = "another" if command == "host" else "ourgame"
            running = await nodes.node("guest").run(
                command, name, "--transcript", place, code=ExitCode.STORAGE
            )
            told_in_one_line(running, f"--transcript {place}")
    assert "has joined" not in str(host.err)


async def test_a_record_whose_place_vanished_meanwhile_goes_to_the_home(
    nodes: Nodes, tmp_path: Path
) -> None:
    (tmp_path / "place").mkdir()
    host = await nodes.node("host").host(
        "ourgame", *AUTO, "--transcript", tmp_path / "place" / "record.json"
    )
    (tmp_path / "place").rmdir()
    await nodes.node("guest").run("join", "ourgame", *AUTO)
    await host.ends(ExitCode.STORAGE)
    told_in_one_line(host, "cannot be written", "instead")
    [record] = (nodes.node("host").home / "records").iterdir()
    assert str(record) in host.err.lines[-1]
    assert verify_record(record.read_bytes()).standing is Standing.AGREED
    # The game is not done with before its record is where it was wanted.
    (tmp_path / "place").mkdir()
    await nodes.node("host").run("resume", "ourgame")
    assert (tmp_path / "place" / "record.json").read_bytes() == record.read_bytes()
    await nodes.node("host").run("resume", "ourgame", code=ExitCode.NO_SUCH_GAME)


async def code_of(*command: str | Path) -> int:
    """The exit status of a command."""
    return await (await asyncio.create_subprocess_exec(*command)).wait()


async def run_out_of_space(nodes: Nodes, role: str, prefix: tuple[str, ...] = ()) -> RoughGame:
    """A game in which one player's journal could not be written at some point."""
    game = RoughGame(nodes)
    await game.open(prefix=prefix if role == "host" else ())
    await game.join(prefix=prefix if role == "guest" else ())
    running = game.running[role]
    await running.ends(ExitCode.STORAGE)
    told_in_one_line(
        running, "journal.db cannot be used", "Nothing more was sent", "ataxxd resume --home "
    )
    assert len(running.out.lines) > 2, "it was to fail in mid-game"
    return game


@pytest.mark.parametrize("role", ROLES)
async def test_who_may_not_write_more_stops_cleanly_and_goes_on_later(
    role: str, nodes: Nodes
) -> None:
    assert nodes.broker is not None
    async with recording(nodes.broker) as heard:
        # 128 KiB a file, by what POSIX calls a block or by what bash does.
        limit = ("sh", "-c", 'ulimit -f 256; exec "$@"', "limited")
        game = await run_out_of_space(nodes, role, limit)
        await game.resume(role)
        await game.finish()
    assert heard.contradictions() == []


@pytest.mark.gate
async def test_a_full_disk_stops_a_player_cleanly_and_the_game_goes_on_later(
    nodes: Nodes, tmp_path: Path
) -> None:
    mount, place = shutil.which("mount"), tmp_path / "guest"
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    place.mkdir(mode=0o700)
    if await code_of(mount, "-t", "tmpfs", "-o", "size=200k,mode=700", "tmpfs", place):
        pytest.skip("mounting is not possible here")
    try:
        assert nodes.broker is not None
        async with recording(nodes.broker) as heard:
            game = await run_out_of_space(nodes, "guest")
            assert "full" in game.running["guest"].err.lines[-1]
            assert await code_of(mount, "-o", "remount,size=8m", place) == 0
            await game.resume("guest")
            await game.finish()
        assert heard.contradictions() == []
    finally:
        assert await code_of("umount", "--lazy", place) == 0
