"""How well our engine plays, as names and options say it."""

from dataclasses import replace

import pytest

from ataxxd.engines import DEFAULT_LEVEL, HIGHEST_LEVEL
from ataxxd.engines.native import LEVELS, NativeBot, Strength
from ataxxd.engines.registry import make_bot
from ataxxd.errors import UsageError
from ataxxd.node.players import AUTO, Thinking, bot_for, choose_player, is_player, read_option
from ataxxd.rules import Position
from ataxxd.rules.limits import Limits

START = Position.start("ataxx/cs61b-2022")


@pytest.mark.parametrize(
    "text", ["3", "time=500", "level=2,nodes=900,threads=2", "depth=4,hash=64", "level=8,threads=2"]
)
def test_a_strength_is_read_as_it_is_written(text: str) -> None:
    assert str(Strength.parse(text)) == text
    assert make_bot(f"auto:{text}").name == f"auto{'@' if text.isdecimal() else ':'}{text}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("time=0", "takes time from 1"),
        ("threads=257", "takes threads from 1 to 256"),
        ("speed=3", '"speed=3" means nothing to our engine; it takes level, time, nodes'),
        ("time=1s", '"time=1s" means nothing'),
        ("depth=3,depth=4", '"depth=4" means nothing'),
        ("level=11", "takes level from 1 to 10"),
    ],
)
def test_a_strength_that_there_is_not_is_explained(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        make_bot(f"auto:{text}")


def test_threads_alone_leave_the_usual_level_and_own_limits_stand_in_its_place() -> None:
    usual = LEVELS["loa"][DEFAULT_LEVEL]
    assert Strength(threads=2).limits("loa") == usual
    assert Strength(nodes=7).limits("loa") == Limits(nodes=7)
    assert Strength(2, nodes=7).limits("loa") == replace(LEVELS["loa"][2], nodes=7)


def test_options_make_a_name_that_a_journal_keeps() -> None:
    name = Thinking(10, time="2s", threads=3).player(AUTO)
    assert name == "auto:level=10,time=2000,threads=3"
    bot = bot_for(name, None)
    assert bot is not None
    assert bot.name == name


def test_options_of_our_engine_leave_other_players_alone() -> None:
    assert Thinking(depth=3).player("human") == "human"
    assert Thinking(4).player(AUTO) == AUTO
    assert Thinking(4).player("auto@2") == "auto@2"
    assert Thinking(4, depth=3).player("auto@2") == "auto:level=2,depth=3"
    with pytest.raises(UsageError, match="Level 0 plays any legal move"):
        Thinking(0, nodes=5).player(AUTO)
    with pytest.raises(UsageError, match="soon"):
        Thinking(time="soon").player(AUTO)


def test_a_bot_of_own_limits_plays_with_several_threads_as_well() -> None:
    bot = NativeBot(Strength(depth=3, threads=2, hash=1))
    assert START.is_legal(bot.choose(START, seed=1))
    assert START.is_legal(bot.choose(START, seed=1, time_ms=5))


@pytest.mark.parametrize(("text", "level"), [("3", 3), ("auto@3", 3), ("10", 10), ("0", 0)])
def test_a_level_is_read_in_either_spelling(text: str, level: int) -> None:
    assert read_option(text) == level


@pytest.mark.parametrize("text", ["11", "-1", "auto@99", "strong", "", "3.5", "²"])
def test_a_level_that_there_is_not_is_answered_by_those_there_are(text: str) -> None:
    with pytest.raises(UsageError, match=r"--level .*: there is no such level. They go from 1"):
        read_option(text)


def test_the_assignment_of_checkers_may_name_any_level() -> None:
    assert read_option("42", capped=True) == HIGHEST_LEVEL
    with pytest.raises(UsageError, match="--level -1"):
        read_option("-1", capped=True)


@pytest.mark.parametrize(
    ("name", "plays"),
    [
        ("auto", True), ("auto@3", True), ("auto@99", True), ("auto:500ms", True), ("human", True),
        ("random:7", True), ("native:3", True), ("ourgame", False), ("auto@broker.example", False),
        ("random@broker.example", False), ("ourgame@10.0.0.1", False),
    ],
)  # fmt: skip
def test_a_level_is_told_from_a_broker(name: str, plays: bool) -> None:
    assert is_player(name) is plays


@pytest.mark.parametrize(
    ("player", "thinking"),
    [
        ("auto@4", Thinking(3)),
        ("computer@4", Thinking(3)),
        ("auto:4", Thinking(3)),
        ("auto:depth=8", Thinking(3)),
        ("auto:depth=8", Thinking(time="2s")),
    ],
)
def test_who_says_twice_how_strong_the_engine_is_hears_what_to_leave_out(
    player: str, thinking: Thinking
) -> None:
    with pytest.raises(UsageError, match=r"--player auto.*: leave out --level"):
        choose_player(player, auto=False, engine=None, protocol=None, thinking=thinking)


def test_a_level_beside_the_same_level_or_with_a_limit_is_no_contradiction() -> None:
    for thinking in (Thinking(4), Thinking(depth=3), Thinking(4, depth=3)):
        assert choose_player(
            "auto@4", auto=True, engine=None, protocol=None, thinking=thinking
        ).startswith("auto")
