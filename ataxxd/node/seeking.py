"""Seeks: players who want the same kind of game find each other without a server.

A seek is an ordinary open offer with a special name, which may state a range of ratings. So it is
listed, joined and watched like any other game. A seeker joins a matching seek, or hosts one and
waits.

If two post seeks at the same moment, each sees both offers, and the newer one joins the older. If
only one of them named a side, the other joins, because only it can.
"""

import asyncio
import re
import secrets
import string
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ataxxd.errors import GameError, TransportError, UsageError
from ataxxd.node.concurrency import plain_errors, run_beside
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.names import NameBook
from ataxxd.node.offers import Terms
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.state import Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Connect
from ataxxd_protocol.messages import Offer

SEARCH_S = 1.5
"""Seconds to look for others' seeks before we post our own."""
_NAME = re.compile("seek-(?:([0-9]{1,4})-([0-9]{1,4})-)?[a-z]{6}")
_OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True, slots=True)
class RatingRange:
    """The range of ratings for an opponent, both ends included."""

    lowest: int
    highest: int

    @classmethod
    def parse(cls, text: str) -> "RatingRange":
        """Read a range such as ``1200-1600``.

        Raises:
            UsageError: it is not a range.
        """
        found = re.fullmatch("([0-9]{1,4})-([0-9]{1,4})", text.strip())
        if found is None or int(found[1]) > int(found[2]):
            raise UsageError(
                f"--rating-range {text!r}: write the lowest and the highest rating, such as "
                "1200-1600."
            )
        return cls(int(found[1]), int(found[2]))

    def __contains__(self, rating: int) -> bool:
        """Whether a player with this rating is in it."""
        return self.lowest <= rating <= self.highest

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}"


def new_name(wanted: RatingRange | None) -> str:
    """Make up a unique name for a seek."""
    end = "".join(secrets.choice(string.ascii_lowercase) for _ in range(6))
    return f"seek-{end}" if wanted is None else f"seek-{wanted}-{end}"


def is_seek(name: str) -> bool:
    """Whether an open game of this name is a seek."""
    return _NAME.fullmatch(name) is not None


def read_range(name: str) -> RatingRange | None:
    """The range of ratings that a seek of this name accepts; None for any."""
    found = _NAME.fullmatch(name)
    if found is None or found[1] is None:
        return None
    return RatingRange(int(found[1]), int(found[2]))


@dataclass(frozen=True, slots=True)
class SeekTerms:
    """The kind of game that a player seeks.

    Attributes:
        first: the beginning of the game.
        color: the side wanted: ``first``, ``second``, or ``random`` for either.
        terms: the other terms.
        ratings: the range of ratings accepted; None for any.
    """

    first: GameRecord
    color: str
    terms: Terms
    ratings: RatingRange | None = None

    def matches(self, offer: Offer) -> bool:
        """Whether an offer is a seek for the same game that leaves us our side."""
        return (
            is_seek(offer.name)
            and offer.access is None
            and offer.opening is None
            and offer.ruleset == self.first.start.ruleset
            and offer.start == self.first.start.text
            and Terms.agreed(offer) == self.terms
            and _accepts_color(self.color, offer.color)
        )


def _accepts_color(wanted: str, hosted: str) -> bool:
    """Whether a player who wants a side joins an offer whose host takes `hosted`."""
    return wanted == "random" or hosted == _OTHER[wanted]


def must_join_other(ours: Offer, theirs: Offer) -> bool:
    """Whether, of two matching seeks, ours is to be given up to join theirs.

    It depends only on the two offers, so the two sides come to opposite answers.
    """
    if not _accepts_color(theirs.color, ours.color):
        return True
    if not _accepts_color(ours.color, theirs.color):
        return False
    return (theirs.created_ms, theirs.digest) < (ours.created_ms, ours.digest)


class NothingToResumeError(GameError):
    """What we waited for can no longer come; nothing is left to resume."""


class BetterSeekError(NothingToResumeError):
    """Another seek matches ours, and we must join it.

    Attributes:
        offer: the other seek's.
    """

    def __init__(self, offer: Offer) -> None:
        super().__init__(f'"{offer.name}" is the same game.')
        self.offer = offer


class SeekWithdrawnError(NothingToResumeError):
    """The seek that we wanted to join was withdrawn, or taken by somebody else."""


class Seeker:
    """Follows the seeks on a broker for one wish."""

    def __init__(
        self,
        terms: SeekTerms,
        us: str,
        find_rating: Callable[[str], int],
        is_known: Callable[[str], bool],
    ) -> None:
        """Begin with no seeks seen.

        Args:
            terms: the game to find.
            us: our node's id.
            find_rating: looks up the rating of a node.
            is_known: whether a game, by its id, is in our journal.
        """
        self._terms = terms
        self._us = us
        self._find_rating = find_rating
        self._is_known = is_known
        self._finder: GameFinder | None = None
        self._following: asyncio.Future[None] = asyncio.Future()
        self._news = asyncio.Event()
        self._excluded: set[str] = set()

    async def find_oldest(self, seconds: float = SEARCH_S) -> Offer | None:
        """The oldest seek that fits, after all hosts have had time to answer; None without one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._wait_for_change()
        return self._oldest(None)

    async def wait_for_better_seek(self, ours: Offer) -> None:
        """Wait while our own seek is open.

        Raises:
            BetterSeekError: there is another for which ours is to be given up.
        """
        while (found := self._oldest(ours)) is None:
            await self._wait_for_change()
        raise BetterSeekError(found)

    async def wait_until_withdrawn(self, theirs: Offer) -> None:
        """Wait while we ask for the seat of a seek.

        Raises:
            SeekWithdrawnError: it is gone, or somebody else plays it.
        """
        while self._is_still_open(theirs):
            await self._wait_for_change()
        raise SeekWithdrawnError(f'"{theirs.name}" is gone.')

    def exclude(self, offer: Offer) -> None:
        """Never try to join this seek again."""
        self._excluded.add(offer.digest)

    def stop(self) -> None:
        """Stop looking: the game has begun."""
        self._following.cancel()

    # Following the broker

    @asynccontextmanager
    async def running(self, connect: Connect, names: NameBook) -> AsyncIterator["Seeker"]:
        """Follow the seeks on a broker while the block lasts, or until a game has begun.

        Args:
            connect: opens a connection to the broker.
            names: learns the nicknames of other seekers.
        """
        self._following = asyncio.create_task(self._follow(connect, names), name="seeks")
        try:
            yield self
        finally:
            self._following.cancel()
            with suppress(asyncio.CancelledError, TransportError):
                await self._following

    async def _follow(self, connect: Connect, names: NameBook) -> None:
        with plain_errors():
            async with connect(None) as transport:
                self._finder = GameFinder(transport, names=names)
                await self._finder.follow(lambda _: self._news.set())

    async def _wait_for_change(self) -> None:
        """Wait until there may be something new.

        Raises:
            TransportError: the broker refuses us.
        """
        async with run_beside(self._news.wait(), "news of seeks") as news:
            waiting: set[asyncio.Future[Any]] = {news, self._following}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        self._news.clear()
        if self._following.done():
            self._following.result()

    def _oldest(self, ours: Offer | None) -> Offer | None:
        if self._finder is None:
            return None
        for game in tuple(self._finder.games.values()):
            if not self._terms.matches(game.offer):
                # The finder keeps a limited number of games: make room for others.
                self._finder.dismiss(game)
        fitting = [
            game.offer
            for game in self._finder.games.values()
            if self._is_free(game) and (ours is None or must_join_other(ours, game.offer))
        ]
        return min(fitting, key=lambda offer: (offer.created_ms, offer.digest), default=None)

    def _is_free(self, game: FoundGame) -> bool:
        offer = game.offer
        return (
            game.phase is Phase.OPEN
            and game.incompatibility is None
            # A host that was killed has left its offer behind.
            and game.has_live_host
            and offer.host != self._us
            and offer.expires_ms > SYSTEM_CLOCK.now_ms()
            and offer.digest not in self._excluded
            and not self._is_known(offer.digest)
            and self._accepts_rating(self._terms.ratings, offer.host)
            and self._accepts_rating(read_range(offer.name), self._us)
        )

    def _accepts_rating(self, wanted: RatingRange | None, node: str) -> bool:
        return wanted is None or self._find_rating(node) in wanted

    def _is_still_open(self, offer: Offer) -> bool:
        game = None if self._finder is None else self._finder.games.get((offer.name, offer.host))
        if game is None or game.session is None or game.offer.digest != offer.digest:
            return False
        join = game.session.ledger.join
        return join is None or join.author == self._us
