"""The page on a club's table, typed as its readers would, at a broker of its own.

```toml file=NAME    is written into the folder
```sh club           must succeed there
```sh club serves    is left running until the end, when Ctrl-C must stop it well
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.docs.pages import ROOT, Block, read_page
from tests.time_limits import BUILT, DEADLINE

PAGE = read_page(ROOT / "docs" / "how-to" / "club-table.md")


@contextmanager
def served(
    block: Block, folder: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    """The service, from the moment at which its tables are open."""
    with subprocess.Popen(
        ["bash", "-c", f"exec {block.text}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            opened: set[str] = set()
            said = []
            while opened != {"club", "beginners"}:
                said.append(process.stderr.readline())
                assert said[-1], "".join(said)
                opened |= {name for name in ("club", "beginners") if f"{name}: open" in said[-1]}
            yield process
        finally:
            process.kill()


def test_a_club_keeps_its_tables_as_the_page_says(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    typed: list[Block] = []
    (serving,) = [block for block in PAGE.blocks if "serves" in block.marks]
    for block in PAGE.blocks:
        names = [mark.removeprefix("file=") for mark in block.marks if "file=" in mark]
        if names:
            (folder / names[0]).write_text(block.text)
        elif "club" in block.marks and block is not serving:
            typed.append(block)
    before = [block for block in typed if block.line < serving.line]
    for block in before:
        run(block, folder, environment)
    with served(serving, folder, environment) as process:
        said = [run(block, folder, environment) for block in typed[len(before) :]]
        # Of three games, two are at the rated table, and one of these is a member's.
        assert "1 game, digest " in said[-1]
        process.send_signal(signal.SIGINT)
        _, logged = process.communicate(timeout=DEADLINE)
        assert "stopped" in logged
        assert "Traceback" not in logged
    assert len(list((folder / "games").glob("*.json"))) == 3


def run(block: Block, folder: Path, environment: Mapping[str, str]) -> str:
    """Type a block, which must succeed; what it printed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILT,
        check=False,
    )
    assert done.returncode == 0, f"line {block.line}:\n{done.stdout}"
    return done.stdout
