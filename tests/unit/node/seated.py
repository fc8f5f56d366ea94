"""Two people at a game, each a node of its own, over a broker in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from ataxxd.engines.base import Bot
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.offers import Terms, new_offer
from ataxxd.node.profile import Profile, open_profile
from ataxxd.node.runtime import OfferPublished, RuntimeEvent
from ataxxd.node.series import SeatPlayer as Seated
from ataxxd.node.settings import Settings
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Notice, TableEvent
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol.messages import Offer
from tests.memory_broker import MemoryBroker

SECRET = "ab" * 16
FIRST = GameRecord(Position.start("ataxx/cs61b-2022"))


def offered(profile: Profile, first: GameRecord = FIRST, **terms: Any) -> Offer:
    """An offer of a game called ourgame that holds for an hour."""
    return new_offer(
        profile.key, "ourgame", first, color="first", secret=SECRET,
        now_ms=SYSTEM_CLOCK.now_ms(), lasts_ms=3_600_000, terms=Terms(**terms),
    )  # fmt: skip


class Player:
    """A person at a game, or a bot, with a node of its own."""

    def __init__(self, profile: Profile, broker: MemoryBroker, bot: Bot | None = None) -> None:
        self.profile = profile
        self._bot = bot
        self.ended: list[Ledger] = []
        self.heard: list[TableEvent] = []
        self.offered = asyncio.Event()
        self.game: NetworkGame
        self.place = GameContext(
            profile,
            lambda will: broker.connect(will=will),
            lambda ledger, _: dump_record(ledger),
            print,
        )
        self._running: asyncio.Task[None] | None = None

    def sit(
        self, offer: Offer, role: Role, *, games: int = 1, stays: bool = True, **options: Any
    ) -> None:
        """Take a seat; with several games they follow each other unasked."""
        secret = SECRET if role is Role.HOST else ""
        settings = Settings(secret=secret, games=games, **options)
        stored = self.profile.journal.begin(offer, role, settings.stored())

        def told(event: object) -> None:
            if isinstance(event, OfferPublished):
                self.offered.set()

        def ended(game: GameRun) -> None:
            self.ended.append(game.ledger)

        self.game = NetworkGame(
            self.place, stored, Ledger(offer), settings,
            Seated(self._bot, stays=stays, in_series=games > 1, on_event=told, on_ended=ended),
        )  # fmt: skip
        self._running = asyncio.create_task(self.game.run())

    def resume(self, told: Callable[[RuntimeEvent], None] = lambda _: None) -> None:
        """Go on with the game that was left, as from the journal alone."""
        (stored,) = self.profile.journal.unfinished()
        settings = Settings.restored(stored.settings)
        self.game = NetworkGame(
            self.place, stored, self.profile.journal.ledger(stored), settings,
            Seated(self._bot, on_event=told),
        )  # fmt: skip
        self._running = asyncio.create_task(self.game.run())

    async def seated(self) -> None:
        """Wait until the first game begins."""
        assert await self.game.begun()

    async def hears(self, kind: type[TableEvent], holds: Callable[[Any], bool] = bool) -> None:
        """Wait for an event at the game."""
        while True:
            event = await self.game.advance()
            self.heard.append(event)
            if isinstance(event, kind) and holds(event):
                return

    async def reads(self, words: str) -> None:
        """Wait for a notice that holds some words."""
        await self.hears(Notice, lambda notice: words in notice.text)

    async def leaves(self) -> None:
        """Leave the game, and wait until all is done."""
        self.game.leave()
        await self.ends()

    async def ends(self) -> None:
        """Wait until no game follows."""
        assert self._running is not None
        await self._running

    async def close(self) -> None:
        """End whatever goes on."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})


@asynccontextmanager
async def two(
    folder: Path,
    broker: MemoryBroker,
    *,
    bot: Bot | None = None,
    first: GameRecord = FIRST,
    clock: dict[str, int] | None = None,
    of_guest: dict[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[tuple[Player, Player]]:
    """A host, which may be a bot, and a guest, whose first game has begun."""
    async with AsyncExitStack() as stack:
        players = []
        for name, plays in (("host", bot), ("guest", None)):
            profile = await stack.enter_async_context(open_profile(folder / name))
            players.append(Player(profile, broker, plays))
            stack.push_async_callback(players[-1].close)
        host, guest = players
        offer = offered(host.profile, first, **({} if clock is None else {"clock": clock}))
        host.sit(offer, Role.HOST, **options)
        await host.offered.wait()
        guest.sit(offer, Role.GUEST, **(options | (of_guest or {})))
        for each in players:
            await each.seated()
        yield host, guest
