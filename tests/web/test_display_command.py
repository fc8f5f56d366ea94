"""`--display` as people call it: real processes, real pages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.e2e.nodes import Nodes, Running
from tests.web.browser import chromium, needs_chromium


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes without a broker."""
    made = Nodes(tmp_path, None)
    yield made
    await made.close()


async def link_of(running: Running) -> str:
    """The link that a program has written."""
    line = await running.says("Open: http://127.0.0.1:")
    return line.partition("Open: ")[2]


@needs_chromium
async def test_a_game_is_played_in_the_browser_and_kept_when_it_is_left(
    alone: Nodes, tmp_path: Path
) -> None:
    playing = await alone.node("me").start(
        "play", "--display", "--player2", "first", "--log", "game.log", "--transcript", "game.pgn"
    )
    async with chromium(tmp_path / "browser") as browser:
        sight = await browser.open(await link_of(playing))
        await sight.board_is_drawn()
        await sight.click("a7")
        await sight.click("b6")
        await sight.until("() => document.querySelectorAll('#moves li').length === 2")
        await sight.press("Leave")
        await sight.press("Yes")
        await playing.ends()
        await sight.hears("You have left the table.")
    assert (tmp_path / "game.log").read_text() == "a7-b6\nquit\n"
    assert "1. b6" in (tmp_path / "game.pgn").read_text()


async def test_input_from_a_file_and_a_graphical_board_exclude_each_other(alone: Nodes) -> None:
    refused = await alone.node("me").run("play", "--display", "in.txt", code=ExitCode.USAGE)
    assert "leave out IN" in str(refused.err)
    refused = await alone.node("me").run("play", "--display", "--line", code=ExitCode.USAGE)
    assert "leave out --line" in str(refused.err)
