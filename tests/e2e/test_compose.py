"""The shipped compose file: by its schema, by what it allows, and played as plain processes."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.shipped import SHIPPED

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


class Composed:
    """The services on this machine, their volumes as folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
            [sys.executable, DOCKER / "prepare.py", *map(self.here, words)], check=True, timeout=60
        )


def test_preparing_again_changes_no_key_and_no_password(tmp_path: Path) -> None:
    composition = Composed(tmp_path)
    composition.prepare()
    kept = ("broker/broker.pem", "broker/broker.key", "first/identity.key", "first/broker-password")
    before = [(tmp_path / path).read_bytes() for path in kept]
    composition.prepare()
    assert [(tmp_path / path).read_bytes() for path in kept] == before
    for path in kept[1:]:
        assert (tmp_path / path).stat().st_mode & 0o077 == 0
