"""The Ataxx line language, rule by rule."""

import os
import re

import pytest

from ataxxd.engines.base import Bot, RandomBot
from ataxxd.engines.native import NativeBot, Strength
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import DescriptorLines
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.playing import (
    BLUE,
    RED,
    RED_WINS_IN_ONE,
    START_DUMP,
    Played,
    by_hand,
    local_table,
    run,
)

FORBIDDEN = ("passes", "wins", "Draw", "moves", "===")
# Four blocks leave the pieces in the corners no way out.
SHUT_IN = "block b7\nblock c7\nblock a6\nblock b6\nblock c6\nblock a5\nblock b5\nblock c5\n"


async def test_a_dump_has_two_blanks_before_each_row_and_row_seven_first() -> None:
    assert (await by_hand("dump")).out == START_DUMP


async def test_a_clone_and_a_jump_are_told_apart_by_their_distance() -> None:
    played = await by_hand("a7-b6\na1-a3\ndump\n")
    assert played.out == (
        "===\n  r - - - - - b\n  - r - - - - -\n  - - - - - - -\n  - - - - - - -\n"
        "  b - - - - - -\n  - - - - - - -\n  - - - - - - r\n===\n"
    )
    assert played.err == ""


async def test_pieces_next_to_the_target_change_sides() -> None:
    played = await by_hand("e4-d4\ndump\n", "7/7/7/2o1x2/2o4/7/7 x 0 1")
    assert "  - - r r r - -\n  - - r - - - -\n" in played.out


async def test_moves_of_a_manual_player_are_not_printed() -> None:
    assert (await by_hand("a7-b6\ng7-f6\n")).out == ""


async def test_the_moves_of_an_ai_are_printed_exactly() -> None:
    played = await run(local_table(), "a7-b6\n")
    assert re.fullmatch(r"\* Blue moves [a-g][1-7]-[a-g][1-7]\.\n", played.out)


async def test_an_ai_moves_before_the_next_line_is_read() -> None:
    played = await run(local_table(), "a7-b6\ndump\n")
    first, second = played.out.splitlines()[:2]
    assert first.startswith("* Blue moves ")
    assert second == "==="


async def test_case_and_blanks_do_not_matter() -> None:
    plain = await by_hand("a7-b6\nundo\nblock c3\nmanual red\ndump\n")
    fancy = await by_hand("  A7-B6  \n\tUnDo\n  BLOCK   C3 \n Manual\tRED\nDUMP\r\n")
    assert fancy.out == plain.out
    assert fancy.err == ""


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2212")
async def test_a_move_pasted_from_a_typeset_page_is_a_move(dash: str) -> None:
    played = await by_hand(f"a7{dash}b6\nundo\n{dash}")
    assert len(played.errors) == 1
    assert "it is allowed only when there is no other move" in played.errors[0]


async def test_empty_lines_and_comments_do_nothing() -> None:
    played = await by_hand("\n   \n# all of this: dump\n#*move\na7-b6 # a clone\n  # \ndump#x\n")
    assert "  - r - - - - -" in played.out
    assert played.err == ""


@pytest.mark.parametrize("word", ["du", "dum", "dump", "DU"])
async def test_a_command_may_be_abbreviated(word: str) -> None:
    assert (await by_hand(word)).out == START_DUMP


@pytest.mark.parametrize(
    ("word", "candidates"), [("qu", "quiet, quit"), ("qui", "quiet, quit"), ("b", "block, board")]
)
async def test_an_ambiguous_abbreviation_lists_what_it_may_mean(word: str, candidates: str) -> None:
    played = await by_hand(word)
    assert played.out == ""
    assert candidates in played.errors[0]


@pytest.mark.parametrize("line", ["aut red", "man red", "s 1", "bl c3", "a"])
async def test_a_command_with_operands_may_not_be_abbreviated(line: str) -> None:
    assert "cannot be abbreviated" in (await by_hand(line)).errors[0]


async def test_an_unknown_command_is_an_error_that_suggests_the_nearest() -> None:
    played = await by_hand("dmup")
    assert played.errors == ['"dmup" is not a command. Did you mean "dump"? Type help for a list.']
    assert played.out == ""


@pytest.mark.parametrize(
    "line",
    [
        "dump now",
        "new game",
        "quit now",
        "undo 2",
        "auto red blue",
        "block c3 d3",
        "seed 1 2",
        "a7-b6 a7-b5",
        "- -",
        "help me",
        "clear all",
        "resign now",
        "verbose on",
    ],
)
async def test_an_operand_too_many_is_an_error_and_nothing_happens(line: str) -> None:
    played = await by_hand(line + "\ndump\n")
    assert "one word too many" in played.errors[0]
    assert played.out == START_DUMP


@pytest.mark.parametrize("line", ["auto", "manual", "block", "seed"])
async def test_a_missing_operand_is_an_error_that_shows_the_command(line: str) -> None:
    assert f", as in: {line} " in (await by_hand(line)).errors[0]


@pytest.mark.parametrize("line", ["auto green", "manual re", "auto x"])
async def test_a_player_that_does_not_exist_is_an_error(line: str) -> None:
    assert (await by_hand(line)).errors[0].endswith("the players are Red and Blue.")


@pytest.mark.parametrize("number", ["x", "1.5", "9223372036854775808", "1_000", "٣"])
async def test_a_seed_is_a_whole_number_of_64_bits(number: str) -> None:
    (error,) = (await by_hand(f"seed {number}")).errors
    assert "a whole number from -2^63 to 2^63-1, such as 42" in error


@pytest.mark.parametrize("number", ["0", "-1", "+7", "9223372036854775807", "-9223372036854775808"])
async def test_any_long_integer_is_a_seed(number: str) -> None:
    assert (await by_hand(f"seed {number}")).err == ""


@pytest.mark.parametrize("move", ["a7b6", "a7", "0000", "a7-", "-b6", "a7 - b6", "a7--b6", "--"])
async def test_only_the_notation_of_the_course_is_a_move(move: str) -> None:
    played = await by_hand(move + "\ndump\n")
    assert len(played.errors) == 1
    assert played.out == START_DUMP


@pytest.mark.parametrize(
    ("typed", "written"), [("g2", "g1-g2"), ("a7b6", "a7-b6"), ("a7a5", "a7-a5")]
)
async def test_a_move_as_other_places_write_it_is_answered_by_how_it_is_written_here(
    typed: str, written: str
) -> None:
    (error,) = (await by_hand(typed)).errors
    assert f"it is written {written} here" in error


async def test_a_jump_longer_than_two_is_explained() -> None:
    played = await by_hand("a7-d4\ndump\n")
    assert played.errors == [
        (
            "a7-d4 is not legal: d4 is 3 columns away; the limit is 2. "
            "From a7 you can reach a5 a6 b5 b6 b7 c5 c6 c7."
        )
    ]
    assert played.out == START_DUMP


@pytest.mark.parametrize(
    "move", ["a1-a2", "d4-d5", "a7-a8", "h1-h2", "a7-a7", "a7-a10", "a99-b6", "-", "z0-a1"]
)
async def test_a_move_against_the_rules_changes_nothing(move: str) -> None:
    played = await by_hand(move + "\ndump\n")
    assert len(played.errors) == 1
    assert played.out == START_DUMP


async def test_a_block_stands_on_the_square_and_its_three_reflections() -> None:
    played = await by_hand("block b2\nblock c3\nblock c4\ndump\n")
    assert played.out == (
        "===\n  r - - - - - b\n  - X - - - X -\n  - - X - X - -\n  - - X - X - -\n"
        "  - - X - X - -\n  - X - - - X -\n  b - - - - - r\n===\n"
    )
    other = await by_hand("block f2\nblock c3\nblock e4\ndump\n")
    assert other.out == played.out


@pytest.mark.parametrize("square", ["a1", "g7", "h1", "c8", "c0", "33", "c", "c33", "-"])
async def test_a_block_where_none_can_stand_is_an_error(square: str) -> None:
    played = await by_hand(f"block {square}\ndump\n")
    assert len(played.errors) == 1
    assert played.out == START_DUMP


@pytest.mark.parametrize("square", ["c3", "e3", "c5", "e5"])
async def test_a_block_on_a_block_or_on_its_reflection_is_an_error(square: str) -> None:
    played = await by_hand(f"block c3\nblock {square}\n")
    assert "holds a block" in played.errors[0]


async def test_a_block_whose_reflection_holds_a_piece_is_an_error_and_sets_none() -> None:
    played = await by_hand("block c5\ndump\n", "x5o/7/7/7/4x2/7/o5x x 0 1")
    assert "reflection e3" in played.errors[0]
    assert "X" not in played.out


async def test_no_block_is_set_after_a_move_until_it_is_undone() -> None:
    played = await by_hand("a7-b6\nblock c3\nundo\nblock c3\ndump\n")
    assert len(played.errors) == 1
    assert "before the first move" in played.errors[0]
    assert "  - - X - X - -" in played.out


async def test_undo_after_blocks_keeps_them() -> None:
    played = await by_hand("block c3\na7-b6\nundo\nundo\ndump\n")
    assert "  - - X - X - -" in played.out
    assert "  - r -" not in played.out


async def test_a_new_game_has_no_blocks_and_the_same_players() -> None:
    played = await run(local_table(), "manual blue\nblock c3\na7-b6\nnew\ndump\na7-b6\ndump\n")
    assert played.out.startswith(START_DUMP)
    assert played.messages == []


async def test_clear_puts_the_players_back_too() -> None:
    game = local_table(seats={RED: Seat.HUMAN})
    played = await run(game, "auto blue\nmanual blue\na7-b6\nclear\ndump\na7-b6\n")
    assert played.out.startswith(START_DUMP)
    assert len(played.messages) == 1
    game = local_table(bot=RandomBot())
    await run(game, "auto red\nclear\n")
    assert (game.seat(RED), game.seat(BLUE)) == (Seat.HUMAN, Seat.AUTO)


async def test_blocks_that_leave_neither_side_a_move_end_the_game_at_once() -> None:
    played = await by_hand(SHUT_IN + "dump\na7-b6\nblock d4\nundo\ndump\n")
    assert played.messages == ["* Draw."]
    assert played.out.startswith("* Draw.\n===\n  r X X - X X b\n")
    assert len(played.errors) == 1
    assert "the game is over" in played.errors[0]
    assert "  - - - X - - -" in played.out


async def test_after_such_blocks_a_new_game_begins_afresh() -> None:
    played = await by_hand(SHUT_IN + "new\na7-b6\nnew\n" + SHUT_IN)
    assert played.messages == ["* Draw.", "* Draw."]
    assert played.err == ""


async def test_the_result_is_printed_once_and_again_after_undo_and_replay() -> None:
    played = await by_hand("f6-g6\ndump\nundo\nf6-g6\nundo\nf6-f5\ndump\n", RED_WINS_IN_ONE)
    assert played.messages == ["* Red wins.", "* Red wins."]
    assert played.out.splitlines()[0] == "* Red wins."
    assert played.err == ""


async def test_moves_after_the_end_are_errors() -> None:
    played = await by_hand("f6-g6\ng7-g5\n-\nresign\n", RED_WINS_IN_ONE)
    assert played.messages == ["* Red wins."]
    assert len(played.errors) == 3
    assert all("over" in error for error in played.errors)


async def test_an_ai_prints_its_winning_move_and_then_the_result() -> None:
    game = local_table(RED_WINS_IN_ONE, bot=NativeBot())
    played = await run(game, "auto red\nundo\n")
    assert played.messages[1::2] == ["* Red wins.", "* Red wins."]
    assert all(re.fullmatch(r"\* Red moves f6-..\.", line) for line in played.messages[::2])


async def test_undo_takes_back_a_second_move_when_the_first_was_answered_by_an_ai() -> None:
    played = await run(local_table(), "a7-b6\nundo\ndump\n")
    assert played.out.endswith(START_DUMP)


async def test_undo_takes_back_one_move_between_people() -> None:
    played = await by_hand("a7-b6\ng7-f6\nundo\ndump\n")
    assert "  - r - - - - -\n" in played.out
    assert "  - r - - - b -\n" not in played.out


async def test_undo_of_a_win_against_an_ai_takes_back_only_the_winning_move() -> None:
    played = await run(local_table(RED_WINS_IN_ONE), "f6-g6\nundo\ndump\nf6-f7\n")
    assert played.messages == ["* Red wins.", "* Red wins."]
    assert "  - - - - - - b\n  - - - - - r -\n" in played.out


async def test_redo_makes_the_machines_answer_again_too() -> None:
    played = await run(local_table(), "a7-b6\ndump\nundo\nredo\ndump\nredo\n")
    first, second = played.out.split("===")[1::2]
    assert first == second
    assert played.errors == [
        "There is nothing to redo: no move has been taken back since the last one."
    ]


async def test_redo_is_typed_in_full_and_in_the_way_of_no_abbreviation() -> None:
    played = await by_hand("a7-b6\nundo\nre\n")
    assert played.messages == ["* Blue wins."]


async def test_undo_without_moves_is_no_error() -> None:
    played = await by_hand("undo\nundo\ndump\n")
    assert played.out == START_DUMP
    assert played.err == ""


async def test_a_pass_is_legal_only_without_another_move() -> None:
    played = await by_hand("-\ndump\n", "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1")
    assert played.err == ""
    assert "  r r r r r r r\n" in played.out
    assert len((await by_hand("-\n")).errors) == 1


async def test_an_ai_that_must_pass_prints_a_hyphen() -> None:
    game = local_table("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1", seats={RED: Seat.AUTO})
    assert (await run(game, "dump\n")).messages == ["* Red moves -."]


async def test_twenty_five_consecutive_jumps_end_the_game_on_the_count() -> None:
    cycle = ["a7-a5", "g7-g5", "a5-a7", "g5-g7"]
    jumps = [cycle[ply % 4] for ply in range(25)]
    played = await by_hand("\n".join(jumps))
    assert played.messages == ["* Draw."]
    assert (await by_hand("\n".join(jumps[:24]))).messages == []
    clone_between = [*jumps[:24], "a7-b7", "g7-g5"]
    assert (await by_hand("\n".join(clone_between))).messages == []


async def test_resignation_ends_the_game_for_the_other_side() -> None:
    played = await by_hand("resign\na7-b6\nundo\na7-b6\nresign\n")
    assert played.messages == ["* Blue wins.", "* Red wins."]
    assert len(played.errors) == 1


async def test_blocks_do_not_undo_a_resignation() -> None:
    played = await by_hand("resign\nblock c3\ndump\n")
    assert "resignation" in played.errors[0]
    assert played.out == "* Blue wins.\n" + START_DUMP


@pytest.mark.parametrize("seed", [1, 7, 42])
async def test_a_seed_decides_the_moves_whether_the_ai_is_made_before_or_after(seed: int) -> None:
    scripts = [
        f"manual blue\nauto blue\nseed {seed}\na7-b6\na1-a3\n",
        f"manual blue\nseed {seed}\nauto blue\na7-b6\n",
        f"manual blue\nseed {seed}\na7-b6\nauto blue\n",
        f"seed {seed}\nseed 99\nseed {seed}\nnew\na7-b6\n",
    ]
    answers = [(await run(local_table(bot=RandomBot()), lines)).messages[0] for lines in scripts]
    assert answers == answers[:1] * 4


async def test_the_same_seed_gives_the_same_game_and_another_seed_another() -> None:
    async def game(seed: int) -> list[str]:
        return (await run(local_table(bot=RandomBot()), f"seed {seed}\nauto red\n")).messages

    first = await game(1)
    assert first == await game(1)
    assert first != await game(2)


async def test_a_game_between_ais_ends_with_one_result_line() -> None:
    played = await run(local_table(bot=NativeBot(2)), "seed 3\nauto red\ndump\n")
    *moves, result = played.messages
    assert result in {"* Red wins.", "* Blue wins.", "* Draw."}
    pattern = r"\* (Red|Blue) moves (-|[a-g][1-7]-[a-g][1-7])\."
    assert all(re.fullmatch(pattern, line) for line in moves)
    assert played.game.outcome is not None
    assert played.err == ""


async def test_the_board_is_shown_after_each_move_only_while_verbose() -> None:
    played = await by_hand("verbose\na7-b6\nquiet\ng7-f6\n")
    assert len(re.findall(r"a b c d e f g", played.out)) == 1
    assert "6  - r - - - - -" in played.out


async def test_the_board_for_people_has_its_coordinates_and_counts() -> None:
    lines = (await by_hand("board")).out.splitlines()
    assert lines[0] == "7  r - - - - - b"
    assert lines[-1] == "   a b c d e f g    Red 2, Blue 2"
    assert len(lines) == 8


async def test_nothing_but_the_messages_uses_their_words() -> None:
    script = "help\nboard\nverbose\na7-b6\nquiet\nnew\nbogus\nblock d4\nboard\nclear\nundo\n"
    played = await by_hand(script)
    assert len(played.out.splitlines()) > 20
    for line in played.out.splitlines():
        assert not any(word in line for word in FORBIDDEN), line
        assert "*" not in line
        assert ">" not in line


async def test_help_names_every_command_once() -> None:
    lines = (await by_hand("help")).out.splitlines()
    names = [line.split()[0] for line in lines[:-1]]
    expected = (
        "new quit auto manual block seed undo redo help dump board verbose quiet clear resign"
    )
    assert sorted(names) == sorted([*expected.split(), "a7-b6", "-"])
    assert all(len(line) <= 72 for line in lines)


async def test_errors_go_to_standard_error_and_do_not_change_the_exit_status() -> None:
    played = await by_hand("bogus\na7-d4\nblock a1\n")
    assert len(played.errors) == 3
    assert (played.out, played.code) == ("", 0)


async def test_a_strict_session_ends_at_the_first_error_with_a_failure() -> None:
    played = await by_hand("a7-b6\nbogus\ndump\n", strict=True)
    assert played.code != 0
    assert len(played.errors) == 1
    assert played.out == ""
    assert (await by_hand("a7-b6\ndump\n", strict=True)).code == 0


async def test_quit_ends_the_session_and_what_follows_is_not_read() -> None:
    played = await by_hand("quit\ndump\n")
    assert (played.out, played.err, played.code) == ("", "", 0)


async def test_a_line_of_unreasonable_length_is_an_error() -> None:
    played = await by_hand("x" * 100_000 + "\ndump\n")
    assert "longer than" in played.errors[0]
    assert played.out == START_DUMP


@pytest.mark.parametrize(
    "line",
    [
        "#" + "x" * 100_000,
        " " * 100_000,
        "a7-a6 # " + "y" * 100_000,
        " " * 9000 + "a7-a6" + " " * 9000,
    ],
)
async def test_a_comment_and_blanks_may_be_of_any_length(line: str) -> None:
    played = await by_hand(f"{line}\ndump\n")
    assert played.err == ""
    assert ("  r - - - - - -" in played.out) == ("a7-a6" in line)


async def test_no_line_has_a_reserved_word_but_those_of_the_specification() -> None:
    typed = "a7\na7 a6\na7-\na3b3\n1\n3a-3b\na7-a7\na1-a2\n-\nblock a1\nhelp\nboard\n"
    played = await by_hand(f"{typed}a7-a6\nblock b2\nresign\na7-a6\n-\n")
    assert len(played.messages) == 1
    others = [line for line in (played.out + played.err).splitlines() if line[:1] != "*"]
    assert not [line for line in others if re.search(r"\b(passes|wins|Draw|moves)\b|===", line)]


async def test_prompts_name_the_player_and_leave_events_a_line_of_their_own() -> None:
    played = await by_hand("a7-b6\n", prompts=True)
    assert played.out == "Red: Blue: \n"
    assert (await by_hand("a7-b6\n")).out == ""


async def closed_pipe(
    lines: str, options: SessionOptions, bot: Bot, seed: int | None = None
) -> Played:
    reading, writing = os.pipe()
    os.write(writing, lines.encode())
    os.close(writing)
    try:
        return await run(local_table(bot=bot, seed=seed), DescriptorLines(reading), options)
    finally:
        os.close(reading)


async def test_a_game_of_ais_is_hurried_to_its_end_when_nobody_can_send_another_line() -> None:
    # The game is over long before; a busy machine may take more than the second of the program.
    played = await closed_pipe(
        "auto red\n", SessionOptions(patience_s=0, hurry_s=40), NativeBot(10)
    )
    assert played.err == "The input has ended: the rest is played without thinking.\n"
    assert played.game.outcome is not None
    assert played.messages[-1] in {"* Red wins.", "* Blue wins.", "* Draw."}


@pytest.mark.parametrize(
    "script", ["seed 5\nauto red\n", "auto blue\nseed 5\nauto red\n", "auto red\n"]
)
async def test_with_a_seed_a_game_of_ais_is_the_same_from_a_closed_pipe(script: str) -> None:
    seed = None if "seed" in script else 5
    bot = NativeBot(Strength(nodes=2_000))
    played = await closed_pipe(script, SessionOptions(patience_s=0, hurry_s=0), bot, seed)
    assert played.err == ""
    read = await run(local_table(bot=bot, seed=seed), script)
    assert played.out == read.out
    assert played.messages[-1] in {"* Red wins.", "* Blue wins.", "* Draw."}


async def test_no_error_has_the_words_that_the_specification_keeps_for_messages() -> None:
    lines = "-\na7-a1\na1-a2\nblock\nblock a1\na7-b6\nblock c3\nseed x\nbogus\nredo\nauto x\n-"
    played = await by_hand(f"{lines}\nresign\na1-a2\nblock c3")
    assert len(played.errors) == 13
    assert not [word for word in FORBIDDEN if word in played.err]
