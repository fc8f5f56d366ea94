"""What the search promises: short wins, limits, determinism, variety."""

import pytest

from ataxxd.rules import Engine, Move, Position, SearchResult, Side

COURSE, UAI = "ataxx/cs61b-2022", "ataxx/uai"
START = Position.start(COURSE)
MIDDLE = Position.from_text(COURSE, "1xx2oo/xxx1ooo/xx2oo1/3x3/1oo1xx1/ooo1xxx/oo2xx1 o 0 16")


def search(text: str, ruleset: str = COURSE, *, depth: int | None = 1) -> SearchResult:
    """What a fresh engine finds at the lowest depth."""
    return Engine(1).search(Position.from_text(ruleset, text), depth=depth)


@pytest.mark.parametrize("ruleset", [COURSE, UAI])
def test_the_last_piece_is_taken(ruleset: str) -> None:
    result = search("7/7/7/2x1o2/7/7/7 x 0 1", ruleset)
    assert result.mate_in == 1
    end = Position.from_text(ruleset, "7/7/7/2x1o2/7/7/7 x 0 1").play(result.move).outcome
    assert end is not None
    assert end.termination == "no-pieces"


@pytest.mark.parametrize("ruleset", [COURSE, UAI])
def test_the_last_square_is_filled_when_that_wins(ruleset: str) -> None:
    result = search("xxxxxxx/xxxxxxx/xxxxxxx/xxxoooo/ooooooo/ooooooo/oooooo1 o 0 40", ruleset)
    assert (result.move.text, result.mate_in) == ("g1", 1)


def test_a_jump_that_reaches_the_limit_wins_with_more_pieces_under_the_course_rules() -> None:
    text = "xxx4/xxx4/7/7/7/7/5oo x 24 30"
    result = search(text)
    assert result.mate_in == 1
    end = Position.from_text(COURSE, text).play(result.move).outcome
    assert end is not None
    assert (end.termination, end.winner) == ("jump-limit", Side.FIRST)


def test_the_limit_is_not_a_win_under_uai() -> None:
    assert search("xxx4/xxx4/7/7/7/7/5oo x 99 30", UAI).mate_in is None


def test_score_and_line_of_a_win_tell_its_distance() -> None:
    text = "xxxxxxo/xxoooox/xxoooox/xxxooox/oxxxoox/oxxxxox/x1oo1o1 x 0 30"
    position = Position.from_text(COURSE, text)
    result = search(text)
    assert result.mate_in is not None
    assert 1 <= result.mate_in <= 4
    assert result.score > 20_000
    for move in result.pv:
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner is Side.FIRST


def test_a_lost_side_knows_it_and_still_moves() -> None:
    # After the jump to g1 o takes everything from f1; after the clone it takes two moves.
    position = Position.from_text(
        COURSE, "ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/oooox2 x 0 30"
    )
    result = Engine(1).search(position, depth=6)
    assert position.is_legal(result.move)
    assert result.mate_in == -2
    assert result.score < -20_000


def test_an_only_move_is_played_without_a_search() -> None:
    # x is walled in: it has to pass.
    position = Position.from_text(COURSE, "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 20")
    assert [move.text for move in position.legal_moves] == ["0000"]
    result = Engine(1).search(position, nodes=2**60)
    assert (result.move.text, result.nodes) == ("0000", 1)


@pytest.mark.parametrize("nodes", [1, 7, 100, 1_234, 50_000])
def test_a_node_limit_is_met_exactly(nodes: int) -> None:
    assert Engine(1).search(MIDDLE, nodes=nodes).nodes == nodes


def test_a_depth_limit_is_the_depth_of_the_last_iteration() -> None:
    assert [Engine(1).search(MIDDLE, depth=depth).depth for depth in (1, 2, 5)] == [1, 2, 5]


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_fresh_engines_with_equal_limits_and_seed_agree_in_everything(seed: int) -> None:
    def found(engine: Engine) -> tuple[Move, int, int, tuple[Move, ...]]:
        result = engine.search(MIDDLE, nodes=20_000, seed=seed)
        return result.move, result.score, result.depth, result.pv

    used = Engine(1)
    first = found(used)
    assert found(Engine(1)) == first
    used.clear()
    assert found(used) == first


def test_seeds_vary_the_choice_among_moves_of_nearly_equal_worth() -> None:
    engine = Engine(1)
    chosen: set[str] = set()
    scores: list[int] = []
    for seed in range(1, 21):
        engine.clear()
        result = engine.search(START, nodes=5_000, seed=seed)
        chosen.add(result.move.text)
        scores.append(result.score)
    assert len(chosen) >= 2
    assert max(scores) - min(scores) < 100


def test_a_time_limit_gives_at_least_the_first_iteration() -> None:
    result = Engine(1).search(MIDDLE, time_ms=1)
    assert result.depth >= 1
    assert MIDDLE.is_legal(result.move)


def test_the_expected_line_starts_with_the_move_and_is_legal() -> None:
    result = Engine(1).search(MIDDLE, nodes=30_000)
    assert result.pv[0] == result.move
    position = MIDDLE
    for move in result.pv:
        position = position.play(move)


@pytest.mark.parametrize("ruleset", [COURSE, "loa/cs61b", "checkers/acf", "reversi/standard"])
def test_a_cutoff_that_does_not_come_changes_nothing(ruleset: str) -> None:
    position = Position.start(ruleset)
    alone = Engine(1).search(position, nodes=3_000, seed=5)
    bounded = Engine(1).search(position, nodes=3_000, cutoff_ms=10**9, seed=5)
    assert (bounded.move, bounded.score, bounded.pv) == (alone.move, alone.score, alone.pv)


def test_a_cutoff_ends_a_search() -> None:
    result = Engine(1).search(START, nodes=10**12, cutoff_ms=1)
    assert START.is_legal(result.move)
    assert result.nodes < 10**12
