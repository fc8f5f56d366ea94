"""``ataxxd match`` as a program: its output, its files, its exit codes, and how it is stopped."""

import json
import os
import shlex
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from ataxxd.engines.match.openings import random_openings
from ataxxd.errors import ExitCode
from ataxxd.rules import Position
from ataxxd.rules.notation import format_named
from tests.docs.pages import ROOT
from tests.e2e.line_program import PROGRAM
from tests.e2e.spawned import Spawn
from tests.e2e.terminals import in_terminal
from tests.time_limits import BUILT

OURS = f"engine:limit=nodes:200 {shlex.join([*PROGRAM, 'uai'])}"
ROGUE = f"engine:{shlex.join([sys.executable, str(ROOT / 'tests' / 'rogue_engine.py')])}"
QUICK = ("--nodes", "200", "--max-plies", "80")


def program(*arguments: str, at: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True, text=True, timeout=BUILT, check=False, cwd=at,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def match(*arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return program("match", *arguments, at=folder)


def test_an_engine_plays_a_match_against_our_search_and_all_games_are_written(
    tmp_path: Path,
) -> None:
    done = match(OURS, "random", "--games", "4", *QUICK, "--transcript", "m.pgn", folder=tmp_path)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "4 of 4 games" in done.stdout
    assert "+4 =0 -0" in done.stdout
    assert len([line for line in done.stderr.splitlines() if line.startswith("Game ")]) == 4
    games = (tmp_path / "m.pgn").read_text().split("\n\n[Event")
    assert len(games) == 4
    form = format_named("pgn")
    assert form is not None
    for number, text in enumerate(games):
        game = form.read(text if number == 0 else f"[Event{text}", None)
        assert "random" in game.players
        assert game.outcome is not None


def test_the_first_of_several_players_meets_each_of_the_others(tmp_path: Path) -> None:
    options = ("--games", "2", *QUICK, "--state", "m.match", "--transcript", "m.pgn")
    done = match("auto", "random", "first", *options, folder=tmp_path)
    assert done.returncode == ExitCode.OK, done.stderr
    first, second = done.stdout.splitlines()[-2:]
    assert first.startswith("ataxxd - random: 2 of 2 games; ")
    assert second.startswith("ataxxd - first: 2 of 2 games; ")
    names = ["m-1.match", "m-1.pgn", "m-2.match", "m-2.pgn"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert "random" in (tmp_path / "m-1.pgn").read_text()
    watched = match("--watch", "m.match", folder=tmp_path)
    assert watched.returncode == ExitCode.USAGE
    assert "--watch m-1.match" in watched.stderr
    # Another one is added: what has been played counts.
    again = match("auto", "random", "first", "alphabeta:1", *options, folder=tmp_path)
    assert again.stdout.splitlines()[-3:-1] == [first, second]
    assert sum(line.startswith("Game ") for line in again.stderr.splitlines()) == 2
    # Whoever cannot be started does not take the others' results away.
    broken = match("auto", "random", "engine:/none/such", *options, folder=tmp_path)
    assert broken.returncode not in (ExitCode.OK, ExitCode.FAILURE), broken.stderr
    assert broken.stdout.splitlines()[-1] == first


def test_that_nobody_loses_on_time_is_told_where_no_limit_was_named(tmp_path: Path) -> None:
    slow = ("alphabeta:4", "random", "--games", "2", "--max-plies", "12")
    told = "Taking longer does not lose the game"
    done = match(*slow, folder=tmp_path)
    assert done.returncode == ExitCode.OK, done.stderr
    assert told in done.stderr
    assert " ms for move " not in done.stderr
    strict = match(*slow, "--move-time", "1h", folder=tmp_path)
    assert told not in strict.stderr
    assert strict.returncode == ExitCode.OK, strict.stderr


@pytest.mark.gate("loa")
@pytest.mark.parametrize(
    ("game", "file"),
    [("reversi", "m.ggf"), ("checkers", "m.pdn"), ("loa", "m.pgn"), ("ataxx", "m.pgn")],
)
def test_every_game_has_matches_and_each_game_of_one_can_be_taken_out(
    game: str, file: str, tmp_path: Path
) -> None:
    done = match(
        "auto", "auto@1", "--game", game, "--games", "2", *QUICK, "--transcript", file,
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == ExitCode.OK, done.stderr
    whole = (tmp_path / file).read_text()
    taken = []
    for number in ("1", "2"):
        converted = program("convert", file, "-", "--to", file[2:], "--number", number, at=tmp_path)
        assert converted.returncode == ExitCode.OK, converted.stderr
        taken.append(converted.stdout)
    assert "".join(taken).split() == whole.split()
    for command in (("convert", file, "-", "--to", file[2:]), ("analyse", file), ("study", file)):
        refused = program(*command, at=tmp_path)
        assert refused.returncode == ExitCode.USAGE
        assert f"{file} holds 2 games, and one is wanted" in refused.stderr
        assert "--number, from 1 to 2." in refused.stderr


@pytest.mark.gate
def test_the_result_can_be_had_as_json() -> None:
    done = match("random:1", "random:2", "--games", "6", "--json", "--sprt", "0:5")
    result = json.loads(done.stdout)
    assert result["players"] == ["random:1", "random:2"]
    assert result["won"] + result["drawn"] + result["lost"] == 6
    assert result["verdict"] == "undecided"
    assert done.returncode == ExitCode.NOT_SHOWN


def test_a_sequential_test_ends_the_match_when_it_is_decided() -> None:
    done = match(
        "auto", "random", "--games", "1000", *QUICK, "--sprt", "0:200", "--concurrency", "2"
    )
    assert done.returncode == ExitCode.OK, done.stderr
    assert ", shown" in done.stdout
    done = match("random", "auto", "--games", "1000", *QUICK, "--sprt", "0:200")
    assert done.returncode == ExitCode.NOT_SHOWN
    assert ", refuted" in done.stdout


def test_a_match_that_is_killed_goes_on_to_the_same_end(tmp_path: Path, spawn: Spawn) -> None:
    arguments = ("auto@2", "auto@1", "--games", "12", "--nodes", "200")
    whole = match(*arguments, "--state", "whole", "--transcript", "whole.pgn", folder=tmp_path)
    assert whole.returncode == ExitCode.OK, whole.stderr
    half = spawn("match", *arguments, "--state", "half")
    half.until("Game ")
    half.kill()
    rest = match(*arguments, "--state", "half", "--transcript", "half.pgn", folder=tmp_path)
    assert rest.returncode == ExitCode.OK, rest.stderr
    assert "already played" in rest.stderr
    assert rest.stdout == whole.stdout
    assert (tmp_path / "half.pgn").read_text() == (tmp_path / "whole.pgn").read_text()


def test_a_match_that_another_version_kept_is_left_to_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text('{"match":1,"players":["random:1","first"]}\n')
    refused = match("random:1", "first", "--games", "2", "--state", str(kept))
    assert refused.returncode == ExitCode.USAGE
    assert "was kept by another version of ataxxd" in refused.stderr
    assert kept.read_text().startswith('{"match":1')


def test_a_wrong_time_is_told_with_a_short_one_too() -> None:
    assert "write 500ms, 90s, 10m" in match("first", "first", "--move-time", "0.5").stderr


def test_a_match_with_other_options_does_not_go_on_and_says_which_they_are(
    tmp_path: Path,
) -> None:
    arguments = ("random:1", "random:2", "--games", "2", "--state", "kept")
    begun = match(*arguments, "--nodes", "200", "--resign", "4:900", folder=tmp_path)
    assert begun.returncode == ExitCode.OK, begun.stderr
    other = match(*arguments, "--nodes", "400", "--seed", "2", folder=tmp_path)
    assert other.returncode == ExitCode.USAGE
    told = "differs in --seed (1 there, 2 here), --nodes (200 there, 400 here), "
    assert told + "--resign (4:900 there, none here)." in other.stderr


def test_a_match_does_not_go_on_from_another_file_of_openings_under_the_same_name(
    tmp_path: Path,
) -> None:
    arguments = ("random:1", "random:2", "--games", "2", "--state", "kept", "--openings", "few")
    one, other = (f"x5o/7/7/7/7/7/o5x {turn} 0 1\n" for turn in "xo")
    (tmp_path / "few").write_text(one)
    begun = match(*arguments, folder=tmp_path)
    assert begun.returncode == ExitCode.OK, begun.stderr
    (tmp_path / "few").write_text(f"# the same\n\n{one}")
    assert match(*arguments, folder=tmp_path).returncode == ExitCode.OK
    (tmp_path / "few").write_text(other)
    changed = match(*arguments, folder=tmp_path)
    assert changed.returncode == ExitCode.USAGE
    assert "differs in the positions of the --openings file." in changed.stderr


def test_openings_that_come_again_are_told_once(tmp_path: Path) -> None:
    one, other = (f"x5o/7/7/7/7/7/o5x {turn} 0 1\n" for turn in "xo")
    (tmp_path / "two").write_text(one + other)
    (tmp_path / "twice").write_text(one + one + other)
    players = ("random:1", "random:2", "--games", "6")
    for options, told in (
        (("--plies", "0"), "From game 3 on, openings come again (there is one opening)."),
        (("--openings", "two"), "From game 5 on, openings come again (there are 2 openings)."),
        (("--openings", "twice"), "From game 3 on, openings come again"),
    ):
        done = match(*players, *options, folder=tmp_path)
        assert done.returncode == ExitCode.OK
        assert done.stderr.count("openings come again") == 1
        assert told in done.stderr
    assert "come again" not in match(*players, folder=tmp_path).stderr
    enough = match(*players[:3], "4", "--openings", "two", folder=tmp_path)
    assert "come again" not in enough.stderr


def test_a_match_from_balanced_openings_continues_with_the_same_ones(tmp_path: Path) -> None:
    options = ("--game", "reversi", "--plies", "8", "--state", "m.match", "--balanced")
    for games in "2", "4":
        done = match("random:1", "random:2", *options, "150", "--games", games, folder=tmp_path)
        assert done.returncode == ExitCode.OK, done.stderr
        assert f"{games} of {games} games" in done.stdout
    _, _, *results = map(json.loads, (tmp_path / "m.match").read_text().splitlines())
    start = Position.start("reversi/standard")
    openings = [each.text for each in islice(random_openings(start, 8, 1, 150), 2)]
    assert [each["start"] for each in results] == [each for each in openings for _ in "ab"]
    other = match("random:1", "random:2", *options, "300", folder=tmp_path)
    assert other.returncode == ExitCode.USAGE
    assert "within 150 there" in other.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_match_that_is_stopped_says_how_it_stands(number: signal.Signals, spawn: Spawn) -> None:
    out, err = stopped(spawn, number)
    assert "of 1000 games; with --state it could continue" in err
    assert "of 1000 games" in out


def stopped(spawn: Spawn, number: signal.Signals, *more: str) -> tuple[str, str]:
    """What a match writes that is stopped after its first game."""
    begun = spawn("match", OURS, "random", "--games", "1000", "--concurrency", "2", *QUICK, *more)
    begun.until("Game ")
    begun.send(number)
    code, out, err = begun.finished()
    assert code == ExitCode.INTERRUPTED, err
    return out, err


def test_a_match_that_is_stopped_has_its_result_as_json_too(spawn: Spawn) -> None:
    out, err = stopped(spawn, signal.SIGINT, "--json")
    (result,) = [json.loads(line) for line in out.splitlines()]
    assert result["games"] == 1000
    assert 0 < result["won"] + result["drawn"] + result["lost"] < 1000
    assert "with --state it could continue" in err


def test_an_engine_that_fails_in_every_game_ends_the_match_and_the_games_so_far_count() -> None:
    done = match("random", f"{ROGUE} dies", "--games", "50")
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "the net is missing" in done.stderr
    assert "the match was stopped" in done.stderr
    assert "6 of 50 games" in done.stdout
    done = match("random", f"{ROGUE} dies", "--games", "50", "--json")
    assert done.returncode == ExitCode.ENGINE_FAILED
    (result,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (result["won"], result["failures"]) == (6, [0, 6])


def test_on_a_terminal_a_table_stays_in_its_place() -> None:
    with in_terminal(["match", "random", "first", "--games", "4"]) as terminal:
        terminal.read_until("4 of 4 games")
        assert terminal.wait() == ExitCode.OK
        assert terminal.text.count("failed") >= 4
        assert b"\x1b[7A\x1b[J" in terminal.output
        assert "under way" in terminal.text


@pytest.mark.parametrize(
    "arguments",
    [
        ("--games", "3"),
        ("--clock", "1s", "--move-time", "1s"),
        ("--time", "1s", "--move-time", "1s"),
        ("--clock", "soon"),
        ("--resign", "4"),
        ("--draw", "1:2"),
        ("--sprt", "5"),
        ("--sprt", "5:0"),
        ("--openings", os.devnull),
        ("--openings", "any", "--position", "x5o/7/7/7/7/7/o5x x 0 1"),
        ("--openings", "any", "--blocks", "c3"),
        ("--openings", "any", "--balanced", "300"),
        ("--game", "reversi", "--plies", "90"),
        ("--game", "reversi", "--plies", "1", "--balanced", "0"),
        ("--state", str(ROOT / "README.md")),
        ("first",),
        ("alphabeta:1", "--display"),
    ],
)
def test_wrong_options_are_explained(arguments: tuple[str, ...]) -> None:
    done = match("random", "first", *arguments)
    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith("ataxxd: ")


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ((), ("ataxx/uai", "ataxx/cs61b-2022")),
        (("--game", "checkers"), ("checkers/acf", "checkers/cs61b-2004")),
        (("--game", "loa"), None),
        (("--ruleset", "ataxx/uai"), None),
    ],
)
def test_a_match_says_by_which_rules_it_is_played_where_play_has_others(
    options: tuple[str, ...], rules: tuple[str, str] | None
) -> None:
    done = match("random", "first", "--games", "2", "--clock", "5+3", *options)
    assert done.returncode == ExitCode.OK, done.stderr
    assert ("Rules: " in done.stderr) is (rules is not None)
    if rules is not None:
        assert f"Rules: {rules[0]}, which other engines use" in done.stderr
        assert f"--ruleset {rules[1]}" in done.stderr
