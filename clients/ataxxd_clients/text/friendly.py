"""Play for a person at a terminal: boards, explained errors, and help that teaches.

It is the line language with another face: the same commands at the same game, and the
same care that no event is lost. In a network game lines are also read while the other
side is to move, so that one can look at the board or leave.
"""

import asyncio
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ataxxd.node.game import OPPONENT_LEFT, Game
from ataxxd.rules import IllegalMoveError, Move, Position, RulesError, Side
from ataxxd.rules.values import ending_text
from ataxxd.sanitize import sanitized
from ataxxd.session.events import (
    Asked,
    DrawAsked,
    MayBeClaimed,
    Moved,
    Named,
    Notice,
    OpponentStays,
    Over,
    Seat,
    TableEvent,
    TakenBack,
)
from ataxxd_clients.analysis import (
    THOROUGH_SEARCH,
    Adviser,
    Verdict,
    allowed_advice,
    check_advice,
    hint_text,
    verdict_of_end,
    verdict_text,
)
from ataxxd_clients.exports import proposed_name, save
from ataxxd_clients.labels import (
    asked_text,
    clock_text,
    draw_text,
    may_move,
    move_name,
    moved_text,
    own_side,
    player_text,
    rejected_text,
)
from ataxxd_clients.text.commands import Command, CommandError, CommandTable, available_commands
from ataxxd_clients.text.console import (
    Brush,
    LineSource,
    Output,
    OutputClosedError,
    Terminal,
    board_lines,
)
from ataxxd_clients.text.language import (
    LineLanguage,
    MoveEntry,
    choose,
    common_commands,
    move_entries,
    starting_with,
)
from ataxxd_clients.text.session import Session, SessionOptions

# The most moves that a hint shows of the expected line; `eval` shows all.
_FOLLOWING = 5


ADVICE = (
    ("hint", "Show the move that the engine would play.", "hint"),
    ("eval", "Show what the engine thinks of the position.", "evaluate"),
)
"""The words that ask the engine, what they do, and their acts."""


class AdviceCommands:
    """The commands that ask the engine; in a network game they are possible only after its end.

    Args:
        game: the game.
        language: the words of the game.
        print_line: called with the answer, a sentence or two.
    """

    def __init__(
        self, game: Game, language: LineLanguage, print_line: Callable[[str], None]
    ) -> None:
        self._game = game
        self._language = language
        self._print_line = print_line
        # Kept, so that a hint and an evaluation of the same position agree.
        self._last_verdict: tuple[Position, Verdict] | None = None

    def __iter__(self) -> Iterator[Command]:
        # They must be typed in full, so that h still means help.
        for (name, summary, act), action in zip(ADVICE, (self._hint, self._evaluate), strict=True):
            yield Command(name, summary, action, in_full=True, act=act)

    @cached_property
    def _adviser(self) -> Adviser:
        """Made when it is first asked: most games need none."""
        return Adviser()

    async def _hint(self, _: Sequence[str]) -> None:
        check_advice(self._game, hint=True)
        position = self._game.position
        verdict = await self._evaluate_position(position)
        then = [*map(move_name, verdict.line[1:])][:_FOLLOWING]
        expected = f"; it expects {' '.join(then)} to follow" if then else ""
        self._print_line(hint_text(verdict, position, expected))

    async def _evaluate(self, _: Sequence[str]) -> None:
        position = self._game.position
        verdict = verdict_of_end(position)
        if verdict is not None:
            self._print_line(f"The game is over: {verdict_text(verdict, self._language.names)}.")
            return
        verdict = await self._evaluate_position(position)
        line = " ".join(map(move_name, verdict.line))
        worth = verdict_text(verdict, self._language.names)
        self._print_line(
            f"{worth[0].upper()}{worth[1:]}, at depth {verdict.depth}; expected: {line}."
        )

    async def _evaluate_position(self, position: Position) -> Verdict:
        check_advice(self._game)
        if self._last_verdict is None or self._last_verdict[0] != position:
            self._last_verdict = position, await self._adviser.evaluate(position, THOROUGH_SEARCH)
        return self._last_verdict[1]


_SQUARE = re.compile(r"[a-z][0-9]{1,2}")
_TWO_SQUARES = re.compile(r"([a-z][0-9]{1,2})[- ]?([a-z][0-9]{1,2})")
_NUMBERED_SQUARE = re.compile(r"[0-9]{1,2}")
_NUMBERED_SQUARES = re.compile(r"[0-9]{1,2}(?:[- x]+[0-9]{1,2})+")
_ALIASES = {"q": "quit", "exit": "quit", "b": "board", "?": "help", "pass": "-"}
_WIDTH = 60
# Commands for games without an opponent elsewhere, who would have a say.
_ALONE = {"new", "fill", "undo", "redo"}
# Warn when this little time is left, as the page does; and seconds between looks at the clock.
_LOW_MS, _POLL_S = 20_000, 0.5


async def run_friendly(
    game: Game,
    language: LineLanguage,
    source: LineSource,
    output: Output,
    terminal: Terminal,
    options: SessionOptions,
) -> int:
    """Play a game in the friendly mode until `quit` or the end of input.

    Args:
        game: the offline game, or a seat in a network game.
        language: the words of the game.
        source: where lines come from.
        output: where everything is printed, on its standard output, errors included.
        terminal: what the terminal of `output` can show.
        options: the options of the session.

    Returns:
        The exit code, as for `ataxxd_clients.text.session.run_line_language`.
    """
    return await FriendlySession(game, language, source, output, options, terminal).run()


class FriendlySession(Session):
    """The session behind `run_friendly`.

    Attributes:
        entered: the squares of the move being entered.
    """

    def __init__(
        self,
        game: Game,
        language: LineLanguage,
        source: LineSource,
        output: Output,
        options: SessionOptions,
        terminal: Terminal,
    ) -> None:
        super().__init__(game, language, source, output, options)
        self._terminal = terminal
        self.entered: tuple[str, ...] = ()
        self._brush = Brush(terminal, language.names)
        # The signs on the board when it was last shown.
        self._signs: Mapping[str, str] | None = None
        # The players known so far, so that nobody is introduced twice.
        self._players = self._describe_players()
        # Whether the opponent is known to stay when the game is over.
        self._opponent_stays = self._opponent_left = False
        # The ply that the first board showed, until the events up to it have come.
        self._opened_ply = 0
        # The side whose draw offer was announced before its event came.
        self._announced_draw: Side | None = None

    async def run(self) -> int:
        """Play until `quit` or the end of input, and watch the clock and the terminal's width."""
        minding = {
            asyncio.create_task(self._watch_clock(), name="clock"),
            asyncio.create_task(self._watch_width(), name="width"),
        }
        try:
            return await super().run()
        finally:
            for task in minding:
                task.cancel()
            await asyncio.wait(minding)

    async def _watch_width(self) -> None:
        """Draw the board again when a new width of the terminal makes it look different.

        The width is polled, because the line editor takes the signal for it (SIGWINCH).
        """
        while (width := self.output.columns()) is not None:
            if width != self._terminal.width:
                before = self._board_lines(self._signs)
                self._update_width()
                if self._board_lines(self._signs) != before:
                    try:
                        self._leave_prompt()
                        self.show_board(self._signs if self.entered else None)
                        self._show_prompt()
                    except OutputClosedError:
                        return  # the session gets this error, too
            await asyncio.sleep(_POLL_S)

    def _update_width(self) -> None:
        width = self.output.columns()
        if width is not None and width != self._terminal.width:
            self._terminal = replace(self._terminal, width=width)
            self._brush = replace(self._brush, terminal=self._terminal)

    async def _watch_clock(self) -> None:
        """Tell the person on turn when little time is left, and when none is."""
        # Time that has run out before is told by `print_pending`.
        game, told = self.game, "up" if self._is_late() else ""
        while True:
            side = own_side(game)
            left_ms = None if side is None else game.remaining_ms(side)
            if side is None or left_ms is None or left_ms > _LOW_MS:
                told = ""
            elif self._is_clock_running(side) and told != (now := "low" if left_ms > 0 else "up"):
                told = now
                try:
                    self.output.ring_bell()
                    left = f"You have {left_ms // 1000} s left."
                    self.print_aside(left if left_ms > 0 else "Your time is up.")
                    self._show_prompt()
                except OutputClosedError:
                    return  # the session gets this error, too
            await asyncio.sleep(_POLL_S)

    def _is_clock_running(self, side: Side) -> bool:
        """Whether the clock of a person's side runs."""
        game = self.game
        ours = game.outcome is None and game.acting_side is side
        return ours and game.seat(side) is Seat.HUMAN and not game.starts_in_ms(side)

    def make_commands(self) -> CommandTable:
        """The commands of the language, with this mode's own `board` and `help`."""

        def export(operands: Sequence[str]) -> None:
            self.output.print_line(f"Saved: {save(self.game, operands[0])}")

        saves = "Save the game; the ending of FILE sets the notation."
        own = [
            Command("help", "Show how to play.", lambda _: self._show_help()),
            Command("board", "Show the board.", lambda _: self.show_board()),
            Command(
                "export",
                saves,
                export,
                ("FILE",),
                example=proposed_name(self.game),
                in_full=True,
                verbatim=True,
            ),
            *AdviceCommands(self.game, self.language, self.output.print_line),
        ]
        without = {"board", "verbose", "quiet"}
        if self.language.squares_are_moves:
            own.append(
                Command("moves", "Show where a piece can be put.", lambda _: self._show_moves())
            )
            without.add("moves")
        shared = (
            *common_commands(self.context, self.language),
            *self.language.commands(self.context),
            *self.peer_commands(),
        )
        never = () if "new" in self.game.can else _ALONE
        kept = (each for each in shared if each.name not in without and each.act not in never)
        return CommandTable((*own, *kept))

    def open(self) -> None:
        """Show the first position."""
        if self.game.broker is not None:
            for side in Side:
                if self.game.seat(side) is Seat.AUTO:
                    name = self.language.names[side]
                    self.output.print_line(f"The engine plays {name} for you. Leave with Ctrl-C.")
        self._opened_ply = len(self.game.moves)
        self.show_board()
        if self.options.is_spectator:
            return
        example = next(iter(self.language.move_help()))[0]
        square = f", a square such as {example[:2]}"
        if self.language.squares_are_moves:
            square = ""
        if [side for side in Side if self.game.seat(side) is Seat.HUMAN] == [Side.SECOND]:
            # The example is a move of the first player.
            self.output.print_line("Type a move when it is your turn, or help.")
        else:
            self.output.print_line(f"Type a move such as {example}{square}, or help.")
        self.print_pending()

    def print_pending(self) -> None:
        """Tell about offers and expired time from before the session, as after a restart."""
        self._announced_draw = self.game.draw_offered_by
        if self._announced_draw is not None:
            self.print_draw_offer(self._announced_draw)
        if self._is_late():
            self.output.print_line("Your time has run out.")

    def _is_late(self) -> bool:
        """Whether we are to move, and have no time left."""
        game, own = self.game, own_side(self.game)
        due = own is not None and own is game.acting_side and game.remaining_ms(own) == 0
        return due and game.outcome is None

    def accepts_input(self) -> bool:
        """Whether lines are executed now; always where the other side may take its time."""
        return self.game.idle or self.game.broker is not None

    def _should_leave(self) -> bool:
        # An opponent who has left may come back.
        refusal = self.game.refusal("rematch")
        over = refusal is not None and refusal.code != OPPONENT_LEFT
        return super()._should_leave() and over

    def prompt(self) -> str:
        """The prompt: ``Red: ``, or whom the game waits for."""
        if self.game.outcome is not None:
            return "Game over: "
        side = self.game.acting_side
        name = self.language.names[side]
        if self.game.seat(side) is not Seat.HUMAN:
            return f"(waiting for {name}) "
        begun = "".join(f"{square}-" for square in self.entered)
        return f"{self._terminal.paint(f'{name}:', '1')} {begun}"

    def completions(self, typed: str) -> Iterable[str]:
        """Completions: moves, square by square, and commands."""
        typed = typed.lower()
        known = [*self._move_completions(typed), *self._command_completions(typed)]
        return [each for each in known if each.startswith(typed)]

    def _move_completions(self, typed: str) -> Iterable[str]:
        if not may_move(self.game):
            return ()
        every = self._entries()
        if not any(entry.squares for entry in every):
            return ("pass",)
        entered = len(self.entered)
        named = self.language.squares_in(typed)
        # The last square may be half typed, or complete and followed by the next one.
        before = {(*self.entered, *named[:-1]), (*self.entered, *named)}
        lines = {
            entry.squares[entered : len(squares) + 1]
            for squares in before
            for entry in starting_with(every, squares)
            if len(entry.squares) > len(squares)
        }
        return map("-".join, sorted(lines, key=lambda line: [*map(_square_key, line)]))

    def _command_completions(self, typed: str) -> Iterable[str]:
        name, blank, _ = typed.partition(" ")
        for command in self.useful_commands():
            if not blank:
                yield f"{command.name} " if command.operands else command.name
            elif name == command.name and command.operands == ("COLOR",):
                yield from (f"{name} {side.lower()}" for side in self.language.names)

    def useful_commands(self) -> Iterable[Command]:
        """The commands that can be used now."""
        return available_commands(self.commands, {*self.game.can, *allowed_advice(self.game)})

    def print_move(self, event: Moved) -> None:
        """Tell the move; show the board where a person may want to look at it."""
        self.clear_entered()
        self.output.print_line(moved_text(event, self.language.names))
        answers = self.game.seat(event.side.opponent)
        answered_at_once = event.seat is Seat.HUMAN and answers is Seat.AUTO
        is_shown = event.ply <= self._opened_ply
        if event.ply >= self._opened_ply:
            self._opened_ply = 0
        is_last = event.before.play(event.move).outcome is not None
        if not is_shown and (is_last or not answered_at_once):
            self.show_board()
        if (
            event.seat is Seat.REMOTE
            and self.game.outcome is None
            and not self.options.is_spectator
        ):
            self.output.ring_bell()

    def print_end(self, event: Over) -> None:
        """Tell who won and why."""
        game = self.game
        text = ending_text(event.outcome, game.position, own_side(game))
        self.output.print_line(f"{text}\n{self.next_step_text()}".rstrip())

    def next_step_text(self) -> str:
        """What a person can do after the game, in words; empty for nothing."""
        if self.options.is_spectator:
            return ""
        if "new" in self.game.can:
            return "Type new for another game, undo, or quit."
        # In a network game only if the opponent is known to stay; a club's table does not.
        if not self._opponent_stays:
            return ""
        if self.game.asks_rematch:
            return "You have asked for a rematch; it begins when your opponent agrees."
        refusal = self.game.refusal("rematch")
        if refusal is None:
            return "Type rematch for another game with colours swapped, or quit."
        return "Type quit to leave." if refusal.code == OPPONENT_LEFT else ""

    def _on_event(self, event: TableEvent) -> None:
        told, self._announced_draw = self._announced_draw, None
        match event:
            case DrawAsked(side) if side is told:
                pass
            case TakenBack():
                self._opened_ply = 0
                super()._on_event(event)
            case _:
                super()._on_event(event)

    def _describe_players(self) -> dict[Side, str]:
        return {side: player_text(self.game, side) for side in Side}

    def _on_note(self, event: TableEvent) -> None:
        match event:
            case OpponentStays():
                self._opponent_stays = True
                self._print_next_step()
            case Notice():
                super()._on_note(event)
                # The opponent who had stayed has left, or is back.
                left = self._opponent_stays and "rematch" not in self.game.can
                if self.game.outcome is not None and left != self._opponent_left:
                    self._opponent_left = left
                    self._print_next_step()
            case MayBeClaimed():
                super()._on_note(event)
                self.output.ring_bell()
            case Named():
                players, self._players = self._players, self._describe_players()
                if players != self._players:
                    super()._on_note(event)
            case _:
                super()._on_note(event)

    def _print_next_step(self) -> None:
        if next_step := self.next_step_text():
            self._leave_prompt()
            self.output.print_line(next_step)

    def print_new_game(self, side: Side | None) -> None:
        """Tell that another game has begun, and show its board."""
        self.clear_entered()
        self._opened_ply = 0
        self._opponent_stays = self._opponent_left = False
        if side is None:
            super().print_new_game(side)
            self.show_board()
            return
        who = "the engine plays" if self.game.seat(side) is Seat.AUTO else "you play"
        self.output.print_line(f"A new game begins; {who} {self.language.names[side]}.")
        self.show_board()

    def print_takeback(self, plies: int, *, agreed: bool) -> None:
        """Tell that moves no longer count, and show the board as it is now."""
        self.clear_entered()
        super().print_takeback(plies, agreed=agreed)
        self.show_board()

    def print_draw_offer(self, side: Side) -> None:
        """Tell that a draw is offered, and what to type if a person must answer."""
        asked = self.game.seat(side.opponent) is Seat.HUMAN
        how = " Type accept or reject." if asked else ""
        text = draw_text(self.language.names, side, own_side(self.game))
        self.output.print_line(f"{text}{how}")

    def print_request(self, event: Asked) -> None:
        """Tell what the other player asks for, and what to type; a machine answers by itself."""
        how = "" if self.options.is_spectator else " Type agree or refuse, or play on."
        self.output.print_line(f"{asked_text(self.language.names, event)}{how}")

    def print_draw_rejection(self, side: Side) -> None:
        """Tell that the draw was rejected, and whose turn it is."""
        self.output.print_line(rejected_text(self.language.names, side))

    def print_aside(self, text: str) -> None:
        """Tell it in brackets, apart from the messages of the game."""
        self._leave_prompt()
        self.output.print_line(sanitized(f"[{text}]"))

    def print_error(self, error: Exception) -> None:
        """Tell what was wrong."""
        self.output.print_line(sanitized(str(error)))

    def print_illegal_move(self, words: Sequence[str], error: IllegalMoveError) -> None:  # noqa: ARG002
        """Tell why a move is not legal, without the report of the line language."""
        self.print_error(error)

    def close(self) -> None:
        """Do nothing: the board is already on the screen."""

    async def _execute_line(self, line: str) -> bool:
        """Execute a line; an empty one gives up what is half entered."""
        if not line.strip():
            self.clear_entered()
        return await super()._execute_line(line)

    async def execute(self, words: Sequence[str]) -> None:
        """Execute a line; it may also be single squares, or a move without a hyphen."""
        line = " ".join(words)
        numbered = self.language.squares_are_numbers
        if (_NUMBERED_SQUARE if numbered else _SQUARE).fullmatch(line):
            if not self.language.squares_are_moves:
                words = self._enter_square(line)
                if not words:
                    return
            self._require_turn()
        elif numbered and _NUMBERED_SQUARES.fullmatch(line):
            words = ["-".join(_NUMBERED_SQUARE.findall(line))]
            self._require_turn()
        elif not numbered and (move := _TWO_SQUARES.fullmatch(line)) is not None:
            words = [f"{move[1]}-{move[2]}"]
            self._require_turn()
        if words[0] == "draw" and not any(each.name == "draw" for each in self.commands):
            raise CommandError("This game has no agreed draws.")
        if words[0] in ("help", "?") and len(words) == 2:
            self._print_command_help(words[1])
            return
        before = self.game.position
        played = len(self.game.moves)
        if words[0] == "undo":
            if "new" not in self.game.can:
                self.context.undo()  # raises, and says what to do instead
            self._require_moves()
        await super().execute([_ALIASES.get(words[0], words[0]), *words[1:]])
        edited = len(self.game.moves) <= played or words[0] == "redo"
        by_consent = words[0] == "agree"  # shown when its event comes
        # A new game may begin in the same position, but must be shown all the same.
        changed = self.game.position != before or words[0] == "new"
        if changed:
            self.entered = ()
        if changed and edited and not by_consent:
            self.show_board()

    def read_move(self, words: Sequence[str]) -> Move | None:
        """Read a move, also as other clients and records write it: ``b6`` for a clone of Ataxx."""
        typed = "".join(words)
        try:
            move = self._find_legal_move(typed) or super().read_move(words)
        except IllegalMoveError:
            self._require_unfinished()
            self.game.position.parse_move(typed)  # its refusal names squares as they were typed
            raise
        if move is not None:
            self._require_unfinished()
            if (echo := self.language.echo(typed, move)) is not None:
                self.output.print_line(echo)
        return move

    def _find_legal_move(self, text: str) -> Move | None:
        """The legal move of a text; None when there is none."""
        try:
            return self.game.position.parse_move(text)
        except RulesError:
            return None

    def set_entered(self, squares: tuple[str, ...]) -> None:
        """Continue a move from squares that were entered in another way."""
        self.entered = squares

    def clear_entered(self) -> None:
        """Discard the squares of a move that is not complete."""
        self.set_entered(())

    def _entries(self) -> tuple[MoveEntry, ...]:
        return move_entries(self.game.position, self.language)

    def _enter_square(self, square: str) -> list[str]:
        """Begin a move with a square, or go on with it.

        Returns:
            The words of the move when it is whole; none while there is more to enter.

        Raises:
            CommandError: nothing can go from there.
        """
        if not self.entered and self._find_legal_move(square) is not None:
            return [square]  # a clone of Ataxx; its empty square cannot begin another move
        if not may_move(self.game):
            self._require_turn()
            self.show_targets(square)
            return []
        played, begun = choose(self._entries(), self.entered, square)
        if len(played) > 1:
            return ["-".join(played)]  # `begun` is kept, in case the rules refuse the move
        self.entered = begun
        if len(begun) > 1:
            self.show_next_squares()
        else:
            self.show_targets(square)
        return []

    def show_next_squares(self) -> None:
        """Show the squares that can follow in the move being entered."""
        count = len(self.entered)
        following = sorted(
            {entry.squares[count] for entry in starting_with(self._entries(), self.entered)}
        )
        self.show_board(dict.fromkeys(following, "x"))
        self.output.print_line(f"{'-'.join(self.entered)} goes on to {' or '.join(following)}")

    def _require_moves(self) -> None:
        if self.game.outcome is None and not self.game.moves:
            raise CommandError("There is nothing to undo: no move has been made.")

    def _require_unfinished(self) -> None:
        # The position may still have moves: time may have run out, or somebody resigned.
        if self.game.outcome is not None:
            raise CommandError(
                f"The game is over. {self.next_step_text() or 'Type quit to leave.'}"
            )

    def _require_turn(self) -> None:
        if self.game.draw_offered_by is not None:
            return  # `Session.execute` says who must answer it
        side = self.game.position.turn
        if self.game.outcome is None and self.game.seat(side) is not Seat.HUMAN:
            raise CommandError(
                f"It is {self.language.names[side]}'s turn; your move comes after theirs. "
                "Meanwhile you can type board, help or quit."
            )

    def show_targets(self, square: str) -> None:
        """Show where the piece on a square can go, or say why it cannot.

        Raises:
            CommandError: nothing can go from there.
        """
        position = self.game.position
        targets = self.language.reached_from(square, position)
        self.show_board(targets)
        for sign, meaning in self.language.target_signs.items():
            reached = sorted((each for each in targets if targets[each] == sign), key=_square_key)
            if reached:
                self.output.print_line(f"{sign}: {meaning} {', '.join(reached)}")

    def _show_moves(self) -> None:
        position = self.game.position
        squares = [move.text for move in position.legal_moves if _SQUARE.fullmatch(move.text)]
        self.show_board(dict.fromkeys(squares, "+"))
        name = self.language.names[position.turn]
        if position.outcome is None:
            self.output.print_line(f"{name} can play {' '.join(sorted(squares)) or 'only a pass'}.")

    def show_board(self, signs: Mapping[str, str] | None = None) -> None:
        """Show the board, with signs on squares instead of their content where given."""
        self._signs = signs
        self._update_width()
        for line in self._board_lines(signs):
            self.output.print_unwrapped(line)

    def _board_lines(self, signs: Mapping[str, str] | None) -> list[str]:
        last = self._last_move()
        return board_lines(
            self.game.position,
            self._brush,
            last=last and last[1],
            signs=signs,
            beside=self._side_lines(),
        )

    def _side_lines(self) -> list[str]:
        position = self.game.position
        remarks = []
        players = [player_text(self.game, side) for side in Side]
        times = [clock_text(self.game, side) for side in Side]
        for side, sign in zip(Side, "xo", strict=True):
            who = players[side].ljust(max(map(len, players)))
            time = times[side].rjust(max(map(len, times)))
            beside = f"{self.language.names[side]:5} {position.counts[side]:2}  {who}  {time}"
            remarks.append(f"{self._brush.piece(sign)} {beside.rstrip()}")
        remarks.append("")
        if self.game.outcome is not None:
            remarks.append("The game is over.")
        else:
            turn = self.language.turn_text(position, len(self.game.moves))
            remarks.append(f"{turn}: {self.language.names[position.turn]}")
        if (last := self._last_move()) is not None:
            side, move = last
            remarks.append(f"Last: {self.language.names[side]} {move_name(move)}")
        return remarks

    def _last_move(self) -> tuple[Side, Move] | None:
        """The newest move and who made it, also if it was made before this session."""
        moves = self.game.moves
        if not moves:
            return None
        before = self.game.start
        for move in moves[:-1]:
            before = before.play(move)
        return before.turn, moves[-1]

    def _show_help(self) -> None:
        for line in self.language.lesson():
            self.output.print_line(line)
        usages = ", ".join(command.usage for command in self.useful_commands())
        for line in textwrap.wrap(f"Commands: {usages}.", self._width()):
            self.output.print_line(line)
        self.output.print_line("help COMMAND explains a command, as in: help quit")

    def _print_command_help(self, word: str) -> None:
        command = self.commands.find(_ALIASES.get(word, word))
        self.output.print_line(f"{command.usage}: {command.summary}")

    def _width(self) -> int:
        return min(self._terminal.width, _WIDTH)


def _square_key(square: str) -> tuple[int, str]:
    """The key by which squares are sorted: their numbers, or else their names."""
    return int(square) if square.isdigit() else 0, square
