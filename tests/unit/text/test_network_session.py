"""The line language as the manual player of a game whose other seat is remote."""

import asyncio
import os
from collections.abc import Iterator

import pytest

from ataxxd.rules import Position
from ataxxd_clients.text.console import DescriptorLines
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.linked import LinkedTable, linked_tables
from tests.unit.text.playing import RED_WINS_IN_ONE, RULESET, Played, run

START = Position.start(RULESET)


class Pipe:
    """A pipe that a test writes lines into."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.source = DescriptorLines(self.reading)

    def write(self, text: str) -> None:
        os.write(self.writing, text.encode())

    def hang_up(self) -> None:
        os.close(self.writing)
        self.writing = -1

    def close(self) -> None:
        os.close(self.reading)
        if self.writing >= 0:
            os.close(self.writing)


@pytest.fixture
def red() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


@pytest.fixture
def blue() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def both(
    ends: tuple[LinkedTable, LinkedTable],
    red: Pipe,
    blue: Pipe,
    options: SessionOptions | None = None,
) -> tuple["asyncio.Task[Played]", "asyncio.Task[Played]"]:
    one = asyncio.create_task(run(ends[0], red.source, options))
    two = asyncio.create_task(run(ends[1], blue.source, options))
    return one, two


async def test_each_side_sees_the_moves_of_the_other_as_it_sees_those_of_an_ai(
    red: Pipe, blue: Pipe
) -> None:
    red.write("a7-b6\ng1-f2\n")
    red.hang_up()
    blue.write("g1-f2\ng7-f6\n")
    first, second = both(linked_tables(START), red, blue, SessionOptions(patience_s=0))
    one = await first
    blue.write("quit\n")
    two = await second
    assert two.errors[0].startswith("g1-f2 is not legal")
    assert one.messages == ["* Blue moves g7-f6."]
    assert two.messages == ["* Red moves a7-b6.", "* Red moves g1-f2."]


async def test_both_sides_print_the_result_of_a_whole_game(red: Pipe, blue: Pipe) -> None:
    red.write("f6-e6\ne6-f5\n")
    blue.write("g7-g5\n")
    ends = linked_tables(Position.from_text(RULESET, RED_WINS_IN_ONE))
    one, two = await asyncio.gather(*both(ends, red, blue, SessionOptions(leaves_when_over=True)))
    assert one.messages == ["* Blue moves g7-g5.", "* Red wins."]
    assert two.messages == ["* Red moves f6-e6.", "* Red moves e6-f5.", "* Red wins."]


async def test_a_line_is_obeyed_only_after_the_other_side_has_moved(red: Pipe) -> None:
    here, there = linked_tables(START)
    red.write("a7-b6\ndump\nquit\n")
    session = asyncio.create_task(run(here, red.source))
    await there.advance()
    await there.play(there.position.parse_move("g7-f6"))
    played = await session
    assert played.out.splitlines()[:2] == ["* Blue moves g7-f6.", "==="]
    assert "  - r - - - b -\n" in played.out


@pytest.mark.parametrize("word", ["quit", "q", "Quit"])
async def test_whoever_quits_need_not_wait_for_its_turn(red: Pipe, word: str) -> None:
    here, _ = linked_tables(START)
    red.write(f"a7-b6\n{word}\n")
    assert (await run(here, red.source)).code == 0
    assert len(here.moves) == 1


async def test_whoever_quits_need_not_wait_for_the_move_that_was_typed_before(red: Pipe) -> None:
    here, _ = linked_tables(START)
    red.write("a7-b6\nb6-c5\ndump\nquit\n")
    played = await run(here, red.source, SessionOptions(prompts=True))
    assert len(here.moves) == 1
    assert played.err.endswith("since it was not your turn yet: b6-c5, dump\n")


async def test_what_was_typed_before_its_time_is_obeyed_in_its_turn(red: Pipe) -> None:
    here, there = linked_tables(START)
    red.write("a7-b6\nb6-c5\n")
    session = asyncio.create_task(run(here, red.source, SessionOptions(prompts=True)))
    await there.advance()
    await there.play(there.position.parse_move("g7-f6"))
    while len(there.moves) < 3:
        await there.advance()
    red.write("quit\n")
    played = await session
    assert len(here.moves) == 3
    assert not played.errors


async def test_the_last_word_of_a_script_waits_until_its_moves_are_answered(red: Pipe) -> None:
    here, there = linked_tables(START)
    red.write("a7-b6\nquit\n")
    red.hang_up()
    session = asyncio.create_task(run(here, red.source, SessionOptions(patience_s=1e6)))
    await there.advance()
    await there.play(there.position.parse_move("g7-f6"))
    assert (await session).messages == ["* Blue moves g7-f6."]


@pytest.mark.parametrize(
    "line", ["new", "undo", "clear", "block c3", "auto red", "manual blue", "seed 4"]
)
async def test_what_only_offline_play_has_is_an_error_that_says_why(red: Pipe, line: str) -> None:
    here, _ = linked_tables(START)
    red.write(f"{line}\nboard\nquit\n")
    played = await run(here, red.source)
    assert "network game" in played.errors[0]
    assert here.moves == ()


async def test_undo_is_answered_in_the_word_that_was_typed_and_in_that_of_a_network_game(
    red: Pipe,
) -> None:
    here, _ = linked_tables(START)
    red.write("undo\nquit\n")
    told = (await run(here, red.source)).errors[0]
    assert told.startswith("undo is not possible in a network game, nor is takeback now: nobody ")
    here.takebacks = True
    red.write("undo\nquit\n")
    told = (await run(here, red.source)).errors[0]
    assert told.endswith("your opponent has a say too: type takeback to ask for it.")


async def test_a_resignation_reaches_both_sides(red: Pipe, blue: Pipe) -> None:
    red.write("resign\n")
    ends = linked_tables(START)
    one, two = await asyncio.gather(*both(ends, red, blue, SessionOptions(leaves_when_over=True)))
    assert one.messages == two.messages == ["* Blue wins."]


async def test_news_reaches_a_person_who_is_asked_for_a_move(red: Pipe) -> None:
    here, _ = linked_tables(START)
    session = asyncio.create_task(run(here, red.source, SessionOptions(prompts=True)))
    here.notify("your opponent is back")
    await here.told.wait()
    red.write("quit\n")
    played = await session
    assert "Your opponent is back.\n" in played.err
    assert played.out.endswith("Red: ")


async def test_a_resignation_from_afar_is_told_while_a_line_is_awaited(red: Pipe) -> None:
    here, there = linked_tables(START)
    session = asyncio.create_task(run(here, red.source, SessionOptions(leaves_when_over=True)))
    for _ in range(5):
        await asyncio.sleep(0)
    there.concede()
    assert (await session).messages == ["* Red wins."]


async def test_input_that_hung_up_leaves_a_game_that_waits_for_the_other_side(red: Pipe) -> None:
    here, _ = linked_tables(START)
    red.write("a7-b6\n")
    red.hang_up()
    played = await run(here, red.source, SessionOptions(patience_s=0))
    assert played.code == 0
    assert len(here.moves) == 1


async def test_a_line_that_came_before_the_hang_up_is_still_obeyed(red: Pipe) -> None:
    here, there = linked_tables(START)
    red.write("a7-b6\ndump\n")
    red.hang_up()
    session = asyncio.create_task(run(here, red.source, SessionOptions(patience_s=0)))
    await there.advance()
    await there.play(there.position.parse_move("g7-f6"))
    assert "===" in (await session).out
