"""How a match stands: the residual of a worker, and what is shown of workers and speed."""

import pytest

from ataxxd.cli.scoreboard import progress_line, progress_lines
from ataxxd.engines.match import Activity, Progress, WorkerStatus, residual
from ataxxd.engines.match.statistics import SequentialTest
from ataxxd.match_queue.items import PROGRESS

STEADY = WorkerStatus("steady", "0.1.0", (20, 40, 40), True, 2, 1.0)
ODD = WorkerStatus("odd", "0.1.0", (30, 8, 2), False, 0, 1.5)
PROGRESS_OF_TWO = Progress(
    ("new", "old"), 400, (50, 48, 42), (5, 20, 22, 15, 8), (0, 1), SequentialTest(0, 5),
    Activity(2, 0.5, (STEADY, ODD)),
)  # fmt: skip


def test_a_residual_is_the_difference_to_all_others_in_standard_errors() -> None:
    # Means of 0.6 and 0.15 points a game; the variance of all 140 games is 0.1635.
    above = residual(STEADY.games, PROGRESS_OF_TWO.games)
    below = residual(ODD.games, PROGRESS_OF_TWO.games)
    assert above is not None
    assert below is not None
    assert above == pytest.approx(0.45 / (0.1634694 * (1 / 100 + 1 / 40)) ** 0.5, rel=1e-4)
    assert below == pytest.approx(-above)


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ((0, 0, 0), (1, 1, 1)),
        ((1, 2, 3), (1, 2, 3)),
        ((0, 0, 2), (0, 0, 5)),
        ((0, 0, 0), (0, 0, 0)),
    ],
)
def test_there_is_none_where_nothing_can_be_compared(
    part: tuple[int, int, int], whole: tuple[int, int, int]
) -> None:
    assert residual(part, whole) is None


def test_workers_and_speed_stand_below_the_table_and_the_same_comes_over_the_queue() -> None:
    lines = [*progress_lines(PROGRESS_OF_TWO)]
    assert lines[3].startswith("140 of 400 games, pairs by points 0: 5 ½: 20 1: 22 1½: 15 2: 8")
    assert lines[-4:] == [
        "1 worker, 0.50 games per second, 2 games under way",
        "worker  version  playing  played  score  residual  time",
        "steady  0.1.0          2     100  60.0%     +5.95  1.00",
        "odd     0.1.0          0      40  15.0%     -5.95  1.50",
    ]
    assert progress_line(PROGRESS_OF_TWO).endswith("goes on; 1 worker, 0.50 games per second")
    assert PROGRESS.load(PROGRESS.dump(PROGRESS_OF_TWO)) == PROGRESS_OF_TWO
