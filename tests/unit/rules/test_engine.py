"""The engine as Python sees it; what it plays is tested with the search."""

import threading

import pytest

from ataxxd.rules import Engine, Position, SearchResult, rulesets

START = Position.start("ataxx/cs61b-2022")


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_a_search_finds_a_legal_move_for_every_ruleset(ruleset: str) -> None:
    position = Position.start(ruleset)
    result = Engine().search(position, depth=3)
    assert position.is_legal(result.move)
    assert result.pv[0] == result.move
    assert result.depth >= 1
    assert result.nodes > 0
    assert result.elapsed_ms >= 0


def test_the_expected_line_is_legal_move_by_move() -> None:
    position = START
    for move in Engine().search(START, depth=4).pv:
        position = position.play(move)


def test_the_smallest_limits_still_give_a_legal_move() -> None:
    assert START.is_legal(Engine(hash_mb=1).search(START, nodes=1).move)
    assert START.is_legal(Engine(hash_mb=1).search(START, time_ms=0).move)


def test_every_iteration_is_reported_from_shallow_to_deep() -> None:
    seen: list[SearchResult] = []
    result = Engine().search(START, depth=4, on_info=seen.append)
    assert [info.depth for info in seen] == [1, 2, 3, 4]
    assert seen[-1].move == result.move


def test_equal_engines_with_equal_limits_find_the_same() -> None:
    def found(seed: int) -> tuple[object, ...]:
        result = Engine().search(START, depth=4, seed=seed)
        return result.move, result.score, result.nodes, result.pv

    assert found(1) == found(1)
    assert found(2) == found(2)


def test_an_exception_of_on_info_ends_the_search_and_comes_through() -> None:
    def on_info(info: SearchResult) -> None:
        raise LookupError(info.depth)

    engine = Engine()
    with pytest.raises(LookupError):
        engine.search(START, nodes=2**60, on_info=on_info)
    assert engine.search(START, depth=1).depth == 1


def test_stop_from_another_thread_ends_the_search_with_what_it_knows() -> None:
    engine = Engine()
    reached = threading.Event()

    def stop() -> None:
        reached.wait()
        engine.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    result = engine.search(START, nodes=2**60, on_info=lambda info: reached.set())
    thread.join()
    assert START.is_legal(result.move)
    assert result.depth >= 1


def test_one_engine_does_not_search_twice_at_the_same_time() -> None:
    engine = Engine()
    refused: list[str] = []

    def second() -> None:
        for call in (lambda: engine.search(START, depth=1), engine.clear):
            try:
                call()
            except RuntimeError as error:
                refused.append(str(error))

    def on_info(info: SearchResult) -> None:
        if not refused:
            thread = threading.Thread(target=second)
            thread.start()
            thread.join()
            engine.stop()

    engine.search(START, nodes=2**60, on_info=on_info)
    assert len(refused) == 2
    assert all("is searching in another thread; stop() it first" in text for text in refused)
    engine.clear()


def test_a_search_without_a_limit_or_with_depth_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="give depth, nodes or time_ms"):
        Engine().search(START)
    with pytest.raises(ValueError, match="depth is 0; it must be at least 1"):
        Engine().search(START, depth=0)


def test_more_chance_than_there_is_is_refused() -> None:
    assert START.is_legal(Engine().search(START, depth=1, seed=1, temperature=1_000).move)
    with pytest.raises(ValueError, match="temperature is 1001; it must be from 0 to 1000"):
        Engine().search(START, depth=1, seed=1, temperature=1_001)
    with pytest.raises(ValueError, match="oversight is 101; it must be from 0 to 100"):
        Engine().search(START, depth=1, seed=1, oversight=101)


def test_a_finished_game_has_no_move_to_find() -> None:
    over = Position.from_text("ataxx/uai", "7/7/7/3x3/7/7/7 o 0 9")
    with pytest.raises(ValueError, match="game is over"):
        Engine().search(over, depth=1)


@pytest.mark.parametrize("hash_mb", [0, 65_537])
def test_a_table_of_an_impossible_size_is_refused(hash_mb: int) -> None:
    with pytest.raises(ValueError, match=f"hash_mb is {hash_mb}; it must be from 1 to 65536"):
        Engine(hash_mb)


@pytest.mark.parametrize("threads", [0, 257])
def test_an_impossible_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=f"threads is {threads}; it must be from 1 to 256"):
        Engine(threads=threads)


def test_several_threads_find_a_legal_move_and_stop_together() -> None:
    engine = Engine(1, threads=3)
    result = engine.search(START, nodes=2**60, on_info=lambda info: engine.stop())
    assert START.is_legal(result.move)
    assert engine.search(START, depth=5).depth == 5
