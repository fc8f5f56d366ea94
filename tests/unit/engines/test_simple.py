"""The agents that do not think, and bots by name."""

import pytest

from ataxxd.engines.base import Bot, FirstBot, RandomBot, seed_for
from ataxxd.engines.native import NativeBot
from ataxxd.engines.registry import make_bot
from ataxxd.errors import UsageError
from ataxxd.rules import Position

START = Position.start("ataxx/cs61b-2022")
OVER = Position.from_text("ataxx/cs61b-2022", "xxxxxxx/7/7/7/7/7/7 o 0 9")


def test_first_plays_the_first_legal_move() -> None:
    assert FirstBot().choose(START) == START.legal_moves[0]


def test_random_plays_a_legal_move_and_the_same_one_for_the_same_seed() -> None:
    chosen = [RandomBot().choose(START, seed=seed) for seed in range(50)]
    assert all(START.is_legal(move) for move in chosen)
    assert chosen == [RandomBot().choose(START, seed=seed) for seed in range(50)]
    assert len(set(chosen)) > 5


def test_two_random_bots_with_seeds_of_their_own_differ() -> None:
    one = [RandomBot(1).choose(START, seed=seed) for seed in range(20)]
    two = [RandomBot(2).choose(START, seed=seed) for seed in range(20)]
    assert one != two


@pytest.mark.parametrize("bot", [FirstBot(), RandomBot(), NativeBot(1)])
def test_no_bot_chooses_when_the_game_is_over(bot: Bot) -> None:
    with pytest.raises(ValueError, match="over"):
        bot.choose(OVER)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("auto", "auto@8"),
        ("auto@1", "auto@1"),
        (" AUTO@10 ", "auto@10"),
        ("auto:3", "auto@3"),
        ("auto@0", "random"),
        ("auto:500ms", "auto:time=500"),
        ("auto:nodes:5000", "auto:nodes=5000"),
        ("auto:depth:8", "auto:depth=8"),
        # As journals and configurations of before have it.
        ("native", "auto@8"),
        ("native:1", "auto@1"),
        (" NATIVE:10 ", "auto@10"),
        ("native:time=500,threads=2", "auto:time=500,threads=2"),
        ("first", "first"),
        ("random", "random"),
        ("random:-7", "random:-7"),
    ],
)
def test_a_bot_is_made_from_its_name(name: str, made: str) -> None:
    assert make_bot(name).name == made


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "Players are auto, auto@LEVEL"),
        ("stockfish", 'There is no player "stockfish". Players are'),
        ("alphabetta:3", 'Did you mean "alphabeta"?'),
        ("auto@99", "auto@99: there is no such level. They go from 1 (a beginner) to 10, with 8"),
        ("auto@-1", "auto@-1: there is no such level"),
        ("native:11", "native:11: there is no such level"),
        ("auto:", "write 500ms, 2s, nodes:100000 or depth:8"),
        ("auto:x", "write 500ms, 2s, nodes:100000 or depth:8"),
        ("first:1", "Players are"),
        ("random:x", "needs a whole number"),
        ("random@3", "Players are"),
    ],
)
def test_a_wrong_name_is_a_usage_error_that_says_what_is_right(name: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        make_bot(name)
    assert why in str(refused.value)


def test_a_person_is_among_the_players_only_where_one_can_play() -> None:
    with pytest.raises(UsageError, match=r"Players are human, auto, auto@LEVEL"):
        make_bot("nope", or_human=True)
    with pytest.raises(UsageError, match=r'Did you mean "human"\?'):
        make_bot("humn", or_human=True)
    with pytest.raises(UsageError) as refused:
        make_bot("humn")
    assert "human" not in str(refused.value)


def test_the_seed_of_a_choice_depends_on_the_game_seed_and_the_ply() -> None:
    seeds = {seed_for(seed, ply) for seed in range(-10, 10) for ply in range(50)}
    assert len(seeds) == 20 * 50
    assert all(0 <= seed < 1 << 64 for seed in seeds)
    assert seed_for(7, 3) == seed_for(7, 3)
