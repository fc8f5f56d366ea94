"""Self-play on many machines: real workers at a real NATS server, some of them killed."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import require
from tests.e2e.spawned import Spawn, Spawned
from tests.nats_server import NatsServer
from tests.time_limits import BUILT

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "engine" / "Cargo.toml"
TRAIN = ROOT / "engine" / "target" / "release" / "ataxxd-train"
PROGRAM = (sys.executable, "-m", "tools.self_play")


@pytest.fixture(scope="module")
def train() -> Path:
    """The program that plays and fits."""
    build = ("cargo", "build", "--quiet", "--locked", "--release", "--package", "ataxxd-train")
    subprocess.run([*build, "--manifest-path", str(MANIFEST)], check=True, timeout=BUILT)
    return TRAIN


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    require(NatsServer)
    with NatsServer(tmp_path / "nats") as running:
        yield running


@pytest.fixture
def start(spawn: Spawn) -> Callable[..., Spawned]:
    """Starts the tool."""
    return partial(spawn, program=PROGRAM, folder=ROOT)


def played_here(train: Path, words: Sequence[str], file: Path) -> bytes:
    subprocess.run([train, "games", *words, file], check=True, capture_output=True, timeout=BUILT)
    return file.read_bytes()


def test_the_games_are_those_of_one_machine_though_all_are_killed_in_between(
    server: NatsServer, train: Path, start: Callable[..., Spawned], tmp_path: Path
) -> None:
    weights = tmp_path / "some.bin"
    weights.write_bytes((ROOT / "engine" / "search" / "src" / "ataxx" / "weights.bin").read_bytes())
    words = ("ataxx", str(weights), "96", "60", "7")
    whole = played_here(train, words, tmp_path / "whole.games")
    file = tmp_path / "played.games"
    play = ("play", server.url, *words, file, "--part", "8")
    collector = start(*play)
    killed = start("work", server.url, "--threads", "1")
    killed.until("Played")
    killed.kill()
    others = [start("work", server.url, "--threads", "1") for _ in range(2)]
    collector.until("16 of 96 games")
    collector.kill()
    server.kill()
    server.restart()
    again = start(*play)
    again.until("96 of 96 games")
    code, _, err = again.finished()
    assert code == 0, err
    for other in others:
        assert other.running, "it is there for the next games"
    assert file.read_bytes() == whole


def test_who_plays_otherwise_is_told_so_and_games_that_are_others_are_played_again(
    server: NatsServer, train: Path, start: Callable[..., Spawned], tmp_path: Path
) -> None:
    words = ("ataxx", "shipped", "16", "60", "7")
    whole = played_here(train, words, tmp_path / "whole.games")
    # As another build would: other games after the first, which is compared before any is played.
    lies = tmp_path / "lies"
    lies.write_text(
        f"#!/bin/sh\ncase $4 in 0..1) seed=$6;; *) seed=8;; esac\n"
        f'exec {train} "$1" "$2" "$3" "$4" "$5" "$seed" "$7" "$8"\n'
    )
    # As another version would.
    differs = tmp_path / "differs"
    differs.write_text(f'#!/bin/sh\nexec {train} "$1" "$2" "$3" "$4" 400 "$6" "$7" "$8"\n')
    for each in (lies, differs):
        each.chmod(0o700)
    file = tmp_path / "played.games"
    collector = start("play", server.url, *words, file, "--part", "16", "--train", train)
    other = start("work", server.url, "--train", differs)
    other.until("ataxxd-train plays otherwise here")
    code, _, err = other.finished()
    assert code == 1, err
    liar = start("work", server.url, "--train", lies)
    collector.until("Games 0 to 15 are played again")
    liar.kill()
    start("work", server.url, "--train", train)
    collector.until("16 of 16 games")
    code, _, err = collector.finished()
    assert code == 0, err
    assert file.read_bytes() == whole
    # A file of other games is not added to.
    words = ("ataxx", "shipped", "16", "60", "9")
    refused = start("play", server.url, *words, file, "--train", train)
    code, _, err = refused.finished()
    assert code == 1, err
    assert "it holds something else" in err
