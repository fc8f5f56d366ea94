"""Games of all kinds, signed by playing and told to other programs; and games they begin with."""

import json
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Position
from ataxxd.rules.notation import format_named
from ataxxd.session.record import verify_record
from tests.e2e.nodes import Nodes

NOTATIONS = {"ataxx": ["pgn"], "loa": ["pgn"], "reversi": ["ggf", "moves"], "checkers": ["pdn"]}
BEGINNINGS = {
    "ataxx": ("game.pgn", "1. g2 a2 2. f2 *", "x5o/7/7/7/7/o4xx/o5x o 0 2"),
    "loa": ("game", "1. b1-b3 a2-c2 *", None),
    "reversi": ("game.f5d6", "f5d6c3", None),
}


@pytest.mark.parametrize("game", NOTATIONS)
async def test_a_signed_game_keeps_its_players_moves_and_result(
    game: str, nodes: Nodes, tmp_path: Path
) -> None:
    record = tmp_path / "host.json"
    weak = ("--auto", "--level", "1")
    host = await nodes.node("host").host(
        *("ourgame", "--game", game, "--color", "random", *weak, "--transcript", record)
    )
    await nodes.node("guest").run("join", "ourgame", "--auto", "--level", "2")
    await host.ends()
    ledger = verify_record(record.read_bytes()).ledger
    assert ledger.join is not None
    nodes_of_sides = (ledger.offer.host, ledger.join.author)
    if ledger.host_side == 1:
        nodes_of_sides = nodes_of_sides[::-1]
    for name in NOTATIONS[game]:
        told = tmp_path / f"game.{name}"
        await nodes.node("host").run("convert", record, told)
        form = format_named(name)
        assert form is not None
        read = form.read(told.read_text(), None)
        assert (read.start, read.moves, read.outcome) == (
            ledger.start,
            ledger.moves,
            ledger.outcome,
        )
        if name != "moves":
            assert read.players == nodes_of_sides
            assert read.event == "ourgame"


@pytest.mark.parametrize("game", BEGINNINGS)
async def test_a_hosted_game_begins_with_the_moves_of_any_notation(
    game: str, nodes: Nodes, tmp_path: Path
) -> None:
    name, text, _ = BEGINNINGS[game]
    (tmp_path / name).write_text(text)
    record = tmp_path / "host.json"
    host = await nodes.node("host").host(
        *("ourgame", "--game", game, "--init", tmp_path / name, "--transcript", record),
        *("--auto", "--level", "1"),
    )
    await nodes.node("guest").run("join", "ourgame", "--auto", "--level", "1")
    await host.ends()
    ledger = verify_record(record.read_bytes()).ledger
    assert ledger.start == Position.start(ledger.start.ruleset)
    words = [word for word in text.split() if word[0] not in "12*"]
    wanted = ["f5", "d6", "c3"] if game == "reversi" else words
    assert [move.text for move in ledger.opening] == wanted


@pytest.mark.gate("reversi")
@pytest.mark.parametrize("game", BEGINNINGS)
async def test_an_offline_game_begins_and_is_kept_in_any_notation(
    game: str, nodes: Nodes, tmp_path: Path
) -> None:
    name, text, position = BEGINNINGS[game]
    (tmp_path / name).write_text(text)
    node = nodes.node("alone")
    kept = tmp_path / "kept"
    await node.run(
        *("play", "--game", game, "--player2", "human", "--init", tmp_path / name),
        *("--transcript", kept),
    )
    form = format_named("ggf" if game == "reversi" else "pgn")
    assert form is not None
    read = form.read(kept.read_text(), None)
    assert len(read.moves) in (2, 3)
    if position is not None:
        assert read.position.text == position


async def test_each_of_several_files_is_judged_and_the_worst_tells_the_exit_code(
    nodes: Nodes, tmp_path: Path
) -> None:
    good, bad, missing = (tmp_path / name for name in ("good.json", "bad.json", "missing.json"))
    weak = ("--auto", "--level", "1")
    host = await nodes.node("host").host("ourgame", *weak, "--transcript", good)
    await nodes.node("guest").run("join", "ourgame", *weak)
    await host.ends()
    bad.write_bytes(good.read_bytes().replace(b'"name":"ourgame"', b'"name":"theirs"'))
    judge = nodes.node("judge")
    alone = (await judge.run("verify", good)).out.lines
    twice = await judge.run("verify", good, good)
    assert twice.out.lines == alone * 2
    worse = await judge.run("verify", bad, good, code=ExitCode.VERIFICATION_FAILED)
    assert worse.out.lines == alone
    assert f"ataxxd: {bad}: " in str(worse.err)
    worst = await judge.run("verify", missing, bad, good, "--json", code=ExitCode.STORAGE)
    objects = [json.loads(line) for line in worst.out.lines]
    assert [(each["file"], each["verified"]) for each in objects] == [
        (str(missing), False),
        (str(bad), False),
        (str(good), True),
    ]
    (one,) = (await judge.run("verify", good, "--json")).out.lines
    assert {"file": str(good), **json.loads(one)} == objects[2]
