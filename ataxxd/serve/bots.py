"""The bots of a serving node: they take games that others offer, as far as they may."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from ataxxd.errors import AtaxxdError
from ataxxd.node.lobby import FoundGame, Lobby
from ataxxd.node.node import Node
from ataxxd.serve.games import Games
from ataxxd.serve.plan import BUSY, BotPlan, Decline, Load, Plan
from ataxxd.session.state import Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol.messages import Offer

_log = logging.getLogger(__name__)


class Takers:
    """Says which bot takes a game, and sits it down.

    Attributes:
        plan: what is planned now.
        closed: whether nothing is taken any more.
        taken: games taken so far.
    """

    def __init__(self, node: Node, games: Games, plan: Plan) -> None:
        """Bots of `node`.

        Args:
            node: this node.
            games: carries the games.
            plan: which bots there are.
        """
        self.plan = plan
        self.closed = False
        self.taken = 0
        self._node = node
        self._games = games

    def judge(self, offer: Offer, bots: Iterable[BotPlan] | None = None) -> BotPlan | Decline:
        """Who takes a game, or why nobody does.

        Args:
            offer: the game; it holds and has not expired.
            bots: those who are asked; all when None.
        """
        if self.closed:
            return Decline("challenge/closed", "this node is about to stop")
        answer = Decline("challenge/closed", "no bot is here")
        for bot in self.plan.bots if bots is None else bots:
            declined = bot.policy.judge(offer, offer.host, self._load(bot, offer.host))
            if declined is None:
                return bot
            answer = declined
        return answer

    def take(self, offer: Offer, bot: BotPlan) -> bool:
        """Join a game; False when it could not be."""
        settings = replace(
            self._node.settings,
            player=bot.player,
            level=bot.level,
            agrees=bot.agrees,
            transcript=self.plan.record_of(offer),
            served=bot.key,
        )
        try:
            if self._node.profile.journal.find(offer.digest) is not None:
                return False  # taken already
            take = partial(self._node.join_game, offer, settings)
            self._games.carry(settings, offer.ruleset, take, bot.greeting)
        except AtaxxdError as error:
            _log.warning("%s: %s", offer.name, error)
            return False
        self.taken += 1
        return True

    def playing(self, bot: BotPlan) -> int:
        """How many games a bot plays."""
        return self._load(bot, "").games

    def free(self, bot: BotPlan) -> int:
        """How many more games a bot would take."""
        return 0 if self.closed else max(bot.policy.at_once - self.playing(bot), 0)

    def look(self, lobby: Lobby) -> None:
        """Join open games that fit, for the bots that do so unasked.

        What they do not join, now or later, is dismissed, so that games enough come into view.
        """
        bots = [bot for bot in self.plan.bots if bot.open_offers]
        now_ms = SYSTEM_CLOCK.now_ms()
        for game in tuple(lobby.games.values()):
            answer: BotPlan | Decline | None = None
            if self._is_free(game) and game.offer.expires_ms > now_ms:
                answer = self.judge(game.offer, bots)
            if isinstance(answer, BotPlan):
                self.take(game.offer, answer)
            elif answer is not None and answer.code == BUSY:
                continue
            lobby.dismiss(game)

    def _is_free(self, game: FoundGame) -> bool:
        us = self._node.id
        return (
            game.misfit is None
            and game.phase is Phase.OPEN
            and game.offer.host != us
            and game.offer.access in (None, us)
        )

    def _load(self, bot: BotPlan, peer: str) -> Load:
        games = [game for game in self._games.of(bot.key) if game.under_way]
        return Load(len(games), sum(game.peer == peer for game in games))
