"""The bots of a serving node: they join offered games, and answer challenges and questions.

The node's card says what they take.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ataxxd.engines import HIGHEST_LEVEL
from ataxxd.engines.native import EnginePool, PooledBot
from ataxxd.errors import AtaxxdError, TransportError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.messaging.calls import Analysts, Membership
from ataxxd.node.messaging.challenges import IncomingChallenges, OnAnswer
from ataxxd.node.messaging.letters import BUSY, CLOSED, Refusal
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.node import Node
from ataxxd.node.profile import Profile
from ataxxd.node.thinking import Budget, SearchScheduler
from ataxxd.rules import Position, SearchResult, rulesets
from ataxxd.serve.games import Games
from ataxxd.serve.plan import BotPlan, Load, Plan
from ataxxd.session.state import Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Transport
from ataxxd_protocol.messages import Challenge, Offer

_log = logging.getLogger(__name__)


class Bots:
    """Chooses a bot for a game, and seats it.

    Attributes:
        plan: the present plan.
        closed: whether no more games are taken.
        joined_count: the number of games taken so far.
    """

    def __init__(self, node: Node, games: Games, plan: Plan) -> None:
        """Create the bots of a node.

        Args:
            node: this node.
            games: runs the games.
            plan: names the bots.
        """
        self.plan = plan
        self.closed = False
        self.joined_count = 0
        self._node = node
        self._games = games

    def choose_bot(self, offer: Offer, bots: Iterable[BotPlan] | None) -> BotPlan | Refusal:
        """The bot that takes a game, or why none does.

        Args:
            offer: a valid offer that has not expired.
            bots: the bots to ask; all if None.
        """
        if self.closed:
            return Refusal(CLOSED, "this node is about to stop")
        answer = Refusal(CLOSED, "no bot is here")
        for bot in self.plan.bots if bots is None else bots:
            declined = bot.policy.check(offer, offer.host, self._load(bot, offer.host))
            if declined is None:
                return bot
            answer = declined
        return answer

    def join(self, offer: Offer, bot: BotPlan) -> bool:
        """Join a game; returns False if it cannot be joined."""
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
            self._games.start(settings, offer.ruleset, take, bot.greeting)
        except AtaxxdError as error:
            _log.warning("%s: %s", offer.name, error)
            return False
        self.joined_count += 1
        return True

    def count_playing(self, bot: BotPlan) -> int:
        """How many games a bot is playing."""
        return self._load(bot, "").games

    def count_free(self, bot: BotPlan) -> int:
        """How many more games a bot would take."""
        return 0 if self.closed else max(bot.policy.at_once - self.count_playing(bot), 0)

    def join_open_games(self, finder: GameFinder) -> None:
        """Join open games that fit, for the bots that do so unasked.

        Games that they will not join are dismissed, to make room for others.
        """
        bots = [bot for bot in self.plan.bots if bot.open_offers]
        now_ms = SYSTEM_CLOCK.now_ms()
        for game in tuple(finder.games.values()):
            answer: BotPlan | Refusal | None = None
            if self._is_free(game) and game.offer.expires_ms > now_ms:
                answer = self.choose_bot(game.offer, bots)
            if isinstance(answer, BotPlan):
                self.join(game.offer, answer)
            elif answer is not None and answer.code == BUSY:
                continue
            finder.dismiss(game)

    def _is_free(self, game: FoundGame) -> bool:
        us = self._node.id
        return (
            game.incompatibility is None
            and game.phase is Phase.OPEN
            and game.offer.host != us
            and game.offer.access in (None, us)
        )

    def _load(self, bot: BotPlan, peer: str) -> Load:
        games = [game for game in self._games.with_plan_key(bot.key) if game.is_under_way]
        return Load(len(games), sum(game.peer == peer for game in games))


# The greatest number on a card, and the most rulesets.
_MAX_COUNT, _MAX_RULESETS = 99_999, 32


class ChallengeHandler:
    """Handles the challenges to a serving node; `run` must run beside it."""

    def __init__(
        self,
        profile: Profile,
        line: Transport,
        bots: Bots,
        engines: EnginePool,
        scheduler: SearchScheduler,
        on_challenge: OnAnswer,
    ) -> None:
        """Begin with nothing sent or answered.

        Args:
            profile: the node's profile.
            line: an open transport that nobody else reads; its connection's will is
                `ataxxd.node.messaging.messenger.card_will`.
            bots: judge challenges, and take them.
            engines: the pool of engines for requests for analysis.
            scheduler: decides when these are searched.
            on_challenge: called with each challenge that is answered.
        """
        self._bots = bots
        self._engines = engines
        self._scheduler = scheduler
        self._messenger = Messenger(line, profile.key)
        self._incoming = IncomingChallenges(
            self._messenger, self._check, self._on_taken, on_answer=on_challenge
        )
        self._memberships: dict[str, Membership] = {}
        self._analysts: list[Analysts] = []
        self._planned: Plan | None = None

    @property
    def declined_count(self) -> int:
        """The number of challenges declined so far."""
        return self._incoming.declined

    async def run(self) -> None:
        """Receive letters, for ever.

        Raises:
            TransportError: nothing can be sent to the broker.
        """
        await self._messenger.run()

    async def arrange(self, plan: Plan) -> None:
        """Publish the card, and take challenges, as planned and as places are free.

        Raises:
            TransportError: the broker does not let us read our letters.
        """
        if plan is not self._planned:
            await self._open(plan)
            self._planned = plan
        for bot in plan.bots:
            # The broker passes a group's calls only to members that listen.
            wanted = self._bots.count_free(bot) > 0 or bot.analysis_nodes > 0
            await self._memberships[bot.group].listen(wanted)
        if plan.bots:
            self._messenger.card.publish(**self._card_fields(plan))

    async def close(self) -> None:
        """Withdraw the card, and take no more challenges."""
        self._incoming.close()
        with suppress(TransportError), plain_errors():
            async with asyncio.TaskGroup() as group:
                for membership in self._memberships.values():
                    group.create_task(membership.leave())
            await self._messenger.card.withdraw()

    async def _open(self, plan: Plan) -> None:
        for analysts in self._analysts:
            analysts.close()
        for membership in self._memberships.values():
            await membership.leave()
        self._memberships = {
            bot.group: Membership(self._messenger, bot.group, members=bot.members)
            for bot in plan.bots
        }
        self._analysts = [
            Analysts(
                self._messenger,
                {bot.group: self._memberships[bot.group]},
                self._search,
                max_nodes=bot.analysis_nodes,
            )
            for bot in plan.bots
            if bot.analysis_nodes
        ]
        if not plan.bots:
            await self._messenger.card.withdraw()
            return
        await self._messenger.read_cards()
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                for membership in self._memberships.values():
                    group.create_task(membership.join())
        await self._incoming.open(self._memberships)
        _log.info("challenges are heard: groups %s", ", ".join(self._memberships))

    def _check(self, challenge: Challenge) -> Refusal | None:
        answer = self._bots.choose_bot(challenge.offer, self._challenged_bots(challenge))
        return answer if isinstance(answer, Refusal) else None

    def _on_taken(self, challenge: Challenge) -> None:
        bot = self._bots.choose_bot(challenge.offer, self._challenged_bots(challenge))
        if isinstance(bot, BotPlan):
            self._bots.join(challenge.offer, bot)

    def _challenged_bots(self, challenge: Challenge) -> list[BotPlan]:
        return [bot for bot in self._bots.plan.bots if challenge.group in (None, bot.group)]

    def _card_fields(self, plan: Plan) -> dict[str, object]:
        known = [info.id for info in rulesets()]
        played = {ruleset for bot in plan.bots for ruleset in (bot.policy.rulesets or known)}
        fields: dict[str, object] = {
            "name": plan.name,
            "kind": "bot",
            "groups": [bot.group for bot in plan.bots],
            "rulesets": sorted(played)[:_MAX_RULESETS],
            "free": min(sum(map(self._bots.count_free, plan.bots)), _MAX_COUNT),
            "playing": min(sum(map(self._bots.count_playing, plan.bots)), _MAX_COUNT),
        }
        if nodes := max(bot.analysis_nodes for bot in plan.bots):
            fields["nodes"] = nodes
        if plan.text:
            fields["text"] = plan.text
        return fields

    async def _search(self, position: Position, nodes: int) -> SearchResult:
        bot = PooledBot(HIGHEST_LEVEL, self._engines)
        return await self._scheduler.think(
            bot, lambda ms: bot.search(position, nodes, time_ms=ms), Budget
        )
