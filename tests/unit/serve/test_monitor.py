"""What the monitor answers, over its real sockets."""

import asyncio
import http.client
import json
import stat
from dataclasses import asdict
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ataxxd.errors import ConfigError
from ataxxd.node.errors import NameInUse
from ataxxd.node.home import Home
from ataxxd.serve.monitor import serve_monitor
from ataxxd.serve.status import (
    NotServingError,
    ServiceStatus,
    fetch_page,
    fetch_status,
    socket_path,
)
from tests.docs.pages import ROOT
from tests.time_limits import DEADLINE
from tests.unit.serve.statuses import STATUS, status


def get(port: int, page: str, host: str = "localhost") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request("GET", page, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


async def asked(home: Home, page: str, told: ServiceStatus = STATUS) -> tuple[int, bytes]:
    async with serve_monitor(home, lambda: told):
        return await asyncio.to_thread(fetch_page, home, page)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


async def test_a_node_tells_its_status_through_its_home(home: Home) -> None:
    async with serve_monitor(home, lambda: STATUS):
        told = await asyncio.to_thread(fetch_status, home)
    assert told == json.loads(json.dumps(asdict(STATUS)))


async def test_the_socket_is_for_its_owner_alone_and_gone_in_the_end(home: Home) -> None:
    async with serve_monitor(home, lambda: STATUS):
        mode = socket_path(home).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    assert not socket_path(home).exists()


async def test_a_home_with_a_long_path_is_asked_the_same_way(tmp_path: Path) -> None:
    home = Home(tmp_path / ("long" * 30) / "home")
    async with serve_monitor(home, lambda: STATUS):
        assert (await asyncio.to_thread(fetch_status, home))["node"] == STATUS.node
    assert not socket_path(home).is_symlink()


async def test_the_socket_of_a_killed_process_is_no_obstacle(home: Home) -> None:
    socket_path(home).touch()
    assert await asked(home, "/healthz") == (200, b"alive\n")


async def test_a_second_process_does_not_take_the_socket_away(home: Home) -> None:
    async with serve_monitor(home, lambda: STATUS):
        with pytest.raises(NameInUse, match="serves from the home"):
            async with serve_monitor(home, lambda: status(draining=True)):
                pass
        assert (await asyncio.to_thread(fetch_status, home))["draining"] is False


def test_where_nobody_serves_the_error_says_what_to_do(home: Home) -> None:
    with pytest.raises(NotServingError, match="ataxxd serve"):
        fetch_status(home)


@pytest.mark.parametrize(
    ("told", "code", "words"),
    [
        (STATUS, 200, b"ready\n"),
        (status(draining=True), 503, b"draining: no new game is begun\n"),
        (status(connected=False), 503, b"no connection to mqtt://127.0.0.1:1883\n"),
        (status(ready=False), 503, b"starting: games are taken up\n"),
    ],
)
async def test_readiness_says_why_not(
    told: ServiceStatus, code: int, words: bytes, home: Home
) -> None:
    assert await asked(home, "/readyz", told) == (code, words)
    # It lives, whatever it waits for.
    assert await asked(home, "/healthz", told) == (200, b"alive\n")


async def test_the_port_answers_under_no_name_of_others(home: Home) -> None:
    async with serve_monitor(home, lambda: STATUS, 0) as address:
        assert address is not None
        port = int(address.rpartition(":")[2])
        code, metrics = await asyncio.to_thread(get, port, "/metrics")
        assert code == 200
        assert b"ataxxd_ready 1.0" in metrics
        assert (await asyncio.to_thread(get, port, "/status", "evil.example"))[0] == 400
        with pytest.raises(ConfigError, match="Choose another"):
            async with serve_monitor(Home(home.path / "other"), lambda: STATUS, port):
                pass


async def test_the_metrics_are_those_of_the_status(home: Home) -> None:
    _, text = await asked(home, "/metrics")
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }
    wanted = {
        ("ataxxd_connected", ()): 1,
        ("ataxxd_start_time_seconds", ()): 1000,
        ("ataxxd_games_to_move", ()): 1,
        ("ataxxd_games_finished_total", ()): 7,
        ("ataxxd_challenges_total", (("answer", "declined"),)): 3,
        ("ataxxd_searches", (("state", "waiting"),)): 2,
        ("ataxxd_search_seconds_total", ()): 2,
        ("ataxxd_messages_total", (("direction", "in"),)): 120,
        (
            "ataxxd_games",
            (("role", "host"), ("ruleset", "ataxx/uai"), ("state", "playing")),
        ): 1,
    }
    assert {name: samples.get(name) for name in wanted} == wanted


async def test_the_page_of_metrics_names_every_one_and_no_other(home: Home) -> None:
    _, text = await asked(home, "/metrics")
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in text_string_to_metric_families(text.decode())
        if family.name.startswith("ataxxd")
    }
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip(" `") for line in page.splitlines() if "| `ataxxd" in line]
    assert {row.partition("{")[0].removesuffix("_info") for row in rows} == {
        name.removesuffix("_info") for name in there
    }
