"""The broker that a configuration names, with a password from where it says."""

from pathlib import Path

import pytest

from ataxxd.cli.serve import _broker
from ataxxd.errors import ConfigError
from ataxxd.node.home import Home, load_identity
from ataxxd.serve.config import BrokerSection
from ataxxd.transport.address import parse_address


async def test_a_password_out_of_a_file_is_this_nodes(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("p/s@w:rd%\nnot this\n", encoding="utf-8")
    section = BrokerSection(url="mqtts://broker.example", password_file=tmp_path / "secret")
    async with _broker(section, tmp_path) as url:
        address = parse_address(url)
    node = load_identity(Home(tmp_path).identity).node
    assert (address.user, address.password, address.host) == (node, "p/s@w:rd%", "broker.example")


async def test_a_password_out_of_the_environment_is_the_named_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLUB_PASSWORD", "secret")
    section = BrokerSection(url="ann@broker.example:2883", password_env="CLUB_PASSWORD")
    async with _broker(section, tmp_path) as url:
        address = parse_address(url)
    assert (address.user, address.password, address.port) == ("ann", "secret", 2883)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"password_file": "nowhere"}, "password_file nowhere cannot be read: No such file"),
        ({"password_file": "/dev/null"}, "password_file /dev/null: its first line is empty"),
        ({"password_env": "NO_SUCH_VARIABLE"}, "the environment has no NO_SUCH_VARIABLE"),
    ],
)
async def test_a_password_that_is_not_there_is_told(
    section: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    configured = BrokerSection.model_validate({"url": "broker.example"} | section)
    with pytest.raises(ConfigError, match=said):
        async with _broker(configured, tmp_path):
            pass


async def test_an_embedded_broker_is_run(tmp_path: Path) -> None:
    async with _broker(BrokerSection(embedded=True, port=0), tmp_path) as url:
        assert parse_address(url).port > 0
