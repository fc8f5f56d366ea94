"""Where a configuration comes from, and what goes over what."""

import re
import tomllib
from pathlib import Path

import pytest

from ataxxd.serve.config_file import Origin, as_toml, default_path, load_config, split_option

FILE = """\
[broker]
url = "mqtts://ann:secret@broker.example"

[search]
threads = 3
hash_mb = 4

[[tables]]
name = "club"
ruleset = "reversi/standard"

[[bots]]
group = "bots"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "f.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_options_go_over_the_environment_and_that_over_the_file(path: Path) -> None:
    environment = {"ATAXXD_SEARCH__THREADS": "5", "ATAXXD_SEARCH__HASH_MB": "8"}
    loaded = load_config(path, environment, [split_option("search.threads = 7")])
    assert (loaded.config.search.threads, loaded.config.search.hash_mb) == (7, 8)
    assert loaded.origins["search", "threads"] == Origin("--set search.threads")
    assert loaded.origins["search", "hash_mb"] == Origin("ATAXXD_SEARCH__HASH_MB")
    assert str(loaded.origins["broker", "url"]) == f"{path}, line 2"


def test_the_variables_of_all_commands_count_where_nothing_else_says_it(path: Path) -> None:
    variables = {"ATAXXD_HOME": "/of/commands", "ATAXXD_BROKER": "mqtt://of-commands"}
    config = load_config(path, variables).config
    assert (config.node.home, config.broker.url) == (
        Path("/of/commands"),
        "mqtts://ann:secret@broker.example",
    )
    config = load_config(path, variables | {"ATAXXD_NODE__HOME": "/of/serve"}).config
    assert config.node.home == Path("/of/serve")
    path.write_text('[node]\nhome = "/of/file"\n[broker]\nembedded = true\n', encoding="utf-8")
    loaded = load_config(path, variables)
    assert (loaded.config.node.home, loaded.config.broker.url) == (Path("/of/file"), None)
    path.write_text("", encoding="utf-8")
    loaded = load_config(path, variables)
    assert loaded.config.broker.url == "mqtt://of-commands"
    assert loaded.origins["broker", "url"] == Origin("ATAXXD_BROKER")


def test_text_from_the_environment_needs_no_quotes_and_numbers_in_it_stay_text(path: Path) -> None:
    environment = {"ATAXXD_NODE__NAME": "1984", "ATAXXD_NODE__HOME": "/tmp/x"}
    config = load_config(path, {**environment, "ATAXXD_WEB__ENABLED": "true"}).config
    assert (config.node.name, config.node.home, config.web.enabled) == (
        "1984",
        Path("/tmp/x"),
        True,
    )


def test_an_empty_file_is_a_node_that_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "f.toml").touch()
    config = load_config(tmp_path / "f.toml", {}).config
    assert (config.tables, config.bots) == ((), ())


def test_the_usual_file_is_the_users_unless_a_variable_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/there")
    monkeypatch.delenv("ATAXXD_CONFIG", raising=False)
    assert default_path().name == "ataxxd.toml"
    monkeypatch.setenv("ATAXXD_CONFIG", "/etc/ataxxd/node.toml")
    assert default_path() == Path("/etc/ataxxd/node.toml")


def test_what_is_shown_is_the_same_configuration_again(path: Path, tmp_path: Path) -> None:
    loaded = load_config(path, {})
    again = tmp_path / "again.toml"
    again.write_text("\n".join(as_toml(loaded)), encoding="utf-8")
    assert load_config(again, {}).config == loaded.config


def test_every_value_is_shown_with_where_it_comes_from(path: Path) -> None:
    lines = [*as_toml(load_config(path, {"ATAXXD_WEB__PORT": "80"}))]
    assert f"threads = 3  # {path}, line 5" in lines
    assert "port = 80  # ATAXXD_WEB__PORT" in lines
    assert 'clock = "none"  # default' in lines
    assert "# home is not set" in lines
    tomllib.loads("\n".join(lines))


def test_where_whoever_runs_it_is_told_is_kept_from_sight(path: Path) -> None:
    variables = {
        "ATAXXD_NOTIFY": "https://ann:pass@hook.example/word\nntfy:https://n.example/word\n"
    }
    loaded = load_config(path, variables)
    assert [each.get_secret_value() for each in loaded.config.notify.to] == [
        "https://ann:pass@hook.example/word",
        "ntfy:https://n.example/word",
    ]
    shown = "\n".join(as_toml(loaded))
    assert "the webhook at hook.example, the ntfy server at n.example  # ATAXXD_NOTIFY" in shown
    for text in (shown, repr(loaded)):
        assert not {"pass", "word"} & set(re.split("[^a-z]+", text))
    over = load_config(path, {**variables, "ATAXXD_NOTIFY__TO": "https://other.example/"})
    assert len(over.config.notify.to) == 1
