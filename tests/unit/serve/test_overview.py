"""A node's status as people see it."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from textual.widgets import DataTable, Static

from ataxxd.serve.status import NotServingError, game_rows, game_table, summary_lines
from ataxxd.serve.top import TopScreen
from tests.unit.serve.statuses import GAME, STATUS, status

pytestmark = pytest.mark.usefixtures("patient_pilot")


def as_told(told: Any = STATUS) -> dict[str, Any]:
    return dict(json.loads(json.dumps(asdict(told))))


def test_the_summary_says_how_the_node_is_and_for_how_long() -> None:
    first, games, work = summary_lines(as_told(), STATUS.started_ms + 3 * 3_600_000 + 120_000)
    assert first == ("node aaaa-aaaa-aaaa-aaaa-aaaa at mqtt://127.0.0.1:1883: ready, up 3 h 2 min")
    named = summary_lines(as_told(status(nickname="ourclub")), STATUS.started_ms)[0]
    assert named.startswith("node ourclub (aaaa-aaaa-aaaa-aaaa-aaaa) at ")
    assert games.startswith("games: 1 playing, 1 of them waiting for our move, 1 other; 7 finished")
    assert work.startswith("searches: 1 now, 2 waiting, 2,000 kn/s; messages: 120 in, 130 out")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"draining": True}, "draining"),
        ({"connected": False}, "not connected"),
        ({"ready": False}, "starting"),
    ],
)
def test_a_node_that_takes_no_games_says_so(changes: dict[str, Any], word: str) -> None:
    assert f": {word}, up" in summary_lines(as_told(status(**changes)), STATUS.started_ms)[0]


def test_games_that_wait_for_us_come_first_and_clocks_are_readable() -> None:
    theirs = replace(GAME, name="another", ours_to_move=False)
    assert game_rows(as_told(status(games=(theirs, *STATUS.games)))) == [
        ("club", "ataxx/uai", "host", "bo (bbbb-bbbb)", "12", "to move", "0:01:01", "1:00:00"),
        ("another", "ataxx/uai", "host", "bo (bbbb-bbbb)", "12", "playing", "0:01:01", "1:00:00"),
        ("club-2", "ataxx/uai", "host", "-", "0", "open", "-", "-"),
    ]


def test_a_node_without_games_has_no_table() -> None:
    assert game_table(as_told(status(games=()))) == []
    assert len(game_table(as_told())) == 3


async def test_the_screen_shows_the_node_and_follows_it() -> None:
    told = [STATUS, status(games=(GAME,), finished=8)]
    app = TopScreen(lambda: as_told(told.pop(0) if len(told) > 1 else told[0]), 3600)
    async with app.run_test(size=(120, 30)) as pilot:
        games = app.query_one(DataTable)
        assert games.row_count == 2
        await app.update_status()
        assert games.row_count == 1
        assert "8 finished" in str(app.query_one("#node", Static).content)
        await pilot.press("q")


async def test_the_screen_stays_when_the_node_is_gone() -> None:
    def gone() -> dict[str, Any]:
        raise NotServingError("No node serves from here.")

    async with (app := TopScreen(gone, 3600)).run_test():
        assert "No node serves" in str(app.query_one("#node", Static).content)
