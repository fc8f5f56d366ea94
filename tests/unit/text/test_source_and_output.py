"""Reading lines without blocking, and writing them for programs that wait."""

import asyncio
import io
import os
import pty
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from ataxxd_clients.text.console import (
    LONGEST_LINE,
    DescriptorLines,
    Output,
    OutputClosedError,
)
from tests.unit.text.script_lines import ScriptLines


@pytest.fixture
def pipe() -> Iterator[tuple[int, IO[bytes]]]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as writer:
        yield reading, writer
    os.close(reading)


async def everything(source: DescriptorLines | ScriptLines) -> list[str]:
    lines = []
    while (line := await source.read()) is not None:
        lines.append(line)
    return lines


async def test_lines_come_whole_however_they_are_cut(pipe: tuple[int, IO[bytes]]) -> None:
    source = DescriptorLines(pipe[0])
    reading = asyncio.create_task(source.read())
    for byte in b"a7-b6\r\n":
        assert not reading.done()
        pipe[1].write(bytes([byte]))
        for _ in range(3):
            await asyncio.sleep(0)
    assert await reading == "a7-b6"


async def test_a_last_line_without_an_end_counts(pipe: tuple[int, IO[bytes]]) -> None:
    pipe[1].write(b"one\n\ntwo")
    pipe[1].close()
    assert await everything(DescriptorLines(pipe[0])) == ["one", "", "two"]


async def test_a_read_that_was_cancelled_loses_no_line(pipe: tuple[int, IO[bytes]]) -> None:
    source = DescriptorLines(pipe[0])
    reading = asyncio.create_task(source.read())
    await asyncio.sleep(0)
    reading.cancel()
    pipe[1].write(b"one\n")
    assert await source.read() == "one"
    source.close()


async def test_bytes_that_are_no_text_do_not_stop_the_reading(
    pipe: tuple[int, IO[bytes]],
) -> None:
    pipe[1].write(b"\xff\xfe\n\x00\ndump\n")
    pipe[1].close()
    assert (await everything(DescriptorLines(pipe[0])))[-1] == "dump"


async def test_a_flood_of_lines_arrives_in_order_and_complete(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    source = DescriptorLines(reading)
    expected = [str(number) for number in range(20_000)]

    def flood() -> None:
        with os.fdopen(writing, "w") as writer:
            writer.write("\n".join(expected))

    flooding = asyncio.create_task(asyncio.to_thread(flood))
    assert await everything(source) == expected
    await flooding
    os.close(reading)


async def test_of_an_endless_line_only_the_beginning_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 1_000_000 + b"\ndump\n")
    with path.open() as file:
        long, dump = await everything(DescriptorLines(file.fileno()))
    assert LONGEST_LINE < len(long) < 200_000
    assert dump == "dump"


@pytest.mark.parametrize("first", [b"", b"a7-b6", b"dump # ", b"auto "])
async def test_what_follows_many_blanks_is_not_lost(
    pipe: tuple[int, IO[bytes]], first: bytes
) -> None:
    source = DescriptorLines(pipe[0])
    reading = asyncio.create_task(source.read())
    for piece in (first, *[b" " * 3000] * 3, b"red", b"\n"):
        pipe[1].write(piece)
        for _ in range(3):
            await asyncio.sleep(0)
    line = await reading
    assert line is not None
    assert line.split() == f"{first.decode()} red".split()
    source.close()


@pytest.mark.parametrize("excess", [b"x", b" ", b" x"])
async def test_a_word_too_long_stays_too_long(pipe: tuple[int, IO[bytes]], excess: bytes) -> None:
    source = DescriptorLines(pipe[0])
    reading = asyncio.create_task(source.read())
    for piece in (b" ", b"x" * LONGEST_LINE, excess, b"x", b"\n"):
        pipe[1].write(piece)
        for _ in range(3):
            await asyncio.sleep(0)
    line = await reading
    assert line is not None
    assert len(" ".join(line.split())) > LONGEST_LINE
    source.close()


@pytest.mark.parametrize("content", [b"", b"new\nquit\n"])
async def test_a_regular_file_is_read_to_its_end(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "script"
    path.write_bytes(content)
    with path.open() as file:
        assert await everything(DescriptorLines(file.fileno())) == content.decode().split()


async def test_nothing_comes_from_the_null_device() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    assert await everything(DescriptorLines(descriptor)) == []
    os.close(descriptor)


async def test_lines_come_from_a_terminal_and_end_when_it_goes() -> None:
    here, there = pty.openpty()
    source = DescriptorLines(there)
    os.write(here, b"dump\n")
    assert await source.read() == "dump"
    os.close(here)
    assert await source.read() is None
    os.close(there)


async def test_a_descriptor_keeps_its_settings(pipe: tuple[int, IO[bytes]]) -> None:
    pipe[1].write(b"one\n")
    source = DescriptorLines(pipe[0])
    await source.read()
    assert os.get_blocking(pipe[0])
    source.close()


async def test_a_hang_up_is_noticed_when_the_last_line_has_been_read(
    pipe: tuple[int, IO[bytes]],
) -> None:
    source = DescriptorLines(pipe[0])
    gone = asyncio.create_task(source.wait_until_closed())
    pipe[1].write(b"one\ntwo\n")
    pipe[1].close()
    assert await source.read() == "one"
    for _ in range(5):
        await asyncio.sleep(0)
    assert not gone.done()
    assert await source.read() == "two"
    await gone


async def test_a_file_never_hangs_up(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text("one\n")
    with path.open() as file:
        for source in (DescriptorLines(file.fileno()), ScriptLines(["one"])):
            gone = asyncio.create_task(source.wait_until_closed())
            await everything(source)
            for _ in range(5):
                await asyncio.sleep(0)
            assert not gone.done()
            gone.cancel()


def test_a_reader_that_went_away_is_reported_once_and_the_rest_is_discarded() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as out:
        output = Output(out, io.StringIO())
        with pytest.raises(OutputClosedError):
            output.print_line("hello")
        output.print_line("nobody hears this")


def test_a_closed_error_stream_does_not_matter() -> None:
    errors = io.StringIO()
    errors.close()
    Output(io.StringIO(), errors).print_message("unheard")


async def test_nobody_can_write_another_line_in_a_file_or_where_the_other_end_is_closed(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script.in"
    script.write_text("new\nquit\n", encoding="utf-8")
    with script.open(encoding="utf-8") as file:
        source = DescriptorLines(file.fileno())
        assert await source.read() == "new"
        assert not source.is_interactive
    reading, writing = os.pipe()
    source = DescriptorLines(reading)
    os.write(writing, b"new\n")
    assert await source.read() == "new"
    before = source.is_interactive
    os.close(writing)
    assert (before, source.is_interactive) == (True, False)
    source.close()
    os.close(reading)
