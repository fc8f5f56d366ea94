"""The shipped compose file: by its schema, by what it allows, and played as plain processes."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from ataxxd.session.record import Standing, verify_record
from tests.brokers import BrokerProcess, Mosquitto, find_program, free_port
from tests.conftest import require
from tests.docs.pages import ROOT
from tests.e2e.nodes import Nodes, Running
from tests.shipped import SHIPPED, adapted
from tests.time_limits import DEADLINE

DOCKER = ROOT / "deploy" / "docker"
COMPOSE: Mapping[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES: Mapping[str, Any] = COMPOSE["services"]
NODES = ("first", "second")


def test_the_compose_file_is_one_by_its_specification() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"),
            DOCKER / "compose.yaml",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] <= 256
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    if name == "prepare":
        # It gives files to the others, and can be reached by nobody.
        assert service["network_mode"] == "none"
        assert set(service["cap_add"]) == {"CHOWN", "DAC_OVERRIDE", "FOWNER"}
    else:
        assert service["user"].split(":")[0] != "0"
        assert "cap_add" not in service
        assert "healthcheck" in service
    assert "ports" not in service
    assert not service.get("privileged")


def test_the_image_runs_as_nobody_and_knows_whether_it_is_well() -> None:
    text = (DOCKER / "Containerfile").read_text()
    _, *stages = re.split(r"^FROM ", text, flags=re.MULTILINE)
    assert len(stages) == 2
    last = stages[-1]
    assert re.findall(r"^USER (.*)$", last, re.MULTILINE) == ["10001:10001"]
    assert re.search(r'^HEALTHCHECK .*CMD \["ataxxd", "status"\]$', last, re.MULTILINE)
    assert "cargo" not in last
    # Exact versions, and nothing of an unknown address.
    assert not re.findall(r"^FROM \S+(?<!bookworm)(?: AS \w+)?$", text, re.MULTILINE)
    assert not re.findall(r"^ADD ", text, re.MULTILINE)


def test_the_image_is_built_from_files_that_there_are_and_that_are_let_in() -> None:
    text = (DOCKER / "Containerfile").read_text()
    ignored = (DOCKER / "Containerfile.dockerignore").read_text().splitlines()
    let_in = [line[1:] for line in ignored if line.startswith("!")]
    assert "*" in ignored
    for path in let_in:
        assert (ROOT / path).exists(), path
    for source in re.findall(r"^COPY (?!--)(\S+) ", text, re.MULTILINE):
        assert source == "." or source in let_in
    # What the build of the wheel needs; see the tables of hatchling in pyproject.toml.
    assert {"ataxxd", "clients", "protocol", "engine", "pyproject.toml", "README.md"} <= set(let_in)
    assert "deploy/pypi/hatch_readme.py" in let_in


def let_in(path: str) -> bool:
    """Whether a file of the source tree is let in: the last pattern that fits says so."""
    inside = False
    for line in (DOCKER / "Containerfile.dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        places = [path, *map(str, Path(path).parents)]
        if line.startswith("**/"):
            places = [part for place in places for part in (place, Path(place).name)]
        if line and not line.startswith("#") and any(fnmatch(each, pattern) for each in places):
            inside = line.startswith("!")
    return inside


def test_what_is_let_in_suffices_for_the_engine_and_the_wheel(tmp_path: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(let_in, listed.stdout.splitlines()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert not (tmp_path / "tests").exists()
    assert let_in("clients/browser/build/page/index.html")
    assert not let_in("clients/browser/node_modules/idb/package.json")
    assert not let_in("ataxxd/_engine.abi3.so")
    cargo = ("cargo", "metadata", "--locked", "--offline", "--no-deps", "--format-version=1")
    said = subprocess.run(
        cargo, cwd=tmp_path / "engine", capture_output=True, text=True, check=True
    )
    for package in json.loads(said.stdout)["packages"]:
        for target in package["targets"]:
            assert Path(target["src_path"]).is_file()
    hatch = (sys.executable, "-m", "hatchling", "metadata", "readme")
    subprocess.run(hatch, cwd=tmp_path, capture_output=True, check=True)


class PreparedMosquitto(BrokerProcess):
    """The service `broker`: what `prepare` made, on a free port of loopback."""

    program = Mosquitto.program
    package = Mosquitto.package

    def command(self) -> list[str | Path]:
        """See `BrokerProcess.command`."""
        found = find_program(SERVICES["broker"]["command"][0])
        assert found is not None, self.missing()
        (name,) = SERVICES["broker"]["command"][2:]
        path = self.folder / name
        path.write_text(adapted(path.read_text(), self.port))
        return [found, "-v", "-c", path]


class Composed:
    """The services as processes, their volumes as folders."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.folder = nodes.folder
        self.port = free_port()
        self.running: dict[str, Running] = {}

    def here(self, text: str) -> str:
        """What the compose file names, on this machine."""
        for place, path in {
            "/shipped": SHIPPED,
            "/broker": self.folder / "broker",
            **{f"/nodes/{name}": self.folder / name for name in NODES},
        }.items():
            text = re.sub(rf"(?<![\w/]){place}(?![\w-])", str(path), text)
        return text

    def prepare(self) -> None:
        """Run the service `prepare`; owners are for containers only."""
        words = [word for word in SERVICES["prepare"]["command"] if "--owner" not in word]
        subprocess.run(
            [sys.executable, DOCKER / "prepare.py", *map(self.here, words)],
            check=True,
            timeout=DEADLINE,
        )

    async def start(self, name: str) -> Running:
        """Start a node, and wait until it is healthy as the compose file has it."""
        text = (DOCKER / f"{name}.toml").read_text()
        text = text.replace("/var/lib/ataxxd", str(self.folder / name))
        path = self.folder / f"{name}.toml"
        path.write_text(text.replace("broker:8883", f"127.0.0.1:{self.port}"))
        running = self.running[name] = await self.nodes.node(name).start("serve", "--config", path)
        async with asyncio.timeout(DEADLINE):
            while not (await self.status(name)).get("ready"):
                assert running.alive, running.report()
        return running

    async def status(self, name: str) -> dict[str, Any]:
        """What the health check of a node is told; nothing where it does not answer."""
        asked = await self.nodes.node(name).start(
            *SERVICES[name]["healthcheck"]["test"][2:], "--json"
        )
        await asked.end()
        return dict(json.loads(asked.out.lines[0])) if asked.out.lines else {}


@pytest.fixture
async def composition(tmp_path: Path) -> AsyncIterator[Composed]:
    """The composition, prepared."""
    require(Mosquitto)
    nodes = Nodes(tmp_path, None)
    made = Composed(nodes)
    made.prepare()
    yield made
    await nodes.close()


async def test_the_services_play_a_whole_game(composition: Composed) -> None:
    with PreparedMosquitto(composition.folder / "broker", composition.port) as broker:
        for name in NODES:
            await composition.start(name)
        async with asyncio.timeout(DEADLINE):
            while not (await composition.status("first"))["finished"]:
                pass
        for running in composition.running.values():
            running.send(signal.SIGTERM)
            await running.ends()
        assert "Denied" not in broker.log
    games = composition.folder / "games"
    await composition.nodes.node("first").run("archive", "--export", games)
    (record, *_) = games.iterdir()
    assert verify_record(record.read_bytes()).standing is Standing.AGREED


def test_preparing_again_changes_no_key_and_no_password(tmp_path: Path) -> None:
    composition = Composed(Nodes(tmp_path, None))
    composition.prepare()
    kept = ("broker/broker.pem", "broker/broker.key", "first/identity.key", "first/broker-password")
    before = [(tmp_path / path).read_bytes() for path in kept]
    composition.prepare()
    assert [(tmp_path / path).read_bytes() for path in kept] == before
    for path in kept[1:]:
        assert (tmp_path / path).stat().st_mode & 0o077 == 0
