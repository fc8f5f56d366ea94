"""Calls to a group: which member takes a challenge or a request for analysis.

If the broker has shared subscriptions, it chooses a member for each call. Otherwise every member
hears every call, and they decide by claims: the first in the ranking claims at once, each later one
after a pause without a claim from a better one. See SPEC.md, section 13.3.
"""

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from ataxxd.errors import TransportError
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NobodyAnswers
from ataxxd.node.messaging.letters import make_letter
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.receiving import Buckets, Rate
from ataxxd.rules import Position, RulesError, SearchResult
from ataxxd.transport.base import SubscriptionRefused
from ataxxd_protocol.messages import Analyse, Analysis, CallClaim, Card, Challenge

# Seconds that each rank waits for a claim by the one before; within which a call that is heard
# again counts as the same; and that a broker has to return our probe, once it has accepted it.
STEP_S, ECHO_S, PROBE_S = 0.3, 2.0, 2.0
# Seconds that a broker has to accept the probe.
_BROKER_ANSWER_S = 10.0
# How many calls are remembered.
_MAX_CALLS = 1024


@dataclass(slots=True)
class _Call:
    """The state of one call.

    Attributes:
        heard_at: when it came last, in seconds of the monotonic clock; None if only claims have
            come so far, which may overtake it.
        claims: the members that have claimed it since then.
        missed: the members that claimed it before, and did not take it.
        is_ours: whether we have taken it.
    """

    heard_at: float | None = None
    claims: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    is_ours: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Membership:
    """Our membership of a group: listens to its calls, and decides which ones we take.

    Attributes:
        group: its name.
        by_turns: whether the broker chooses a member for each call; None until `join` knows.
    """

    def __init__(
        self, messenger: Messenger, group: str, *, members: AbstractSet[str] | None = None
    ) -> None:
        """Become a member; `join` begins to listen.

        Args:
            messenger: this node's.
            group: its name.
            members: the only nodes that belong to it; if None, all whose cards say so.
        """
        self.group = group
        self.by_turns: bool | None = None
        self._messenger = messenger
        self._members = members
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._listening = False
        self._unsubscribe = messenger.on(CallClaim, self._on_claim)

    async def join(self) -> None:
        """Find out what the broker supports, and begin to listen.

        The messenger must be running.

        Raises:
            TransportError: the broker does not let us read calls.
        """
        self.by_turns = await supports_sharing(self._messenger, self.group)
        if not self.by_turns:
            await self._messenger.read_cards()
        await self.listen(True)

    async def listen(self, wanted: bool) -> None:
        """Begin or stop to listen; the broker does not choose a member that does not."""
        if self.by_turns is None or wanted == self._listening:
            return
        self._listening = wanted
        if wanted:
            await self._messenger.read_calls(self.group, by_turns=self.by_turns)
        # Otherwise keep listening: claims come on the same topics, and a member that hears them
        # knows which calls have been taken when it is free again.
        elif self.by_turns:
            await self._messenger.stop_reading_calls(self.group, by_turns=True)

    async def leave(self) -> None:
        """Leave the group."""
        self._unsubscribe()
        if self.by_turns is not None:
            await self._messenger.stop_reading_calls(self.group, by_turns=self.by_turns)

    async def is_ours(self, call: Challenge | Analyse) -> bool:
        """Whether this member is the one to take a call; may wait for the other members.

        Raises:
            TransportError: a claim cannot be published.
        """
        state = self._consider(call.digest)
        if state is None:
            return False
        if not self.by_turns and not await self._is_our_turn(call, state):
            return False
        state.is_ours = True
        return True

    def _consider(self, digest: str) -> _Call | None:
        """The call, if it is to be considered now; else None."""
        now = self._messenger.clock.monotonic()
        state = self._call_state(digest)
        if state.heard_at is None:
            state.heard_at = now
            return state
        if state.is_ours or now - state.heard_at < ECHO_S:
            return None
        # It was repeated, so the members that claimed it have not taken it.
        state.heard_at = now
        state.missed |= state.claims
        state.claims.clear()
        return state

    def _call_state(self, digest: str) -> _Call:
        state = self._calls.setdefault(digest, _Call())
        if len(self._calls) > _MAX_CALLS:
            self._calls.popitem(last=False)
        return state

    async def _is_our_turn(self, call: Challenge | Analyse, state: _Call) -> bool:
        us = self._messenger.key.node
        others = self._others(call) - state.missed - {call.author, us}
        order = rank_members(call.digest, others | {us})
        rank = order.index(us)
        worse = frozenset(order[rank + 1 :])
        with suppress(TimeoutError):
            async with asyncio.timeout(rank * STEP_S):
                while rank and not state.claims - worse:
                    state.news.clear()
                    await state.news.wait()
        if state.claims - worse:
            return False
        claim = make_letter(self._messenger.key, CallClaim, group=self.group, call=call.digest)
        await self._messenger.send(claim)
        return True

    def _others(self, call: Challenge | Analyse | None = None) -> set[str]:
        """The other members; with `call`, only those that can take it according to their cards."""
        able = partial(_is_able, call) if call is not None else lambda _: True
        members = self._messenger.cards.members(self.group, able)
        return members if self._members is None else members & self._members

    def _on_claim(self, claim: CallClaim) -> None:
        if claim.group != self.group or claim.author == self._messenger.key.node:
            return
        if claim.author in self._others():
            state = self._call_state(claim.call)
            state.claims.add(claim.author)
            state.news.set()


def _is_able(call: Challenge | Analyse, card: Card) -> bool:
    return card.free > 0 if isinstance(call, Challenge) else card.nodes is not None


async def supports_sharing(messenger: Messenger, group: str) -> bool:
    """Whether the broker really supports shared subscriptions.

    Many brokers take ``$share/…`` for an ordinary topic: they grant it, and deliver nothing.

    Args:
        messenger: this node's, which must be running.
        group: any group; its members ignore the test message.
    """
    share, nothing = f"probe-{secrets.token_hex(8)}", secrets.token_hex(32)
    came = asyncio.Event()

    def on_claim(claim: CallClaim) -> None:
        if claim.author == messenger.key.node and claim.call == nothing:
            came.set()

    forget = messenger.on(CallClaim, on_claim)
    try:
        # A slow broker may share, too: the wait begins when it has accepted the probe.
        with suppress(TimeoutError):
            async with asyncio.timeout(_BROKER_ANSWER_S):
                await messenger.read_own_calls(group, share, wanted=True)
                await messenger.send(
                    make_letter(messenger.key, CallClaim, group=group, call=nothing)
                )
                await messenger.drain()
        async with asyncio.timeout(PROBE_S):
            await came.wait()
    except (TimeoutError, SubscriptionRefused):
        return False
    finally:
        forget()
        with suppress(TransportError):
            await messenger.read_own_calls(group, share, wanted=False)
    return True


def rank_members(call: str, members: Iterable[str]) -> list[str]:
    """The members in the order in which they take a call.

    By rendezvous hashing (highest random weight): each call has its own order, which does not
    change among the others if a member comes or goes.

    Args:
        call: the digest of the call.
        members: their node ids.
    """

    def weight(member: str) -> bytes:
        return hashlib.sha256(f"{call}\n{member}".encode()).digest()

    return sorted(set(members), key=weight, reverse=True)


# Seconds after which a question that nobody answered is repeated.
REPEAT_S = 5.0
# Budget for the questions of one author; and how many authors are remembered.
AUTHOR = Rate(16, 1)
_MAX_AUTHORS = 512
_LONGEST_LINE, _MAX_SCORE = 64, 1_000_000

Search: TypeAlias = Callable[[Position, int], Awaitable[SearchResult]]
"""Searches for the best move in a position; the number is the most positions to visit."""


async def ask_group(
    messenger: Messenger, group: str, position: Position, nodes: int, *, seconds: float
) -> Analysis:
    """Ask a group to analyse a position; the first valid answer counts.

    Args:
        messenger: this node's, which must be running.
        group: its name.
        position: one in which the game is not over.
        nodes: the most positions to search.
        seconds: how long to wait.

    Raises:
        NobodyAnswers: no member answered.
        TransportError: the question cannot be sent.
    """
    now_ms = messenger.clock.now_ms()
    question = make_letter(
        messenger.key,
        Analyse,
        group=group,
        ruleset=position.ruleset,
        position=position.text,
        nodes=nodes,
        at_ms=now_ms,
        expires_ms=now_ms + int(seconds * 1000),
    )
    answer: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()

    def on_analysis(analysis: Analysis) -> None:
        ours = analysis.answers == question.digest and not answer.done()
        if ours and _is_legal(position, analysis):
            answer.set_result(analysis)

    forget = messenger.on(Analysis, on_analysis)
    unawait = messenger.expect_answers(question.digest, None)
    try:
        await messenger.read_post()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not answer.done():
                    await messenger.send(question)
                    await asyncio.wait({answer}, timeout=REPEAT_S)
    finally:
        forget()
        unawait()
    if not answer.done():
        raise NobodyAnswers(
            f'Nobody of the group "{group}" answered within {seconds:g} s. See who is there, and '
            f"who analyses: `{command_line('players')}`. Members may be busy: ask again, or "
            "wait longer."
        )
    return answer.result()


class Analysts:
    """Answers a group's requests for analysis, with bounded work per request and per author.

    Attributes:
        answered: how many requests were answered so far.
    """

    def __init__(
        self,
        messenger: Messenger,
        groups: Mapping[str, Membership],
        search: Search,
        *,
        max_nodes: int,
        at_once: int = 1,
    ) -> None:
        """Answer requests from now on, while the messenger runs.

        Args:
            messenger: this node's.
            groups: the groups whose requests we answer, by name; already joined.
            search: does the work.
            max_nodes: the most positions searched for one request, whatever it asks for.
            at_once: requests worked on at a time; further ones are left to other members.
        """
        self.answered = 0
        self._messenger = messenger
        self._groups = groups
        self._search = search
        self._max_nodes = max_nodes
        self._at_once = at_once
        self._working = 0
        self._authors = Buckets(_MAX_AUTHORS, messenger.clock.monotonic)
        self._unsubscribe = messenger.on(Analyse, self._on_question)

    def close(self) -> None:
        """Stop answering."""
        self._unsubscribe()

    def _on_question(self, question: Analyse) -> None:
        group = self._groups.get(question.group)
        if group is not None and self._working < self._at_once:
            self._messenger.spawn(self._answer(question, group), "a question")

    async def _answer(self, question: Analyse, group: Membership) -> None:
        position = _read_position(question)
        if position is None or not await group.is_ours(question):
            return
        # Check both only now: other requests may have come first while we waited for our turn.
        if self._working >= self._at_once or not self._authors.take(question.author, AUTHOR):
            return
        self._working += 1
        try:
            result = await self._search(position, min(question.nodes, self._max_nodes))
        finally:
            self._working -= 1
        await self._messenger.send(_make_analysis(self._messenger, question, result))
        self.answered += 1


def _read_position(question: Analyse) -> Position | None:
    """The position of a question; None if it is not valid, or the game is over in it."""
    try:
        position = Position.from_text(question.ruleset, question.position)
    except RulesError:
        return None
    goes_on = position.outcome is None and position.text == question.position
    return position if goes_on else None


def _make_analysis(messenger: Messenger, question: Analyse, result: SearchResult) -> Analysis:
    return make_letter(
        messenger.key,
        Analysis,
        to=question.author,
        answers=question.digest,
        score=max(-_MAX_SCORE, min(result.score, _MAX_SCORE)),
        mate_in=result.mate_in,
        line=[move.text for move in result.pv[:_LONGEST_LINE]] or [result.move.text],
        depth=result.depth,
        nodes=result.nodes,
    )


def _is_legal(position: Position, analysis: Analysis) -> bool:
    try:
        for text in analysis.line:
            move = position.parse_move(text)
            position = position.play(move)
            if move.text != text:
                return False
    except RulesError:
        return False
    return True
