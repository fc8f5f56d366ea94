"""Challenges to this node, for a program to accept or decline."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

from ataxxd.node.messaging.challenges import IncomingChallenges, make_decline
from ataxxd.node.messaging.letters import BUSY, RULESET, UNWANTED, Refusal
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.offers import describe_terms
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Challenge as Letter
from ataxxd_protocol.messages import Offer

TakeSeat: TypeAlias = Callable[[Offer], AbstractAsyncContextManager[NetworkGame]]
"""Takes the seat that an offer keeps for us, while a block lasts."""


class Challenge:
    """Somebody asks us to join a game; `taken` or `decline` answers it."""

    def __init__(self, letter: Letter, inbox: "Challenges") -> None:
        """Wrap `letter`, a challenge that came in at `inbox`."""
        self._letter = letter
        self._inbox = inbox

    def __repr__(self) -> str:
        return f"<{type(self).__name__} by {grouped(self.challenger)}: {self.name}, {self.ruleset}>"

    @property
    def challenger(self) -> str:
        """The node id of the challenger, who hosts the game."""
        return self._letter.author

    @property
    def name(self) -> str:
        """The name of the game."""
        return self._letter.offer.name

    @property
    def ruleset(self) -> str:
        """The id of the rules, which this node knows."""
        return self._letter.offer.ruleset

    @property
    def terms(self) -> str:
        """The terms that taking it agrees to, in words; empty for the usual ones."""
        return describe_terms(self._letter.offer)

    @property
    def text(self) -> str | None:
        """The challenger's message with it; None without one."""
        return self._letter.text

    def taken(self) -> AbstractAsyncContextManager[NetworkGame]:
        """Take the challenge, and play the game from its start; as `Node.join`.

        Raises:
            SeatTaken: somebody else came first.
            HostSilent: the challenger is gone; `Node.resume` asks again.
            TransportError: the broker cannot be reached.
        """
        return self._inbox.accept(self._letter)

    async def decline(self, reason: str = "The player does not want this game.") -> None:
        """Decline the challenge.

        Args:
            reason: the reason for people, in ASCII.

        Raises:
            TransportError: the decline cannot be sent.
        """
        await self._inbox.send_decline(self._letter, reason)


class Challenges:
    """The challenges to this node, one after the other; made by `Node.challenges`.

    Challenges that the node has said it does not take are declined automatically: other
    rulesets, and more games than it plays at once.
    """

    def __init__(
        self,
        messenger: Messenger,
        take_seat: TakeSeat,
        *,
        name: str,
        rulesets: Sequence[str],
        at_once: int,
    ) -> None:
        """Prepare to receive challenges; `open` begins.

        Args:
            messenger: this node's, running, with a card.
            take_seat: takes the seat of a challenge.
            name: our name on the card.
            rulesets: the rulesets we take challenges in.
            at_once: how many games we play at a time.
        """
        self._messenger = messenger
        self._take_seat = take_seat
        self._name = name
        self._rulesets = tuple(rulesets)
        self._at_once = at_once
        self._playing = 0
        self._waiting: asyncio.Queue[Letter] = asyncio.Queue()
        self._undecided = 0
        self._incoming = IncomingChallenges(messenger, self._check, self._on_challenge)

    async def open(self) -> None:
        """Publish our card, and receive challenges from now on."""
        await self._messenger.read_cards()
        await self._incoming.open()
        self._publish_card()

    async def close(self) -> None:
        """Withdraw the card."""
        self._incoming.close()
        await self._messenger.card.withdraw()

    def __aiter__(self) -> "Challenges":
        return self

    async def __anext__(self) -> Challenge:
        return Challenge(await self._waiting.get(), self)

    @asynccontextmanager
    async def accept(self, letter: Letter) -> AsyncIterator[NetworkGame]:
        """Play the game of a challenge; see `Challenge.taken`."""
        self._on_decided(1)
        try:
            async with self._take_seat(letter.offer) as game:
                yield game
        finally:
            self._playing -= 1
            self._publish_card()

    async def send_decline(self, letter: Letter, reason: str) -> None:
        """Decline a challenge; see `Challenge.decline`."""
        self._on_decided(0)
        await self._messenger.send(make_decline(self._messenger, letter, Refusal(UNWANTED, reason)))

    def _check(self, letter: Letter) -> Refusal | None:
        if letter.offer.ruleset not in self._rulesets:
            return Refusal(RULESET, f"The player does not play {letter.offer.ruleset}.")
        if self._playing + self._undecided >= self._at_once:
            return Refusal(BUSY, f"The player plays {self._at_once} at a time already.")
        return None

    def _on_challenge(self, letter: Letter) -> None:
        self._undecided += 1
        self._waiting.put_nowait(letter)
        self._publish_card()

    def _on_decided(self, games: int) -> None:
        self._undecided -= 1
        self._playing += games
        self._publish_card()

    def _publish_card(self) -> None:
        free = max(0, self._at_once - self._playing - self._undecided)
        self._messenger.card.publish(
            name=self._name,
            kind="bot",
            rulesets=self._rulesets,
            free=free,
            playing=self._playing,
        )
