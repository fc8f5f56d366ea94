"""``ataxxd play --game reversi`` as programs see it, with the laboratory's texts."""

import re
import subprocess

import pytest

from ataxxd.rules import Position
from tests.e2e.line_program import PROGRAM
from tests.time_limits import DEADLINE

STATE = "{........|........|........|...wb...|...bbb..|........|........|........}"


def play(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the program on a text that is all there from the beginning."""
    return subprocess.run(
        [*PROGRAM, "play", "--game", "reversi", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def test_a_game_left_is_printed_and_goes_on_from_its_text() -> None:
    first = play("(5,4)\n", "--player2", "human")
    assert first.stdout == f"Current boardState: {STATE}\nCurrent boardScore: -3\n"
    again = play("moves\n", "--player2", "human", "--position", STATE)
    assert again.stdout.splitlines() == [
        "Legal: (3,5) (5,3) (5,5)",
        f"Current boardState: {STATE}",
        "Current boardScore: -3",
    ]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", "[........|........|........|...wb...|...bw...|........|........|........]"),
        ("{ wb | . b }", "{wb......|.b......" + "|........" * 6 + "}"),
        ("[|||bw]", "[" + "........|" * 3 + "bw......" + "|........" * 4 + "]"),
    ],
)
def test_blanks_do_not_matter_and_what_is_missing_is_empty(text: str, state: str) -> None:
    run = play("quit\n", "--position", text, "--player1", "human", "--player2", "human")
    assert run.stdout.splitlines()[0] == f"Current boardState: {state}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{.........}", "at most 8"),
        ("{||||||||}", "8 rows"),
        ("{wx}", "'x' stands where"),
        ("{w", "does not end with }"),
    ],
)
def test_a_wrong_state_is_refused_with_the_place(text: str, what: str) -> None:
    run = play("quit\n", "--position", text)
    assert (run.returncode, run.stdout) == (2, "")
    assert what in run.stderr


@pytest.mark.parametrize("player", ["first", "random", "random:3", "alphabeta:4", "auto"])
def test_players_by_name_play_to_a_result_with_a_report_on_each_move(player: str) -> None:
    run = play("", "--player1", player, "--player2", "first", "--seed", "2", "--level", "1")
    assert run.returncode == 0
    *moves, state, score, result = run.stdout.splitlines()
    assert all(re.fullmatch(r"(Black|White): \((-1,-1|[0-7],[0-7])\)", move) for move in moves)
    reports = run.stderr.splitlines()
    assert len(reports) == len(moves)
    pattern = (
        r"(First|Random|AlphaBeta\(4\)|Engine): Move \(\S+\), valid, \d+\.[02468] secs, no error"
    )
    assert all(re.fullmatch(pattern, report) for report in reports)
    position = Position.from_text("reversi/standard", state.removeprefix("Current boardState: "))
    assert position.outcome is not None
    black, white = position.counts
    assert score == f"Current boardScore: {white - black}"
    wanted = "Draw." if black == white else f"{'Black' if black > white else 'White'} wins."
    assert result == wanted


@pytest.mark.parametrize(
    "words",
    [
        [STATE],
        # As it stands in the laboratory's page, with the end of the line in it.
        [STATE[:64] + "\n" + STATE[64:]],
        # As a program hands it over that splits its command at blanks.
        [STATE[:10], STATE[10:40], STATE[40:]],
    ],
)
def test_a_state_is_an_argument_as_the_program_of_the_laboratory_takes_it(words: list[str]) -> None:
    run = play("quit\n", *words, "--player2", "human")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"Current boardState: {STATE}\nCurrent boardScore: -3\n"


def test_first_plays_the_first_move_of_the_list() -> None:
    run = play("auto white\nquit\n", "--player2", "first", "--player1", "first")
    assert run.stdout.splitlines()[0] == "Black: (2,3)"
