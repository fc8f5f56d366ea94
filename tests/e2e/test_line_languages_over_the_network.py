"""Lines of Action and reversi through Mosquitto: to a verified end, whoever plays and watches."""

import json
from pathlib import Path

import pytest

from ataxxd.rules import Position, Side
from ataxxd.rules.values import ending_text
from ataxxd.session.record import Standing, Verdict, verify_record
from tests.e2e.nodes import Nodes
from tests.e2e.speakers import LOA, REVERSI, Language, Speaker

AUTO = ("--auto", "--level", "1")


@pytest.fixture(params=(LOA, REVERSI), ids=lambda language: language.game)
def language(request: pytest.FixtureRequest) -> Language:
    """Each of the two games."""
    assert isinstance(request.param, Language)
    return request.param


def agreed(*records: Path) -> Verdict:
    """What is in the records, which must be one and the same and signed by both sides."""
    data = {record.read_bytes() for record in records}
    assert len(data) == 1
    verdict = verify_record(data.pop())
    assert verdict.standing is Standing.AGREED
    return verdict


async def test_a_person_hosts_from_a_position_against_an_engine_while_others_watch(
    language: Language, nodes: Nodes, tmp_path: Path
) -> None:
    records = [tmp_path / f"{who}.json" for who in ("host", "guest", "watch", "late")]
    given, canonical = language.opening
    host = await nodes.node("host").host(
        *("ourgame", "--game", language.game, "--position", given),
        *("--color", "white", "--transcript", records[0]),
        typed=True,
    )
    watch = await nodes.node("watch").start(
        "watch", "ourgame", "--json", "--transcript", records[2]
    )
    guest = await nodes.node("guest").start("join", "ourgame", *AUTO, "--transcript", records[1])
    start = Position.from_text(language.ruleset, given)
    assert start.text == canonical
    person = Speaker(language, Side.SECOND, start, seed=1)
    result = await person.play(host)
    for running in (host, guest, watch):
        await running.ends()
    await nodes.node("late").run("watch", "ourgame", "--transcript", records[3])
    ledger = agreed(*records).ledger
    assert ledger.start == start
    assert ledger.position == person.position
    assert ledger.outcome is not None
    assert result == language.results[ledger.outcome.score]
    events = [json.loads(line) for line in watch.out.lines]
    moves = [event["move"] for event in events if event["event"] == "move"]
    assert moves == [move.text for move in ledger.moves]
    checked = await nodes.node("host").run("verify", records[0])
    assert "every rule holds" in str(checked.out)


async def test_a_person_joins_an_engine_and_goes_on_after_leaving(
    language: Language, nodes: Nodes, tmp_path: Path
) -> None:
    records = [tmp_path / "host.json", tmp_path / "guest.json"]
    host = await nodes.node("host").host(
        "ourgame", "--game", language.game, *AUTO, "--seed", "3", "--transcript", records[0]
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records[1], typed=True
    )
    person = Speaker(language, Side.SECOND, Position.start(language.ruleset), seed=2)
    assert await person.play(guest, plies=3) is None
    await guest.kill()
    back = await nodes.node("guest").start("resume", typed=True)
    await back.says("Continuing")
    result = await person.play(back)
    await back.ends()
    await host.ends()
    ledger = agreed(*records).ledger
    assert ledger.position == person.position
    assert ledger.outcome is not None
    assert result == language.results[ledger.outcome.score]


async def test_two_players_by_name_play_and_a_spectator_reads_the_board(
    language: Language, nodes: Nodes, tmp_path: Path
) -> None:
    records = [tmp_path / "host.json", tmp_path / "guest.json"]
    host = await nodes.node("host").host(
        *("ourgame", "--game", language.game, "--player", "alphabeta:2"),
        *("--transcript", records[0]),
    )
    watch = await nodes.node("watch").start("watch", "ourgame")
    await watch.says("Watching")
    games = await nodes.node("watch").run("games")
    assert language.game in str(games.out)
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--player", "random", "--seed", "5", "--transcript", records[1]
    )
    for running in (host, guest, watch):
        await running.ends()
    ledger = agreed(*records).ledger
    assert ledger.outcome is not None
    assert host.out.lines == guest.out.lines
    assert host.out.lines[-1] == language.results[ledger.outcome.score]
    assert "a b c d e f g h" in str(watch.out)
    assert watch.out.lines[-1] == ending_text(ledger.outcome, ledger.position)


async def test_an_illegal_move_is_explained_and_setting_up_is_refused(
    language: Language, nodes: Nodes
) -> None:
    host = await nodes.node("host").host("ourgame", "--game", language.game, typed=True)
    await nodes.node("guest").start("join", "ourgame", *AUTO)
    await host.says("has joined")
    await host.type({"loa": "b1-b4", "reversi": "a1"}[language.game])
    await host.says({"loa": "b1 must move 2 squares", "reversi": "invalid"}[language.game])
    await host.type("undo", "new", "dump")
    await host.says("undo is not possible in a network game")
    await host.says("A new game is not possible in a network game")
    # Nothing has changed: it is still Black's turn.
    unchanged = {"loa": "Next move: black", "reversi": "Current boardScore: 0"}
    await host.prints(unchanged[language.game])
    await host.type("resign")
    await host.prints(language.results["0-1"])
    await host.ends()


async def test_a_colour_of_another_game_is_refused(nodes: Nodes) -> None:
    refused = await nodes.node("host").run("host", "x", "--game", "loa", "--color", "red", code=2)
    assert "in loa the sides are black and white" in str(refused.err)
