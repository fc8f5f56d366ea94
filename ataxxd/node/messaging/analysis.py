"""Analysis over calls: a group is asked about a position, and one member answers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

from ataxxd.node.errors import NobodyAnswers
from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.letters import written
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.receiving import Buckets, Rate
from ataxxd.rules import Position, RulesError, SearchResult
from ataxxd_protocol.messages import Analyse, Analysis

# Seconds after which a question that nobody answered is repeated.
REPEAT_S = 5.0
# Questions of one author that are answered; and how many authors are remembered.
AUTHOR = Rate(16, 1)
_MOST_AUTHORS = 512
_LONGEST_LINE, _MOST_SCORE = 64, 1_000_000

Search: TypeAlias = Callable[[Position, int], Awaitable[SearchResult]]
"""Looks for the best move in a position, visiting so many positions at most."""


async def ask(
    messenger: Messenger, group: str, position: Position, nodes: int, *, seconds: float
) -> Analysis:
    """Ask a group about a position; the first answer that holds counts.

    Args:
        messenger: ours, which must run beside.
        group: its name.
        position: one in which the game goes on.
        nodes: positions to visit, at most.
        seconds: how long to wait.

    Raises:
        NobodyAnswers: no member answered.
        TransportError: the broker can be told nothing.
    """
    now_ms = messenger.clock.now_ms()
    question = written(
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

    def read(analysis: Analysis) -> None:
        ours = analysis.answers == question.digest and not answer.done()
        if ours and _is_legal(position, analysis):
            answer.set_result(analysis)

    forget = messenger.on(Analysis, read)
    unawait = messenger.await_answers(question.digest, None)
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
            "who analyses: ataxxd players. Members may be busy: ask again, or wait longer."
        )
    return answer.result()


class Analysts:
    """Our part in answering a group's questions: bounded work for each, and for each author.

    Attributes:
        answered: questions so far.
    """

    def __init__(
        self,
        messenger: Messenger,
        groups: Mapping[str, Membership],
        search: Search,
        *,
        most_nodes: int,
        at_once: int = 1,
    ) -> None:
        """Answer from now on, while the messenger runs.

        Args:
            messenger: ours.
            groups: those whose questions we answer, by their names; joined already.
            search: does the work.
            most_nodes: positions visited for one question, whatever it asks for.
            at_once: questions worked on at a time; others are left to other members.
        """
        self.answered = 0
        self._messenger = messenger
        self._groups = groups
        self._search = search
        self._most_nodes = most_nodes
        self._at_once = at_once
        self._working = 0
        self._authors = Buckets(_MOST_AUTHORS, messenger.clock.monotonic)
        self._forget = messenger.on(Analyse, self._on_question)

    def close(self) -> None:
        """Answer no more."""
        self._forget()

    def _on_question(self, question: Analyse) -> None:
        group = self._groups.get(question.group)
        if group is not None and self._working < self._at_once:
            self._messenger.spawn(self._answer(question, group), "a question")

    async def _answer(self, question: Analyse, group: Membership) -> None:
        position = _position_of(question)
        if position is None or not await group.is_ours(question):
            return
        # Both are asked for only now: others may have been quicker while we waited our turn.
        if self._working >= self._at_once or not self._authors.take(question.author, AUTHOR):
            return
        self._working += 1
        try:
            result = await self._search(position, min(question.nodes, self._most_nodes))
        finally:
            self._working -= 1
        await self._messenger.send(_answer_to(self._messenger, question, result))
        self.answered += 1


def _position_of(question: Analyse) -> Position | None:
    """The position that is asked about; None when there is nothing to say."""
    try:
        position = Position.from_text(question.ruleset, question.position)
    except RulesError:
        return None
    goes_on = position.outcome is None and position.text == question.position
    return position if goes_on else None


def _answer_to(messenger: Messenger, question: Analyse, result: SearchResult) -> Analysis:
    return written(
        messenger.key,
        Analysis,
        to=question.author,
        answers=question.digest,
        score=max(-_MOST_SCORE, min(result.score, _MOST_SCORE)),
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
