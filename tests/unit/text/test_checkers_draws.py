"""Draws at an offline table of checkers: offered by people and machines, answered, taken back."""

import pytest

from ataxxd.engines import HIGHEST_LEVEL
from ataxxd.engines.base import AlphaBetaBot, FirstBot
from ataxxd.node.local_game import LocalGame
from ataxxd.node.players import bot_for
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.transcript import read_transcript, write_transcript
from ataxxd.session.events import DrawAsked, DrawRefused, Moved, Over, Seat, TableEvent
from tests.unit.text.playing import local_table, run

CHECKERS = "checkers/cs61b-2004"
# One king each, far apart: nobody can win.
TWO_KINGS = "B:WK32:BK1"
SHUFFLE = ("1-6", "32-27", "6-1", "27-32")


def dead_table(*, machine: Side) -> LocalGame:
    """A table whose game leads nowhere, one side a machine."""
    start = Position.from_text(CHECKERS, TWO_KINGS)
    table = LocalGame(start, dict.fromkeys(Side, AlphaBetaBot(2)), seats={machine: Seat.AUTO})
    table.new(start, [Move("checkers", word) for word in SHUFFLE * 2])
    return table


async def events(table: LocalGame, count: int) -> list[TableEvent]:
    return [await table.advance() for _ in range(count)]


async def test_two_machines_at_a_dead_end_agree_on_a_draw() -> None:
    start = Position.from_text(CHECKERS, TWO_KINGS)
    table = LocalGame(
        start,
        dict.fromkeys(Side, AlphaBetaBot(3)),
        seats=dict.fromkeys(Side, Seat.AUTO),
    )
    while not isinstance(event := await table.advance(), Over):
        assert isinstance(event, Moved | DrawAsked)
    assert event.outcome == Outcome("draw-agreed", None)
    assert len(table.moves) < 80


async def test_a_machine_moves_after_its_draw_was_rejected() -> None:
    table = dead_table(machine=Side.FIRST)
    assert await table.advance() == DrawAsked(Side.FIRST)
    await table.answer_draw(accept=False)
    assert await table.advance() == DrawRefused(Side.SECOND)
    assert isinstance(await table.advance(), Moved)
    assert table.record.refused == (8,)


async def test_a_machine_accepts_a_draw_where_the_game_leads_nowhere() -> None:
    table = dead_table(machine=Side.SECOND)
    await table.offer_draw()
    asked, over = await events(table, 2)
    assert asked == DrawAsked(Side.FIRST)
    assert over == Over(Outcome("draw-agreed", None))


async def test_a_rejected_draw_is_in_the_transcript_until_it_is_taken_back() -> None:
    table = local_table(None, seats={}, ruleset=CHECKERS)
    table.fill(Side.SECOND, Seat.HUMAN)
    await run(table, "11-15\ndraw\nreject\n24-20\ndraw\nreject\n8-11")
    text = write_transcript(table.record)
    assert text == "1. 11-15 draw\n1. reject 24-20\n2. draw reject\n2. 8-11\n"
    assert read_transcript(text) == table.record
    table.undo()
    assert list(table.record.refused) == [1]
    table.undo()
    assert write_transcript(table.record) == "1. 11-15\n"
    table.new()
    assert list(table.record.refused) == []


@pytest.mark.parametrize(
    ("level", "name"), [(0, "random"), (1, "auto@1"), (42, f"auto@{HIGHEST_LEVEL}")]
)
def test_every_level_that_is_no_negative_number_plays(level: int, name: str) -> None:
    bot = bot_for("auto", level)
    assert bot is not None
    assert bot.name == name


class Agreeable(FirstBot):
    """Thinks that any draw is good enough."""

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        return True


async def test_a_machine_accepts_no_draw_before_twenty_moves_of_each_side() -> None:
    position, moves = Position.start(CHECKERS), []
    for _ in range(41):
        moves.append(position.legal_moves[0])
        position = position.play(moves[-1])
    assert position.outcome is None
    table = LocalGame(
        Position.start(CHECKERS), dict.fromkeys(Side, Agreeable()), seats={Side.SECOND: Seat.AUTO}
    )
    for made, answer in ((38, DrawRefused(Side.SECOND)), (40, Over(Outcome("draw-agreed", None)))):
        table.new(None, moves[:made])
        await table.offer_draw()
        assert await events(table, 2) == [DrawAsked(Side.FIRST), answer]


async def test_a_game_that_goes_on_keeps_the_draws_that_were_rejected() -> None:
    text = "1. 11-15 draw\n1. reject 24-20\n2. draw reject\n"
    begun = read_transcript(text)
    table = local_table(None, seats={Side.SECOND: Seat.HUMAN}, ruleset=CHECKERS)
    table.new(begun.start, begun.moves, begun.refused)
    assert write_transcript(table.record) == text
    played = await run(table, "draw\nresign\n8-11\n")
    assert len(played.errors) == 2
    assert all("now you must move" in error for error in played.errors)
    assert write_transcript(table.record) == f"{text}2. 8-11\n"
    table.undo()
    assert list(table.record.refused) == [1]
