"""A watcher: it follows a game to its end, tells every move, and writes the game as a file."""

import asyncio
import sys
from pathlib import Path

from ataxxd.client import Moved, Over, open_node
from ataxxd.errors import AtaxxdError
from ataxxd.rules.notation import format_of_file


async def main(name: str, target: Path) -> None:
    notation = format_of_file(target.name)
    if notation is None:
        sys.exit(f"{target}: name a file ending in .pgn, .pdn or .ggf")
    async with open_node() as node, node.watch(name) as game:
        async for event in game.events():
            match event:
                case Moved(side, move, ply=ply):
                    print(f"{ply:3} {side:6} {move}", flush=True)
                case Over(outcome):
                    print(outcome.score, outcome.termination)
        target.write_text(notation.write(game.record))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: python watcher.py NAME FILE")
    try:
        asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
    except AtaxxdError as error:
        sys.exit(str(error))
