"""Every fault of a configuration is told with its place, its key and its remedy."""

from pathlib import Path

import pytest

from ataxxd.errors import ConfigError, ExitCode
from ataxxd.serve.config_file import ConfigFaults, load_config, split_option

TABLE = '[[tables]]\nname = "club"\nruleset = "ataxx/uai"\n'
ID = "aaaaa-bbbbb-ccccc-ddddd"
BOT = '[[bots]]\ngroup = "bots"\n'

# What is written; the line; the key; what is said of it.
# fmt: off
FAULTS = [
    ("[serch]\n", 1, "[serch]", 'there is no section "serch". Did you mean "search"?'),
    ("[search]\n\nthread = 1\n", 3, "[search] thread", 'Did you mean "threads"?'),
    ("[web]\nzz = 1\n", 2, "[web] zz", 'there is no key "zz"; there are enabled, port.'),
    ('[web]\nport = "80"\n', 2, "[web] port", '"80" is not a whole number.'),
    ("[web]\nport = 65536\n", 2, "[web] port", "65536 is out of range: at most 65535."),
    ("[search]\nthreads = -1\n", 2, "[search] threads", "-1 is out of range: at least 0."),
    ("[web]\nenabled = 1\n", 2, "[web] enabled", "1 is not true or false."),
    ("node = 1\n", 1, "[node]", "1 is not a section."),
    ('[node]\nname = "machine"\n', 2, "[node] name", "cannot be a nickname"),
    ("[node]\nname = 5\n", 2, "[node] name", "5 is not text in quotes."),
    ('[log]\nlevel = "all"\n', 2, "[log] level", "is not one of 'debug', 'info', 'warning'"),
    ('[broker]\nurl = "ftp://h"\n', 2, "[broker] url", '"ftp" is not a way to reach a broker'),
    ('[broker]\nurl = "mqtt://:p@h:0"\n', 2, "[broker] url", "port 0 cannot be connected to"),
    ('[broker]\nurl = "h"\nembedded = true\n', 1, "[broker]", "choose one"),
    ("[broker]\npage_port = 8083\n", 1, "[broker]", "add embedded = true"),
    ('[broker]\npassword_file = "f"\n', 1, "[broker]", "without the url"),
    ('[broker]\nurl = "h"\npassword_file = "f"\npassword_env = "E"\n', 1, "[broker]", "choose one"),
    ('[[tables]]\nname = "club"\n', 1, "[[tables]] 1: ruleset", 'Add ruleset = "ataxx/uai".'),
    (TABLE + 'clock = "soon"\n', 4, "[[tables]] 1: clock", "write 5+3 (5 minutes each"),
    (TABLE + 'clock = "1m/game"\n', 4, "[[tables]] 1: clock", "30s/move, 3d/move or none"),
    (TABLE + 'grace = "soon"\n', 4, "[[tables]] 1: grace", "is not a length of time"),
    (TABLE + 'access = "invited"\n', 4, "[[tables]] 1: access", "Nobody is here to hand out"),
    (TABLE + 'access = "ann"\n', 4, "[[tables]] 1: access", "is not a node id"),
    (TABLE + 'witnesses = ["ann"]\n', 4, "[[tables]] 1: witnesses.1", "is not a node id"),
    (TABLE + f"witnesses = {[ID, ID]}\n", 1, "[[tables]] 1", "one witness is named twice"),
    (TABLE + f'witnesses = ["{ID}"]\naccess = "{ID}"\n', 1, "[[tables]] 1", "the seat is kept for"),
    (TABLE + 'player = "human"\n', 4, "[[tables]] 1: player", 'There is no player "human"'),
    (TABLE + 'player = "alphabeta:x"\n', 4, "[[tables]] 1: player", "needs a whole number"),
    (TABLE + 'player = "native:nods=5"\n', 4, "[[tables]] 1: player", "as in time=500"),
    (TABLE + 'player = "auto@11"\n', 4, "[[tables]] 1: player", "there is no such level. They go"),
    (TABLE + 'player = "auto@3"\nlevel = 4\n', 1, "[[tables]] 1", "leave level out"),
    (TABLE + 'player = "auto:depth=3"\nlevel = 4\n', 1, "[[tables]] 1", "leave level out"),
    (TABLE + 'player = "randm"\n', 4, "[[tables]] 1: player", 'Did you mean "random"?'),
    (TABLE + "level = 11\n", 4, "[[tables]] 1: level", "11 is out of range: at most 10."),
    (TABLE + 'position = "x"\n', 4, "[[tables]] 1: position", ""),
    (TABLE + 'blocks = "a1"\n', 4, "[[tables]] 1: blocks", "already holds a piece"),
    (TABLE + 'color = "red"\n', 4, "[[tables]] 1: color", "is not one of 'first', 'second'"),
    (TABLE + TABLE, 1, "", 'two tables are called "club"'),
    (TABLE + TABLE.replace("club", "a b"), 5, "[[tables]] 2: name", "is not a name"),
    (BOT + BOT, 1, "", 'two bots are of the group "bots"'),
    (BOT + 'rulesets = ["loa"]\n', 3, "[[bots]] 1: rulesets.1", "such as 'loa/cs61b'"),
    (BOT + 'rulesets = ["go/9x9"]\n', 3, "[[bots]] 1: rulesets.1", "There is no ruleset 'go/9x9'"),
    (BOT + 'rulesets = "ataxx/uai"\n', 3, "[[bots]] 1: rulesets", "is not a list in brackets"),
    (BOT + 'who = ["ann"]\n', 3, "[[bots]] 1: who.1", "ataxxd id"),
    (BOT + 'longest = "1 hour"\n', 3, "[[bots]] 1: longest", "is not a length of time"),
    (BOT + 'shortest = "1h"\nlongest = "1m"\n', 1, "[[bots]] 1", "shortest is more than longest"),
    (BOT + 'greeting = "\\u001b[2J"\n', 3, "[[bots]] 1: greeting", "on one line"),
    (BOT + 'player = "engine:cat"\n', 1, "[[bots]] 1", "name its rulesets"),
    ('[notify]\nto = ["smtp:x"]\n', 2, "[notify] to.1", "'smtp' is not a way to notify you"),
    ('[notify]\nto = "ntfy:https://h/t"\n', 2, "[notify] to", '"..." is not a list in brackets'),
    ('[notify]\nevents = ["won"]\n', 2, "[notify] events.1", "is not one of 'challenge', 'joined'"),
    ('[notify]\nafter = "soon"\n', 2, "[notify] after", "is not a length of time"),
    ("[web\n", 1, "", "this is not TOML"),
    ('[web]\n\nport = "8\n', 3, "", "this is not TOML"),
    ("[web]\nport = 1\nport = 2\n", 3, "", "this is not TOML"),
]
# fmt: on


def faults_of(folder: Path, text: str) -> ConfigFaults:
    path = folder / "ataxxd.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigFaults) as caught:
        load_config(path, {})
    return caught.value


@pytest.mark.parametrize(("text", "line", "key", "said"), FAULTS)
def test_a_fault_is_told_with_its_line_its_key_and_what_to_do(
    text: str, line: int, key: str, said: str, tmp_path: Path
) -> None:
    error = faults_of(tmp_path, text)
    (fault,) = error.faults
    assert error.exit_code is ExitCode.USAGE
    assert fault.origin.name == str(tmp_path / "ataxxd.toml")
    assert (fault.origin.line or 1, fault.key) == (line, key)
    assert said.lower() in fault.text.lower()


def test_all_faults_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = '[web]\nport = -1\n[serch]\n[[tables]]\nname = "A"\nruleset = "x"\nlevl = 3\n'
    error = faults_of(tmp_path, text)
    assert [fault.origin.line for fault in error.faults] == [2, 3, 5, 6, 7]
    assert str(error).startswith("The configuration has 5 faults:\n")


def test_a_key_keeps_its_line_behind_lists_and_texts_of_several_lines(tmp_path: Path) -> None:
    text = (
        '# a comment with [brackets] and """\n'
        "[node]\n"
        "name = '''\n[web]\nport = 1'''\n"
        "[[bots]]\n"
        'group = "b" # and = more\n'
        "rulesets = [\n"
        '  "ataxx/uai", # ]\n'
        "]\n"
        "at_once = 0\n"
    )
    error = faults_of(tmp_path, text)
    assert [(fault.key, fault.origin.line) for fault in error.faults] == [
        ("[node] name", 3),
        ("[[bots]] 1: at_once", 11),
    ]


def test_dotted_keys_and_inline_sections_have_lines_too(tmp_path: Path) -> None:
    error = faults_of(tmp_path, "web.port = 1\nweb.prt = 2\nsearch = { threds = 1 }\r\n")
    assert [(fault.key, fault.origin.line) for fault in error.faults] == [
        ("[web] prt", 2),
        ("[search] threds", 3),
    ]


def test_what_is_no_text_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_bytes(b"[web]\nport = 1 # \xff\n")
    with pytest.raises(ConfigFaults, match=r"f\.toml, line 2: this is not UTF-8 text"):
        load_config(path, {})


def test_a_file_that_is_not_there_is_told_with_how_to_name_another(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Name another with --config"):
        load_config(tmp_path / "none.toml", {})


def test_a_wrong_variable_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "f.toml").touch()
    environment = {
        "ATAXXD_WEB__PORT": "many",
        "ATAXXD_WEP__PORT": "1",
        "ATAXXD_TABLES__NAME": "x",
        "ATAXXD_HOME": "not ours",
    }
    with pytest.raises(ConfigFaults) as caught:
        load_config(tmp_path / "f.toml", environment)
    assert {str(fault) for fault in caught.value.faults} == {
        'ATAXXD_WEB__PORT: [web] port: "many" is not a whole number.',
        'ATAXXD_WEP__PORT: there is no section "wep". Did you mean "web"?',
        "ATAXXD_TABLES__NAME: [[tables]] stand in the file; nothing else can set them.",
    }


@pytest.mark.parametrize("text", ["web.port", "port=1", "=1", ""])
def test_a_setting_on_the_command_line_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write the section, the key and the value"):
        split_option(text)
