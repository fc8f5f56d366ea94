"""Which games against our engine's levels count, and what is known of them at the next start."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ataxxd.engines.base import FirstBot
from ataxxd.engines.native import LEVELS, NativeBot
from ataxxd.node.level_games import LADDER, LevelGames, Result
from ataxxd.node.local_game import LocalGame
from ataxxd.rules import Position, Side
from ataxxd.session.events import Notice, Over, Seat
from ataxxd_clients.analysis import check_advice

# No game of reversi is over within eight plies.
RULESET = "reversi/standard"
START = Position.start(RULESET)


def table(games: LevelGames, *, level: int = 1, seed: int | None = None) -> LocalGame:
    """A person as the first side against a level."""
    seats = {Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO}
    game = LocalGame(START, {Side.SECOND: NativeBot(level)}, seats=seats, seed=seed)
    game.count_results(games)
    return game


async def play(game: LocalGame, plies: int = 8) -> list[str]:
    """Play the first moves, resign, and give what is told after that."""
    while len(game.moves) < plies:
        await game.play(game.position.legal_moves[0])
        while not game.idle:
            await game.advance()
    await game.resign()
    return await told(game)


async def told(game: LocalGame) -> list[str]:
    said, over = [], False
    while not game.idle:
        event = await game.advance()
        over = over or isinstance(event, Over)
        if isinstance(event, Notice):
            assert over
            said.append(event.text)
    return said


async def test_from_the_fifth_game_on_the_end_tells_a_level_over_two_starts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "levels.txt"
    game = table(LevelGames(path))
    for _ in range(3):
        assert await play(game) == []
        game.new()
    again = table(LevelGames(path))
    assert await play(again) == []
    again.new()
    (said,) = await play(again)
    assert said.startswith("Your strength, an estimate: below level 1")
    assert said.endswith("from 5 games. Next, play level 1.")
    assert {game: len(each) for game, each in LevelGames(path).results().items()} == {"reversi": 5}


async def test_a_game_that_is_played_to_its_end_counts_as_it_ended(tmp_path: Path) -> None:
    games = LevelGames(tmp_path / "levels.txt")
    game = table(games, level=2)
    while game.outcome is None:
        await game.play(game.position.legal_moves[-1])
        while not game.idle:
            await game.advance()
    (result,) = games.results()["reversi"]
    assert game.outcome is not None
    halves = {Side.FIRST: 2, None: 1, Side.SECOND: 0}[game.outcome.winner]
    assert (result.level, result.halves) == (2, halves)


def undone(game: LocalGame) -> None:
    game.undo()
    game.undo()


def handed_over(game: LocalGame) -> None:
    game.fill(Side.SECOND, Seat.HUMAN)
    game.fill(Side.SECOND, Seat.AUTO)


def set_up(game: LocalGame) -> None:
    game.new(START.play(START.legal_moves[0]))


@pytest.mark.parametrize("help_", [undone, handed_over, check_advice, set_up])
async def test_a_game_with_help_or_from_elsewhere_does_not_count(
    tmp_path: Path, help_: Callable[[LocalGame], object]
) -> None:
    games = LevelGames(tmp_path / "levels.txt")
    game = table(games)
    await game.play(game.position.legal_moves[0])
    while not game.idle:
        await game.advance()
    help_(game)
    await told(game)
    await play(game)
    assert games.results() == {}
    game.new()
    await play(game)
    assert len(games.results()["reversi"]) == 1


async def test_a_seed_an_early_resignation_and_another_bot_do_not_count(tmp_path: Path) -> None:
    games = LevelGames(tmp_path / "levels.txt")
    await play(table(games, seed=1))
    await play(table(games), plies=2)
    other = LocalGame(
        START,
        {Side.SECOND: FirstBot()},
        seats={Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO},
    )
    other.count_results(games)
    await play(other)
    assert games.results() == {}


async def test_a_resignation_that_is_taken_back_and_repeated_counts_once(tmp_path: Path) -> None:
    games = LevelGames(tmp_path / "levels.txt")
    game = table(games)
    await play(game)
    game.undo()
    await game.resign()
    assert len(games.results()["reversi"]) == 1


async def test_only_games_against_the_levels_of_this_ladder_count(tmp_path: Path) -> None:
    path = tmp_path / "levels.txt"
    lines = (f"1 {RULESET} 3 2", f"2 {RULESET} 4 2 {LADDER + 1}", f"3 {RULESET} 5 2 {LADDER}")
    path.write_text("".join(f"{line}\n" for line in lines))
    games = LevelGames(path)
    games.store(RULESET, Result(6, 1))
    # A line without a number is of the first ladder.
    assert games.results()["reversi"] == [Result(5, 2), Result(6, 1)]
    assert path.read_text().splitlines()[:3] == [*lines]
    assert path.read_text().endswith(f" {RULESET} 6 1 {LADDER}\n")


def test_other_levels_are_another_ladder() -> None:
    text = repr({game: sorted(levels.items()) for game, levels in sorted(LEVELS.items())})
    known = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert (LADDER, known) == (4, "0e3532ca78129b5f"), (
        "a level has changed: raise LADDER, and renew this line"
    )


async def test_what_is_damaged_is_passed_over_and_what_cannot_be_kept_is_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "levels.txt"
    whole, impossible = f"1 {RULESET} 3 2 {LADDER}", f"2 {RULESET} 77 2 {LADDER}"
    path.write_text(f"{whole}\nrubbish\n{impossible}\n3 reversi/s")
    games = LevelGames(path)
    assert len(games.results()["reversi"]) == 1
    games.store(RULESET, Result(2, 1))
    assert games.results()["reversi"] == [Result(3, 2), Result(2, 1)]
    (said,) = await play(table(LevelGames(tmp_path)))
    assert "does not count towards your level" in said
