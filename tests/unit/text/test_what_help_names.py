"""Help names what can be done now, and Tab offers it: as the game says, over a real broker."""

import asyncio
import io
from pathlib import Path

from ataxxd.node.game import Game
from ataxxd.session.events import Moved, Over
from ataxxd_clients.text.console import Output, Terminal
from ataxxd_clients.text.friendly import FriendlySession
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import Session, SessionOptions
from tests.memory_broker import MemoryBroker
from tests.unit.node.seated import two
from tests.unit.text.playing import local_table
from tests.unit.text.script_lines import ScriptLines

PLACES = {"undo", "redo", "takeback", "claim", "rematch", "resign", "hint", "eval", "agree", "say"}


async def named(game: Game) -> tuple[set[str], set[str]]:
    """Which of these words the help of the line language and of the friendly mode name."""
    language = line_language(game.position.ruleset)
    found = []
    for friendly in (False, True):
        out = io.StringIO()
        where = game, language, ScriptLines([]), Output(out, io.StringIO()), SessionOptions()
        session = FriendlySession(*where, Terminal()) if friendly else Session(*where)
        await session.commands.execute(["help"])
        lines = out.getvalue().splitlines()
        if friendly:
            first = next(at for at, line in enumerate(lines) if line.startswith("Commands: "))
            words = " ".join(lines[first:-1]).removeprefix("Commands: ").rstrip(".").split(", ")
            offered = {line.strip() for line in session.completions("")}
            assert PLACES & offered == PLACES & {each.split()[0] for each in words}
        else:
            words = [line.split()[0] for line in lines]
        found.append(PLACES & {each.split()[0] for each in words})
    return found[0], found[1]


async def test_in_a_network_game_help_names_what_can_be_done_now(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        assert await named(host.game) == ({"resign", "say"}, {"resign", "say"})
        await host.game.play("b6")
        await asyncio.gather(host.hears(Moved), guest.hears(Moved))
        line, friendly = await named(host.game)
        assert line == friendly == {"resign", "say", "takeback"}
        await guest.game.resign()
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        line, friendly = await named(host.game)
        assert line == {"rematch", "say"}
        assert friendly == {"rematch", "say", "eval"}


async def test_alone_the_friendly_mode_names_undo_when_there_is_a_move() -> None:
    table = local_table()
    line, friendly = await named(table)
    assert line == {"undo", "redo", "resign"}
    assert friendly == {"resign", "hint", "eval"}
    await table.play("b6")
    assert (await named(table))[1] == {"undo", "resign", "hint", "eval"}
