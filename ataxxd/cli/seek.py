"""``ataxxd seek``: say what game you would like, and meet whoever would like the same."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ataxxd.cli.commands.play import SeekOptions
from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.host import game_to_offer
from ataxxd.cli.options import StartOptions
from ataxxd.cli.say import say
from ataxxd.cli.seat import notifications, opened_node, seat_settings, take_seat
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.errors import HostSilent, Incompatible, NobodyCame, SeatTaken
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms, as_text
from ataxxd.node.seeking import GivesWay, RatingRange, Seeker, Wish, Withdrawn, new_name
from ataxxd.node.series import Player
from ataxxd.session.state import UNDER_WAY, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.known_ratings import KnownRatings
from ataxxd_protocol.messages import Offer

# An offer stands so long before it is made anew: what is left behind does not stay for long.
_LASTS_MS = 15 * 60_000


async def run(options: SeekOptions) -> ExitCode:
    """Seek a game, and play the first person who seeks the same."""
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
    wish = Wish(first, side, agreed, wanted)
    ways = notifications(options.seat.notify)
    async with opened_node(options.home, settings) as (node, broker):
        profile = node.profile
        ruleset = wish.first.start.ruleset

        @cache
        def ratings() -> KnownRatings:
            return KnownRatings.read(profile.home, profile.journal, SYSTEM_CLOCK.now_ms(), say)

        if wish.ratings is not None:
            ratings()
        seeker = Seeker(
            wish,
            node.id,
            rating=lambda other: ratings().rating(other, ruleset),
            known=lambda game: profile.journal.find(game) is not None,
        )
        seat = _Seat(wish, node, broker, seeker, ways)
        async with seeker.opened(node.place.connect, profile.names):
            try:
                return await seat.play(await seeker.look())
            except asyncio.CancelledError:
                if not seat.has_begun:
                    say("The seek is withdrawn.")
                raise


class _Seat:
    """Our seat in whatever game comes of a wish."""

    def __init__(
        self,
        wish: Wish,
        node: Node,
        broker: ChosenBroker,
        seeker: Seeker,
        notifications: Notifications,
    ) -> None:
        self._wish = wish
        self._node = node
        self._seeker = seeker
        self._game: NetworkGame | None = None
        self._sit = partial(
            take_seat,
            node,
            broker,
            ruleset=wish.first.start.ruleset,
            passing=True,
            notifications=notifications,
        )

    @property
    def has_begun(self) -> bool:
        """Whether there is a game."""
        return self._game is not None and self._game.has_begun

    async def play(self, found: Offer | None) -> ExitCode:
        """Play the first game that comes of it.

        Args:
            found: the seek to join; None to put up one of ours.
        """
        while True:
            try:
                return await (self._wait() if found is None else self._join(found))
            except GivesWay as error:
                if (ours := self._taken()) is not None:
                    return await self._go_on(ours)
                found = error.offer
            except NobodyCame:
                if self.has_begun:
                    raise
            except (Withdrawn, SeatTaken, HostSilent, Incompatible):
                if self.has_begun or found is None:
                    raise
                self._seeker.give_up(found)
                say("That seek is gone. Looking further.")
                found = await self._seeker.look(0)

    async def _join(self, offer: Offer) -> ExitCode:
        who = self._node.profile.names.shown(offer.host, whole=True)
        say(f'{who} seeks the same game. Joining "{offer.name}" ({offer.ruleset}).')
        if terms := as_text(offer, us=self._node.id):
            say(f"Terms: {terms}.")
        return await self._sit(
            lambda player: self._keep(self._node.join_game(offer, player=player)),
            role=Role.GUEST,
            meanwhile=lambda: self._until_begun(self._seeker.until_withdrawn(offer)),
        )

    async def _wait(self) -> ExitCode:
        def take(player: Player) -> NetworkGame:
            return self._keep(
                self._node.new_game(
                    new_name(self._wish.ratings),
                    self._wish.first,
                    color=self._wish.color,
                    terms=self._wish.terms,
                    lasts_ms=_LASTS_MS,
                    player=player,
                )
            )

        def meanwhile() -> Coroutine[Any, Any, None]:
            assert self._game is not None, "the seat is taken"
            return self._until_begun(self._seeker.until_another_fits(self._game.offer))

        return await self._sit(
            take, role=Role.HOST, announce=_announce, meanwhile=meanwhile, new=True
        )

    async def _until_begun(self, waiting: Coroutine[Any, Any, None]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            if self.has_begun:
                self._seeker.stop()
            raise

    def _taken(self) -> StoredGame | None:
        """Our own seek, if somebody has come in the moment in which it was given up."""
        assert self._game is not None, "it gives way"
        journal, offer = self._node.profile.journal, self._game.offer
        stored = journal.find(offer.digest, Role.HOST)
        under_way = stored is not None and journal.ledger(stored).phase in UNDER_WAY
        return stored if under_way else None

    async def _go_on(self, stored: StoredGame) -> ExitCode:
        return await self._sit(
            lambda player: self._keep(self._node.take_up(stored, player=player)), role=Role.HOST
        )

    def _keep(self, game: NetworkGame) -> NetworkGame:
        self._game = game
        return game


def _announce(game: NetworkGame) -> None:
    say(f'No seek to join yet. Yours is listed as "{game.name}".')
    if game.terms:
        say(f"Terms: {game.terms}.")
    say("Waiting for an opponent; Ctrl-C withdraws it.")
