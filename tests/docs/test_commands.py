"""Every shell block that a page marks with ``run`` is run as a reader would type it.

    ```sh run                  each block must succeed; the blocks of a page share one home
    ```sh run terminal=NAME    neighbouring blocks with terminals run side by side, each
                               starting once the one before it has said something
    ```sh run terminal=NAME serves
                               runs until its neighbours are done; then Ctrl-C must end it
                               with success
    ```console run             `$ command` lines followed by what they print; `...` stands
                               for anything

The installed `ataxxd` is first in PATH, home and working folder are empty, and each page
has a broker of its own in ATAXXD_BROKER, so that pages can run at the same time.
"""

import asyncio
import contextlib
import doctest
import itertools
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.docs.pages import Block, Page, page_paths, read_page
from tests.time_limits import BUILT

PAGES = [
    page
    for page in map(read_page, page_paths())
    if any("run" in block.marks for block in page.blocks)
]


@pytest.mark.gate("challenge.md", "run-an-event.md", "make-pictures.md", "serve.md", "commands.md")
@pytest.mark.parametrize("page", PAGES, ids=str)
async def test_the_commands_of_a_page_do_what_it_says(
    page: Page, tmp_path: Path, environment: Mapping[str, str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    said: dict[str, str] = {}
    try:
        for group in _groups(page):
            said.clear()
            # Several programs, one started after another, and the games that they play.
            async with asyncio.timeout(BUILT):
                await _run_side_by_side(page, group, folder, environment, said)
    except TimeoutError:
        words = "\n".join(f"{where} said:\n{text}" for where, text in said.items())
        pytest.fail(f"not done, or silent, after {BUILT:g} s\n{words}")


def _groups(page: Page) -> Iterator[list[tuple[Block, str, str | None]]]:
    """(block, script, expected output or None) in order, those with terminals grouped."""
    marked = (block for block in page.blocks if "run" in block.marks)
    for together, blocks in itertools.groupby(marked, lambda block: block.terminal is not None):
        scripts = [(block, *script) for block in blocks for script in _scripts(block)]
        yield from [scripts] if together else ([script] for script in scripts)


def _scripts(block: Block) -> Iterator[tuple[str, str | None]]:
    if block.language != "console":
        yield block.text, None
        return
    for part in ("\n" + block.text).split("\n$ ")[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


async def _run_side_by_side(
    page: Page,
    scripts: list[tuple[Block, str, str | None]],
    folder: Path,
    environment: Mapping[str, str],
    said: dict[str, str],
) -> None:
    running: list[asyncio.subprocess.Process] = []
    serving: list[asyncio.subprocess.Process] = []
    passing: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as tasks:
            for block, script, expected in scripts:
                process = await asyncio.create_subprocess_exec(
                    *("bash", "-euo", "pipefail", "-c", script),
                    cwd=folder,
                    env=environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    start_new_session=True,
                )
                running.append(process)
                spoken = asyncio.Event()
                judging = tasks.create_task(
                    _judge(f"{page}:{block.line}", process, expected, spoken, said)
                )
                if "serves" in block.marks:
                    serving.append(process)
                else:
                    passing.append(judging)
                await spoken.wait()
            if serving:
                await asyncio.wait(passing)
            for process in serving:
                os.killpg(process.pid, signal.SIGINT)
    except* AssertionError as failures:
        raise failures.exceptions[0] from None
    finally:
        for process in running:
            # Also what a script left behind in the background.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _judge(
    where: str,
    process: asyncio.subprocess.Process,
    expected: str | None,
    spoken: asyncio.Event,
    said: dict[str, str],
) -> None:
    """Read to the end, then compare; `spoken` is set at the first words or at the end."""
    assert process.stdout is not None
    output = b""
    while chunk := await process.stdout.read(1 << 16):
        output += chunk
        said[where] = output.decode(errors="replace")
        spoken.set()
    spoken.set()
    status = await process.wait()
    words = said.get(where, "")
    assert status == 0, f"{where}: exit status {status}\n{words}"
    if expected is not None:
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(expected, words, options), (
            f"{where}: the page shows\n{expected}\nbut the program said\n{words}"
        )
