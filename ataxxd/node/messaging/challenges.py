"""Challenges: incoming ones are taken, declined or ignored; our own wait for an answer."""

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.errors import RemoteProtocolError
from ataxxd.nicknames import player_name
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NoSuchPlayer
from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.letters import RULESET, TERMS, Refusal, decline_error, make_letter
from ataxxd.node.messaging.messenger import Messenger, find_cards_named
from ataxxd.node.names import NameBook
from ataxxd.node.receiving import Recent
from ataxxd.session.handshake import check_offer
from ataxxd_protocol import encode
from ataxxd_protocol.messages import Card, Challenge, Decline, Offer
from ataxxd_protocol.signing import NODE_ID_LENGTH

# How many answered challenges are remembered, so that none is answered twice.
_MAX_ANSWERS = 4096

CheckChallenge: TypeAlias = Callable[[Challenge], Refusal | None]
"""Returns why a valid challenge that this program can play is declined; None to take it."""
OnAnswer: TypeAlias = Callable[[Challenge, Refusal | None], None]
"""Called with a challenge that was answered, and why it was declined; None if it was taken."""
TakeChallenge: TypeAlias = Callable[[Challenge], None]
"""Takes a challenge by joining its offer; must not block."""


class IncomingChallenges:
    """Answers the challenges to this node and to its groups."""

    def __init__(
        self,
        messenger: Messenger,
        check: CheckChallenge,
        take: TakeChallenge,
        *,
        is_known: Callable[[str], bool] = lambda _: False,
        on_answer: OnAnswer = lambda *_: None,
    ) -> None:
        """Prepare to answer challenges; `open` begins.

        Args:
            messenger: this node's, which must be running.
            check: decides whether to take a challenge; asked again when it is our turn in a group.
            take: called with each challenge that is taken.
            is_known: whether a game, by its id, was taken in an earlier run; its challenge is
                ignored, since the game itself answers it.
            on_answer: called with each challenge that we answer.
        """
        self.taken = 0
        self.declined = 0
        self._messenger = messenger
        self._check = check
        self._take = take
        self._is_known = is_known
        self._on_answer = on_answer
        self._groups: dict[str, Membership] = {}
        self._answered: Recent[str, None] = Recent(_MAX_ANSWERS)
        self._unsubscribe = messenger.on(Challenge, self._on_challenge)

    async def open(self, memberships: Mapping[str, Membership] | None = None) -> None:
        """Receive challenges from now on.

        Args:
            memberships: the groups whose calls we answer, by name; already joined.

        Raises:
            TransportError: the broker does not let us read them.
        """
        self._groups = dict(memberships or {})
        await self._messenger.read_post()

    def close(self) -> None:
        """Stop receiving challenges."""
        self._unsubscribe()

    def _on_challenge(self, challenge: Challenge) -> None:
        if self._is_known(challenge.offer.digest):
            return
        if challenge.group is None:
            self._answer(challenge, aloud=True)
        elif (group := self._groups.get(challenge.group)) is not None:
            self._messenger.spawn(self._answer_call(challenge, group), "a call")

    async def _answer_call(self, challenge: Challenge, group: Membership) -> None:
        # If all members hear the call, one that cannot take it silently leaves it to the next.
        aloud = bool(group.by_turns)
        if self._refusal(challenge) is None:
            if await group.is_ours(challenge):
                self._answer(challenge, aloud=aloud)
        elif aloud:
            self._answer(challenge, aloud=True)

    def _answer(self, challenge: Challenge, *, aloud: bool) -> None:
        if not self._is_first(challenge.digest):
            return
        refusal = self._refusal(challenge)
        if refusal is None or aloud:
            self._on_answer(challenge, refusal)
        if refusal is None:
            self.taken += 1
            self._take(challenge)
            return
        self.declined += 1
        if aloud:
            self._messenger.spawn(
                self._messenger.send(make_decline(self._messenger, challenge, refusal)), "a decline"
            )

    def _refusal(self, challenge: Challenge) -> Refusal | None:
        try:
            check_offer(challenge.offer)
        except RemoteProtocolError as error:
            code = RULESET if error.code == "handshake/ruleset" else TERMS
            return Refusal(code, _ascii_line(str(error)))
        return self._check(challenge)

    def _is_first(self, digest: str) -> bool:
        if digest in self._answered:
            return False
        self._answered.put(digest, None)
        return True


def make_decline(messenger: Messenger, challenge: Challenge, refusal: Refusal) -> Decline:
    """The letter that declines a challenge, with the reason."""
    return make_letter(
        messenger.key,
        Decline,
        to=challenge.author,
        answers=challenge.digest,
        code=refusal.code,
        reason=_ascii_line(refusal.reason),
        text=refusal.text,
    )


def _ascii_line(text: str) -> str:
    """The text as a message may carry it."""
    return re.sub(r"[^ -~]", "?", text)[:512]


# Seconds to look for cards; to keep looking for another once one is found; and after which a
# challenge that nobody answered is repeated.
SEARCH_S, SETTLE_S, REPEAT_S = 1.5, 0.3, 5.0
# The most members of a group whose refusals are reported; anybody may claim to be a member.
_MAX_REFUSALS = 16


@dataclass(frozen=True, slots=True)
class Challenged:
    """The recipient of a challenge: a player or a group.

    Attributes:
        node: its id; None for a group.
        group: its name; None for a node.
        cards: the cards seen, of the node or of the group's members.
        display_name: the node as people read it; if None, the name on its card.
    """

    node: str | None
    group: str | None
    cards: tuple[Card, ...] = ()
    display_name: str | None = None

    @property
    def card_name(self) -> str | None:
        """The name on the first of the cards; None without a card."""
        return self.cards[0].name if self.cards else None

    @property
    def title(self) -> str:
        """The recipient as people read it."""
        if self.node is None:
            return f"the group {self.group}"
        return self.display_name or player_name(self.node, self.card_name, whole=True)

    @property
    def is_bot(self) -> bool:
        """Whether a program plays: a group, or a bot by its card. It takes no witnesses."""
        return self.group is not None or any(card.kind == "bot" for card in self.cards)

    def find_obstacle(self, ruleset: str) -> str | None:
        """Why it may not take a game now, according to the cards; None without a reason."""
        if not self.cards:
            return None
        if not any(ruleset in (card.rulesets or ()) for card in self.cards):
            return f"{self.title} does not say that it plays {ruleset}."
        if not any(card.free for card in self.cards):
            return f"{self.title} has no game free at the moment."
        return None


async def find_challenged(
    messenger: Messenger, text: str, seconds: float = SEARCH_S, *, names: NameBook
) -> Challenged:
    """Find the player or group that a person means.

    A player's nickname is learnt from then on, whether or not the challenge is answered.

    Args:
        messenger: this node's, which must be running.
        text: a group's name, a name on a card, a nickname, a node's id or the beginning of one.
        seconds: how long to look, unless the whole id is given.
        names: the nicknames known here.

    Raises:
        NoSuchPlayer: no player, or several; the text says who is there.
    """
    node = text.replace("-", "").lower()
    await messenger.ask_for_cards()
    whole = len(node) == NODE_ID_LENGTH
    cards = await _search(messenger, seconds, lambda live: bool(_find_cards(live, text)))
    members = [card for card in cards if text in (card.groups or ())]
    if members:
        return Challenged(None, text, tuple(members))
    by_card = {card.author: card for card in find_cards_named(cards, text)}
    nodes = (
        [node]
        if whole and not by_card
        else [*dict.fromkeys([*by_card, *_find_by_nickname(names, text)])]
    )
    theirs = [(each, [card for card in cards if card.author == each]) for each in nodes]
    shown = [
        names.display_name(each, card_name=own[0].name if own else None, full_id=True)
        for each, own in theirs
    ]
    if len(nodes) > 1:
        rows = "".join(f"\n  {each}" for each in shown)
        raise NoSuchPlayer(f'{len(nodes)} players are called "{text}". Say which by the id:{rows}')
    if not nodes:
        raise NoSuchPlayer(
            f'Nobody on this broker is called "{text}", and no id begins with that. See who is '
            f"there: `{command_line('players')}`. Somebody who is away is challenged by the "
            "whole id, or by a nickname that this node has met."
        )
    if messenger.introductions is not None:
        messenger.introductions.meet(nodes[0])
    return Challenged(nodes[0], None, tuple(theirs[0][1]), shown[0])


def _find_by_nickname(names: NameBook, nickname: str) -> list[str]:
    """The nodes known by a nickname, without those that took it from another node."""
    known = names.find_by_name(nickname.lower())
    return [node for node in known if not names.is_new_key(node)] or known


async def _search(
    messenger: Messenger, seconds: float, enough: Callable[[list[Card]], bool]
) -> list[Card]:
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    with suppress(TimeoutError):
        async with asyncio.timeout_at(deadline) as limit:
            while not enough(messenger.cards.live()):
                await messenger.wait_for_change()
            # Another player may have the same name.
            limit.reschedule(min(deadline, clock() + SETTLE_S))
            while True:
                await messenger.wait_for_change()
    return messenger.cards.live()


def _find_cards(cards: list[Card], text: str) -> list[Card]:
    return [card for card in cards if text in (card.groups or ())] or find_cards_named(cards, text)


class OutgoingChallenge:
    """A challenge that we send while its offer is open.

    Attributes:
        challenge: the letter.
    """

    def __init__(
        self,
        messenger: Messenger,
        challenged: Challenged,
        offer: Offer,
        *,
        text: str | None = None,
        on_decline: Callable[[Decline], None] = lambda _: None,
    ) -> None:
        """Write the challenge.

        Args:
            messenger: this node's, which must be running.
            challenged: the recipient.
            offer: our game, with the seat kept for the challenged node.
            text: our message with it.
            on_decline: called with each decline by a member of a group; other members may still
                take it.

        Raises:
            ValueError: the letter is longer than a message may be.
        """
        self.challenge = make_letter(
            messenger.key,
            Challenge,
            to=challenged.node,
            group=challenged.group,
            offer=offer.fields(),
            text=text,
        )
        encode(self.challenge)
        self._messenger = messenger
        self._challenged = challenged
        self._on_member_decline = on_decline
        self._refused: asyncio.Future[Decline] = asyncio.get_running_loop().create_future()
        self._refusals: set[str] = set()

    async def run(self) -> None:
        """Send it, and repeat it while nobody answers; to be cancelled when somebody has joined.

        Raises:
            ChallengeDeclined: the challenged node declined.
            TransportError: it cannot be sent.
        """
        forget = self._messenger.on(Decline, self._on_decline)
        unawait = self._messenger.expect_answers(self.challenge.digest, self._challenged.node)
        try:
            await self._messenger.read_post()
            while not self._refused.done():
                await self._messenger.send(self.challenge)
                await asyncio.wait({self._refused}, timeout=REPEAT_S)
        finally:
            forget()
            unawait()
        raise decline_error(self._challenged.title, self._refused.result())

    def _on_decline(self, decline: Decline) -> None:
        if decline.answers != self.challenge.digest or decline.author in self._refusals:
            return
        node = self._challenged.node
        if node is None:
            if len(self._refusals) < _MAX_REFUSALS:
                self._refusals.add(decline.author)
                self._on_member_decline(decline)
        elif decline.author == node and not self._refused.done():
            self._refused.set_result(decline)
