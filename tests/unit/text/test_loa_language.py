"""The line language of Lines of Action: every command, message, error and ending."""

import re

import pytest

from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import Played, local_table, run

LOA = "loa/cs61b"
BLACK, WHITE = Side.FIRST, Side.SECOND
START_ROWS = """\
    - b b b b b b -
    w - - - - - - w
    w - - - - - - w
    w - - - - - - w
    w - - - - - - w
    w - - - - - - w
    w - - - - - - w
    - b b b b b b -
"""
START_DUMP = f"===\n{START_ROWS}Next move: black\n===\n"

# Black's b1-c1 joins its three pieces; White's two stand far apart.
BLACK_WINS_IN_ONE = "o6o/8/8/8/8/8/3xx3/1x6 x 10 60"
STUCK = "xoo5/ooo5/ooo5/8/8/5ooo/5ooo/5oox x 10 60"


async def loa(lines: str, position: str | None = None, *, white: bool = True) -> Played:
    """A session; White is manual too unless `white` says that an AI has it."""
    seats = {BLACK: Seat.HUMAN, WHITE: Seat.HUMAN if white else Seat.AUTO}
    game = local_table(position, seats=seats, ruleset=LOA, seed=1)
    return await run(game, lines)


async def dumped(lines: str) -> str:
    played = await loa(f"{lines}\ndump")
    assert played.errors == []
    return played.out


async def test_the_start_is_dumped_as_the_specification_shows_it() -> None:
    assert await dumped("") == START_DUMP


async def test_moves_are_made_in_turn_and_not_printed() -> None:
    out = await dumped("b1-b3\n  A2-C2  ")
    assert out == START_DUMP.replace(
        "    w - - - - - - w\n    w - - - - - - w\n    - b b b b b b -\nN",
        "    w b - - - - - w\n    - - w - - - - w\n    - - b b b b b -\nN",
    )


async def test_the_dump_names_the_side_to_move() -> None:
    assert "Next move: white\n" in await dumped("b1-b3")


async def test_words_too_many_are_ignored() -> None:
    played = await loa("b1-b3 and more\nundo now\nseed 3 4\nlimit 5 6\ndump it\nnew game\nhelp me")
    assert played.errors == []
    assert START_DUMP in played.out


async def test_commands_pasted_from_the_page_of_the_course_are_understood() -> None:
    """Its web copy has dashes where hyphens were."""
    pasted = await loa("manual white\nb1\u2013b3\nset b3 \u2013 black\ndump")
    typed = await loa("manual white\nb1-b3\nset b3 - black\ndump")
    assert pasted.errors == []
    assert pasted.out == typed.out


async def test_comments_and_empty_lines_do_nothing() -> None:
    assert await dumped("\n   \n# b1-b3\n   # new") == START_DUMP


async def test_an_illegal_move_changes_nothing_and_is_explained() -> None:
    played = await loa("b1-b4\na2-c2\nb1-j9\ndump")
    assert played.out == START_DUMP
    assert len(played.errors) == 3
    assert played.errors[0].startswith("b1-b4 is not legal: ")


@pytest.mark.parametrize(
    "line",
    [
        *("set", "set c3", "set c3 white", "set c9 white black", "set c3 red black", "set c3 - -"),
        *("limit", "limit x", "limit 0", "limit -1", "seed x", "auto red", "manual", "hop"),
        *(f"limit {2**31}", "limit " + "9" * 4000, f"seed {2**63}", "seed " + "9" * 4000),
    ],
)
async def test_a_wrong_command_is_an_error_and_changes_nothing(line: str) -> None:
    played = await loa(f"{line}\ndump")
    assert len(played.errors) == 1
    assert played.out == START_DUMP
    assert played.code == 0


async def test_an_ai_plays_white_and_its_move_alone_is_printed() -> None:
    played = await loa("b1-b3", white=False)
    assert len(played.out.splitlines()) == 1
    assert re.fullmatch(r"\* [a-h][1-8]-[a-h][1-8]\n", played.out)


async def test_auto_and_manual_ignore_case_and_hold_for_both_sides() -> None:
    played = await loa("MANUAL White\nauto BLACK\nmanual black\ndump")
    assert len(played.messages) == 1
    assert "Next move: white" in played.out


async def test_a_set_square_and_the_next_player_are_seen_in_the_dump() -> None:
    out = await dumped("set D4 White white\nset b1 - black\nset a1 BLACK black")
    rows = out.splitlines()
    assert rows[5] == "    w - - w - - - w"
    assert rows[8] == "    b - b b b b b -"
    assert rows[9] == "Next move: black"


async def test_clearing_the_board_square_by_square_ends_no_game() -> None:
    squares = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
    lines = "\n".join(f"set {square} - black" for square in squares)
    played = await loa(f"{lines}\nset d4 black black\nset a8 white black\nset c1 white black\ndump")
    assert played.messages == []
    assert played.errors == []
    rows = played.out.splitlines()
    assert rows[1] == "    w - - - - - - -"
    assert rows[5] == "    - - - b - - - -"


async def test_the_result_is_seen_afresh_at_the_move_after_a_set() -> None:
    # Black stands in one group already; White's move does not change that, so Black has won.
    position = "o6o/8/8/8/8/8/8/x1x4o x 10 60"
    played = await loa("set b1 black white\ndump\nh8-h6\nh6-h8", position)
    assert played.out.startswith("===\n")
    assert played.out.endswith("===\n* Black wins.\n")
    assert len(played.errors) == 1
    assert "h6-h8 is not legal: the game is over" in played.errors[0]


async def test_a_game_that_is_over_goes_on_after_a_set() -> None:
    played = await loa("b1-c1\nh8-h7\nset b1 black white\nh8-h7", BLACK_WINS_IN_ONE)
    assert played.messages == ["* Black wins."] * 2
    assert len(played.errors) == 1
    assert "the game is over" in played.errors[0]


async def test_after_the_end_moves_are_errors_until_new() -> None:
    played = await loa("b1-c1\na8-a7\nnew\nb1-b3", BLACK_WINS_IN_ONE)
    assert played.messages == ["* Black wins."]
    assert len(played.errors) == 1
    assert len(played.game.moves) == 1


async def test_undo_after_the_end_lets_the_game_end_again() -> None:
    played = await loa("b1-c1\nundo\nb1-c1", BLACK_WINS_IN_ONE)
    assert played.messages == ["* Black wins."] * 2


async def test_a_move_that_joins_both_sides_wins_for_the_mover() -> None:
    played = await loa("a8-a5", "o7/8/8/x7/oo6/8/8/3x4 o 10 60")
    assert played.messages == ["* White wins."]


async def test_the_tie_comes_after_sixty_moves_in_all() -> None:
    cycle = "b1-b3\na2-c2\nb3-b1\nc2-a2\n" * 15
    played = await loa(cycle + "b1-b3\ndump")
    assert played.messages == ["* Tie game."]
    assert len(played.errors) == 1
    assert played.out.endswith(START_DUMP)
    before = await loa("".join(cycle.splitlines(keepends=True)[:59]))
    assert before.messages == []


async def test_a_limit_counts_the_moves_of_each_side() -> None:
    played = await loa("limit 2\nb1-b3\na2-c2\nb3-b1\nc2-a2\nb1-b3")
    assert played.messages == ["* Tie game."]
    assert len(played.errors) == 1


async def test_a_limit_not_above_the_moves_made_is_refused() -> None:
    played = await loa("b1-b3\nlimit 1\nlimit 2\na2-c2\nb3-b1\nlimit 2\nlimit 3")
    assert len(played.errors) == 2
    assert played.game.position.text.endswith(" 3 6")


@pytest.mark.parametrize("number", ["+2", "0000000002", "1000000000", str(2**31 - 1)])
async def test_a_limit_may_be_as_large_as_an_int_and_begin_with_zeros(number: str) -> None:
    played = await loa(f"b1-b3\nlimit {number}")
    assert played.errors == []
    assert played.game.position.text.endswith(f" 1 {2 * int(number)}")


@pytest.mark.parametrize("number", ["+7", "-7", "0" * 19 + "7", str(2**63 - 1), str(-(2**63))])
async def test_a_seed_is_a_long_integer(number: str) -> None:
    assert await dumped(f"seed {number}") == START_DUMP


async def test_a_limit_keeps_the_moves_for_undo() -> None:
    assert await dumped("b1-b3\na2-c2\nlimit 9\nundo\nundo\nundo") == START_DUMP


async def test_a_new_game_keeps_the_limit_and_who_plays() -> None:
    lines = "auto white\nmanual white\nlimit 1\nb1-b3\nnew\nb1-b3\na2-c2"
    played = await loa(lines)
    assert played.messages == ["* Tie game."]


async def test_a_limit_set_after_the_end_is_that_of_the_next_game() -> None:
    ended = "limit 1\nb1-b3\na2-c2\nlimit 2\n"
    played = await loa(ended + "b3-b1")
    assert played.messages == ["* Tie game."]
    assert len(played.errors) == 1
    again = await loa(ended + "new\nb1-b3\na2-c2\nb3-b1\nc2-a2")
    assert (again.errors, again.messages) == ([], ["* Tie game.", "* Tie game."])
    # What is set up keeps the count of the moves.
    set_up = await loa(ended + "set a1 black black\nb3-b1\nc2-a2")
    assert (set_up.errors, set_up.messages) == ([], ["* Tie game.", "* Tie game."])
    given_up = await loa("resign\nlimit 1\nnew\nb1-b3\na2-c2")
    assert (given_up.errors, given_up.messages) == ([], ["* White wins.", "* Tie game."])


async def test_a_side_without_a_move_passes() -> None:
    played = await loa("a8-b8\n-\ndump", STUCK)
    assert len(played.errors) == 1
    assert "you can reach no square" in played.errors[0]
    assert "Next move: white" in played.out


async def test_the_pass_of_an_ai_is_told_on_the_error_stream_alone() -> None:
    played = await loa("auto black\nmanual black\ndump", STUCK)
    assert played.messages == []
    assert played.err == "Black cannot move and passes.\n"
    assert "Next move: white" in played.out


async def test_the_same_seed_gives_the_same_game() -> None:
    games = [(await loa("seed 7\nauto black", white=False)).out for _ in range(2)]
    assert games[0] == games[1]
    assert games[0].splitlines()[-1] in {"* White wins.", "* Black wins.", "* Tie game."}


async def test_no_stray_signs_are_printed() -> None:
    played = await loa("help\nboard\nverbose\nb1-b3\nquiet")
    assert not re.search(r"[*>]|===", played.out)


def test_the_prompt_ends_in_a_greater_sign() -> None:
    language = line_language(LOA)
    assert (language.prompt(BLACK), language.prompt(WHITE)) == ("Black> ", "White> ")


async def test_strictness_ends_at_the_first_error() -> None:
    game = local_table(ruleset=LOA, seats={BLACK: Seat.HUMAN})
    played = await run(game, "b1-b4\ndump", SessionOptions(strict=True))
    assert (played.code, played.out) == (1, "")


async def test_in_a_network_game_set_and_limit_are_refused() -> None:
    black, _ = linked_tables(Position.start(LOA))
    played = await run(black, "set a1 - black\nlimit 3\nnew\ndump")
    assert len(played.errors) == 3
    assert all("network" in error for error in played.errors)
    assert played.out == START_DUMP
