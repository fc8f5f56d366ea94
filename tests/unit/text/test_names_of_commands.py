"""How commands are called in every line language: in full, shortened, and by one letter."""

import io

import pytest

from ataxxd.rules import rulesets
from ataxxd_clients.text.commands import CommandError, CommandTable
from ataxxd_clients.text.console import Output
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import Session, SessionOptions
from tests.unit.text.playing import local_table, run
from tests.unit.text.script_lines import ScriptLines

RULESETS = [info.id for info in rulesets()]


def commands(ruleset: str) -> CommandTable:
    table = local_table(ruleset=ruleset)
    output = Output(io.StringIO(), io.StringIO())
    return Session(
        table, line_language(ruleset), ScriptLines(()), output, SessionOptions()
    ).commands


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_q_quits_and_a_question_mark_helps(ruleset: str) -> None:
    played = await run(local_table(ruleset=ruleset), "q\nbogus\n", SessionOptions(strict=True))
    assert (played.code, played.err) == (0, "")
    short, full = [
        await run(local_table(ruleset=ruleset), f"{word}\nq\n") for word in ("?", "help")
    ]
    assert "quit" in short.out
    assert (short.out, short.err) == (full.out, "")


@pytest.mark.parametrize(
    ("ruleset", "typed", "example"),
    [
        ("ataxx/cs61b-2022", "a7 b6", "a7-b6"),
        ("ataxx/cs61b-2022", "a7-b6.", "a7-b6"),
        ("loa/cs61b", "b1:b3", "b1-d3"),
        ("checkers/cs61b-2004", "1. 11-15", "11-15"),
        ("reversi/standard", "5 4", "d3"),
    ],
)
async def test_a_move_in_another_notation_is_answered_by_one_in_ours(
    ruleset: str, typed: str, example: str
) -> None:
    played = await run(local_table(ruleset=ruleset), f"{typed}\nq\n")
    why = f'"{typed}" is not a move; a move is written like {example}.'
    assert played.errors == [f"{why} Type help for a list."]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_command_without_its_operands_shows_one_that_has_them(ruleset: str) -> None:
    for command in (each for each in commands(ruleset) if each.operands):
        played = await run(local_table(ruleset=ruleset), f"{command.name}\nq\n")
        needs = f"{command.name} needs {' '.join(command.operands)}, as in: "
        assert played.errors[0].startswith(needs)
        shown = played.errors[0].partition(", as in: ")[2]
        again = await run(local_table(ruleset=ruleset), f"{shown}\nq\n")
        assert again.errors == []


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_abbreviation_means_its_command_or_is_ambiguous(ruleset: str) -> None:
    table = commands(ruleset)
    names = [each.name for each in table]
    for command in table:
        for length in range(1, len(command.name) + 1):
            word = command.name[:length]
            others = [each.name for each in table if each.name.startswith(word)]
            if word == "q":
                assert table.find(word).name == "quit"
            elif word in names:
                assert table.find(word).name == word
            elif command.in_full or command.operands or len(others) > 1:
                try:
                    assert not table.find(word).operands
                    assert sum(not each.in_full for each in table if each.name in others) == 1
                except CommandError:
                    pass
            else:
                assert table.find(word) is command
