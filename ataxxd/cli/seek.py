"""``ataxxd seek``: play the first person who seeks the same."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ataxxd.cli.commands.play import SeekOptions
from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.host import game_to_offer
from ataxxd.cli.options import StartOptions
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import notifications, open_node, seat_settings, take_seat
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.errors import HostSilent, Incompatible, NobodyCame, SeatTaken
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms, describe_terms
from ataxxd.node.seeking import (
    BetterSeekError,
    RatingRange,
    Seeker,
    SeekTerms,
    SeekWithdrawnError,
    new_name,
)
from ataxxd.node.series import SeatPlayer
from ataxxd.session.state import UNDER_WAY, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol.messages import Offer

# How long an offer is valid before we renew it; short, so that an abandoned one soon expires.
_LASTS_MS = 15 * 60_000


async def run_seek(options: SeekOptions) -> ExitCode:
    """Seek a game, and play the first person who seeks the same."""
    from ataxxd.tournament.known_ratings import KnownRatings

    if options.rated and options.terms.grace == "never" and options.terms.clock == "none":
        raise UsageError("--rated: silence must end the game: give it a --clock or a --grace.")
    settings = replace(seat_settings(options.seat), broker=options.broker, starts_broker=False)
    agreed = Terms.read(
        options.terms.clock,
        options.terms.grace,
        takebacks=options.terms.takebacks and not options.rated,
    )
    first, side = game_to_offer(options, StartOptions(), settings)
    wanted = None if options.rating_range is None else RatingRange.parse(options.rating_range)
    wish = SeekTerms(first, side, agreed, wanted)
    ways = notifications(options.seat.notify)
    async with open_node(options.home, settings) as (node, broker):
        profile = node.profile
        ruleset = wish.first.start.ruleset

        @cache
        def ratings() -> KnownRatings:
            return KnownRatings.read(
                profile.home, profile.journal, SYSTEM_CLOCK.now_ms(), print_message
            )

        if wish.ratings is not None:
            ratings()
        seeker = Seeker(
            wish,
            node.id,
            find_rating=lambda other: ratings().rating_or_default(other, ruleset),
            is_known=lambda game: profile.journal.find(game) is not None,
        )
        seat = _SeekSeat(wish, node, broker, seeker, ways)
        async with seeker.running(node.place.connect, profile.names):
            try:
                return await seat.play(await seeker.find_oldest())
            except asyncio.CancelledError:
                if not seat.has_begun:
                    print_message("The seek is withdrawn.")
                raise


class _SeekSeat:
    """Our seat in the game that a seek leads to."""

    def __init__(
        self,
        terms: SeekTerms,
        node: Node,
        broker: ChosenBroker,
        seeker: Seeker,
        notifications: Notifications,
    ) -> None:
        self._terms = terms
        self._node = node
        self._seeker = seeker
        self._game: NetworkGame | None = None
        self._take_seat = partial(
            take_seat,
            node,
            broker,
            ruleset=terms.first.start.ruleset,
            passing=True,
            notifications=notifications,
        )

    @property
    def has_begun(self) -> bool:
        """Whether a game has begun."""
        return self._game is not None and self._game.has_begun

    async def play(self, found: Offer | None) -> ExitCode:
        """Play the first game that the seek leads to.

        Args:
            found: the seek to join; None to put up one of ours.
        """
        while True:
            try:
                return await (self._wait() if found is None else self._join(found))
            except BetterSeekError as error:
                if (ours := self._find_own_joined()) is not None:
                    return await self._resume(ours)
                found = error.offer
            except NobodyCame:
                if self.has_begun:
                    raise
            except (SeekWithdrawnError, SeatTaken, HostSilent, Incompatible):
                if self.has_begun or found is None:
                    raise
                self._seeker.exclude(found)
                print_message("That seek is gone. Looking further.")
                found = await self._seeker.find_oldest(0)

    async def _join(self, offer: Offer) -> ExitCode:
        who = self._node.profile.names.display_name(offer.host, full_id=True)
        print_message(f'{who} seeks the same game. Joining "{offer.name}" ({offer.ruleset}).')
        if terms := describe_terms(offer, us=self._node.id):
            print_message(f"Terms: {terms}.")
        return await self._take_seat(
            lambda player: self._remember(self._node.join_game(offer, player=player)),
            role=Role.GUEST,
            meanwhile=lambda: self._until_begun(self._seeker.wait_until_withdrawn(offer)),
        )

    async def _wait(self) -> ExitCode:
        def take_seat(player: SeatPlayer) -> NetworkGame:
            return self._remember(
                self._node.new_game(
                    new_name(self._terms.ratings),
                    self._terms.first,
                    color=self._terms.color,
                    terms=self._terms.terms,
                    lasts_ms=_LASTS_MS,
                    player=player,
                )
            )

        def meanwhile() -> Coroutine[Any, Any, None]:
            assert self._game is not None, "the seat is taken"
            return self._until_begun(self._seeker.wait_for_better_seek(self._game.offer))

        return await self._take_seat(
            take_seat, role=Role.HOST, announce=_announce, meanwhile=meanwhile, new=True
        )

    async def _until_begun(self, waiting: Coroutine[Any, Any, None]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            if self.has_begun:
                self._seeker.stop()
            raise

    def _find_own_joined(self) -> StoredGame | None:
        """Our own seek, if somebody joined it just as we gave it up."""
        assert self._game is not None, "it gives way"
        journal, offer = self._node.profile.journal, self._game.offer
        stored = journal.find(offer.digest, Role.HOST)
        under_way = stored is not None and journal.ledger(stored).phase in UNDER_WAY
        return stored if under_way else None

    async def _resume(self, stored: StoredGame) -> ExitCode:
        return await self._take_seat(
            lambda player: self._remember(self._node.resume_game(stored, player=player)),
            role=Role.HOST,
        )

    def _remember(self, game: NetworkGame) -> NetworkGame:
        self._game = game
        return game


def _announce(game: NetworkGame) -> None:
    print_message(f'No seek to join yet. Yours is listed as "{game.name}".')
    if game.terms:
        print_message(f"Terms: {game.terms}.")
    print_message("Waiting for an opponent; Ctrl-C withdraws it.")
