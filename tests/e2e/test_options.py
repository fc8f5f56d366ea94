"""Words of the command line that mean something else at first sight."""

import subprocess

import pytest

from ataxxd.errors import ExitCode
from tests.e2e.line_program import PROGRAM
from tests.time_limits import DEADLINE

REVERSI = "---------------------------OX------XO--------------------------- X"


def program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True, text=True, timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "reversi", REVERSI, "--nodes", "1000"),
        (REVERSI, "--nodes", "1000", "--game", "reversi"),
        ("--nodes", "1000", "--game", "reversi", "--", REVERSI),
        ("-5o/7/7/7/7/7/o5x x 0 1", "--nodes", "1000"),
    ],
)
def test_a_position_may_begin_with_a_dash(arguments: tuple[str, ...]) -> None:
    done = program("analyse", *arguments)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "Depth" in done.stderr


def test_a_position_is_still_the_value_of_an_option() -> None:
    done = program("perft", "1", "--game", "reversi", "--position", REVERSI)
    assert (done.returncode, done.stdout) == (ExitCode.OK, "4\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--transcript", "game.txt"), "this is one of ataxx. Name a file ending in .pgn."),
        (("--game", "reversi", "--transcript", "game.json"), "Name a file ending in .ggf."),
        (("--ruleset", "reversi"), "for its usual rules say --game reversi."),
    ],
)
def test_a_word_of_another_game_is_told_with_the_right_one(
    arguments: tuple[str, ...], told: str
) -> None:
    done = program("play", *arguments)
    assert done.returncode == ExitCode.USAGE
    assert told in done.stderr


def test_nobody_is_asked_about_a_draw_that_the_machine_answers() -> None:
    done = subprocess.run(
        [*PROGRAM, "play", "--game", "checkers", "--level", "1", "--seed", "3"],
        input="11-15\ndraw\n",
        capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    assert "Black offers a draw.\n" in done.stderr
    assert "accept or reject" not in done.stderr


@pytest.mark.parametrize("command", [("match", "first", "first"), ("play",), ("perft", "1")])
def test_a_game_and_a_ruleset_of_another_contradict_each_other(command: tuple[str, ...]) -> None:
    for game, ruleset in (("reversi", "ataxx/uai"), ("ataxx", "loa/cs61b"), ("loa", "ataxx/uai")):
        done = program(*command, "--game", game, "--ruleset", ruleset)
        assert done.returncode == ExitCode.USAGE
        assert f"--game {game} contradicts --ruleset {ruleset}, whose game is " in done.stderr
    alone = program("perft", "1", "--ruleset", "loa/cs61b")
    assert (alone.returncode, alone.stdout) == (ExitCode.OK, "36\n")
    both = program("perft", "1", "--ruleset", "loa/cs61b", "--game", "loa")
    assert both.stdout == alone.stdout


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        (("nofile.pgn",), "nofile.pgn cannot be read: No such file", ExitCode.STORAGE),
        (("nofile",), "nofile is neither a file nor a position", ExitCode.USAGE),
        (("x5o/7 x 0 1",), "ataxxd: The board has 7 ranks", ExitCode.USAGE),
        (("--nodse", "5"), "No such option: --nodse. Did you mean --nodes?", ExitCode.USAGE),
    ],
)
def test_what_is_neither_a_file_nor_a_position_is_told(
    arguments: tuple[str, ...], told: str, code: ExitCode
) -> None:
    done = program("analyse", *arguments)
    assert told in done.stderr
    assert done.returncode == code


@pytest.mark.parametrize("file", ["nofile", "nofile.json", "nofile.pgn"])
def test_a_missing_file_has_the_same_code_in_every_command(file: str) -> None:
    for command in (
        ("verify", file), ("convert", file, "o.pdn"), ("study", file), ("picture", "o.svg", file),
    ):  # fmt: skip
        done = program(*command)
        assert file in done.stderr
        assert done.returncode == ExitCode.STORAGE, command


@pytest.mark.parametrize("name", ["ourgame", "ourgame@127.0.0.1:1", "rnadom"])
def test_a_network_game_that_nobody_could_play_in_is_refused_when_the_input_has_ended(
    name: str,
) -> None:
    done = program("play", "--game", "reversi", "--player2", name)
    assert done.returncode == ExitCode.USAGE
    assert (
        "standard input has ended, so nobody can move for you. Let the engine play: --player1 auto"
        in done.stderr
    )
    assert ('Did you mean "random"?' in done.stderr) == (name == "rnadom")
    assert ("The computer players are auto, auto@LEVEL, " in done.stderr) == (name != "rnadom")


def test_a_level_in_words_is_taken_for_a_broker_and_the_numbers_are_told() -> None:
    done = program("play", "--player1", "auto", "--player2", "auto@hard.invalid")
    assert done.returncode == ExitCode.NO_BROKER
    assert "A level is a number: auto@3." in done.stderr
    other = program("play", "--player1", "auto", "--player2", "other@hard.invalid")
    assert other.returncode == ExitCode.NO_BROKER
    assert "level" not in other.stderr


@pytest.mark.parametrize(
    ("arguments", "player"),
    [
        (("host", "g", "--player", "auto@4"), "--player"),
        (("join", "g@127.0.0.1:1", "--auto", "--player", "auto@4"), "--player"),
        (("seek", "--player", "computer@4"), "--player"),
        (("challenge", "bots", "--player", "auto@4"), "--player"),
        (("play", "--player2", "auto@4"), "--player2"),
        (("play", "--player1", "auto@4", "--player2", "g@127.0.0.1:1"), "--player1"),
    ],
)
def test_two_levels_of_one_engine_are_refused(arguments: tuple[str, ...], player: str) -> None:
    done = program(*arguments, "--level", "3")
    assert done.returncode == ExitCode.USAGE
    assert f"--level 3 and {player} auto@4 are two levels: leave out --level, or" in done.stderr


def test_a_level_is_of_the_machine_that_names_none_itself() -> None:
    done = program("play", "--player1", "auto@0", "--level", "1", "--game", "loa", "--seed", "1")
    assert done.returncode == ExitCode.OK
    assert "Wins" in done.stdout + done.stderr or "wins" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("play", "--auto"), "No such option: --auto. Did you mean --player1 auto?"),
        (("play", "--player"), "--player. Did you mean --player2 or --player1?"),
        (("host", "g", "--colour", "red"), "--colour. Did you mean --color?"),
        (
            ("play", "--level"),
            "--level takes a value, and none follows it. To see which, put --help",
        ),
        (("resume", "g", "--player"), "No such option: --player.\n"),
        (("host", "g", "--red"), "--red. Did you mean --color?"),
        (("event", "plan", "--tc", "5+3"), "--tc. Did you mean --clock?"),
        (
            ("serve", "club.toml"),
            'serve has no use for "club.toml". Did you mean --config club.toml?',
        ),
        (("bench", "3", "4"), 'bench has no use for "3 4".\n'),
    ],
)
def test_an_option_that_there_is_not_is_answered_by_one_near_in_spelling_or_sense_or_by_none(
    arguments: tuple[str, ...], told: str
) -> None:
    done = program(*arguments)
    assert done.returncode == ExitCode.USAGE
    assert told in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("play", "--game", "othello"), "othello is called reversi here: say --game reversi."),
        (("perft", "1", "--ruleset", "draughts"), "draughts is called checkers here: "),
        (("bench", "--game", "othello"), "othello is called reversi here: "),
        (("play", "--game", "Reversi"), 'Did you mean "reversi"?'),
        (("play", "--ruleset", "reversi/standrd"), 'Did you mean "reversi/standard"?'),
        (("play", "--player1", "compter"), 'Did you mean "auto"?'),
    ],
)
def test_a_game_rules_or_a_player_that_there_is_not_is_answered_by_what_may_be_meant(
    arguments: tuple[str, ...], told: str
) -> None:
    done = program(*arguments)
    assert done.returncode == ExitCode.USAGE
    assert told in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--engine", "./zataxx", "--time", "2s"),
        ("host", "ourgame", "--engine", "./zataxx", "--level", "3"),
        ("join", "ourgame", "--player", "engine:./zataxx", "--nodes", "100"),
    ],
)
def test_the_engine_of_somebody_else_is_not_limited_as_ours_in_silence(
    arguments: tuple[str, ...],
) -> None:
    done = program(*arguments)
    assert done.returncode == ExitCode.USAGE
    assert 'gets its limit before its command: --engine "limit=2s ./zataxx"' in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--player1", "computer", "--player2", "Engine@1", "--level", "1"),
        ("play", "--game", "loa", "--player1", "machine@1", "--player2", "bot@1"),
        ("match", "computer@1", "cpu@1", "--games", "2"),
    ],
)
def test_the_machine_is_known_by_the_names_that_people_give_it(arguments: tuple[str, ...]) -> None:
    done = program(*arguments)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "network game" not in done.stderr


def test_the_laboratory_is_not_asked_for_a_depth_of_nothing() -> None:
    done = program("lab", "value", "--depth", "0", "{bw}")
    assert done.returncode == ExitCode.USAGE
    assert "0 is out of range: at least 1." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("match", "auto", "auto", "--games", "many"), '"many" is not a whole number.'),
        (("match", "auto", "auto", "--games", "0"), "0 is out of range: at least 2."),
        (("players", "--wait", "soon"), '"soon" is not a number.'),
        (("host", "g", "--color", "purple"), "'purple' is not one of 'first', 'second', "),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_words_for_people(
    arguments: tuple[str, ...], told: str
) -> None:
    done = program(*arguments)
    assert done.returncode == ExitCode.USAGE
    assert f"Invalid value for '{arguments[-2]}': {told}" in done.stderr
