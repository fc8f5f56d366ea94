"""What a player is told until the first game begins: the offer, who joined, and what goes wrong."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ataxxd.cli.say import say
from ataxxd.node.runtime import Offered, RuntimeEvent
from ataxxd.rules import Side
from ataxxd.session.events import Notice, Started
from ataxxd.session.roles import Role
from ataxxd.wording import sentence
from ataxxd_clients.invitation import Invitation

if TYPE_CHECKING:
    from ataxxd_clients.tui.waiting import WaitingWindow


# Seconds after which it is said that a game is looked for.
_AT_ONCE_S = 3.0


@asynccontextmanager
async def looked_for(name: str, seconds: float) -> AsyncIterator[None]:
    """Say that a game is looked for, where it is not found at once; for so many seconds at most."""

    async def tell() -> None:
        await asyncio.sleep(_AT_ONCE_S)
        say(f'Looking for "{name}" for {seconds:g} s; Ctrl-C gives up.')

    telling = asyncio.create_task(tell(), name="looking") if seconds > _AT_ONCE_S else None
    try:
        yield
    finally:
        if telling is not None:
            telling.cancel()
            await asyncio.wait({telling})


class BeforeGame:
    """Says what happens until the first game begins.

    Attributes:
        news: the last thing that happened, for whoever looks at the board next.
    """

    def __init__(
        self,
        role: Role,
        announce: Callable[[], None],
        named: Callable[[str], Awaitable[str]],
        sides: Sequence[str],
    ) -> None:
        """Speak to a player.

        Args:
            role: the player's.
            announce: tells people of the offer.
            named: a node as people read it, perhaps after a moment in which its name comes.
            sides: what the first and the second side are called.
        """
        self.news = ""
        self._role = role
        self._announce = announce
        self._named = named
        self._sides = sides
        self._welcoming: asyncio.Task[None] | None = None
        self._offered = asyncio.Event()
        self._window: WaitingWindow | None = None

    def __call__(self, event: RuntimeEvent) -> None:
        """Say one thing."""
        match event:
            case Offered():
                # On paper in any case: it is still there when the window has gone.
                if not self._offered.is_set():
                    self._announce()
                self._offered.set()
            case Started(guest, side) if self._role is Role.HOST:
                self._welcoming = asyncio.create_task(self._welcome(guest, side), name="welcome")
            case Started(_, side):
                self._say(f"You have the seat and play {self._sides[side.opponent]}.")
            case Notice(text):
                self._say(f"[{sentence(text)}]")
            case _:
                pass

    async def _welcome(self, guest: str, side: Side) -> None:
        self._say(f"{await self._named(guest)} has joined. You play {self._sides[side]}.")

    async def welcomed(self) -> None:
        """Wait until it is said who has come, if somebody has."""
        if self._welcoming is not None:
            await self._welcoming

    @property
    def offered(self) -> bool:
        """Whether the broker has had the offer."""
        return self._offered.is_set()

    def _say(self, text: str) -> None:
        self.news = text
        if self._window is None:
            say(text)
        else:
            self._window.tell(text)

    async def wait_in_sight(
        self,
        begun: Callable[[], Awaitable[bool]],
        invitation: Invitation,
        *,
        ascii_only: bool = False,
    ) -> None:
        """Show the invitation over all the terminal until the first game begins.

        Args:
            begun: waits for that.
            invitation: to the game.
            ascii_only: use no signs beyond ASCII, whatever the terminal could show.
        """
        from ataxxd_clients.tui.clean_app import plain_signs, run_window  # noqa: PLC0415 - slow to load
        from ataxxd_clients.tui.waiting import WaitingWindow  # noqa: PLC0415 - slow to load

        beginning = asyncio.ensure_future(begun())
        offered = asyncio.create_task(self._offered.wait(), name="offered")
        try:
            await asyncio.wait([beginning, offered], return_when=asyncio.FIRST_COMPLETED)
            if not beginning.done():
                plain = plain_signs(asked=ascii_only)
                window = self._window = WaitingWindow(invitation, ascii_only=plain)
                beginning.add_done_callback(lambda _: window.exit(0))
                await run_window(window)
        finally:
            self._window = None
            for task in (beginning, offered):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
