"""Acceptance scripts are read exactly, and what is wrong with one is said with its line."""

from pathlib import Path

import pytest

from ataxxd_clients.accept.script import (
    AwaitGame,
    AwaitMove,
    AwaitResult,
    PlayRemote,
    ScriptError,
    Send,
    SetTime,
    Step,
    parse_script,
    read_script,
)

PATH = Path("T-1.in")


def test_a_script_is_a_command_and_steps_with_their_line_numbers() -> None:
    script = parse_script(PATH, "#* ataxxd play --seed 1\na7-b6\n#*move\n")
    assert script.command == ("ataxxd", "play", "--seed", "1")
    assert script.steps == (Step(2, Send("a7-b6")), Step(3, AwaitMove()))


def test_every_command_for_the_harness_is_known() -> None:
    text = (
        "#* p\n#*time 2.5 30\n#*move\n#*win+\n#*move/win\n#*move/win+\n"
        "#*remote move/win\n#*remote move/win+\n"
    )
    assert [step.action for step in parse_script(PATH, text).steps] == [
        SetTime(2.5, 30.0),
        AwaitMove(),
        AwaitResult(),
        AwaitGame(shown=False),
        AwaitGame(shown=True),
        PlayRemote(shown=False),
        PlayRemote(shown=True),
    ]


@pytest.mark.parametrize(
    "line", ["#*move", "  #*move", "#* move", "#*move  ", "#*move # of Blue's"]
)
def test_blanks_and_a_comment_do_not_matter_to_a_command(line: str) -> None:
    assert parse_script(PATH, f"#* p\n{line}\n").steps == (Step(2, AwaitMove()),)


def test_blanks_between_remote_and_move_do_not_matter() -> None:
    assert parse_script(PATH, "#* p\n#*remote   move/win+").remote_line == 2


def test_comments_and_blank_lines_before_the_command_are_skipped_and_after_it_are_input() -> None:
    script = parse_script(PATH, "# Staff player.\n\n#* staff-loa --strict\n\n# more\n")
    assert script.command == ("staff-loa", "--strict")
    assert script.steps == (Step(4, Send("")), Step(5, Send("# more")))


def test_lines_go_to_the_program_as_they_are() -> None:
    assert parse_script(PATH, "#* p\n  A7-B6  # so\n").steps == (Step(2, Send("  A7-B6  # so")),)


def test_a_quoted_word_of_the_command_is_one_word() -> None:
    script = parse_script(PATH, '#* p --position "7/7 x 0 1"\n')
    assert script.command == ("p", "--position", "7/7 x 0 1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no command line"),
        ("# only a comment\n", "no command line"),
        ("dump\n#* p\n", 'line 1: "dump" comes before the command line'),
        ("#*\n", "line 1: the command line cannot be used: there is no program to run"),
        ('#* p "x\n', "line 1: the command line cannot be used: no closing quotation"),
        ("#* p\n#*mvoe\n", r'line 2: the harness has no command "#\*mvoe". Did you mean #\*move'),
        ("#* p\n#*win\n", r"Did you mean #\*win\+\?"),
        ("#* p\n#*\n", "It knows time, move, "),
        ("#* p\n#*movewards\n", r'"#\*movewards"'),
        ("#* p\n#*time 10\n", r"line 2: #\*time takes two numbers of seconds"),
        ("#* p\n#*time ten 60\n", "two numbers of seconds"),
        ("#* p\n#*time 0 60\n", "two numbers of seconds"),
        ("#* p\n#*time 1 nan\n", "two numbers of seconds"),
    ],
)
def test_a_faulty_script_is_refused_with_file_line_and_reason(text: str, words: str) -> None:
    with pytest.raises(ScriptError, match=words) as caught:
        parse_script(PATH, text)
    assert str(caught.value).startswith("T-1.in")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"gone\.in cannot be read: No such file"):
        read_script(tmp_path / "gone.in")
    (tmp_path / "odd.in").write_bytes(b"#* p\n\xff\n")
    with pytest.raises(ScriptError, match=r"odd\.in cannot be read: it is not text"):
        read_script(tmp_path / "odd.in")
