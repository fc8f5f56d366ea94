"""The page on matches over many machines, typed as a reader would, on a free port of loopback.

```sh nats            must succeed
```sh nats serves     is left running until then
```sh nats looks      is left running, and must succeed in the end
"""

import os
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tests.brokers import find_program, free_port, until_listening
from tests.conftest import require
from tests.docs.conftest import BIN
from tests.docs.pages import ROOT, read_page
from tests.nats_server import NatsServer
from tests.time_limits import BUILT

PAGE = ROOT / "docs" / "how-to" / "match-over-many-machines.md"


def test_the_page_on_matches_over_many_machines_does_what_it_says(tmp_path: Path) -> None:
    require(NatsServer)
    port = free_port()
    program = find_program("nats-server")
    assert program is not None
    environment = {
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"], str(Path(program).parent)]),
        "HOME": str(tmp_path),
        "TERM": "dumb",
    }
    shorter = {
        "server:4222": f"127.0.0.1:{port}",
        "nats-server ": f"nats-server --addr 127.0.0.1 --port {port} ",
        "--games 400": "--games 4",
        "0000": "00",
    }
    looking: list[subprocess.Popen[str]] = []
    with ExitStack() as serving:
        done: list[tuple[int, str]] = []
        blocks = [block for block in read_page(PAGE).blocks if "nats" in block.marks]
        # Whoever looks on from elsewhere is there before the match is over.
        for block in sorted(blocks, key=lambda each: not {"serves", "looks"} & {*each.marks}):
            text = block.text
            for said, here in shorter.items():
                text = text.replace(said, here)
            running = serving.enter_context(
                subprocess.Popen(
                    ["bash", "-euc", f"exec {text}"],
                    cwd=tmp_path,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
            serving.callback(running.kill)
            if "looks" in block.marks:
                looking.append(running)
            elif "serves" not in block.marks:
                out, _ = running.communicate(timeout=BUILT)
                done.append((running.returncode, out))
            elif text.startswith("nats-server"):
                assert until_listening(port)
        for running in looking:
            out, _ = running.communicate(timeout=BUILT)
            done.append((running.returncode, out))
    assert len(done) == 3
    for code, out in done:
        assert code == 0
        assert "4 of 4 games" in out or "\n4 games, pairs by points" in out
    assert (tmp_path / "new.match").read_text().count('"number"') == 4
