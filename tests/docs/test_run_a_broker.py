"""The page on running a broker, typed as a reader would, on free ports of loopback.

```sh mosquitto            must succeed; the blocks share a folder, which the first changes to
```sh mosquitto serves     is left running, once it listens, until the next of its kind
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.brokers import BrokerProcess, Mosquitto, find_program, free_port
from tests.conftest import require
from tests.docs.conftest import BIN
from tests.docs.pages import ROOT, read_page
from tests.shipped import SHIPPED, adapted
from tests.time_limits import DEADLINE

PAGE = ROOT / "docs" / "how-to" / "run-a-broker.md"


class Typed(BrokerProcess):
    """A broker started by a line of the page."""

    program = Mosquitto.program
    package = Mosquitto.package

    def __init__(self, folder: Path, line: str, port: int) -> None:
        super().__init__(folder, port)
        self._line = line

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program, *rest = self._line.split()
        found = find_program(program)
        assert found is not None, self.missing()
        return [found, *rest]


def test_the_page_on_running_a_broker_does_what_it_says(tmp_path: Path) -> None:
    require(Mosquitto)
    ports = {"1883": free_port(), "8883": free_port()}
    shutil.copytree(SHIPPED, tmp_path / "deploy" / "mosquitto")
    for door, usual in (("password", "1883"), ("tls", "8883"), ("certificates", "8883")):
        path = tmp_path / "deploy" / "mosquitto" / f"{door}.conf"
        assert f"listener {usual}" in path.read_text()
        path.write_text(adapted(path.read_text(), ports[usual]))
    folder, served = tmp_path, 0
    with ExitStack() as serving:
        for block in read_page(PAGE).blocks:
            if "mosquitto" not in block.marks:
                continue
            if "serves" in block.marks:
                serving.close()
                port = ports["1883" if "password" in block.text else "8883"]
                serving.enter_context(Typed(folder, block.text, port))
                served += 1
                continue
            text = block.text
            for usual, free in ports.items():
                text = text.replace(f":{usual}", f":{free}")
            done = _typed(text, folder)
            assert done.returncode == 0, f"line {block.line}:\n{done.stdout}"
            folder = tmp_path / "ourbroker"
    assert served == 3


def _typed(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment: Mapping[str, str] = {
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
        "HOME": str(folder),
        "TERM": "dumb",
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
