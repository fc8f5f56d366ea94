"""What is looked at once Clobber has been added: run in the copy of the tree that has it.

Every check runs the program as people do, and returns what it saw, for one line.
"""

import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from ataxxd.rules import Position, Side
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.terminals import in_terminal
from tests.fifth_game import oracle
from tests.web.browser import chromium
from tests.web.test_display_command import link_of

RULESET = "clobber/6x5"
DEPTH = 4
GAMES = 50
_PLAY = ("play", "--game", "clobber", "--level", "1", "--seed", "1")
_ANSWER = re.compile(r"White ([a-f][1-5])x([a-f][1-5])")


async def rules(nodes: Nodes) -> str:
    """Counts and moves are those of an implementation that shares nothing with the engine."""
    counts = []
    for depth in range(1, DEPTH + 1):
        counted = await nodes.node("me").run("perft", "--game", "clobber", str(depth))
        counts.append(int(counted.out.lines[-1]))
    assert counts == [oracle.perft(oracle.start(), "x", depth) for depth in range(1, DEPTH + 1)]
    seen = sum(_same_game(random.Random(seed)) for seed in range(GAMES))
    told = ", ".join(f"{count:,}" for count in counts)
    return f"perft {told}; {seen:,} positions of {GAMES} games have the same moves in Python"


def _same_game(choices: random.Random) -> int:
    """Play a game by both implementations; how many positions it had."""
    position, board, sides = Position.start(RULESET), oracle.start(), ("x", "o")
    for ply in range(len(board)):
        side = sides[ply % 2]
        moves = {oracle.text(move): move for move in oracle.moves(board, side)}
        assert {move.text for move in position.legal_moves} == moves.keys()
        assert Position.from_text(RULESET, position.text) == position
        if not moves:
            assert position.outcome is not None
            assert position.outcome.winner is Side((ply + 1) % 2)
            return ply + 1
        chosen = choices.choice(sorted(moves))
        board, position = (
            oracle.after(board, moves[chosen]),
            position.play(position.parse_move(chosen)),
        )
    raise AssertionError("a game has fewer moves than pieces")


async def laws(_: Nodes) -> str:
    """What holds in every position of every game holds here."""
    pytest = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/property/test_rules_all_games.py",
    )
    ran = await asyncio.create_subprocess_exec(
        sys.executable, *pytest, stdout=asyncio.subprocess.PIPE
    )
    said = (await ran.communicate())[0].decode()
    assert ran.returncode == 0, said
    return f"{said.splitlines()[-1].partition(' in ')[0]}: tests/property/test_rules_all_games.py"


async def at_a_pipe(nodes: Nodes) -> str:
    """A program plays a whole game against the engine, in Clobber's own line language."""
    running = await nodes.node("me").start(*_PLAY, typed=True)
    await running.type("a1-a3")
    refusal = await running.says("a1-a3 is not legal")
    position, line = Position.start(RULESET), None
    while position.outcome is None:
        if position.turn is Side.FIRST:
            move = position.legal_moves[0]
            await running.type(move.text)
        else:
            line = await running.next_line()
            answer = _ANSWER.fullmatch(line or "")
            assert answer is not None, running.report()
            move = position.parse_move("-".join(answer.groups()))
        position = position.play(move)
    result = await running.next_line()
    assert result is not None
    assert result.endswith(" wins by the last move."), running.report()
    running.hang_up()
    await running.ends()
    return f'"{line}", "{result}", "{refusal.partition(": ")[2]}"'


async def over_mosquitto(nodes: Nodes) -> str:
    """Two engines play, a third node watches; all three have one record, which verifies."""
    records = {who: nodes.folder / f"{who}.json" for who in ("host", "guest", "watch")}
    auto = ("--auto", "--level", "1")
    host = await nodes.node("host").host(
        "ourgame", "--game", "clobber", *auto, "--transcript", records["host"]
    )
    watch = await nodes.node("watch").start("watch", "ourgame", "--transcript", records["watch"])
    guest = await nodes.node("guest").start(
        "join", "ourgame", *auto, "--transcript", records["guest"]
    )
    for running in (host, guest, watch):
        await running.ends()
    first, *others = (path.read_bytes() for path in records.values())
    assert others == [first, first]
    verdict = verify_record(first)
    assert verdict.standing is Standing.AGREED
    verified = await nodes.node("anybody").run("verify", records["watch"])
    verdict_line = verified.out.lines[0].rpartition(": ")[2]
    moves = len(verdict.ledger.moves)
    return f'{moves} moves, three equal records; verify: "{verdict_line}"'


async def in_a_terminal(nodes: Nodes) -> str:
    """A person plays a move in the text mode and on the board of `--tui`."""
    await asyncio.to_thread(_typed_at_terminals, nodes.folder / "terminal")
    return "a move is made by text and on the board of --tui, and the engine answers"


def _typed_at_terminals(home: Path) -> None:
    environment = {"ATAXXD_HOME": str(home)}
    with in_terminal(_PLAY, environment=environment) as terminal:
        terminal.read_until("Black:")
        terminal.type(b"a1-b1\r")
        terminal.read_until("White plays")
        terminal.type(b"quit\r")
        assert terminal.wait() == 0
    with in_terminal([*_PLAY, "--tui"], environment=environment) as terminal:
        terminal.read_until("F1 is help")
        terminal.type(b"a1-b1\r")
        terminal.read_until("White plays")
        terminal.type(b"\x11")
        assert terminal.wait() == 0


async def on_the_page(nodes: Nodes) -> str:
    """A person plays a move in Chromium, with Clobber's own pieces and colours."""
    playing = await nodes.node("me").start(*_PLAY, "--display")
    async with chromium(nodes.folder / "browser") as browser:
        sight = await browser.open(await link_of(playing))
        await sight.board_is_drawn()
        stones = await sight.page.locator("[data-piece] path.body").count()
        assert stones == len(oracle.start())
        cell = sight.page.locator(".cell").first
        colour = await cell.evaluate("cell => getComputedStyle(cell).fill")
        assert colour == "rgb(127, 107, 176)"
        title = await sight.page.inner_text("#game-title")
        assert title == "Clobber"
        await sight.click("a1")
        await sight.click("b1")
        await sight.makes_a_move(1)
        moves = await sight.moves()
        assert moves[0] == "a1-b1"
        await sight.press("Leave")
        await sight.press("Yes")
        await playing.ends()
    return f'"{title}" with {stones} eight-sided stones; {moves[0]}, answered by {moves[1]}'


CHECKS: tuple[tuple[str, Callable[[Nodes], Awaitable[str]]], ...] = (
    ("rules", rules),
    ("laws", laws),
    ("play at a pipe", at_a_pipe),
    ("host, join and watch", over_mosquitto),
    ("terminal", in_a_terminal),
    ("page", on_the_page),
)


async def check(folder: Path) -> None:
    """Make all checks in a folder for their files, and print what each saw.

    Raises:
        AssertionError: something was not as it should be.
    """
    async with AsyncExitStack() as stack:
        broker = Mosquitto(folder / "mosquitto")
        broker.start()
        stack.callback(broker.stop)
        for number, (name, look) in enumerate(CHECKS):
            begun = time.monotonic()
            place = folder / str(number)
            place.mkdir()
            nodes = Nodes(place, broker.url)
            try:
                saw = await look(nodes)
            finally:
                await nodes.close()
            print(f"{name:22}{saw} ({time.monotonic() - begun:.1f} s)", flush=True)


def main() -> int:
    """Check the tree that this runs in."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(check(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
