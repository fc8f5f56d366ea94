"""The game as a file, from the page: every notation that fits, and the signed record."""

import asyncio
from http.client import HTTPConnection
from pathlib import Path

import pytest

from ataxxd.rules import Side
from ataxxd.rules.notation import format_named
from ataxxd.session.events import Seat
from ataxxd.session.record import Standing, verify_record
from ataxxd_clients.web.server import Auth
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.time_limits import DEADLINE
from tests.web.browser import Sight, chromium, local_table, needs_chromium, shown
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
BOTH = dict.fromkeys(Side, Seat.HUMAN)


async def saved(sight: Sight, name: str, folder: Path) -> Path:
    """Save the game in a notation."""
    async with sight.page.expect_download() as waiting:
        await sight.page.get_by_role("link", name=name, exact=True).click()
    download = await waiting.value
    await download.save_as(folder / download.suggested_filename)
    # Firefox would give the next one of this name another.
    await download.delete()
    return folder / download.suggested_filename


@pytest.mark.parametrize(
    ("ruleset", "names"),
    [
        ("ataxx/cs61b-2022", ["pgn"]),
        ("reversi/standard", ["ggf", "moves"]),
        ("checkers/cs61b-2004", ["transcript", "pdn"]),
        ("loa/cs61b", ["pgn"]),
    ],
)
async def test_every_notation_that_fits_is_saved_and_read_again_as_the_same_game(
    ruleset: str, names: list[str], tmp_path: Path
) -> None:
    table = local_table(ruleset, moves=6, seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path / "browser") as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.press("Resign")
        await sight.press("Yes")
        # It is offered by itself when the game is over.
        await sight.page.wait_for_selector("#files a")
        shown_names = await sight.page.locator("#files a").all_inner_texts()
        assert shown_names == [*names, "svg", "png", "gif"]
        for name, head in (("svg", b"<svg"), ("png", b"\x89PNG"), ("gif", b"GIF89a")):
            picture = await saved(sight, name, tmp_path)
            assert picture.suffix == f".{name}"
            assert picture.read_bytes().startswith(head)
        for name in names:
            file = await saved(sight, name, tmp_path)
            form = format_named(name)
            assert form is not None
            game = form.read(file.read_text(encoding="utf-8"), ruleset)
            assert game.moves == table.moves
            assert game.start == table.start


async def test_who_watches_saves_a_record_that_holds(mosquitto: Mosquitto, tmp_path: Path) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--player", "first")
        watching = await nodes.node("looker").start("watch", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            sight = await browser.open(await link_of(watching))
            guest = await nodes.node("guest").start("join", "ourgame", "--player", "first")
            await host.ends()
            await guest.ends()
            await sight.is_over()
            record = await saved(sight, "record", tmp_path)
            assert record.name == "ourgame.json"
            # The end is seen by the last move, and the players sign the result after it.
            while verify_record(record.read_bytes()).standing is not Standing.AGREED:
                record = await saved(sight, "record", tmp_path)
            verified = await nodes.node("judge").run("verify", record)
            assert "agreed" in str(verified.out) + str(verified.err)
            await sight.press("Leave")
            await watching.ends()
    finally:
        await nodes.close()


def get(auth: Auth, path: str, cookie: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", auth.port, timeout=DEADLINE)
    connection.request("GET", path, headers={"Cookie": cookie})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


async def test_a_notation_of_another_game_is_refused_and_strangers_get_nothing() -> None:
    async with shown(local_table("reversi/standard", moves=3)) as (_, auth, _):
        ours = f"{auth.cookie}={auth.secret}"
        assert (await asyncio.to_thread(get, auth, "/export/ggf", ""))[0] == 403
        assert (await asyncio.to_thread(get, auth, "/export/moves", ours))[0] == 200
        status, text = await asyncio.to_thread(get, auth, "/export/pdn", ours)
        assert status == 409
        assert "this is a game of reversi" in text
        status, text = await asyncio.to_thread(get, auth, "/export/record", ours)
        assert (status, text) == (
            409,
            (
                "A game cannot be written as 'record' here, but as .ggf (ggf), .moves (moves), "
                ".svg (svg), .png (png), .gif (gif).\n"
            ),
        )
