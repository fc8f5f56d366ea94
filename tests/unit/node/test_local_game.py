"""The offline table: seats, thinking, taking back, and what is told when."""

import asyncio
import threading

import pytest

from ataxxd.engines.base import FirstBot, RandomBot, ReproducibleBot
from ataxxd.engines.native import NativeBot
from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Game
from ataxxd.node.local_game import LocalGame
from ataxxd.rules import IllegalMoveError, Move, Outcome, Position, Side
from ataxxd.session.events import Moved, Notice, Over, Seat

RULESET = "ataxx/cs61b-2022"
START = Position.start(RULESET)
# Red wins with g6-g7 (no Blue piece is left); Blue is next to it.
MATE_IN_ONE = Position.from_text(RULESET, "6o/5x1/7/7/7/7/7 x 0 20")
AUTO_BLUE = {Side.SECOND: Seat.AUTO}


class BlockingBot:
    """A real choice, but one that waits until it is let go or stopped."""

    name = "blocking"

    def __init__(self) -> None:
        self.started = threading.Event()
        self.let_go = threading.Event()
        self.calls = 0

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        self.calls += 1
        self.started.set()
        self.let_go.wait()
        return position.legal_moves[0]

    def stop(self) -> None:
        self.let_go.set()


def table(start: Position = START, **options: object) -> LocalGame:
    bots = options.pop("bots", {side: FirstBot() for side in Side})
    return LocalGame(start, bots, **options)  # type: ignore[arg-type]


def idle(board: Game) -> bool:
    return board.idle


def over(board: Game) -> bool:
    return board.outcome is not None


async def play(board: Game, text: str) -> None:
    await board.play(board.position.parse_move(text))


async def test_a_move_of_a_human_is_reported_with_the_position_it_was_played_in() -> None:
    board = table()
    assert idle(board)
    await play(board, "a7-a5")
    assert not idle(board)
    event = await board.advance()
    assert event == Moved(Side.FIRST, Move("ataxx", "a7a5"), START, Seat.HUMAN, 1)
    assert idle(board)
    assert [move.text for move in board.moves] == ["a7a5"]
    assert board.start == START


async def test_the_machine_answers_when_advance_is_awaited() -> None:
    board = table(seats=AUTO_BLUE)
    await play(board, "a7-b6")
    await board.advance()
    assert not idle(board)
    event = await board.advance()
    assert isinstance(event, Moved)
    assert (event.side, event.seat) == (Side.SECOND, Seat.AUTO)
    assert idle(board)


async def test_an_illegal_move_changes_nothing() -> None:
    board = table()
    with pytest.raises(IllegalMoveError):
        await board.play(Move("ataxx", "d4"))
    assert board.position == START
    assert idle(board)


async def test_nobody_moves_for_the_machine() -> None:
    board = table(seats={Side.FIRST: Seat.AUTO})
    with pytest.raises(LocalProtocolError, match="computer"):
        await play(board, "a7-b6")
    two = table(seats=dict.fromkeys(Side, Seat.AUTO))
    with pytest.raises(LocalProtocolError, match="computer"):
        await two.resign()


async def test_a_person_resigns_while_the_machine_thinks() -> None:
    board = table(seats={Side.FIRST: Seat.AUTO})
    await board.resign()
    assert await board.advance() == Over(Outcome("resignation", Side.FIRST))
    assert idle(board)
    assert board.moves == ()
    with pytest.raises(LocalProtocolError, match="over"):
        await board.resign()


async def test_the_end_is_reported_once_and_again_after_undo_and_the_same_move() -> None:
    board = table(MATE_IN_ONE)
    for _ in range(2):
        await play(board, "g6")
        assert isinstance(await board.advance(), Moved)
        assert await board.advance() == Over(Outcome("no-pieces", Side.FIRST))
        assert idle(board)
        with pytest.raises(LocalProtocolError, match="over"):
            await board.play(Move("ataxx", "a1"))
        assert board.undo() == Move("ataxx", "g6")
        assert board.position == MATE_IN_ONE
        assert not over(board)


async def test_a_move_taken_back_before_it_was_told_is_not_told() -> None:
    board = table(MATE_IN_ONE)
    await play(board, "f5")
    await play(board, "g6")
    board.undo()
    assert isinstance(await board.advance(), Moved)
    assert idle(board)


async def test_undo_without_moves_is_refused() -> None:
    board = table()
    with pytest.raises(LocalProtocolError, match="nothing to undo"):
        board.undo()
    assert board.position == START


async def test_a_resignation_ends_the_game_and_can_be_taken_back() -> None:
    board = table()
    await play(board, "a7-b6")
    await board.resign()
    await board.advance()
    assert await board.advance() == Over(Outcome("resignation", Side.FIRST))
    assert board.outcome == Outcome("resignation", Side.FIRST)
    board.undo()
    assert not over(board)
    assert board.position == START
    await board.resign()
    assert board.undo() is None
    assert not over(board)
    assert idle(board)


async def test_a_new_game_keeps_the_seats_and_forgets_the_rest() -> None:
    board = table(MATE_IN_ONE, seats=AUTO_BLUE)
    await play(board, "g6")
    board.new()
    assert board.position == START
    assert board.moves == ()
    assert idle(board)
    assert board.seat(Side.SECOND) is Seat.AUTO
    board.new(MATE_IN_ONE)
    assert board.start == MATE_IN_ONE


async def test_a_start_that_is_over_is_reported_as_over() -> None:
    over = Position.from_text(RULESET, "xxxxxxx/7/7/7/7/7/7 o 0 9")
    board = table(over, seats=AUTO_BLUE)
    assert await board.advance() == Over(Outcome("no-pieces", Side.FIRST))
    assert idle(board)


async def test_advance_waits_for_a_human_and_wakes_when_one_moves() -> None:
    board = table()
    waiting = asyncio.create_task(board.advance())
    await asyncio.sleep(0)
    assert not waiting.done()
    await play(board, "a7-b6")
    assert isinstance(await waiting, Moved)


async def test_advance_wakes_when_the_human_on_turn_becomes_a_machine() -> None:
    board = table()
    waiting = asyncio.create_task(board.advance())
    await asyncio.sleep(0)
    board.fill(Side.FIRST, Seat.AUTO)
    event = await waiting
    assert isinstance(event, Moved)
    assert event.seat is Seat.AUTO


async def test_a_cancelled_advance_stops_the_thinking_and_loses_nothing() -> None:
    bot = BlockingBot()
    board = table(bots={Side.FIRST: bot}, seats={Side.FIRST: Seat.AUTO})
    waiting = asyncio.create_task(board.advance())
    await asyncio.to_thread(bot.started.wait)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert board.moves == ()
    assert isinstance(await board.advance(), Moved)
    assert bot.calls == 2


@pytest.mark.parametrize("edit", ["new", "fill", "reseed"])
async def test_a_thought_under_way_is_dropped_when_the_table_is_changed(edit: str) -> None:
    bot = BlockingBot()
    board = table(bots={Side.FIRST: bot}, seats={Side.FIRST: Seat.AUTO})
    waiting = asyncio.create_task(board.advance())
    await asyncio.to_thread(bot.started.wait)
    if edit == "new":
        board.new(MATE_IN_ONE)
    elif edit == "fill":
        board.fill(Side.FIRST, Seat.HUMAN)
        await play(board, "a7-b6")
    else:
        board.reseed(9)
    event = await waiting
    assert isinstance(event, Moved)
    expected = {"new": MATE_IN_ONE, "fill": START, "reseed": START}[edit]
    assert event.before == expected
    assert event.seat is (Seat.HUMAN if edit == "fill" else Seat.AUTO)
    assert bot.calls == (1 if edit == "fill" else 2)


class LateBot(BlockingBot):
    """One that forgets the first word to stop, as an engine whose search only begins."""

    def __init__(self) -> None:
        super().__init__()
        self._told = False

    def stop(self) -> None:
        if self._told:
            super().stop()
        self._told = True


@pytest.mark.parametrize("word", ["hurry", "undo"])
async def test_a_thought_that_begins_as_it_is_stopped_ends_all_the_same(word: str) -> None:
    bot = LateBot()
    board = table(bots={Side.SECOND: bot}, seats=AUTO_BLUE)
    await play(board, "a7-b6")
    await board.advance()
    waiting = asyncio.create_task(board.advance())
    await asyncio.to_thread(bot.started.wait)
    if word == "undo":
        board.undo()
        await play(board, "a7-b6")
    else:
        board.hurry()
        assert isinstance(await waiting, Notice)
        waiting = asyncio.create_task(board.advance())
    assert isinstance(await waiting, Moved)
    assert bot.let_go.is_set()


async def test_cancelling_a_long_search_ends_it() -> None:
    board = table(bots={Side.FIRST: NativeBot(10)}, seats={Side.FIRST: Seat.AUTO})
    waiting = asyncio.create_task(board.advance())
    for _ in range(3):
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert board.moves == ()


async def test_the_machine_of_a_seed_plays_the_same_game_again() -> None:
    async def game(seed: int) -> list[str]:
        bots = {side: RandomBot() for side in Side}
        board = LocalGame(START, bots, seats=dict.fromkeys(Side, Seat.AUTO), seed=seed)
        while not isinstance(await board.advance(), Over):
            pass
        return [move.text for move in board.moves]

    assert await game(5) == await game(5)
    assert await game(5) != await game(6)


class SlowBot(FirstBot, ReproducibleBot):
    """A bot that a slow machine ends before it is done."""

    was_cut_short = True

    def make_reproducible(self) -> str | None:
        return "Something differs from run to run."


async def test_a_search_that_time_has_ended_is_told_and_what_a_seed_cannot_repeat() -> None:
    board = table(bots={Side.FIRST: SlowBot()}, seats={Side.FIRST: Seat.AUTO})
    told = await board.advance()
    assert isinstance(told, Notice)
    assert "ended by time." in told.text
    assert isinstance(await board.advance(), Moved)
    board.undo()
    board.reseed(5)
    assert await board.advance() == Notice("Something differs from run to run.")
    told = await board.advance()
    assert isinstance(told, Notice)
    assert "the same seed may give another game" in told.text


async def test_a_bot_that_fails_is_heard_of_and_the_table_goes_on() -> None:
    class FailingBot(FirstBot):
        def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
            raise RuntimeError("out of order")

    board = table(bots={Side.FIRST: FailingBot()}, seats={Side.FIRST: Seat.AUTO})
    with pytest.raises(RuntimeError, match="out of order"):
        await board.advance()
    board.fill(Side.FIRST, Seat.HUMAN)
    await play(board, "a7-b6")
    assert isinstance(await board.advance(), Moved)


async def test_a_seat_that_nobody_can_fill_is_refused() -> None:
    board = table(bots={})
    with pytest.raises(ValueError, match="no bot"):
        board.fill(Side.FIRST, Seat.AUTO)
    with pytest.raises(ValueError, match="network"):
        board.fill(Side.FIRST, Seat.REMOTE)


async def test_redo_makes_again_what_undo_took_back_until_another_move_is_made() -> None:
    board = table()
    await play(board, "a7-b6")
    await play(board, "a1-a2")
    after = board.position
    with pytest.raises(LocalProtocolError, match="nothing to redo"):
        board.redo()
    assert board.undo() == board.undone[-1] == Move("ataxx", "a2")
    assert board.undo() == Move("ataxx", "b6")
    assert [move.text for move in board.undone] == ["a2", "b6"]
    assert board.redo() == Move("ataxx", "b6")
    assert board.redo() == Move("ataxx", "a2")
    assert board.position == after
    with pytest.raises(LocalProtocolError, match="nothing to redo"):
        board.redo()
    board.undo()
    await play(board, "g7-g6")
    assert board.undone == ()
    board.undo()
    board.new()
    with pytest.raises(LocalProtocolError, match="nothing to redo"):
        board.redo()


async def test_a_win_that_is_made_again_is_reported_again() -> None:
    board = table(MATE_IN_ONE)
    await play(board, "f6-g6")
    await board.advance()
    assert isinstance(await board.advance(), Over)
    board.undo()
    assert not over(board)
    board.redo()
    assert isinstance(await board.advance(), Over)
    assert idle(board)
