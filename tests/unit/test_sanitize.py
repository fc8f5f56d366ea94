"""What is shown: nothing steers a terminal, nothing tells a password, and there is one place."""

import ast
import io
import logging
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.cli.app import main
from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.output import SanitizingFormatter, print_message, print_result
from ataxxd.node.game_finder import GameName
from ataxxd.node.settings import Settings
from ataxxd.sanitize import sanitized
from ataxxd_clients.text.console import Output

ROOT = Path(__file__).parents[2]
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202eabc\ud800"


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        ("a7-b6 is legal.\n\tOr é, 日本, 👩‍🔬.", "a7-b6 is legal.\n\tOr é, 日本, 👩‍🔬."),
        ("\x1b[2J", "\\x1b[2J"),
        ("\r\x07\x9b\x7f", "\\r\\x07\\x9b\\x7f"),
        ("\u202eevil\u2028", "\\u202eevil\\u2028"),
        ("\udcff", "\\udcff"),
        ("mqtt://ann:se/cr@et@host:1/x to", "mqtt://host:1/x to"),
        ("'ourgame@mqtts://ann:p@h'", "'ourgame@mqtts://h'"),
        ("mqtt://[USER:PASSWORD@]HOST", "mqtt://[USER:PASSWORD@]HOST"),
        ("me@home.example", "me@home.example"),
    ],
)
def test_what_steers_is_spelt_out_and_logins_are_left_out(text: str, fit: str) -> None:
    assert sanitized(text) == fit


# Default_Ignorable_Code_Point of Unicode 16.0, DerivedCoreProperties.txt.
IGNORABLE = [
    *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810)),
    *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164),
    *(*range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFF9)),
    *(*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
]


def test_what_has_no_picture_is_spelt_out() -> None:
    written = {0x200D, *range(0xFE00, 0xFE10)}
    hidden = [chr(code) for code in IGNORABLE if code not in written]
    assert [each for each in [*hidden, "\u2800"] if each in sanitized(f"a{each}b")] == []
    assert sanitized("\u3164") == "\\u3164"
    for emoji in ("👩‍🔬", "❤️", "🏳️‍🌈"):
        assert sanitized(emoji) == emoji


@given(st.text(st.characters()))
def test_no_text_steers_a_terminal_once_it_is_shown(text: str) -> None:
    fit = sanitized(text)
    assert not [
        each for each in fit if unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t"
    ]
    assert sanitized(fit) == fit
    fit.encode()


def test_every_way_to_speak_neutralises(capsys: pytest.CaptureFixture[str]) -> None:
    print_message(HOSTILE)
    print_result(HOSTILE)
    Output(io.StringIO(), err := io.StringIO()).print_message(HOSTILE)
    record = logging.LogRecord("x", 10, "f", 1, "%s", (HOSTILE,), None)
    captured = capsys.readouterr()
    for text in (captured.out, captured.err, err.getvalue(), SanitizingFormatter().format(record)):
        assert text.strip("\n") == sanitized(HOSTILE)


def printing(path: Path) -> Iterator[str]:
    """The calls of ``print`` in a module, and those of ``write`` on the standard streams."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("print", "typer.echo", "sys.stdout.write", "sys.stderr.write"):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


def test_commands_print_in_one_place_only() -> None:
    allowed = (
        "ataxxd/cli/output.py",
        "ataxxd/cli/app.py",  # the version
        "ataxxd/engines/external/watchdog.py",  # to its parent, which shows it
        "ataxxd/cli/watch.py",  # clears the screen
        "ataxxd/cli/scoreboard.py",  # draws its table over itself
        "ataxxd/cli/files.py",  # a game as a file, sanitized on a terminal
    )
    modules = [*(ROOT / "ataxxd").rglob("*.py"), *(ROOT / "clients").rglob("*.py")]
    found = [line for path in modules for line in printing(path)]
    rest = [line for line in found if not line.startswith(allowed)]
    # In colours; their parts are sanitized one by one.
    verdicts = re.compile(r"ataxxd/cli/courses\.py:\d+: print\([^)]*\baccept\.")
    assert not [line for line in rest if not verdicts.match(line)]


def test_what_holds_secrets_does_not_show_them_when_it_is_written_out() -> None:
    url = "mqtt://ann:hidden-word@127.0.0.1"
    settings = Settings(broker=url, secret="hidden-word", invitation="hidden-word")
    for each in (settings, ChosenBroker(url), GameName.parse("ourgame#abc.hidden-word")):
        assert "hidden" not in repr(each)


def test_the_report_of_a_fault_of_ours_tells_no_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ataxxd", "join", "ourgame#abc.hidden-word@mqtt://ann:hidden-word@127.0.0.1"]
    monkeypatch.setattr("sys.argv", words)

    def fail(**_options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ataxxd.cli.app.app", fail)
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert "ataxxd -v join ourgame#abc@mqtt://127.0.0.1" in said
    assert "hidden" not in said
