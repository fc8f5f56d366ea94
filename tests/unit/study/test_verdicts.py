"""What the engine says of positions: in words, as shares, in the background."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from ataxxd.rules import Outcome, Position, Side
from ataxxd.rules.notation import format_named
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.analysis import (
    QUICK_SEARCH,
    THOROUGH_SEARCH,
    Adviser,
    Evaluator,
    Verdict,
    bar_share,
    obstacle_to_advice,
    short_verdict_text,
    verdict_of_end,
    verdict_text,
)
from ataxxd_clients.exports import formats_for, study_bytes
from ataxxd_clients.study import Study
from ataxxd_clients.text.commands import CommandError
from tests.time_limits import DEADLINE
from tests.unit.study.test_tree import RULESETS, some_moves
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import RED_WINS_IN_ONE, RULESET, local_table

NAMES = ("Red", "Blue")


def test_verdicts_are_told_from_the_side_they_favour() -> None:
    assert verdict_text(Verdict(35), NAMES) == "Red +0.35"
    assert verdict_text(Verdict(-1200), NAMES) == "Blue +12.00"
    assert verdict_text(Verdict(0), NAMES) == "even"
    assert verdict_text(Verdict(-30000, -3), NAMES) == "Blue wins in 3"
    assert verdict_text(Verdict(0, outcome=Outcome("no-moves", Side.FIRST)), NAMES) == "Red has won"
    assert verdict_text(Verdict(0, outcome=Outcome("no-moves", None)), NAMES) == "nobody has won"


def test_verdicts_are_told_in_brief() -> None:
    assert short_verdict_text(Verdict(-255), ("Black", "White")) == "White +2.5"
    assert short_verdict_text(Verdict(0), NAMES) == "even"
    assert short_verdict_text(Verdict(30000, 3), NAMES) == "Red in 3"
    assert (
        short_verdict_text(Verdict(0, outcome=Outcome("no-moves", Side.SECOND)), NAMES)
        == "Blue won"
    )
    assert short_verdict_text(Verdict(0, outcome=Outcome("no-moves", None)), NAMES) == "draw"


def test_the_share_of_a_bar_grows_with_the_score_and_is_full_when_won() -> None:
    shares = [bar_share(Verdict(score)) for score in (-(10**6), -400, -10, 0, 10, 400, 10**6)]
    assert shares == sorted(shares)
    assert shares[3] == 0.5
    assert shares[1] == pytest.approx(1 - shares[5])
    assert bar_share(Verdict(0, mate_in=2)) == 1
    assert bar_share(Verdict(0, mate_in=-2)) == 0
    assert bar_share(Verdict(0, outcome=Outcome("connected", Side.SECOND))) == 0


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_the_same_question_has_the_same_answer_whatever_was_asked_before(
    ruleset: str,
) -> None:
    position = Position.start(ruleset)
    later = position.play(position.legal_moves[0])
    one, other = Adviser(), Adviser()
    first = await one.evaluate(later, QUICK_SEARCH)
    await other.evaluate(position, QUICK_SEARCH)
    assert await other.evaluate(later, QUICK_SEARCH) == first
    walked = later
    for move in first.line:
        walked = walked.play(move)


async def test_a_question_that_is_dropped_makes_way_for_the_next() -> None:
    adviser, position = Adviser(), Position.start("loa/cs61b")
    long = replace(THOROUGH_SEARCH, nodes=10**9, time_ms=10**6)
    asked = asyncio.create_task(adviser.evaluate(position, long))
    await asyncio.sleep(0)
    asked.cancel()
    assert (await adviser.evaluate(position, QUICK_SEARCH)).line
    assert asked.cancelled()


@asynccontextmanager
async def study_of(
    ruleset: str, moves: int
) -> AsyncIterator[tuple[Study, Callable[[Callable[[], bool]], "asyncio.Future[None]"]]]:
    news = asyncio.Event()
    start = Position.start(ruleset)
    study = Study(GameRecord(start, tuple(some_moves(start, moves))), news.set)

    async def until(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not holds():
                await news.wait()
                news.clear()

    try:
        yield study, lambda holds: asyncio.ensure_future(until(holds))
    finally:
        await study.close()


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_whole_line_is_evaluated_and_each_best_line_is_legal(ruleset: str) -> None:
    async with study_of(ruleset, 6) as (study, until):
        study.evaluate()
        assert study.progress is not None
        assert study.progress.total == 7
        await until(lambda: study.progress is None)
        for node in study.tree.line:
            verdict = study.verdict(node)
            assert verdict is not None
            assert verdict.line
            study.tree.go_to_node(node.number)
            assert len(study.best_line()) == len(verdict.line)


async def test_an_evaluation_is_stopped_and_what_it_found_is_kept() -> None:
    async with study_of("reversi/standard", 30) as (study, until):
        study.evaluate()
        await until(lambda: study.progress is not None and study.progress.done >= 2)
        study.stop_evaluating()
        known = [node for node in study.tree.line if study.verdict(node) is not None]
        assert 2 <= len(known) < 31
        study.evaluate()
        again = study.progress
        assert again is not None
        assert again.total == 31 - len(known)


async def test_the_engine_follows_the_cursor_while_it_is_wanted() -> None:
    async with study_of("ataxx/cs61b-2022", 3) as (study, until):
        assert study.best_line() == ()
        study.think(on=True)
        await until(lambda: bool(study.best_line()))
        study.tree.go_to_ply(study.tree.cursor.ply + 1)
        study.update()
        await until(lambda: bool(study.best_line()))
        study.think(on=False)
        study.tree.go_to_ply(study.tree.cursor.ply + 1)
        study.update()
        assert study.best_line() == ()


def test_the_end_of_a_game_needs_no_engine() -> None:
    over = Position.from_text(RULESET, "xxxxxxx/7/7/7/7/7/7 o 0 20")
    assert verdict_of_end(over) == Verdict(0, outcome=over.outcome)
    assert verdict_of_end(Position.start(RULESET)) is None
    assert Evaluator(lambda: None).verdict(over) == verdict_of_end(over)


async def test_no_work_goes_on_after_the_end() -> None:
    evaluator, position = Evaluator(lambda: None), Position.start("loa/cs61b")
    before = asyncio.all_tasks()
    for move in position.legal_moves[:5]:
        evaluator.survey([position.play(move)])
        evaluator.ponder(position.play(move))
        await asyncio.sleep(0)
    await evaluator.close()
    assert asyncio.all_tasks() == before


async def test_what_goes_wrong_in_the_background_is_told_at_the_end() -> None:
    failed = asyncio.Event()

    def tell() -> None:
        if evaluator.progress is None:  # the last verdict has come
            failed.set()
            msg = "a fault made for the test"
            raise RuntimeError(msg)

    evaluator = Evaluator(tell)
    evaluator.survey([Position.start(RULESET)])
    async with asyncio.timeout(DEADLINE):
        await failed.wait()
    with pytest.raises(RuntimeError, match="a fault made for the test"):
        await evaluator.close()


async def test_a_forced_win_is_the_best_line() -> None:
    verdict = await Adviser().evaluate(Position.from_text(RULESET, RED_WINS_IN_ONE), QUICK_SEARCH)
    assert (verdict.mate_in, verdict_text(verdict, NAMES)) == (1, "Red wins in 1")


def test_there_is_no_advice_in_a_game_with_somebody_else() -> None:
    mine, _ = linked_tables(Position.start(RULESET))
    assert obstacle_to_advice(mine) is not None
    assert obstacle_to_advice(local_table()) is None


def test_the_main_line_keeps_players_and_end_only_while_it_is_the_game_that_was_played() -> None:
    start = Position.start("checkers/cs61b-2004")
    game = GameRecord(
        start,
        tuple(some_moves(start, 3)),
        Outcome("resignation", Side.FIRST),
        players=("Ann", "Bob"),
    )
    study = Study(game, lambda: None)
    assert study.main_game is game
    assert study.outcome is None
    study.tree.go_to_ply(3)
    assert study.outcome == game.outcome
    study.tree.go_to_ply(0)
    study.tree.play(start.legal_moves[-1])
    study.tree.promote()
    assert study.main_game.players == (None, None)
    assert study.main_game.outcome is None


@pytest.mark.parametrize(
    ("ruleset", "forms"),
    [
        ("ataxx/cs61b-2022", ["pgn"]),
        ("loa/cs61b", ["pgn"]),
        ("checkers/cs61b-2004", ["transcript", "pdn"]),
        ("reversi/standard", ["ggf", "moves"]),
    ],
)
def test_a_game_is_written_in_every_notation_that_fits_and_no_other(
    ruleset: str, forms: list[str]
) -> None:
    start = Position.start(ruleset)
    game = GameRecord(start, tuple(some_moves(start, 5)))
    assert [way.name for way in formats_for(game)] == [*forms, "svg", "png", "gif"]
    for way in formats_for(game)[: len(forms)]:
        found, content = study_bytes(game, f"game{way.suffix}")
        assert found == way
        form = format_named(way.name)
        assert form is not None
        assert form.read(content.decode(), ruleset).moves == game.moves
    with pytest.raises(CommandError, match="only its players can sign"):
        study_bytes(game, "game.json")
    with pytest.raises(CommandError, match=f"can be written as .*{forms[0]}"):
        study_bytes(game, "game.jpeg")
    wrong = "ggf" if "ggf" not in forms else "pdn"
    with pytest.raises(CommandError, match=f"cannot be written as {wrong}"):
        study_bytes(game, wrong)
