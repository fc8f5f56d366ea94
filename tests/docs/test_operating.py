"""The pages on looking after a node: what they have typed works, and what they name is there.

```toml serving    is part of the configuration of a node that serves
```sh serving      is typed beside that node, with its home
"""

import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.brokers import free_port
from tests.docs.conftest import BIN
from tests.docs.pages import ROOT, read_page
from tests.time_limits import DEADLINE

HOW_TO = ROOT / "docs" / "how-to"


def test_what_is_typed_beside_a_node_that_serves_works(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    blocks = [
        block
        for block in read_page(HOW_TO / "operate-a-node.md").blocks
        if "serving" in block.marks
    ]
    port = str(free_port())
    texts = {block.language: block.text.replace("9464", port) for block in blocks}
    configuration = tmp_path / "ataxxd.toml"
    configuration.write_text(texts["toml"])
    with subprocess.Popen(
        [BIN / "ataxxd", "serve", "--config", configuration],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as node:
        assert node.stderr is not None
        try:
            said = [""]
            while "serving:" not in said[-1]:
                said.append(node.stderr.readline())
                assert said[-1], f"the node ended:\n{''.join(said)}"
            for block in blocks:
                if block.language == "sh":
                    done = subprocess.run(
                        ["bash", "-euo", "pipefail", "-c", block.text.replace("9464", port)],
                        cwd=tmp_path,
                        env=environment,
                        capture_output=True,
                        text=True,
                        timeout=DEADLINE,
                        check=False,
                    )
                    assert done.returncode == 0, f"line {block.line}:\n{done.stdout}{done.stderr}"
        finally:
            node.terminate()
            node.communicate(timeout=DEADLINE)
    assert node.returncode == 0


@pytest.mark.parametrize("name", ["install-as-a-service", "run-in-containers"])
def test_what_a_page_copies_or_builds_from_is_there(name: str) -> None:
    page = read_page(HOW_TO / f"{name}.md")
    named = {word for block in page.blocks for word in re.findall(r"\bdeploy/[\w./-]+", block.text)}
    assert named
    for path in named:
        assert (ROOT / path).exists(), path


def test_the_page_on_containers_names_services_that_there_are() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "docker" / "compose.yaml").read_text())["services"]
    page = read_page(HOW_TO / "run-in-containers.md")
    text = "\n".join(block.text for block in page.blocks)
    asked = set(re.findall(r"\b(?:exec|cp|logs --follow) (\w+)", text))
    assert asked
    assert asked <= set(services)


def test_the_page_on_services_is_about_the_units_as_they_are() -> None:
    page = (HOW_TO / "install-as-a-service.md").read_text()
    unit = (ROOT / "deploy" / "systemd" / "ataxxd.service").read_text()
    start = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert start is not None
    program, *words = shlex.split(start[1])
    assert program in page
    assert words[-1] in page
    home = re.search(r"^StateDirectory=(.*)$", unit, re.MULTILINE)
    assert home is not None
    assert os.path.join("/var/lib", home[1]) in page  # noqa: PTH118 - of the machine it is for
