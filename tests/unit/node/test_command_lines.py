"""Commands to type, as messages name them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ataxxd
import ataxxd_clients
from ataxxd.cli.app import _single_commands
from ataxxd.node.command_lines import GROUPS, TAKE_BROKER, TAKE_HOME, command_line, naming

BROKER = "mqtt://127.0.0.1:2000"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ATAXXD_BROKER", "ATAXXD_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("games", "host NAME", f"ataxxd host NAME --broker {BROKER} --home /h"),
        ("join", "event show cup", f"ataxxd event show cup --broker {BROKER} --home /h"),
        ("join", "archive cup", "ataxxd archive cup --home /h"),
        ("join", "verify cup.json", "ataxxd verify cup.json"),
        ("join", "resume cup", "ataxxd resume cup --home /h"),
        ("resume", "resume cup", f"ataxxd resume cup --broker {BROKER} --home /h"),
    ],
)
def test_a_command_to_type_repeats_what_it_needs(command: str, words: str, expected: str) -> None:
    with naming(command, broker=BROKER, home=Path("/h")):
        assert command_line(words) == expected
    assert command_line(words) == f"ataxxd {words}"


def test_a_game_is_resumed_at_the_broker_that_it_began_on() -> None:
    with naming("resume"), naming(broker=BROKER):
        assert command_line("resume cup") == "ataxxd resume cup"


def test_what_the_environment_names_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATAXXD_BROKER", BROKER)
    monkeypatch.setenv("ATAXXD_HOME", "/h")
    with naming("games", broker=BROKER, home=Path("/h")):
        assert command_line("host NAME") == "ataxxd host NAME"
        with naming(broker="mqtt://elsewhere"):
            assert command_line("host NAME") == "ataxxd host NAME --broker mqtt://elsewhere"


@pytest.mark.parametrize(
    ("broker", "shown"),
    [
        ("here:2000", "mqtt://here:2000"),
        ("ann:p@ss@here", "mqtt://USER:PASSWORD@here"),
        ("mqtts://:word@here?ca=a.pem", "'mqtts://USER:PASSWORD@here?ca=a.pem'"),
        ("mqtt://a:b,c@x,y", "mqtt://USER:PASSWORD@x,y"),
        ("mqtt://a:b@x,mqtt://c:d@y", "mqtt://USER:PASSWORD@x,mqtt://USER:PASSWORD@y"),
    ],
)
def test_a_command_to_type_has_no_secrets(broker: str, shown: str) -> None:
    with naming("games", broker=broker):
        assert command_line("host NAME") == f"ataxxd host NAME --broker {shown}"


def test_it_is_known_which_options_each_command_has() -> None:
    broker, home = set(), set()
    for path, command in _single_commands():
        options = {each for one in command.load(path[-1]).params for each in one.opts}
        broker |= {" ".join(path)} if "--broker" in options else set()
        home |= {" ".join(path)} if "--home" in options else set()
    assert broker - {"play", "event check"} == TAKE_BROKER
    assert home == TAKE_HOME
    assert {path[0] for path, _ in _single_commands() if len(path) == 2} == GROUPS


# What others than the reader type, or what needs neither option.
ELSEWHERE = {
    "cli/app.py": 1,  # no command runs yet
    "cli/challenge.py": 2,  # whoever is challenged; a game without a broker
    "cli/connect.py": 2,
    "cli/event_host.py": 2,  # players
    "cli/event_show.py": 1,  # the host
    "cli/watch.py": 1,  # the host
    "node/node.py": 2,  # what is read
    "node/offers.py": 1,
    "node/open_game.py": 3,
    "node/open_games.py": 2,
    "serve/config.py": 1,
    "serve/rated.py": 1,
    "tournament/club_keeper.py": 1,
    "tournament/feed.py": 1,  # the host
}


def texts(source: Path) -> Iterator[str]:
    """The texts of a module, but for its docstrings."""
    tree = ast.parse(source.read_text())
    told = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in told:
            yield each.value


MAKERS = {"command_line", "install_command", "resume_command"}


def makes_command(value: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a command to type: a call that makes one, or a name for one."""
    if isinstance(value, ast.Call):
        called = value.func
        return (called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)) in MAKERS
    return isinstance(value, ast.Name) and value.id in names


def messages(tree: ast.AST) -> Iterator[str]:
    """The texts of a module; commands to type that are made stand there as ``ataxxd COMMAND``."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inner = [*ast.walk(function)]
        names = {
            ast.unparse(each.targets[0])
            for each in inner
            if isinstance(each, ast.Assign) and makes_command(each.value, set())
        }
        for text in (each for each in inner if isinstance(each, ast.JoinedStr)):
            parts = []
            for each in text.values:
                if isinstance(each, ast.Constant):
                    parts.append(str(each.value))
                elif isinstance(each, ast.FormattedValue):
                    parts.append("ataxxd COMMAND" if makes_command(each.value, names) else "…")
            yield "".join(parts)


def test_a_command_to_type_in_a_sentence_is_quoted_so_that_no_stop_is_copied_with_it() -> None:
    unquoted = re.compile(r"(?<!`)ataxxd COMMAND[^`]*?[.;,]( |$)|: ataxxd [a-z][^`]*?[.;,]( |$)")
    found = [
        text
        for package in (ataxxd, ataxxd_clients)
        for source in Path(package.__path__[0]).rglob("*.py")
        for text in messages(ast.parse(source.read_text()))
        if unquoted.search(text)
    ]
    assert found == []


def test_commands_to_type_are_made_in_one_place() -> None:
    package = Path(ataxxd.__file__).parent
    named = "|".join(sorted({each.partition(" ")[0] for each in TAKE_HOME} - {"tables", "mcp"}))
    found = {}
    for source in package.rglob("*.py"):
        # Backquotes without a call name a command, and do not say to type it.
        written = [re.findall(rf"(?<!`)ataxxd (?:{named})\b", text) for text in texts(source)]
        if count := sum(map(len, written)):
            found[source.relative_to(package).as_posix()] = count
    assert found == ELSEWHERE
