"""A session of a line language at a table: reads commands, obeys them, tells what happens.

The same session serves offline play and the manual player of a network game. It never
obeys the next line while the machine or the other end is to move.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ataxxd.errors import ExitCode, LocalProtocolError
from ataxxd.node.control import EditableTable, Moved, Over, Seat, Table, TableEvent
from ataxxd.rules import RulesError
from ataxxd_clients.text.commands import CommandError, CommandTable, Quit
from ataxxd_clients.text.common import CommonCommands, help_command
from ataxxd_clients.text.desk import Desk
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.text.output import Output, OutputClosedError
from ataxxd_clients.text.source import LONGEST_LINE, LineSource

# A hundred hurried moves take about half of it.
_HURRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """How a session behaves.

    Attributes:
        strict: the first error ends the session with a failure.
        prompts: ask with a prompt before each line; only for terminals.
        verbose: show the board after each move from the start on.
        patience_s: seconds that the machine or the other end still has after the input has
            hung up with no line left. Offline, a game of two machines is then hurried to its
            end instead of being left.
        leaves_when_over: end the session with the game instead of with the input.
    """

    strict: bool = False
    prompts: bool = False
    verbose: bool = False
    patience_s: float = 3.5
    leaves_when_over: bool = False


async def run_line_language(
    table: Table,
    language: LineLanguage,
    source: LineSource,
    output: Output,
    options: Options | None = None,
) -> int:
    """Play at a table by a line language until `quit` or the end of input.

    Args:
        table: offline (an `EditableTable`) or one seat of a network game.
        language: the game's own part; see `ataxxd_clients.text.games.line_language`.
        source: where lines come from.
        output: where messages go; errors and notices go to its error stream.
        options: see `Options`.

    Returns:
        The exit code: 0, or 1 after the first error when `Options.strict` is set. To speak
        of a network game that was left before its end is up to the caller.
    """
    return await _Session(table, language, source, output, options or Options()).run()


class _Session:
    def __init__(
        self,
        table: Table,
        language: LineLanguage,
        source: LineSource,
        output: Output,
        options: Options,
    ) -> None:
        self._table = table
        self._language = language
        self._source = source
        self._output = output
        self._options = options
        self._desk = Desk(table, output, verbose=options.verbose)
        commands = (*language.commands(self._desk), *CommonCommands(self._desk, language))
        self._commands = CommandTable(
            (*commands, help_command(self._desk, language, commands)),
            ignores_extra_operands=language.ignores_extra_operands,
        )
        self._asking = False

    async def run(self) -> int:
        gone = asyncio.create_task(self._input_is_gone(), name="end of input")
        reading: asyncio.Task[str | None] | None = None
        try:
            while not self._leaves():
                if not self._table.idle:
                    if not await self._hear(gone):
                        break
                    continue
                self._ask()
                reading = reading or asyncio.create_task(self._source.read(), name="input")
                if await self._hear(reading):
                    continue
                line, reading = reading.result(), None
                self._asking = False
                if line is None:
                    if self._options.prompts:
                        self._output.say()
                    break
                if not await self._obey(line) and self._options.strict:
                    return ExitCode.FAILURE
        except (Quit, OutputClosedError):
            pass
        finally:
            for task in (gone, reading):
                if task is not None:
                    await _cancel(task)
        return ExitCode.OK

    async def _hear(self, other: "asyncio.Task[object]") -> bool:
        """Wait for the next event and tell it; False when `other` was done before."""
        event = asyncio.create_task(self._table.advance(), name="table")
        try:
            await asyncio.wait({event, other}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(event)
        if event.cancelled():
            return False
        self._tell(event.result())
        return True

    async def _input_is_gone(self) -> None:
        """Return when whoever closed the input has waited long enough for this program."""
        await self._source.hung_up()
        await asyncio.sleep(self._options.patience_s)
        if isinstance(self._table, EditableTable):
            self._table.hurry()
            await asyncio.sleep(_HURRY_S)

    def _leaves(self) -> bool:
        over = self._table.outcome is not None and self._table.idle
        return over and self._options.leaves_when_over

    def _ask(self) -> None:
        if self._options.prompts and not self._asking:
            self._output.prompt(self._language.prompt(self._table.position.turn))
            self._asking = True

    def _tell(self, event: TableEvent) -> None:
        """Print what happened, below a prompt that nobody has answered yet."""
        if self._asking:
            self._output.say()
            self._asking = False
        match event:
            case Moved():
                self._desk.result_said = False
                if event.seat is not Seat.HUMAN and (line := self._language.move_line(event)):
                    self._output.say(line)
                if self._desk.verbose:
                    for line in self._language.board(event.before.play(event.move)):
                        self._output.say(line)
            case Over():
                if not self._desk.result_said:
                    self._output.say(self._language.result_line(event.outcome))
                self._desk.result_said = True
            case _:
                self._output.tell(event.text)

    async def _obey(self, line: str) -> bool:
        """Obey a line; False when there was an error, which has been told."""
        try:
            if len(line) > LONGEST_LINE:
                msg = f"The line is longer than {LONGEST_LINE} characters; no command is."
                raise CommandError(msg)
            words = line.partition("#")[0].lower().split()
            if words:
                await self._obey_words(words)
        except (CommandError, RulesError, LocalProtocolError) as error:
            self._output.tell(f"Error: {error}")
            return False
        return True

    async def _obey_words(self, words: Sequence[str]) -> None:
        move = self._language.read_move(words, self._table.position)
        if move is not None:
            await self._table.play(move)
        else:
            await self._commands.obey(words)


async def _cancel(task: "asyncio.Task[object]") -> None:
    """Cancel a task and wait until it has ended, with or without a result."""
    task.cancel()
    await asyncio.wait({task})
