"""The help pages, and what answers a command that there is not."""

import re
import subprocess
import sys
from itertools import chain

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from ataxxd.cli.app import COMMANDS, GROUPS, app
from ataxxd.cli.options import GAMES
from ataxxd.errors import UsageError
from ataxxd.rules import rulesets


def group() -> TyperGroup:
    found = typer.main.get_command(app)
    assert isinstance(found, TyperGroup)
    return found


def command(*names: str) -> TyperGroup | TyperCommand:
    found: TyperGroup | TyperCommand = group()
    for name in names:
        assert isinstance(found, TyperGroup)
        below = found.get_command(typer.Context(found), name)
        assert isinstance(below, TyperGroup | TyperCommand)
        found = below
    return found


def help_of(*names: str) -> str:
    found = command(*names)
    return found.get_help(typer.Context(found, info_name=" ".join(("ataxxd", *names))))


def test_every_command_stands_under_one_heading_with_a_whole_sentence() -> None:
    page = help_of()
    assert page.count("Commands:") == 0
    rest = page
    for heading, names in GROUPS.items():
        _, rest = rest.split(f"\n{heading}:\n", 1)
        listed = re.findall(r"^  (\w+) +\S.*$", rest.split("\n\n")[0], re.MULTILINE)
        assert listed == list(names)
    assert sorted(COMMANDS) == sorted(set(COMMANDS))
    assert "..." not in page.split("\nPlay:\n")[1]


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("host", ["Who plays", "How the engine thinks", "What is played", "Terms"]),
        ("challenge", ["Who plays", "How the engine thinks", "What is played", "Terms"]),
        ("play", ["Who plays", "How the engine thinks", "What is played", "How it is shown"]),
        ("join", ["Who plays", "How the engine thinks", "Terms", "How it is shown"]),
    ],
)
def test_long_lists_of_options_stand_under_headings(name: str, headings: list[str]) -> None:
    page = help_of(name)
    found = re.findall(r"^(\S.*):$", page, re.MULTILINE)
    assert [each for each in found if each in headings] == headings
    assert found[-1] == "Options"
    assert re.findall(r"--[a-z]+", page.split("\nOptions:\n")[1]) == ["--help"]


def test_short_lists_of_options_stand_under_one() -> None:
    assert re.findall(r"^(\S.*):$", help_of("games"), re.MULTILINE) == ["Options"]
    assert help_of("watch").endswith("Show this message and exit.")


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"club", "event"}))
def test_what_a_command_is_given_is_named_in_capitals_without_a_type_of_python(name: str) -> None:
    words = re.search(r"\nArguments:\n(.*?)\n\n", help_of(name), re.DOTALL)
    if words is not None:
        for line in re.findall(r"^  (\S.*)$", words[1], re.MULTILINE):
            assert "<" not in line.split("  ")[0]
    usage = re.search(r"Usage: .*", help_of(name))
    assert usage is not None
    assert not re.search(r"\[(name|file)\]|\{", usage[0])


def every_command() -> list[tuple[str, ...]]:
    names: list[tuple[str, ...]] = []
    for name in COMMANDS:
        found = command(name)
        below = found.list_commands(typer.Context(found)) if isinstance(found, TyperGroup) else []
        names += [(name, each) for each in below] or [(name,)]
    return names


@pytest.mark.parametrize("names", every_command(), ids=" ".join)
def test_no_help_page_has_the_parser_s_words(names: tuple[str, ...]) -> None:
    assert not re.search(r"<\w+ range>|\[\[|…\]|…\.\.\.", help_of(*names))


def test_planning_an_event_tells_what_holds_where_nothing_is_said() -> None:
    page = " ".join(help_of("event", "plan").split())
    for word, default in [
        ("--game", "ataxx"),
        ("--clock", "none"),
        ("--grace", "15m"),
        ("--takebacks", "no-takebacks"),
        ("--round-time", "1h"),
    ]:
        assert re.search(rf"{word} .*?\[default: ([\w-]+)\]", page)[1] == default  # type: ignore[index]


def test_help_pages_name_the_games_that_the_engine_has() -> None:
    assert {*GAMES.replace(" or ", ", ").split(", ")} == {info.game for info in rulesets()}
    for names in (("play",), ("host",), ("archive",), ("tune",)):
        assert GAMES in " ".join(help_of(*names).split())


def test_an_option_of_a_player_reads_the_same_in_every_command() -> None:
    read: dict[str, set[str]] = {}
    for name in ("play", "host", "join", "challenge"):
        for parameter in command(name).params:
            text = getattr(parameter, "help", None)
            for word in (each for each in parameter.opts if each.startswith("--")):
                read.setdefault(word, set()).add(str(text).partition("  [default: ")[0])
    assert [word for word, texts in read.items() if len(texts) > 1] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["hots", "ourgame"], 'There is no command "hots". Did you mean "host"?'),
        (["event", "pln"], 'There is no command "pln". Did you mean "plan"?'),
        (["tournament"], 'There is no command "tournament". Did you mean "event"?'),
        (["start"], 'There is no command "start". Did you mean "host"?'),
        (["event", "start"], 'There is no command "start". Did you mean "run"?'),
        (["club", "list"], 'There is no command "list". Did you mean "show"?'),
        (["xyzzy"], 'There is no command "xyzzy". All commands: ataxxd --help'),
    ],
)
def test_a_command_that_there_is_not_is_answered_by_one_like_it(
    words: list[str], told: str
) -> None:
    with pytest.raises(UsageError) as refused:
        group().main(words, standalone_mode=False)
    assert str(refused.value).startswith(told)


def test_a_command_has_no_two_headings() -> None:
    assert list(chain.from_iterable(GROUPS.values())) == list(COMMANDS)


@pytest.mark.parametrize(
    ("words", "shown"), [(["host", "-h"], "Open the game NAME"), (["-h"], "host  ")]
)
def test_help_loads_nothing_that_plays(words: list[str], shown: str) -> None:
    program = (
        f"import sys; from ataxxd.cli.app import app; app({words}, standalone_mode=False); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert shown in done.stdout
    assert "ataxxd.cli.options" in loaded
    assert not [each for each in loaded if each.startswith(("ataxxd.node", "ataxxd.transport"))]


def test_a_value_that_asks_for_help_is_a_value() -> None:
    with pytest.raises(UsageError, match="--help"):
        app(["perft", "1", "--position", "--help"], standalone_mode=False)
