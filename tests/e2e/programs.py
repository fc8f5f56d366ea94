"""What tests of the asyncio client share: programs at one broker, and waiting for what happens."""

from contextlib import AsyncExitStack
from pathlib import Path

from ataxxd.client import (
    NetworkGame,
    NodeClient,
    open_node,
)


class Programs:
    """The nodes of one test, all at one broker; those opened are closed in the end."""

    def __init__(self, stack: AsyncExitStack, folder: Path, broker: str) -> None:
        self.stack, self.folder, self.broker = stack, folder, broker

    async def open(self, name: str) -> NodeClient:
        return await self.stack.enter_async_context(open_node(self.broker, home=self.folder / name))


async def play_first(game: NetworkGame) -> None:
    """Play the first legal move at every turn, to the end."""
    async for position in game.my_turns():
        await game.play(position.legal_moves[0])


async def next_of(game: NetworkGame, kind: type) -> object:
    """The next event of a kind; what comes before it is passed over."""
    async for event in game.events():
        if isinstance(event, kind):
            return event
    raise AssertionError(f"the game ended without {kind.__name__}")
