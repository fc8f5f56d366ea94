"""The line language of checkers: the old program's moves, words, board and score."""

import io

import pytest

from ataxxd.engines.base import FirstBot
from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import Output, Terminal
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.playing import Played, local_table, run
from tests.unit.text.script_lines import ScriptLines

CHECKERS = "checkers/cs61b-2004"
BLACK, WHITE = Side.FIRST, Side.SECOND
START_BOARD = """\
| |b| |b| |b| |b|
|b| |b| |b| |b| |
| |b| |b| |b| |b|
| | | | | | | | |
| | | | | | | | |
|w| |w| |w| |w| |
| |w| |w| |w| |w|
|w| |w| |w| |w| |
"""
# The specification's figure 2: 18 may take 15 and then 7 or 8; the king on 30 three ways.
FIGURE_2 = "W:W18,K30:B8,15,25,26,27,6,K7"


async def by_hand(lines: str, position: str | None = None, **options: bool) -> Played:
    """A session in which both sides are played by hand."""
    game = local_table(position, seats={}, ruleset=CHECKERS)
    game.fill(WHITE, Seat.HUMAN)
    return await run(game, lines, SessionOptions(**options))


class AgreeableBot(FirstBot):
    """Plays the first move and accepts every draw."""

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        return True


async def test_the_session_of_the_specification_ends_with_the_score() -> None:
    lines = (
        "11-15 24-20 8-11 28-24 draw reject 9-13 22-18 15-22 21-17 25-18 resign accept"
    ).replace(" ", "\n")
    played = await by_hand(lines)
    assert played.out == "0-1\n"
    assert played.errors == ["illegal move", "No draw is offered to you."]
    assert "21-17 is not legal: a capture is forced" in played.err
    assert played.code == 0


async def test_b_shows_the_board_as_the_specification_draws_it() -> None:
    assert (await by_hand("b")).out == START_BOARD
    assert (await by_hand("B")).out == START_BOARD
    assert (await by_hand("dump")).out == START_BOARD


async def test_kings_are_capitals_on_the_board() -> None:
    board = (await by_hand("b", "W:WK30,18:BK7,8")).out
    assert board.splitlines() == [
        "| | | | | | | | |",
        "| | | | |B| |b| |",
        "| | | | | | | | |",
        "| | | | | | | | |",
        "| | | |w| | | | |",
        "| | | | | | | | |",
        "| | | | | | | | |",
        "| | |W| | | | | |",
    ]


@pytest.mark.parametrize("move", ["18-11-2", "18x11x2", "18-11-4", "30-21", "30-23-32"])
async def test_every_capture_of_the_specifications_figure_is_possible(move: str) -> None:
    played = await by_hand(move, FIGURE_2)
    assert played.errors == []
    assert len(played.game.moves) == 1


async def test_every_square_of_a_jump_has_to_be_named() -> None:
    played = await by_hand("18-2", FIGURE_2)
    assert "18x11x2" in played.err
    assert not played.game.moves


async def test_a_forced_capture_is_explained() -> None:
    played = await by_hand("11-15\n22-18\n9-13")
    assert "a capture is forced: 15x22" in played.err
    assert len(played.game.moves) == 2


async def test_the_machines_moves_have_the_numbers_of_the_transcript() -> None:
    game = local_table(None, seats={WHITE: Seat.AUTO}, ruleset=CHECKERS)
    played = await run(game, "11-15\n8-11")
    moves = played.out.splitlines()
    assert [move.split()[0] for move in moves] == ["1.", "2."]
    assert moves == [
        f"{number}. {table_move.text.replace('x', '-')}"
        for number, table_move in enumerate(game.moves[1::2], 1)
    ]


async def test_a_machine_with_black_moves_first_and_its_answer_to_a_draw_is_printed() -> None:
    game = local_table(None, seats={BLACK: Seat.AUTO, WHITE: Seat.HUMAN}, ruleset=CHECKERS)
    played = await run(game, "draw\nresign\n24-20")
    assert played.out.splitlines()[:2] == [f"1. {game.moves[0].text}", "1. reject"]
    assert played.errors == ["Your offer of a draw was rejected: now you must move."]


async def test_an_accepted_draw_ends_the_game() -> None:
    # Not the usual start, of which twenty moves are to be made before.
    bot, seats = AgreeableBot(), {WHITE: Seat.AUTO}
    game = local_table("B:WK32:BK1", bot=bot, seats=seats, ruleset=CHECKERS)
    played = await run(game, "draw\n1-6")
    assert played.out.splitlines() == ["1. accept", "1/2-1/2"]
    assert "the game is over" in played.errors[0]


@pytest.mark.parametrize("word", ["accept", "reject"])
async def test_answers_have_no_place_where_no_draw_is_offered(word: str) -> None:
    played = await by_hand(word)
    assert played.errors == ["No draw is offered to you."]


@pytest.mark.parametrize("word", ["11-15", "draw", "resign"])
async def test_only_an_answer_can_follow_an_offered_draw(word: str) -> None:
    played = await by_hand(f"draw\n{word}")
    assert "waits for the answer" in played.errors[0]


@pytest.mark.parametrize("word", ["draw", "resign"])
async def test_after_a_rejected_draw_only_a_move_can_follow(word: str) -> None:
    played = await by_hand(f"draw\nreject\n{word}\n11-15")
    assert played.errors == ["Your offer of a draw was rejected: now you must move."]
    assert len(played.game.moves) == 1


async def test_who_cannot_move_has_lost_and_cannot_resign() -> None:
    played = await by_hand("resign", "W:W9,5,13:BK1,K2,6,7,21,22")
    assert played.out == "1-0\n"
    assert "the game is over" in played.errors[0]


class OpponentOfTheSpecification(FirstBot):
    """Black of the example's session."""

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        played = ("11-15", "8-11", "9-13", "15-22")
        legal = (move for text in played for move in position.legal_moves if move.text == text)
        return next(legal, position.legal_moves[0])


async def test_an_illegal_move_is_answered_as_the_specification_shows_it() -> None:
    bot = OpponentOfTheSpecification()
    game = local_table(bot=bot, seats={BLACK: Seat.AUTO, WHITE: Seat.HUMAN}, ruleset=CHECKERS)
    played = await run(game, "24-20\n28-24\n22-18\n21-17\nb\n25-18\nresign\n")
    said = played.out.splitlines()
    assert said[:5] == ["1. 11-15", "2. 8-11", "3. 9-13", "4. 15-22", "4. 15-22"]
    assert all(line.startswith("|") for line in said[5:13])
    assert said[13] == "4. 15-22"
    assert said[14].startswith("5. ")
    assert played.err.splitlines()[0] == "Error: illegal move"


async def test_strictness_ends_at_the_first_illegal_move() -> None:
    assert (await by_hand("11-16\n11-15", strict=True)).code == 1


@pytest.mark.parametrize("line", ["33-40", "11-", "11", "15-11"])
async def test_what_is_no_move_says_what_a_move_looks_like(line: str) -> None:
    played = await by_hand(line)
    assert len(played.errors) == 1
    assert "11-15" in played.err


def test_a_piece_shows_where_it_can_go() -> None:
    language = line_language(CHECKERS)
    position = Position.from_text(CHECKERS, FIGURE_2)
    assert language.targets("18", position) == {"2": "x", "4": "x"}


async def test_the_friendly_mode_draws_numbered_squares_and_kings() -> None:
    out = io.StringIO()
    game = local_table(FIGURE_2, seats={}, ruleset=CHECKERS)
    game.fill(WHITE, Seat.HUMAN)
    source = ScriptLines(["18", "18 11 2", "help", "draw"])
    await run_friendly(
        game, line_language(CHECKERS), source, Output(out, out), Terminal(), SessionOptions()
    )
    shown = out.getvalue()
    assert "x: jump to 2, 4" in shown
    assert "White plays 18x11x2 and takes 2." in shown
    assert "29-32" in shown
    assert " B " in shown
    assert "White's turn" not in shown


async def test_a_person_who_must_answer_a_draw_is_the_one_who_is_asked() -> None:
    out = io.StringIO()
    game = local_table(None, seats={}, ruleset=CHECKERS)
    game.fill(WHITE, Seat.HUMAN)
    source = ScriptLines(["draw", "reject", "11 15"])
    await run_friendly(
        game,
        line_language(CHECKERS),
        source,
        Output(out, out),
        Terminal(),
        SessionOptions(prompts=True),
    )
    shown = out.getvalue()
    assert "Black: Black offers a draw. Type accept or reject.\nWhite: " in shown
    assert "White rejects the draw; Black must move.\nBlack: " in shown
    assert "Black plays 11-15." in shown
