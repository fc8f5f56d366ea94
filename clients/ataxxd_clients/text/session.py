"""A session of a line language in a game: reads commands, executes them, tells what happens.

The same session serves offline play and the manual player of a network game. It never
executes the next line while the machine or the other end is to move.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ataxxd.errors import ExitCode, LocalProtocolError
from ataxxd.node.game import Game
from ataxxd.rules import IllegalMoveError, Move, Outcome, RulesError, Side
from ataxxd.session.events import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    MayBeClaimed,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    RematchAsked,
    Said,
    Seat,
    TableEvent,
    TakenBack,
)
from ataxxd.times import format_duration
from ataxxd.wording import sentence
from ataxxd_clients.labels import asked_text, begun_text, claim_warning_text
from ataxxd_clients.text.commands import Command, CommandContext, CommandError, CommandTable, Quit
from ataxxd_clients.text.console import LONGEST_LINE, LineSource, Output, OutputClosedError
from ataxxd_clients.text.language import (
    RESIGNS,
    LineLanguage,
    common_commands,
    help_command,
    peer_commands,
)

# The most lines typed ahead that are kept.
_MAX_AHEAD = 64
# The beginning of a square, or of its number.
_SQUARE_FIRST = re.compile(r"\(?[a-z]?[0-9]")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session behaves.

    Attributes:
        strict: whether the first error ends the session with a failure.
        prompts: whether to show a prompt before each line; only for terminals.
        verbose: whether to show the board after each move from the start on.
        patience_s: seconds to wait for the machine or the other side after the input has hung up
            with no line left. Offline, a game of two machines is then hurried to its end, unless
            a seed must make it repeatable.
        hurry_s: seconds for hurrying it; a hundred hurried moves take about half a second.
        leaves_when_over: whether to end the session with the game instead of with the input.
        is_spectator: whether this is only a spectator, who need not be told what to type.
    """

    strict: bool = False
    prompts: bool = False
    verbose: bool = False
    patience_s: float = 3.0
    hurry_s: float = 1.0
    leaves_when_over: bool = False
    is_spectator: bool = False


async def run_line_language(
    game: Game,
    language: LineLanguage,
    source: LineSource,
    output: Output,
    options: SessionOptions | None = None,
) -> int:
    """Play a game in its line language until `quit` or the end of input.

    Args:
        game: the offline game, or a seat in a network game.
        language: the words of the game; see `ataxxd_clients.text.games.line_language`.
        source: where lines come from.
        output: where messages are printed; errors and notices on its error stream.
        options: the options of the session; the usual ones if None.

    Returns:
        The exit code: 0, or 1 after the first error if `SessionOptions.strict` is set. The caller
        should say how to continue a network game that was left before its end.
    """
    return await Session(game, language, source, output, options or SessionOptions()).run()


class Session:
    """A session of a line language.

    The friendly mode derives from it, and overrides what is said and when lines are read.
    """

    def __init__(
        self,
        game: Game,
        language: LineLanguage,
        source: LineSource,
        output: Output,
        options: SessionOptions,
    ) -> None:
        self.game = game
        self.language = language
        self.output = output
        self.options = options
        self.context = CommandContext(game, output, verbose=options.verbose)
        self.commands = self.make_commands()
        self._source = source
        self._reading: asyncio.Task[str | None] | None = None
        # Lines that a person has typed before their turn.
        self._typed_ahead: deque[str] = deque()
        self._prompt_shown = False
        self._turn_began = time.monotonic()

    def make_commands(self) -> CommandTable:
        """The commands of the language, `help` included."""
        commands = (
            *self.language.commands(self.context),
            *common_commands(self.context, self.language),
            *self.peer_commands(),
        )
        return CommandTable(
            (*commands, help_command(self.context, self.language, commands)),
            ignores_extra_operands=self.language.ignores_extra_operands,
        )

    def peer_commands(self) -> Iterable[Command]:
        """The commands that only a network game has."""
        return peer_commands(self.context) if "say" in self.game.can else ()

    def open(self) -> None:
        """Print what comes before the first line."""

    def accepts_input(self) -> bool:
        """Whether lines are executed now: if a local person is on turn, or the game is over."""
        return self.game.idle

    def prompt(self) -> str:
        """The prompt."""
        return self.language.prompt(self.game.acting_side)

    def completions(self, typed: str) -> Iterable[str]:  # noqa: ARG002
        """Completions of what was typed so far, as whole lines."""
        return ()

    def print_move(self, event: Moved) -> None:
        """Say that a move was made."""
        self.context.last_line = None
        if event.seat is not Seat.HUMAN and (line := self.language.move_line(event)):
            self._print_opponent_line(line)
        self._print_report(event.side, self.language.move_text(event))
        if self.context.verbose:
            for line in self.language.board(event.before.play(event.move)):
                self.output.print_line(line)

    def print_end(self, event: Over) -> None:
        """Say how the game ended."""
        turn = self.game.position.turn
        if event.outcome.termination == "draw-agreed":
            self._print_word(turn.opponent, "accept")
        elif event.outcome == Outcome("resignation", turn.opponent):
            self._print_word(turn, "resign")
        for line in self.language.final_board(self.game.position):
            self.output.print_line(line)
        if event.outcome.score == "*":
            # The languages have a word for a draw, but none for a game without a result.
            self.output.print_message("The game was aborted; it has no result.")
        else:
            self.output.print_line(self.language.result_line(event.outcome))

    def print_new_game(self, side: Side | None) -> None:
        """Say that another game has begun; `side` is ours, or None if nobody here plays."""
        self.output.print_message(begun_text(self.language.names, side))

    def print_takeback(self, plies: int, *, agreed: bool) -> None:
        """Say that moves were taken back or set aside."""
        count = "the last move" if plies == 1 else f"the last {plies} moves"
        why = "as agreed" if agreed else "they came after the game was decided"
        self.output.print_message(f"Taken back: {count} ({why}).")

    def print_draw_offer(self, side: Side) -> None:
        """Say that a side offers a draw."""
        self._print_word(side, "draw")
        asked = self.game.seat(side.opponent) is Seat.HUMAN
        question = ": accept or reject?" if asked else "."
        self.output.print_message(f"{self.language.names[side]} offers a draw{question}")

    def print_draw_rejection(self, side: Side) -> None:
        """Say that a side rejects the draw it was offered."""
        self._print_word(side, "reject")
        self.output.print_message(f"{self.language.names[side]} rejects the draw.")

    def print_request(self, event: Asked) -> None:
        """Say what the other player asks for."""
        said = asked_text(self.language.names, event)
        self.output.print_message(f"{said} Type agree or refuse, or play on.")

    def print_aside(self, text: str) -> None:
        """Print a notice that is not part of the game."""
        self._leave_prompt()
        self.output.print_message(text)

    def print_error(self, error: Exception) -> None:
        """Say what was wrong with the line just read."""
        self.output.print_message(f"Error: {error}")

    def print_illegal_move(self, words: Sequence[str], error: IllegalMoveError) -> None:
        """Say why a move is not legal."""
        if not self._print_report(self.game.position.turn, " ".join(words), str(error)):
            for line in self.language.illegal_lines(error):
                self.output.print_message(line)
        if (last := self.language.prompt_again(self.context)) is not None:
            self.output.print_line(last)

    def close(self) -> None:
        """Print what follows a game that is left before its end."""
        if self.game.outcome is None:
            for line in self.language.final_board(self.game.position):
                self.output.print_line(line)

    def read_move(self, words: Sequence[str]) -> Move | None:
        """Read a move from words in lower case, as `LineLanguage.read_move` does."""
        return self.language.read_move(words, self.game.position)

    async def execute(self, words: Sequence[str]) -> None:
        """Execute a line given as words in lower case.

        Raises:
            CommandError, RulesError, LocalProtocolError: it cannot be carried out.
        """
        try:
            move = self.read_move(words)
        except IllegalMoveError:
            offered_by = self.game.draw_offered_by
            if offered_by is None or self.game.seat(offered_by.opponent) is not Seat.HUMAN:
                raise
            # The draw offer has to be answered first, whatever is wrong with the move.
            name = self.language.names[offered_by]
            raise CommandError(
                f"{name} offers a draw: type accept or reject before anything else."
            ) from None
        if move is not None:
            await self.game.play(move)
        elif _SQUARE_FIRST.match(words[0]):
            # No command begins like this: it is a move, written in another way.
            example, _ = next(iter(self.language.move_help()))
            typed = " ".join(words)
            shown = typed if len(typed) <= 40 else typed[:40] + "…"
            msg = f'"{shown}" is not a move; a move is written like {example}.'
            raise CommandError(f"{msg} Type help for a list.")
        else:
            await self.commands.execute(words)

    async def run(self) -> int:
        """Play until `quit` or the end of input; returns the exit code."""
        gone = asyncio.create_task(self._wait_for_input_end(), name="end of input")
        try:
            self.open()
            if self.game.resigning:
                self.output.print_message(RESIGNS)
            while (line := await self._next_line(gone)) is not None:
                if not await self._execute_line(line) and self.options.strict:
                    return ExitCode.FAILURE
        except Quit:
            if left := ", ".join(self._typed_ahead):
                self.output.print_message(f"Not done, since it was not your turn yet: {left}")
        except OutputClosedError:
            pass
        finally:
            for task in (gone, self._reading):
                if task is not None:
                    await _cancel(task)
        with suppress(OutputClosedError):
            self.close()
        return ExitCode.OK

    async def _next_line(self, gone: "asyncio.Task[None]") -> str | None:
        """The next line to execute, once its turn has come; None when nothing is left to do."""
        while not self._should_leave():
            if self.accepts_input():
                if self._typed_ahead:
                    return self._typed_ahead.popleft()
                reading = self._read()
                if await self._wait_for_event(reading, prompts=True):
                    continue
                self._reading, self._prompt_shown = None, False
                if reading.result() is None and self.options.prompts:
                    self.output.leave_prompt()
                return reading.result()
            others: list[asyncio.Task[Any]] = []
            if not self._has_pending_line():
                others.append(gone)  # otherwise a move is still to be made
            heeding = asyncio.create_task(self._read_ahead(), name="typed before its time")
            try:
                heard = await self._wait_for_event(heeding, *others)
                if heeding.done():
                    return heeding.result()
            finally:
                await _cancel(heeding)
            if not heard and not self._has_pending_line():
                return None
        return None

    async def _read_ahead(self) -> str:
        """Read lines typed before their turn, and return the first one that acts at once."""
        while self.game.broker is not None or (self.options.prompts and self._is_machine_turn()):
            if self.game.broker is None:
                self.output.prompt("")  # lets an editor show what is typed, without a prompt
            reading = self._read()
            await asyncio.wait({reading})
            line = reading.result()
            if line is not None and self._is_immediate(line):
                self._reading = None
                return line
            # The next lines of a script are for later turns: leave them unread.
            if line is None or not self.options.prompts or len(self._typed_ahead) == _MAX_AHEAD:
                break
            self._typed_ahead.append(line)
            self._reading = None
        await asyncio.Event().wait()
        raise AssertionError("waits for ever")

    def _is_machine_turn(self) -> bool:
        game = self.game
        return game.outcome is None and game.seat(game.acting_side) is Seat.AUTO

    def _has_pending_line(self) -> bool:
        """Whether a line that was read is still to be executed; `quit` need not be."""
        if self._typed_ahead:
            return True
        reading = self._reading
        line = reading.result() if reading is not None and reading.done() else None
        return line is not None and not self._is_quit(line)

    def _read(self) -> "asyncio.Task[str | None]":
        """The reading of the line that comes next, begun once."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._source.read(), name="input")
        return self._reading

    def _is_immediate(self, line: str) -> bool:
        """Whether a line does not wait for its turn: one for the other player, or `quit`.

        The `quit` of a script does wait, until the moves before it have been answered.
        """
        word = (line.split() or [""])[0].lower()
        to_the_other = word in {command.name for command in self.peer_commands()}
        return to_the_other or (self._is_quit(line) and self._source.is_interactive)

    def _is_quit(self, line: str) -> bool:
        with suppress(CommandError, IndexError):
            return self.commands.find(self.commands.words(line)[0]).name == "quit"
        return False

    async def _wait_for_event(self, *others: "asyncio.Task[Any]", prompts: bool = False) -> bool:
        """Wait for the next event and tell it; False when one of `others` was done before."""
        event = asyncio.create_task(self.game.advance(), name="table")
        try:
            # Tell what has already happened before asking for a line.
            await asyncio.sleep(0)
            if prompts and not event.done():
                self._show_prompt()
            await asyncio.wait({event, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(event)
        if event.cancelled():
            return False
        self._on_event(event.result())
        return True

    async def _wait_for_input_end(self) -> None:
        """Return when the input has been closed for so long that this program should end."""
        await self._source.wait_until_closed()
        await asyncio.sleep(self.options.patience_s)
        if self.game.broker is None:
            if self.game.repeats:
                # A repeatable game must end as it would with an open input, so it is not hurried.
                await asyncio.Event().wait()
            self.game.hurry()
            await asyncio.sleep(self.options.hurry_s)

    def _should_leave(self) -> bool:
        over = self.game.outcome is not None and self.game.idle
        return over and self.options.leaves_when_over

    def _show_prompt(self) -> None:
        if self.options.prompts and not self._prompt_shown:
            self.output.prompt(self.prompt(), self.completions)
            self._prompt_shown = True

    def _leave_prompt(self) -> None:
        """Go to a new line below a prompt that nobody has answered yet."""
        if self._prompt_shown:
            self.output.leave_prompt()
            self._prompt_shown = False

    def _print_report(self, side: Side, move: str, error: str | None = None) -> bool:
        """Report on a move made or tried where the language does; False where it does not."""
        seconds = time.monotonic() - self._turn_began
        report = self.language.report(side, self.game.agent(side), move, seconds, error)
        if report is not None:
            self.output.print_message(report)
        return report is not None

    def _print_word(self, side: Side, word: str) -> None:
        """Say what a side said instead of a move, unless a local human did."""
        line = self.language.word_line(len(self.game.moves), word)
        if line is not None and self.game.seat(side) is not Seat.HUMAN:
            self._print_opponent_line(line)

    def _print_opponent_line(self, line: str) -> None:
        self.output.print_line(line)
        self.context.last_line = line

    def _on_event(self, event: TableEvent) -> None:
        match event:
            case Moved():
                self._leave_prompt()
                self.context.result_printed = False
                self.print_move(event)
                self._turn_began = time.monotonic()
            case Over():
                self._leave_prompt()
                if not self.context.result_printed:
                    self.print_end(event)
                self.context.result_printed = True
            case DrawAsked(side):
                self._leave_prompt()
                self.print_draw_offer(side)
            case DrawRefused(side):
                self._leave_prompt()
                self.print_draw_rejection(side)
            case TakenBack(moves, agreed):
                self._leave_prompt()
                self.context.result_printed = False
                self.print_takeback(len(moves), agreed=agreed)
            case Begun(side):
                self._leave_prompt()
                self.context.result_printed = False
                self.print_new_game(side)
                self._turn_began = time.monotonic()
            case _:
                self._on_note(event)

    def _on_note(self, event: TableEvent) -> None:
        """Tell of an event that does not change the board."""
        match event:
            case Asked():
                self._leave_prompt()
                self.print_request(event)
            case Said() | Overheard() if self.context.muted:
                pass
            case Said(side, text):
                self.print_aside(f"{self.language.names[side]}: {text}")
            case Overheard(speaker, text):
                self.print_aside(f"Spectator {speaker}: {text}")
            case MayClaim(waited_s):
                waited = format_duration(round(waited_s) * 1000)
                self.print_aside(f"No answer for {waited}: wait, or win by typing claim.")
            case MayBeClaimed(left_s):
                self.print_aside(claim_warning_text(left_s))
            case RematchAsked():
                self.print_aside("Your opponent would like a rematch: type rematch, or quit.")
            case Named(Side() as side, name):
                self.print_aside(f"{self.language.names[side]} is {name}.")
            case Notice(text):
                self.print_aside(sentence(text))
            case _:
                pass

    async def _execute_line(self, line: str) -> bool:
        """Execute a line; False when there was an error, which has been told."""
        words = self.commands.words(line)
        try:
            # Blanks and a comment may be of any length.
            if len(" ".join(words)) > LONGEST_LINE:
                raise CommandError(
                    f"The line is longer than {LONGEST_LINE} characters; no command is."
                )
            if words:
                await self.execute(words)
        except IllegalMoveError as error:
            self.print_illegal_move(words, error)
            return False
        except (CommandError, RulesError, LocalProtocolError) as error:
            self.print_error(error)
            return False
        return True


async def _cancel(task: "asyncio.Task[object]") -> None:
    """Cancel a task and wait until it has ended, with or without a result."""
    task.cancel()
    await asyncio.wait({task})
