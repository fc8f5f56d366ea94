"""Whole games through Mosquitto: one page by clicks, one by keyboard alone, a third looks on."""

from itertools import cycle
from pathlib import Path

import pytest

from ataxxd.rules import Position
from ataxxd.session.record import Standing, verify_record
from ataxxd_clients.text.games import line_language
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]

# From the start to the end of the game; among them jumps of several squares.
SHORT_GAMES = {
    "ataxx/cs61b-2022": "a7c5 a1b3 g1e3 b3d4",
    "reversi/standard": "d3 c3 b3 e3 f3 f4 f5 f6 g7",
    "checkers/cs61b-2004": "9-13 24-19 5-9 28-24 11-15 19-16 12x19x28 27-24 1-5 31-27 10-14 21-17 "
    "14x21 24-19 15x24x31 23-19 6-10 22-18 31x22x15x24 32-27 24x31 30-26 21x30 29-25 31x22x29",
    "loa/cs61b": "c1-a3 h2-f4 c8-a6 a4-d4 d1-c2 h3-g4 c2-a2 a5-c3 a3-a7 c3-e5",
}


@pytest.mark.gate("ataxx")
@pytest.mark.parametrize("ruleset", SHORT_GAMES)
async def test_a_whole_game_ends_with_the_same_moves_on_all_three_pages(
    ruleset: str, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    language, position = line_language(ruleset), Position.start(ruleset)
    nodes = Nodes(tmp_path, mosquitto.url)
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "looker")}
    try:
        game = ruleset.partition("/")[0]
        host = await nodes.node("host").host(
            "ourgame", "--display", "--game", game, "--transcript", records["host"]
        )
        guest = await nodes.node("guest").start(
            "join", "ourgame", "--display", "--transcript", records["guest"]
        )
        guest_link = await link_of(guest)
        watching = await nodes.node("looker").start(
            "watch", "ourgame", "--display", "--transcript", records["looker"]
        )
        async with chromium(tmp_path / "browser", width=1000, height=700) as browser:
            clicker = await browser.open(await link_of(host))
            typist = await browser.open(guest_link)
            looker = await browser.open(await link_of(watching))
            pages = (clicker, typist, looker)
            for sight in pages:
                await sight.board_is_drawn()
            await typist.page.bring_to_front()
            await typist.tab_to_the_board()
            ways = cycle((clicker.click, typist.walk_and_press))
            for number, text in enumerate(SHORT_GAMES[ruleset].split()):
                move = position.parse_move(text)
                choose = next(ways)
                for square in language.paths(move, position)[0]:
                    await choose(square)
                position = position.play(move)
                for sight in pages:
                    await sight.makes_a_move(number)
            assert position.outcome is not None
            told = [await sight.moves() for sight in pages]
            assert told[0] == told[1] == told[2]
            for sight in pages:
                await sight.is_over()
                assert "wins" in await sight.page.inner_text("#banner")
            await clicker.press("Leave")
            await typist.tab_to("Leave")
            await typist.page.keyboard.press("Enter")
            await host.ends()
            await guest.ends()
            await looker.press("Leave")
            await watching.ends()
        verdicts = [verify_record(record.read_bytes()) for record in records.values()]
        for verdict in verdicts:
            assert verdict.standing is Standing.AGREED
            assert [move.text for move in verdict.ledger.moves] == SHORT_GAMES[ruleset].split()
    finally:
        await nodes.close()
