"""``ataxxd tune`` as a program: alone, killed and resumed, and by workers at a real NATS server."""

import json
import re
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.conftest import require
from tests.e2e.spawned import Spawn
from tests.nats_server import NatsServer

RUN = (
    "reversi", "--games", "16", "--nodes", "1000", "--window", "3", "--rate", "0.2",
    "--parameters", "late_move_slope:10:1000:100,futility_slope:5:300:40,gain_weight:1:256:20",
)  # fmt: skip


@pytest.mark.gate
def test_a_tuning_ends_with_a_player_that_a_match_takes(spawn: Spawn) -> None:
    code, out, err = spawn("tune", *RUN).finished()
    assert code == ExitCode.OK, err
    head, columns, *rows, player = out.splitlines()
    assert head == "Iteration 8 of 8, 16 games"
    assert columns.split() == ["parameter", "start", "now", "least", "most", "step", "per", "point"]
    assert [row.split()[0] for row in rows] == ["late_move_slope", "futility_slope", "gain_weight"]
    assert rows[1].split()[1:6:2] == ["75", "5", "40.00"]
    assert re.fullmatch(r"auto\+[a-z_]+=-?\d+(,[a-z_]+=-?\d+)*", player)
    assert f"ataxxd match {player} auto --game reversi --nodes 1000 --seed 2" in err
    code, out, err = spawn(
        "match", player, "auto", "--game", "reversi", "--nodes", "300", "--games", "2"
    ).finished()
    assert code == ExitCode.OK, err
    assert "2 of 2 games" in out
    assert "Limit: " not in err


@pytest.mark.gate
def test_by_two_workers_and_killed_on_the_way_it_comes_to_the_same(
    tmp_path: Path, spawn: Spawn
) -> None:
    require(NatsServer)
    code, alone, err = spawn("tune", *RUN, "--concurrency", "2").finished()
    assert code == ExitCode.OK, err
    with NatsServer(tmp_path / "nats") as server:
        queued = ("tune", *RUN, "--state", "s", "--queue", server.url)
        tuning = spawn(*queued)
        watching = spawn("match", "--watch", server.url)
        watching.until("Tuning: 0 of 16 games; late_move_slope ")
        watching.kill()
        workers = [spawn("worker", server.url, "--name", name) for name in ("one", "two")]
        # Whichever it is: several may count at once, and are told by the last of them.
        tuning.until("Iteration ")
        tuning.kill()
        code, out, err = spawn(*queued).finished()
        assert code == ExitCode.OK, err
        assert out == alone
        assert "already played; the tuning continues." in err
        for worker in workers:
            worker.send(signal.SIGINT)
            code, _, err = worker.finished()
            assert code == ExitCode.OK, err


def test_a_tuning_goes_on_where_a_crash_left_its_file(tmp_path: Path, spawn: Spawn) -> None:
    kept = ("tune", *RUN, "--json", "--state", "s")
    code, whole, err = spawn(*kept).finished()
    assert code == ExitCode.OK, err
    state = tmp_path / "s"
    lines = state.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 16
    state.write_bytes(b"".join(lines[:8]) + lines[8][:50])
    code, out, err = spawn(*kept).finished()
    assert code == ExitCode.OK, err
    assert "7 games already played; the tuning continues." in err
    assert out == whole
    assert len(state.read_bytes().splitlines()) == len(lines)
    # With nothing left to be played it says the same.
    code, out, err = spawn(*kept).finished()
    assert (code, out) == (ExitCode.OK, whole)
    assert "16 games already played; none is left to play." in err
    code, _, err = spawn(*kept, "--rate", "0.1").finished()
    assert code == ExitCode.USAGE
    assert "belongs to another tuning; it differs in --rate (0.2 there, 0.1 here). " in err
    code, _, err = spawn(*kept[: kept.index("--parameters") + 1], "killer", *kept[-3:]).finished()
    assert code == ExitCode.USAGE
    names = "late_move_slope,futility_slope,gain_weight"
    assert f"it differs in --parameters ({names} there, killer here). " in err


def test_a_tuning_is_watched_by_its_file_and_comes_to_the_same(spawn: Spawn) -> None:
    code, out, err = spawn("tune", *RUN, "--json", "--state", "s").finished()
    assert code == ExitCode.OK, err
    tuned = {each["name"]: (each["start"], each["now"]) for each in json.loads(out)["parameters"]}
    code, seen, err = spawn("match", "--watch", "s", "--json").finished()
    assert code == ExitCode.OK, err
    told = json.loads(seen)
    assert (told["games"], told["played"]) == (16, 16)
    assert {each["name"]: (each["start"], each["now"]) for each in told["parameters"]} == tuned
    code, seen, err = spawn("match", "--watch", "s").finished()
    assert code == ExitCode.OK, err
    head, *rows = seen.splitlines()
    assert head == "Tuning: 16 of 16 games"
    assert rows == [f"{name} {now:.1f}, from {start}" for name, (start, now) in tuned.items()]


def test_a_tuning_that_is_stopped_says_how_far_it_has_come(spawn: Spawn) -> None:
    tuning = spawn("tune", "loa", "--games", "20000", "--depth", "1", "--json")
    tuning.until("Iteration ")
    tuning.send(signal.SIGINT)
    code, out, err = tuning.finished()
    assert code == ExitCode.INTERRUPTED, err
    assert "of 10000 iterations; with --state it could continue." in err
    assert 1 <= json.loads(out)["counted"] < 10_000


@pytest.mark.parametrize("game", ["ataxx", "reversi", "checkers", "loa"])
def test_what_can_be_tuned_is_listed_and_tuned_in_every_game(game: str, spawn: Spawn) -> None:
    code, out, err = spawn("tune", game, "--list").finished()
    assert code == ExitCode.OK, err
    columns, *rows = out.splitlines()
    assert columns.split() == ["parameter", "value", "least", "most", "step"]
    listed = [row.split()[0] for row in rows]
    assert ("quiet_moves" in listed) == (game == "ataxx")
    assert ("null_move_depth" in listed) == (game == "loa")
    code, out, err = spawn("tune", game, "--games", "2", "--depth", "2", "--json").finished()
    assert code == ExitCode.OK, err
    tuned = [each["name"] for each in json.loads(out)["parameters"]]
    # Without a limit in time, the share of it that proofs have decides nothing.
    assert ["win_share", *tuned] == listed


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("chess",), "There is no game 'chess'"),
        (("loa", "--parameters", "kilerr"), 'has no number "kilerr". Did you mean "killer"?'),
        (("loa", "--parameters", "killer,killer"), "names killer twice"),
        (("loa", "--parameters", "killer:500:600:5"), "write killer:LEAST:MOST:STEP"),
        (("loa", "--parameters", "killer:0:600"), "write killer:LEAST:MOST:STEP"),
        (("loa", "--games", "10", "--pairs", "2"), "an iteration is 4 games"),
        (("reversi", "--plies", "1", "--balanced", "0"), "Use a larger --balanced"),
        (("loa", "--queue", "nats://[::1]:9"), "--queue needs --state FILE"),
        (("loa", "--clock", "1m", "--move-time", "1s"), "choose one"),
    ],
)
def test_what_cannot_be_tuned_is_explained(
    arguments: tuple[str, ...], why: str, spawn: Spawn
) -> None:
    code, out, err = spawn("tune", *arguments).finished()
    assert code == ExitCode.USAGE, err
    assert out == ""
    assert why in err
