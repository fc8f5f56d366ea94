"""The old checkers program, played: machines, people at pipes, over Mosquitto, and converted."""

import json
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Position, Side
from ataxxd.rules.notation.transcript import read_transcript
from ataxxd.session.record import Standing, verify_record
from ataxxd.session.state import Phase
from tests.e2e.nodes import Nodes
from tests.e2e.rogues import rogue_guest
from tests.e2e.speakers import CHECKERS, Speaker

GAME = ("--game", "checkers")
MACHINE = (*GAME, "--player1", "auto", "--level", "1")
OPENING = "1. 11-15 24-20\n2. 8-11 28-24\n3. draw reject\n3. 9-13 22-18\n"


def speaker(side: Side, seed: int, opening: str) -> Speaker:
    """Somebody who plays on after the moves of a transcript."""
    game = read_transcript(opening)
    return Speaker(CHECKERS, side, game.position, seed, len(game.moves))


async def test_two_machines_with_one_seed_print_the_same_game_twice(nodes: Nodes) -> None:
    node = nodes.node("alone")
    first = await node.run("play", *MACHINE, "--seed", "42421")
    second = await node.run("play", *MACHINE, "--seed", "42421")
    other = await node.run("play", *MACHINE, "--seed", "7")
    assert first.out.lines == second.out.lines != other.out.lines
    game = read_transcript(str(first.out))
    assert game.outcome is not None
    assert first.out.lines[-1] == game.outcome.score


async def test_a_machine_with_a_transcript_prints_nothing(nodes: Nodes, tmp_path: Path) -> None:
    node = nodes.node("alone")
    printed = await node.run("play", *MACHINE, "--seed", "3")
    silent = await node.run("play", *MACHINE, "--seed", "3", "--transcript", tmp_path / "game")
    assert silent.out.lines == []
    assert (tmp_path / "game").read_text().splitlines() == printed.out.lines


async def test_a_game_goes_on_after_its_init_moves(nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "init").write_text(OPENING)
    node = nodes.node("alone")
    running = await node.start(
        *("play", *GAME, "--player2", "human", "--init", tmp_path / "init"),
        *("--transcript", tmp_path / "game.txt"),
        typed=True,
    )
    await running.type("15-22", "21-17", "25-18", "draw", "reject", "resign", "10-15", "resign")
    assert await running.next_line() == "1-0"
    await running.ends()
    assert "a capture is forced: 25x18 or 26x17" in str(running.err)
    assert "now you must move" in str(running.err)
    written = (tmp_path / "game.txt").read_text()
    assert written == (
        "1. 11-15 24-20\n2. 8-11 28-24\n3. draw reject\n3. 9-13 22-18\n4. 15-22 25-18\n"
        "5. draw reject\n5. 10-15 resign\n1-0\n"
    )
    again = await node.run(
        *("play", *GAME, "--player2", "human", "--init", tmp_path / "game.txt"),
        *("--transcript", tmp_path / "again.txt"),
    )
    assert again.out.lines == []
    assert (tmp_path / "again.txt").read_text() == written.removesuffix(" resign\n1-0\n") + "\n"


async def test_wrong_init_files_are_refused(nodes: Nodes, tmp_path: Path) -> None:
    node = nodes.node("alone")
    (tmp_path / "init").write_text("1. 11-15 24-20\n2. 8-12")
    for command in (("play",), ("host", "ourgame")):
        wrong = await node.run(*command, *GAME, "--init", tmp_path / "init", code=ExitCode.USAGE)
        assert "init, line 2, column 4: 8-12 is not legal" in str(wrong.err)
        assert len(wrong.err.lines) == 1
    (tmp_path / "over").write_text("1. resign\n0-1")
    (tmp_path / "game.pdn").write_text('[FEN "W:W9,5,13:BK1,K2,6,7,21,22"]\n\n1-0')
    over = await node.run(
        "host", "ourgame", *GAME, "--init", tmp_path / "game.pdn", code=ExitCode.USAGE
    )
    assert "nobody could move" in str(over.err)
    other = await node.run("play", "--init", tmp_path / "game.pdn", code=ExitCode.USAGE)
    assert "--game checkers" in str(other.err)
    both = await node.run(
        *("play", *GAME, "--init", tmp_path / "over", "--position", "W:W1:B32"),
        code=ExitCode.USAGE,
    )
    assert "leave out" in str(both.err)


@pytest.mark.gate
async def test_the_old_program_hosts_and_joins_and_both_write_one_transcript(
    nodes: Nodes, tmp_path: Path
) -> None:
    (tmp_path / "init").write_text(OPENING + "4. resign\n0-1\n")
    records = [tmp_path / "host.txt", tmp_path / "watch.json", tmp_path / "late.pdn"]
    host = await nodes.node("host").start(
        *("play", *GAME, "--player2", "ourgame", "--white", "--init", tmp_path / "init"),
        *("--transcript", records[0]),
        typed=True,
    )
    await host.says("Waiting for a guest")
    watch = await nodes.node("watch").start(
        "watch", "ourgame", "--json", "--transcript", records[1]
    )
    guest = await nodes.node("guest").start(
        *("play", "--player1", "auto", "--level", "1", "--seed", "1"),
        *("--player2", f"ourgame@{nodes.broker}"),
    )
    person = speaker(Side.SECOND, 1, OPENING)
    score = await person.play(host)
    for running in (host, guest, watch):
        await running.ends()
    await nodes.node("late").run("watch", "ourgame", "--transcript", records[2])
    text = records[0].read_text()
    assert text.startswith("1. 11-15 24-20\n2. 8-11 28-24\n3. 9-13 22-18\n4. 15-22 25-18\n")
    assert text.splitlines() == guest.out.lines
    assert text.splitlines()[-1] == score
    verdict = verify_record(records[1].read_bytes())
    assert verdict.standing is Standing.AGREED
    assert len(verdict.ledger.opening) == 6
    assert verdict.ledger.moves == read_transcript(text).moves
    events = [json.loads(line) for line in watch.out.lines]
    assert events[0]["opening"] == [move.text for move in verdict.ledger.opening]
    played = [event["move"] for event in events if event["event"] == "move"]
    assert played == [move.text for move in verdict.ledger.moves[6:]]
    node = nodes.node("host")
    assert "every rule holds" in str((await node.run("verify", records[1])).out)
    converted = await node.run("convert", records[1], "-", "--to", "transcript")
    assert converted.out.lines == text.splitlines()
    pdn = await node.run("convert", records[1], "-", "--to", "pdn")
    assert str(pdn.out) == records[2].read_text().rstrip("\n")
    join = verdict.ledger.join
    assert join is not None
    assert f'[Black "{join.author}"]' in pdn.out.lines
    assert f'[White "{verdict.ledger.offer.host}"]' in pdn.out.lines


async def test_a_mailbox_is_named_as_the_old_program_allows_it(
    nodes: Nodes, tmp_path: Path
) -> None:
    host = await nodes.node("host").start(
        *("play", *GAME, "--player2", "Our Game", "--grace", "7s"), typed=True
    )
    await host.says('Hosting "Our Game"')
    await host.says('On the broker "Our Game" is called "our-game"; either name works.')
    await host.says("Waiting for a guest")
    guest = await nodes.node("guest").start(
        *("play", *GAME, "--player2", f"Our Game@{nodes.broker}"),
        *("--transcript", tmp_path / "guest.txt"),
        typed=True,
    )
    await guest.says('Joining "Our Game"')
    await guest.says("a player who is silent for 7s may lose")
    await guest.says("You have the seat")
    await host.type("quit")
    await host.says("Continue with: ataxxd resume 'Our Game'")
    await host.ends()
    resumed = await nodes.node("host").start("resume", "Our Game", typed=True)
    await resumed.says('Continuing "Our Game"')
    await resumed.type("resign")
    for running in (resumed, guest):
        assert await running.next_line() == ("0-1" if running is resumed else "1. resign")
    assert await guest.next_line() == "0-1"
    for running in (resumed, guest):
        await running.ends()
    assert (tmp_path / "guest.txt").read_text() == "1. resign\n0-1\n"


async def test_people_on_both_sides_agree_on_a_draw(nodes: Nodes, tmp_path: Path) -> None:
    records = [tmp_path / "host.txt", tmp_path / "guest.txt"]
    host = await nodes.node("host").host("ourgame", *GAME, "--transcript", records[0], typed=True)
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records[1], typed=True
    )
    await guest.says("You have the seat")
    await host.type("11-15")
    assert await guest.next_line() == "1. 11-15"
    await guest.type("accept", "24-20")
    assert await host.next_line() == "1. 24-20"
    await host.type("draw")
    assert await guest.next_line() == "2. draw"
    await guest.type("22-18", "reject")
    assert await host.next_line() == "2. reject"
    await host.type("resign", "draw", "8-11")
    assert await guest.next_line() == "2. 8-11"
    await guest.type("draw")
    assert await host.next_line() == "2. draw"
    await host.type("accept")
    assert await guest.next_line() == "2. accept"
    for running in (host, guest):
        assert await running.next_line() == "1/2-1/2"
        await running.ends()
    watch = await nodes.node("watch").run("watch", "ourgame", "--json")
    talk = [json.loads(line) for line in watch.out.lines]
    assert [(said["event"], said.get("by")) for said in talk[1:-1]] == [
        ("move", "host"),
        ("move", "guest"),
        ("draw", "host"),
        ("draw-rejected", "guest"),
        ("move", "host"),
        ("draw", "guest"),
        ("end", None),
    ]
    shown = await nodes.node("watch").run("watch", "ourgame")
    assert "White rejects the draw." in shown.err.lines
    assert shown.out.lines[-1] == "A draw: both agreed."
    assert "no draw was offered" in str(guest.err).lower()
    assert "Black offers a draw: type accept or reject before anything else" in str(guest.err)
    assert str(host.err).count("now you must move") == 2
    texts = {record.read_text() for record in records}
    assert texts == {"1. 11-15 24-20\n2. draw reject\n2. 8-11 draw\n2. accept\n1/2-1/2\n"}


async def test_a_resignation_is_told_to_the_other_side(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ourgame", *GAME, "--color", "white", typed=True)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.says("You have the seat")
    await guest.type("11-15")
    assert await host.next_line() == "1. 11-15"
    await host.type("resign")
    assert await guest.next_line() == "1. resign"
    for running in (host, guest):
        assert await running.next_line() == "1-0"
        await running.ends()


async def test_a_person_goes_on_after_a_crash(nodes: Nodes, tmp_path: Path) -> None:
    records = [tmp_path / "host.json", tmp_path / "guest.json"]
    (tmp_path / "init").write_text(OPENING)
    host = await nodes.node("host").host(
        *("ourgame", *GAME, "--auto", "--level", "1", "--seed", "3"),
        *("--init", tmp_path / "init", "--transcript", records[0]),
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records[1], typed=True
    )
    person = speaker(Side.SECOND, 2, OPENING)
    assert await person.play(guest, plies=3) is None
    await guest.kill()
    back = await nodes.node("guest").start("resume", typed=True)
    await back.says("Continuing")
    score = await person.play(back)
    await back.ends()
    await host.ends()
    assert records[0].read_bytes() == records[1].read_bytes()
    verdict = verify_record(records[0].read_bytes())
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert verdict.ledger.outcome.score == score


async def test_two_machines_at_a_dead_end_agree_on_a_draw(nodes: Nodes, tmp_path: Path) -> None:
    position = "B:WK32:BK1"
    record = tmp_path / "host.json"
    host = await nodes.node("host").host(
        *(
            "ourgame",
            *GAME,
            "--player",
            "alphabeta:3",
            "--position",
            position,
            "--transcript",
            record,
        )
    )
    guest = await nodes.node("guest").start("join", "ourgame", "--player", "alphabeta:3")
    await guest.ends()
    await host.ends()
    ledger = verify_record(record.read_bytes()).ledger
    assert ledger.start == Position.from_text(CHECKERS.ruleset, position)
    assert ledger.outcome is not None
    assert ledger.outcome.termination == "draw-agreed"
    # The transcript cannot say where the game began, so that PDN is printed.
    assert '[FEN "B:WK32:BK1"]' in guest.out.lines


@pytest.mark.parametrize(("suffix", "code"), [("json", ExitCode.USAGE), ("ggf", ExitCode.USAGE)])
async def test_a_transcript_that_cannot_be_is_refused_before_the_game(
    nodes: Nodes, tmp_path: Path, suffix: str, code: ExitCode
) -> None:
    refused = await nodes.node("alone").run(
        "play", *MACHINE, "--transcript", tmp_path / f"game.{suffix}", code=code
    )
    assert refused.out.lines == []
    assert not (tmp_path / f"game.{suffix}").exists()


async def test_host_guest_and_spectator_are_told_before_the_game_that_it_cannot_be_written(
    nodes: Nodes, tmp_path: Path
) -> None:
    for options, name, why in (
        (("--game", "reversi"), "game.txt", "a game of checkers; this is one of reversi"),
        (("--position", "B:W32:B1", *GAME), "game", "from which position"),
    ):
        refused = await nodes.node("host").run(
            *("host", "ourgame", *options, "--transcript", tmp_path / name), code=ExitCode.USAGE
        )
        assert why in str(refused.err)
        assert "Hosting" not in str(refused.err)
        host = await nodes.node("host").host("ourgame", *options, "--new", typed=True)
        for command in ("join", "watch"):
            refused = await nodes.node(command).run(
                *(command, "ourgame", "--transcript", tmp_path / name), code=ExitCode.USAGE
            )
            assert why in str(refused.err)
            assert "You have the seat" not in str(refused.err)
        assert "has joined" not in str(host.err)
        await host.kill()


async def test_a_malformed_game_is_not_converted(nodes: Nodes, tmp_path: Path) -> None:
    node = nodes.node("alone")
    source, target = tmp_path / "in.pdn", tmp_path / "out.txt"
    source.write_text('[Event "x"]\n\n1. 11-15 24-20\n2. 8-12 *\n')
    target.write_text("kept")
    wrong = await node.run("convert", source, target, code=ExitCode.USAGE)
    assert "in.pdn, line 4, column 4: 8-12 is not legal" in str(wrong.err)
    assert target.read_text() == "kept"
    for arguments, words in (
        (("missing.pdn", target), "cannot be read"),
        ((source, tmp_path / "out.foo"), "does not tell its format"),
        ((source, target, "--to", "foo"), "there is no such format"),
        ((source, tmp_path / "out.json"), "only its players can sign"),
        ((source, target, "--ruleset", "checkers/none"), "no ruleset"),
    ):
        code = ExitCode.STORAGE if "read" in words else ExitCode.USAGE
        refused = await node.run("convert", *arguments, code=code)
        assert words in str(refused.err)
    (tmp_path / "record.json").write_text("{}")
    await node.run("convert", tmp_path / "record.json", target, code=ExitCode.VERIFICATION_FAILED)
    assert target.read_text() == "kept"


async def test_an_illegal_move_from_the_wire_loses_like_a_resignation(
    nodes: Nodes, tmp_path: Path
) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host(
        "ourgame", *GAME, "--transcript", tmp_path / "game.txt", typed=True
    )
    async with rogue_guest(nodes.broker) as rogue:
        await host.type("11-15")
        await rogue.until(lambda: rogue.on_turn)
        await rogue.cheat(move="24-15", position="0" * 64)
        assert await host.next_line() == "1-0"
        await rogue.until(lambda: rogue.session.ledger.phase is Phase.CLOSED)
    await host.ends(ExitCode.CHEATING_PROVED)
    assert "there is no piece on 19 to jump over" in str(host.err)
    assert (tmp_path / "game.txt").read_text() == "1. 11-15 resign\n1-0\n"
