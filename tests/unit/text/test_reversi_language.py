"""The line language of reversi: the laboratory's texts, and the commands around them."""

import re

import pytest

from ataxxd.engines.base import AlphaBetaBot, Bot
from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.games import line_language
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import Played, local_table, run

REVERSI = "reversi/standard"
BLACK, WHITE = Side.FIRST, Side.SECOND
# The position of the laboratory's text after Black's first move.
AFTER_5_4 = "{........|........|........|...wb...|...bbb..|........|........|........}"
# Black cannot move, White can; after White's move nobody can.
BLACK_SKIPS = "[bw......|........]"


async def reversi(
    lines: str, position: str | None = None, *, bot: Bot | None = None, white: Seat = Seat.HUMAN
) -> Played:
    seats = {BLACK: Seat.HUMAN, WHITE: white}
    return await run(local_table(position, seats=seats, ruleset=REVERSI, bot=bot, seed=1), lines)


def without_seconds(text: str) -> str:
    return re.sub(r"\d+\.\d secs", "S secs", text)


async def test_a_session_left_prints_state_and_score_as_the_laboratory_does() -> None:
    played = await reversi("(5,4)")
    assert played.out == f"Current boardState: {AFTER_5_4}\nCurrent boardScore: -3\n"
    assert played.err == "Human: Move (5,4), valid, 0.2 secs, no error\n"


async def test_a_state_begins_where_it_was_left() -> None:
    assert (await reversi("", AFTER_5_4)).out.splitlines()[0] == f"Current boardState: {AFTER_5_4}"


@pytest.mark.parametrize("move", ["f5", "F5", "(5,4)", " ( 5 , 4 ) ", "5,4", "5, 4"])
async def test_a_move_is_a_square_or_its_coordinates(move: str) -> None:
    played = await reversi(f"{move}\ndump\nquit")
    assert AFTER_5_4 in played.out


async def test_an_illegal_move_is_reported_as_invalid_and_changes_nothing() -> None:
    played = await reversi("(0,0)\n(8,9)\nskip\na1\nmoves")
    assert "(2,3) (3,2) (4,5) (5,4)" in played.out
    reports = without_seconds(played.err).splitlines()
    assert reports[0].startswith(
        "Human: Move (0,0), invalid, S secs, error: a piece on (0,0) would bracket no piece"
    )
    assert reports[1] == (
        "Human: Move (8,9), invalid, S secs, error: (8,9) is off the board; x and y are 0 to 7."
    )
    assert reports[2].startswith(
        "Human: Move (-1,-1), invalid, S secs, error: a turn is skipped only when"
    )
    assert reports[2].endswith("such as (2,3).")
    # A square is told by its coordinates, however it was typed, and so is what is wrong with it.
    assert reports[3] == reports[0]


async def test_text_that_is_no_move_is_an_error() -> None:
    played = await reversi("(5;4)\nf5 f6\nbogus\nsquare 3")
    assert len(played.errors) == 4
    assert len(played.game.moves) == 0


async def test_legal_moves_are_listed_by_x_and_then_by_y() -> None:
    played = await reversi("moves", AFTER_5_4)
    assert played.out.splitlines()[0] == "Legal: (3,5) (5,3) (5,5)"


async def test_a_skip_is_written_as_minus_one_twice() -> None:
    over = Position.from_text(REVERSI, BLACK_SKIPS)
    assert over.turn is BLACK
    # c1 turns b1 for Black: only White has to skip.
    played = await reversi("moves\nskip\ndump", "{bw......|........}")
    assert "Legal: (-1,-1)" in played.out
    assert "Human: Move (-1,-1), valid" in played.err
    assert "[bw......|" in played.out


async def test_the_end_is_printed_once_with_state_score_and_result() -> None:
    played = await reversi("c1\nundo\nc1\nd1", BLACK_SKIPS)
    end = [
        "Current boardState: {bbb.....|" + "|".join(["." * 8] * 7) + "}",
        "Current boardScore: -3",
        "Black wins.",
    ]
    assert played.out.splitlines() == end + end
    assert "the game is over" in played.err


async def test_a_draw_is_a_draw() -> None:
    assert (await reversi("", "{b.w}")).out.splitlines()[-2:] == ["Current boardScore: 0", "Draw."]


async def test_the_moves_of_a_machine_are_printed_with_its_colour() -> None:
    played = await reversi("(5,4)\nquit", white=Seat.AUTO, bot=AlphaBetaBot(1))
    # Of the three answers (3,5), (5,3) and (5,5), the last turns two pieces.
    assert re.fullmatch(r"White: \([35],[35]\)", played.out.splitlines()[0])
    reports = [line.partition(",")[0] for line in played.err.splitlines()]
    assert reports[0] == "Human: Move (5"
    assert reports[1].startswith("AlphaBeta(1): Move (")


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("human", "Human"),
        ("first", "First"),
        ("random", "Random"),
        ("random:7", "Random"),
        ("alphabeta:8", "AlphaBeta(8)"),
        ("native:5", "Engine"),
        (None, "White"),
    ],
)
def test_a_report_names_who_moved_as_the_laboratory_does(agent: str | None, name: str) -> None:
    report = line_language(REVERSI).report(WHITE, agent, "(3,2)", 0.0, None)
    assert report == f"{name}: Move (3,2), valid, 0.2 secs, no error"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.0, "0.2"), (0.199, "0.2"), (0.201, "0.4"), (1.05, "1.2"), (9.9, "10.0")],
)
def test_a_report_counts_seconds_in_steps_of_a_fifth(seconds: float, told: str) -> None:
    report = line_language(REVERSI).report(BLACK, "human", "(5,4)", seconds, None)
    assert report == f"Human: Move (5,4), valid, {told} secs, no error"


async def test_two_machines_play_the_same_game_every_time() -> None:
    games = [(await reversi("auto black\nauto white", bot=AlphaBetaBot(3))).out for _ in range(2)]
    assert games[0] == games[1]
    assert games[0].splitlines()[-1] in {"White wins.", "Black wins.", "Draw."}


async def test_row_one_is_the_top_row_of_the_board() -> None:
    played = await reversi("d3\nboard")
    rows = played.out.splitlines()
    assert rows[0].split() == list("01234567")
    assert rows[4].split() == ["2", "3", *"...b...."]


async def test_in_a_network_game_the_other_side_is_told_like_a_machine() -> None:
    black, white = linked_tables(Position.start(REVERSI))
    await black.play(black.position.parse_move("f5"))
    played = await run(white, "moves")
    assert played.out.splitlines()[:2] == ["Black: (5,4)", "Legal: (3,5) (5,3) (5,5)"]
    assert "Black: Move (5,4), valid" in played.err


def test_the_prompt_names_the_side() -> None:
    assert line_language(REVERSI).prompt(WHITE) == "White: "
