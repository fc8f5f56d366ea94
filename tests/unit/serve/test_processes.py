"""How several processes share what a node serves, and what they say of it together."""

from pathlib import Path

import pytest

from ataxxd.serve.config import Config
from ataxxd.serve.plan import Share, make_plan, share_of_plan
from ataxxd.serve.processes import config_to_json
from ataxxd.serve.status import ServiceStatus, add_counters, combine_statuses
from tests.unit.serve.statuses import GAME, OPEN, status

TABLES = [
    {"name": f"t{number}", "ruleset": "ataxx/uai", "at_once": at_once}
    for number, at_once in enumerate((1, 1, 1, 7, 64))
]
CONFIG = Config.model_validate(
    {
        "node": {"home": "~/club", "name": "club", "processes": 3},
        "tables": TABLES,
        "bots": [{"group": "bots", "rulesets": ["ataxx/uai"]}],
        "notify": {"to": ["https://example.org/a", "https://user:secret@example.org/hook"]},
        "records": {"folder": "games"},
    }
)
NODE = ServiceStatus.at_start("a" * 20, "mqtt://127.0.0.1:1883", "club")


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_the_parts_of_all_processes_are_the_whole(processes: int) -> None:
    plan = make_plan(CONFIG)
    parts = [share_of_plan(plan, Share(index, processes)) for index in range(processes)]
    for number, table in enumerate(plan.tables):
        assert sum(part.tables[number].at_once for part in parts) == table.at_once
        firsts = {part.tables[number].numbers for part in parts}
        assert firsts == {(first, processes) for first in range(1, processes + 1)}
    assert [bool(part.bots) for part in parts] == [True] + [False] * (processes - 1)


def test_the_only_process_does_what_is_planned() -> None:
    plan = make_plan(CONFIG)
    assert share_of_plan(plan, Share()) == plan


def test_a_table_of_one_game_keeps_its_name_and_each_process_has_one_of_three() -> None:
    plan = make_plan(CONFIG)
    for index in range(3):
        part = share_of_plan(plan, Share(index, 3))
        assert [table.at_once for table in part.tables[:3]].count(1) == 1
        assert part.tables[index].numbers == (1, 3)
        assert part.tables[index].at_once == 1


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_every_game_is_taken_up_by_one_process_whoever_began_it(processes: int) -> None:
    shares = [Share(index, processes) for index in range(processes)]
    for begun_by in range(8):
        assert [share.resumes_games_of(begun_by) for share in shares].count(True) == 1


def test_the_configuration_comes_over_whole_with_its_secrets() -> None:
    told = Config.model_validate(config_to_json(CONFIG))
    assert told == CONFIG
    assert told.notify.to[1].get_secret_value() == "https://user:secret@example.org/hook"
    assert told.node.home == Path("~/club").expanduser()


def test_games_are_put_together_and_counters_added() -> None:
    told = combine_statuses(
        NODE, [status(games=(GAME,)), status(games=(OPEN,), finished=2, waiting=0)]
    )
    assert told.games == (GAME, OPEN)
    assert (told.finished, told.challenges_taken, told.messages_in) == (9, 10, 240)
    assert (told.searching, told.waiting, told.search_ms) == (2, 2, 4_000)
    assert (told.ready, told.connected, told.draining) == (True, True, False)
    assert (told.nickname, told.started_ms) == ("club", NODE.started_ms)


@pytest.mark.parametrize(
    ("other", "ready", "connected"),
    [
        (status(), True, True),
        (status(ready=False), False, True),
        (status(connected=False), True, False),
        (None, False, True),
    ],
)
def test_a_node_is_ready_when_all_processes_are(
    other: ServiceStatus | None, ready: bool, connected: bool
) -> None:
    told = combine_statuses(NODE, [status(), other])
    assert (told.ready, told.connected) == (ready, connected)


def test_nothing_is_connected_where_no_process_is_there() -> None:
    told = combine_statuses(NODE, [None, None])
    assert (told.ready, told.connected, told.games) == (False, False, ())


def test_what_an_ended_process_has_counted_stays_in_the_sums() -> None:
    ended = add_counters(NODE, status(games=()))
    told = combine_statuses(ended, [status(), status(finished=0, messages_in=0)])
    assert (told.finished, told.messages_in) == (14, 240)
