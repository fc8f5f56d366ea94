"""The test games of the laboratory, and what bad programs come to in them."""

import re
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from ataxxd.engines.laboratory import (
    MOVES,
    RULESET,
    SCHEMES,
    Examiner,
    PlayedTrial,
    Program,
    ReferencePlayer,
    Trial,
    count_time_steps,
    make_trials,
    schemes_for_slow_programs,
)
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Position, Side
from tests.docs.pages import ROOT

STUDENT = str(ROOT / "tests" / "students.py")
# No good answer takes that long on any machine, and no bad one is waited for.
PATIENCE_S = 60.0


def student(how: str, after: int = 0) -> Program:
    return Program([sys.executable, STUDENT, how, str(after)])


@pytest.fixture(scope="module")
def trial() -> Trial:
    """A quick one, in which the program has ten turns."""
    return next(make_trials(1, schemes_for_slow_programs(2)))


def play(trial: Trial, program: Program, limit_s: float = PATIENCE_S) -> PlayedTrial:
    with closing(program):
        return Examiner(program, limit_s, 150.0).play(trial)


@pytest.mark.parametrize(
    ("seconds", "count"), [(0.0, 1), (0.2, 1), (0.2001, 2), (0.6, 3), (9.99, 50), (10.0, 50)]
)
def test_seconds_count_in_fifths_that_have_begun(seconds: float, count: int) -> None:
    assert count_time_steps(seconds) == count


def test_the_scheme_is_that_of_the_sheet() -> None:
    assert [(each.depth, each.opponent_name, len(each.sides)) for each in SCHEMES] == [
        (4, "Random", 4),
        (8, "Reference(5)", 4),
        (8, "Reference(7)", 4),
    ]
    sides = [side for scheme in SCHEMES for side in scheme.sides]
    assert sides == [Side.SECOND] * 10 + [Side.FIRST] * 2


@pytest.mark.parametrize(
    ("depth", "depths"),
    [(8, [(4, None), (8, 5), (8, 7)]), (6, [(4, None), (6, 3), (6, 5)]),
     (3, [(3, None), (3, 1), (3, 2)]), (1, [(1, None), (1, 1), (1, 1)])],
)  # fmt: skip
def test_both_players_look_as_many_plies_less_far_for_slow_programs(
    depth: int, depths: list[tuple[int, int | None]]
) -> None:
    assert [(each.depth, each.opponent) for each in schemes_for_slow_programs(depth)] == depths


def test_the_games_of_a_seed_are_the_same_every_time_and_of_every_phase() -> None:
    games = list(make_trials(7, schemes_for_slow_programs(2)))
    assert games == list(make_trials(7, schemes_for_slow_programs(2)))
    assert [game.number for game in games] == list(range(1, 13))
    assert games[0].start != next(make_trials(8, schemes_for_slow_programs(2))).start
    pieces = sorted(sum(game.start.counts) for game in games)
    assert pieces[0] < 20
    assert pieces[-1] > 38


def test_who_always_plays_right_wins_every_game() -> None:
    for game in islice(make_trials(3, schemes_for_slow_programs(3)), 0, None, 4):
        played = play(game, student("nothing", 1_000_000))
        assert played.is_won
        assert all(turn.is_right and turn.has_right_value for turn in played.turns)
        assert all(turn.is_fast(1e6) for turn in played.turns)


def test_a_game_is_twenty_moves_of_both_together(trial: Trial) -> None:
    played = play(trial, student("nothing", 1_000_000))
    assert len(played.turns) == MOVES // 2
    assert sum(played.end.counts) == sum(trial.start.counts) + MOVES


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("crashes", "has ended with status 1. Its last output: .*ValueError: no such square"),
        ("is killed", "was ended by signal 11"),
        ("ends", "has ended with status 0"),
        ("talks", "answered 'Searching...', which is no"),
        ("answers (0,0)", "answered '(0,0)', which is"),
        ("reports an error", "answered 'error: java.lang.NullPointerException'"),
        ("raves", "answered "),
    ],
)
def test_after_a_fault_the_first_legal_move_is_made_and_the_program_asked_again(
    trial: Trial, how: str, why: str
) -> None:
    # Two questions a turn: the third turn is the first that fails.
    played = play(trial, student(how, 4))
    good, bad = played.turns[:2], played.turns[2]
    assert all(turn.is_right and turn.has_right_value for turn in good)
    troubles = [bad.value_error, bad.move_error]
    assert all(each == "" or _matches(why, each) for each in troubles)
    assert any(troubles)
    # It plays on, whatever it does.
    assert len(played.turns) == MOVES // 2
    # Who is started again answers rightly for as long as at first.
    assert how in ("answers (0,0)", "reports an error") or any(
        turn.has_right_value for turn in played.turns[3:]
    )


def _matches(why: str, text: str) -> bool:
    parts = why.split(".*")
    return all(part in text for part in parts)


@pytest.mark.parametrize("how", ["hangs", "floods", "stops reading"])
def test_who_never_answers_well_loses_turns_and_the_game_ends(trial: Trial, how: str) -> None:
    played = play(trial, student(how), 0.3)
    assert not any(turn.is_right for turn in played.turns)
    assert len(played.turns) > 0
    # The first legal moves were made.
    assert trial.start != played.end


def test_who_says_everything_twice_is_heard_once(trial: Trial) -> None:
    played = play(trial, student("answers twice", 4))
    assert all(turn.is_right and turn.has_right_value for turn in played.turns[:2])
    assert len(played.turns) == MOVES // 2


def test_a_game_has_a_limit_for_all_answers_together(trial: Trial) -> None:
    with closing(student("hangs")) as program:
        played = Examiner(program, 0.3, 0.5).play(trial)
    assert "used up its 0.5 s" in played.turns[-1].move_error


@pytest.mark.parametrize(
    "how", ["skips cost nothing", "counts pieces at the end", "takes the last"]
)
def test_a_subtle_fault_of_the_search_is_found(how: str) -> None:
    """Late in a game, where skips and ends are near; such games are in every marking."""
    late = [
        game for game in make_trials(5, schemes_for_slow_programs(3)) if sum(game.start.counts) > 40
    ]
    turns = [turn for game in late for turn in play(game, student(how)).turns]
    wrong = [turn for turn in turns if not turn.is_right]
    assert wrong
    assert all(turn.minimax_values is not None for turn in wrong)
    assert all(turn.has_right_value for turn in turns)


@pytest.mark.parametrize(
    ("how", "said"),
    [("crashes", "no such square"), ("talks", "'Searching...', which is not a whole number"),
     ("reports an error", "NullPointerException")],
)  # fmt: skip
def test_a_program_that_answers_neither_question_is_told_so_before_the_games(
    how: str, said: str
) -> None:
    with closing(student(how)) as program, pytest.raises(EngineError) as raised:
        program.check(Position.start(RULESET), PATIENCE_S)
    assert "cannot be marked" in str(raised.value)
    # What it does each time is told once.
    assert str(raised.value).count(said) == 1


def test_a_program_without_board_eval_is_marked_for_its_moves() -> None:
    with closing(student("has no boardEval")) as program:
        program.check(Position.start(RULESET), PATIENCE_S)


@pytest.mark.parametrize("words", [["./no-such-program"], ["no-such-program"], [""], ["'"]])
def test_a_program_that_is_not_there_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(UsageError):
        Program(words)


def test_a_program_is_its_words_or_one_text(tmp_path: Path) -> None:
    name = tmp_path / "my program"
    name.write_text("#!/bin/sh\n")
    name.chmod(0o755)
    assert Program([f"'{name}' -x"]).name == Program([str(name), "-x"]).name == f"'{name}' -x"


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_nothing_that_a_program_has_started_is_left(trial: Trial) -> None:
    with closing(student("breeds")) as program:
        # So long that it has been bred on any machine; the test waits for it once.
        played = Examiner(program, 15.0, 15.0).play(trial)
    said = " ".join(turn.value_error for turn in played.turns)
    family = re.search(r"family ([0-9]+) ([0-9]+)", said)
    assert family is not None, said
    assert not any(alive(int(pid)) for pid in family.groups())


def test_the_reference_chooses_as_the_bot_does() -> None:
    assert ReferencePlayer().choose_move(Position.start(RULESET), 6).text == "c4"
