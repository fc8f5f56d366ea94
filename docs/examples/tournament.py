"""A tournament in one process: two bots of our engine, two nodes, colours swapped every game."""

import asyncio
import sys
from collections import Counter
from pathlib import Path

from ataxxd.client import Game, NetworkGame, open_node
from ataxxd.engines.base import Bot
from ataxxd.engines.registry import make_bot
from ataxxd.errors import AtaxxdError
from ataxxd.rules import RulesError

GAMES = 4


async def play(game: Game, bot: Bot) -> None:
    async for position in game.my_turns(accepts_draw=bot.accepts_draw):
        # In a thread: while it thinks, the other game goes on.
        await game.play(await asyncio.to_thread(bot.choose, position, seed=len(game.moves)))


async def seat(game: NetworkGame, bot: Bot, score: Counter[str]) -> None:
    for number in range(1, GAMES + 1):
        await play(game, bot)
        if game.outcome is not None and game.outcome.winner is game.side:
            score[bot.name] += 1
        if number < GAMES and not await game.rematch():
            break


async def main(ruleset: str, folder: Path) -> None:
    score: Counter[str] = Counter()
    async with (
        open_node(home=folder / "strong") as strong,
        open_node(home=folder / "weak") as weak,
        strong.host("tournament", ruleset=ruleset, guest=weak.id) as hosted,
        weak.join(hosted.invitation) as joined,
    ):
        await asyncio.gather(
            seat(hosted, make_bot("auto@2"), score), seat(joined, make_bot("random"), score)
        )
    for name, points in score.most_common():
        print(f"{name:10} {points} of {GAMES}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: python tournament.py RULESET FOLDER")
    try:
        asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
    except (AtaxxdError, RulesError) as error:
        sys.exit(str(error))
