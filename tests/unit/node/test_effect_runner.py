"""What a session answers is kept before it is said, in its order, whoever is in a hurry."""

import asyncio
from collections.abc import Iterable, Sequence

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.effect_runner import EffectRunner
from ataxxd.node.journal import StoredGame
from ataxxd.session.events import Effect, Send
from ataxxd.session.state import Role
from ataxxd_protocol.messages import AnyLogMessage, Chat, Consent, Statement
from tests.conformance.games import Pair


class SlowJournal:
    """Takes its time, and tells what it has."""

    def __init__(self) -> None:
        self.kept: list[AnyLogMessage] = []
        self._keeping: list[tuple[asyncio.Future[None], list[AnyLogMessage]]] = []

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._keeping.append((future, [message for _, message in messages]))
        return future

    def ages_ms(self, game: StoredGame) -> list[tuple[Role, int]]:
        return []

    def store_refusals(self, game: StoredGame, answers: Sequence[tuple[Consent, Chat]]) -> None:
        raise AssertionError("nobody refuses anything here")

    def store_request(self, game: StoredGame, request: Consent) -> None:
        raise AssertionError("nobody asks for anything here")

    def store_statement(self, game: StoredGame, statement: Statement) -> None:
        raise AssertionError("nobody is a witness here")

    def store_resignation(self, game: StoredGame, *, held: bool) -> None:
        raise AssertionError("nobody resigns here")

    def finish(self, error: Exception | None = None) -> None:
        future, messages = self._keeping.pop(0)
        if error is not None:
            future.set_exception(error)
        else:
            self.kept += messages
            future.set_result(None)


class Said:
    """What was said, and an effect runner that says it."""

    def __init__(self) -> None:
        self.pair = Pair.started()
        self.journal = SlowJournal()
        self.messages: list[object] = []
        stored = StoredGame(1, Role.HOST, self.pair.offer, {}, finished=False)
        self.runner = EffectRunner(
            self.journal, stored, on_kept=lambda _: None, on_effect=self._say
        )

    def act(self) -> "asyncio.Task[None]":
        """A player moves, and the host's effects of it are on their way."""
        before = len(self.pair.effects[Role.HOST])
        self.pair.play(self.pair.host.ledger.position.legal_moves[0].text)
        effects = self.pair.effects[Role.HOST][before:]
        return asyncio.create_task(self.runner.carry_out(effects))

    async def _say(self, effect: Effect) -> None:
        if isinstance(effect, Send):
            assert effect.message in self.journal.kept
            self.messages.append(effect.message)


@pytest.fixture
def said() -> Said:
    """A game that has begun; the host moves first."""
    return Said()


async def soon() -> None:
    """Let everything that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_nothing_is_said_before_it_is_kept(said: Said) -> None:
    task = said.act()
    await soon()
    assert not said.messages
    said.journal.finish()
    await task
    assert len(said.messages) == 1


async def test_what_is_cancelled_while_it_is_kept_is_said_all_the_same(said: Said) -> None:
    task = said.act()
    await soon()
    task.cancel()
    await soon()
    assert not task.done()
    said.journal.finish()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(said.messages) == 1


async def test_what_is_cancelled_while_it_waits_for_its_turn_is_said_in_its_turn(
    said: Said,
) -> None:
    first, second, third = said.act(), said.act(), said.act()
    await soon()
    second.cancel()
    for _ in range(3):
        await soon()
        said.journal.finish()
    await first
    with pytest.raises(asyncio.CancelledError):
        await second
    await third
    assert [each.fields()["ply"] for each in said.journal.kept] == [1, 2, 3]
    assert said.messages == said.journal.kept[::2]  # ours


async def test_the_state_waits_for_all_that_the_session_knows(said: Said) -> None:
    first = said.act()
    await soon()
    waiting = asyncio.create_task(said.runner.wait_until_stored())
    await soon()
    second = said.act()  # after the state began to wait
    await soon()
    said.journal.finish()
    await soon()
    assert first.done()
    assert not waiting.done()
    said.journal.finish()
    await second
    assert await waiting


async def test_after_a_failure_nothing_is_said_any_more(said: Said) -> None:
    first, second = said.act(), said.act()
    await soon()
    said.journal.finish(StorageError("the disk is full"))
    with pytest.raises(StorageError):
        await first
    await second
    assert not said.messages
    assert not await said.runner.wait_until_stored()
