"""A bot: it hosts a game of reversi, plays any legal move, and keeps the record."""

import asyncio
import random
import sys

from ataxxd.client import open_node
from ataxxd.errors import AtaxxdError


async def main(name: str) -> None:
    async with open_node() as node:
        async with node.host(name, ruleset="reversi/standard", transcript=f"{name}.json") as game:
            print(f"ataxxd join {game.invitation}", flush=True)
            async for position in game.my_turns():
                await game.play(random.choice(position.legal_moves))
        print(game.outcome)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python bot.py NAME")
    try:
        asyncio.run(main(sys.argv[1]))
    except AtaxxdError as error:
        sys.exit(str(error))
