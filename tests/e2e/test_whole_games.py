"""Two nodes play through Mosquitto while others look on: every side ends with the same record."""

import json
import random
import re
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode, VerificationError
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.e2e.nodes import Nodes
from tests.e2e.people import RESULTS, Person
from tests.e2e.recording import recording

AUTO = ("--auto", "--level", "1", "--seed", "1")
# The engine would beat the greedy person before anybody could be late.
WEAK = ("--player", "random")


def altered(data: bytes, at: int, choices: random.Random) -> bytes:
    """The data with another byte at one place."""
    return data[:at] + bytes([(data[at] + choices.randrange(1, 256)) % 256]) + data[at + 1 :]


@pytest.mark.gate
async def test_host_guest_early_and_late_spectator_end_with_one_record(
    nodes: Nodes, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "early", "late", "after")}
    host = await nodes.node("host").host(
        "ourgame", *WEAK, "--seed", "1", "--transcript", records["host"]
    )
    early = await nodes.node("early").start(
        "watch", "ourgame", "--json", "--transcript", records["early"]
    )
    # A person at a pipe is the guest, so that the late spectator is late for certain.
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records["guest"], typed=True
    )
    person = Person(Side.SECOND, 2)
    assert await person.play(guest, plies=5) is None
    late = await nodes.node("late").start(
        "watch", "ourgame", "--json", "--transcript", records["late"]
    )
    await late.prints('"event": "move"')
    result = await person.play(guest)
    for running in (host, guest, early, late):
        await running.ends()
    await nodes.node("after").run("watch", "ourgame", "--json", "--transcript", records["after"])

    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1, {who: len(record) for who, record in data.items()}
    verdict = verify_record(data["host"])
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert result == RESULTS[verdict.ledger.outcome.score]
    assert verdict.ledger.position == person.position
    for who, path in records.items():
        checked = await nodes.node(who).run("verify", path)
        assert "every rule holds" in str(checked.out)
    # Both spectators told every move, the late one those it had missed too.
    for spectator in (early, late):
        events = [json.loads(line) for line in spectator.out.lines]
        moves = [event["move"] for event in events if event["event"] == "move"]
        assert moves == [move.text for move in verdict.ledger.moves]
        assert events[-1] == {"event": "closed", "standing": "agreed"}


@pytest.mark.parametrize("strength", [("--level", "4"), ("--time", "20ms", "--threads", "2")])
async def test_two_engines_that_ponder_play_to_the_end_and_stop(
    strength: tuple[str, ...], nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "host.json"
    options = ("--auto", *strength, "--ponder")
    host = await nodes.node("host").host(
        "ourgame", *options, "--clock", "1h+1s", "--transcript", record
    )
    guest = await nodes.node("guest").start("join", "ourgame", *options)
    for running in (host, guest):
        await running.ends()
    assert verify_record(record.read_bytes()).standing is Standing.AGREED


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_engine_that_ponders_is_stopped_by_a_signal(
    number: signal.Signals, nodes: Nodes
) -> None:
    host = await nodes.node("host").host(
        "ourgame", "--auto", "--time", "100ms", "--ponder", "--line"
    )
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    # It has moved, and thinks about an answer that does not come.
    assert await Person(Side.SECOND, 2).play(guest, plies=2) is None
    host.send(number)
    await host.ends(ExitCode.INTERRUPTED)


async def test_two_engines_play_and_a_terminalless_spectator_reads_plain_lines(
    nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "host.json"
    host = await nodes.node("host").host(
        "ourgame", *AUTO, "--color", "random", "--blocks", "b2 d3", "--transcript", record
    )
    watch = await nodes.node("watch").start("watch", "ourgame")
    await watch.says("Watching")
    guest = await nodes.node("guest").start("join", "ourgame", *AUTO)
    for running in (host, guest, watch):
        await running.ends()
    verdict = verify_record(record.read_bytes())
    assert verdict.standing is Standing.AGREED
    ledger = verdict.ledger
    assert ledger.start.text.startswith("x5o/1-3-1/3-3/7/3-3/1-3-1/o5x")
    assert ledger.outcome is not None
    assert host.out.lines == guest.out.lines
    assert host.out.lines[-1] == RESULTS[ledger.outcome.score]
    told = [line.split()[:3] for line in watch.out.lines if re.match(r" *[0-9]+\. ", line)]
    assert told == [
        [f"{ply + 1}.", ("Red", "Blue")[ply % 2], move.text]
        for ply, move in enumerate(ledger.moves)
    ]


async def test_a_record_with_any_byte_changed_is_refused_and_the_fault_named(
    nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "host.json"
    host = await nodes.node("host").host("ourgame", *AUTO, "--transcript", record)
    guest = await nodes.node("guest").start("join", "ourgame", *AUTO)
    await host.ends()
    await guest.ends()
    data = record.read_bytes()
    choices = random.Random(7)
    for at in (*range(0, len(data), max(1, len(data) // 250)), len(data) - 1):
        changed = altered(data, at, choices)
        with pytest.raises(VerificationError) as refusal:
            verify_record(changed)
        assert len(str(refusal.value)) > 10, at
    for name, changed in {
        "move": data.replace(b'"move":"', b'"move":"g', 1),
        "signature": altered(data, data.rindex(b'"host":"') + 20, choices),
        "truncated": data[: len(data) // 2],
        "empty": b"",
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(changed)
        checked = await nodes.node("host").run("verify", path, code=ExitCode.VERIFICATION_FAILED)
        assert len(checked.err.lines) == 1
        faults = ("entry", "record", "signature")
        assert any(fault in str(checked.err) for fault in faults), checked.report()


async def test_a_person_at_a_pipe_hosts_a_whole_game_and_another_joins_it(
    nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "host.json"
    host = await nodes.node("host").host(
        "ourgame", "--color", "blue", "--transcript", record, typed=True
    )
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.says("You have the seat")
    blue, red = Person(Side.SECOND, 3), Person(Side.FIRST, 4)
    # Each in turn until both are told the result.
    results: list[str | None] = [None, None]
    while None in results:
        results[0] = results[0] or await red.play_one(guest)
        results[1] = results[1] or await blue.play_one(host)
    assert results[0] == results[1]
    await host.ends()
    await guest.ends()
    ledger = verify_record(record.read_bytes()).ledger
    assert ledger.outcome is not None
    assert results[0] == RESULTS[ledger.outcome.score]
    assert ledger.position == red.position == blue.position


async def test_a_person_at_a_pipe_resigns_and_both_sides_agree(
    nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "guest.json"
    host = await nodes.node("host").host("ourgame", *AUTO)
    guest = await nodes.node("guest").start("join", "ourgame", "--transcript", record, typed=True)
    assert await Person(Side.SECOND, 5).play(guest, plies=3) is None
    await guest.type("resign")
    await guest.prints("* Red wins.")
    await guest.ends()
    await host.ends()
    assert host.out.lines[-1] == "* Red wins."
    verdict = verify_record(record.read_bytes())
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert verdict.ledger.outcome.termination == "resignation"


async def test_a_wrong_move_is_explained_and_the_game_goes_on(nodes: Nodes) -> None:
    await nodes.node("host").host("ourgame", *AUTO)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    person = Person(Side.SECOND, 6)
    await person.play(guest, plies=1)
    await guest.type("a1-a4")
    await guest.says("a1-a4 is not legal: a4 is 3 rows away; the limit is 2. From a1 you can reach")
    await guest.type("frobnicate", "undo")
    await guest.says('"frobnicate" is not a command')
    await guest.says("network game")
    assert await person.play(guest) is not None
    await guest.ends()


@pytest.mark.parametrize("quitter", ["host", "guest"])
async def test_who_quits_in_mid_game_may_go_on_later(
    quitter: str, nodes: Nodes, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest")}
    players = {who: () if who == quitter else AUTO for who in records}
    host = await nodes.node("host").host(
        "ourgame", *players["host"], "--transcript", records["host"], typed=True
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", *players["guest"], "--transcript", records["guest"], typed=True
    )
    left, stays = (host, guest) if quitter == "host" else (guest, host)
    person = Person(Side.FIRST if quitter == "host" else Side.SECOND, 8)
    if quitter == "host":
        await host.says("has joined")
    assert await person.play(left, plies=4) is None
    await left.type("quit")
    await left.says("ataxxd resume ourgame")
    await left.ends()
    await stays.says("has left")
    unfinished = verify_record(records[quitter].read_bytes())
    assert unfinished.standing is Standing.UNFINISHED
    assert unfinished.ledger.position == person.position

    back = await nodes.node(quitter).start("resume", typed=True)
    await back.says("Continuing")
    assert await person.play(back) is not None
    await back.ends()
    await stays.ends()
    assert records["host"].read_bytes() == records["guest"].read_bytes()
    assert verify_record(records["host"].read_bytes()).standing is Standing.AGREED


async def test_nothing_contradicts_itself_in_an_undisturbed_game(nodes: Nodes) -> None:
    assert nodes.broker is not None
    async with recording(nodes.broker) as heard:
        host = await nodes.node("host").host("ourgame", *WEAK, "--seed", "1")
        guest = await nodes.node("guest").start("join", "ourgame", *WEAK, "--seed", "2")
        await host.ends()
        await guest.ends()
    assert len(heard.log_messages()) > 20
    assert heard.contradictions() == []
