"""Challenges that come to a node: each is taken, declined with a reason, or ignored."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.letters import written
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.session.handshake import check_offer
from ataxxd_protocol.messages import Challenge, Decline

# How many answers are remembered; who forgets one might answer twice.
_MOST_ANSWERS = 4096


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a challenge is not taken.

    Attributes:
        code: namespaced, such as ``challenge/busy``; SPEC.md, section 6, has them.
        reason: for people, in ASCII.
        text: what a person adds, in any characters.
    """

    code: str
    reason: str
    text: str | None = None


BUSY = "challenge/busy"
RULESET = "challenge/ruleset"
CLOCK = "challenge/clock"
TERMS = "challenge/terms"
CLOSED = "challenge/closed"
UNWANTED = "challenge/unwanted"

Judge: TypeAlias = Callable[[Challenge], Refusal | None]
"""Says why a challenge, which holds and which this program can play, is not taken; or None."""
Take: TypeAlias = Callable[[Challenge], None]
"""Begins to play a challenge, which is to join its offer; must not wait."""


class IncomingChallenges:
    """Answers the challenges to this node and to its groups."""

    def __init__(
        self,
        messenger: Messenger,
        judge: Judge,
        take: Take,
        *,
        has: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """A incoming that hears nothing yet.

        Args:
            messenger: ours, which must run beside.
            judge: says whether one is taken. It is asked again when it is our turn in a group.
            take: is told of each that is.
            has: whether a game, by its id, was taken in an earlier run; a challenge to it is
                left alone, for the game itself answers it.
        """
        self.taken = 0
        self.declined = 0
        self._messenger = messenger
        self._judge = judge
        self._take = take
        self._has = has
        self._groups: dict[str, Membership] = {}
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._forget = messenger.on(Challenge, self._on_challenge)

    async def open(self, memberships: Mapping[str, Membership] | None = None) -> None:
        """Hear challenges from now on.

        Args:
            memberships: the groups whose calls we answer, by their names; joined already.

        Raises:
            TransportError: the broker does not let us read them.
        """
        self._groups = dict(memberships or {})
        await self._messenger.read_post()

    def close(self) -> None:
        """Hear none any more."""
        self._forget()

    def _on_challenge(self, challenge: Challenge) -> None:
        if self._has(challenge.offer.digest):
            return
        if challenge.group is None:
            self._answer(challenge, aloud=True)
        elif (group := self._groups.get(challenge.group)) is not None:
            self._messenger.spawn(self._answer_call(challenge, group), "a call")

    async def _answer_call(self, challenge: Challenge, group: Membership) -> None:
        # Where all members hear a call, one that cannot take it leaves it to the next.
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
        if refusal is None:
            self.taken += 1
            self._take(challenge)
            return
        self.declined += 1
        if aloud:
            self._messenger.spawn(
                self._messenger.send(declined(self._messenger, challenge, refusal)), "a decline"
            )

    def _refusal(self, challenge: Challenge) -> Refusal | None:
        try:
            check_offer(challenge.offer)
        except RemoteProtocolError as error:
            code = RULESET if error.code == "handshake/ruleset" else TERMS
            return Refusal(code, _line(str(error)))
        return self._judge(challenge)

    def _is_first(self, digest: str) -> bool:
        if digest in self._answered:
            return False
        self._answered[digest] = None
        if len(self._answered) > _MOST_ANSWERS:
            self._answered.popitem(last=False)
        return True


def declined(messenger: Messenger, challenge: Challenge, refusal: Refusal) -> Decline:
    """The letter that tells a challenger why."""
    return written(
        messenger.key,
        Decline,
        to=challenge.author,
        answers=challenge.digest,
        code=refusal.code,
        reason=_line(refusal.reason),
        text=refusal.text,
    )


def _line(text: str) -> str:
    """The text as a message may carry it."""
    return re.sub(r"[^ -~]", "?", text)[:512]
