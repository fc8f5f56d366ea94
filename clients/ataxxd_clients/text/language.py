"""The line language: what one game adds to it, how moves are entered, and all games' commands.

A game has one file with a `LineLanguage`; `ataxxd_clients.text.session` does the rest.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ataxxd.rules import Move, Outcome, Position, RulesError, Side, rulesets
from ataxxd.session.events import Moved, Request, Seat
from ataxxd_clients.labels import ASKED
from ataxxd_clients.text.commands import (
    Action,
    Command,
    CommandContext,
    CommandError,
    Quit,
    available_commands,
)

_SQUARE = re.compile(r"[a-z][0-9]{1,2}")
_NUMBER = re.compile(r"[0-9]{1,2}")


def side_names(ruleset: str) -> tuple[str, str]:
    """The names of the first and the second side under a ruleset, such as Red and Blue."""
    return next(info.side_names for info in rulesets() if info.id == ruleset)


class LineLanguage(ABC):
    """The words of one game: its prompt, its messages, its boards and its own commands.

    Args:
        ruleset: the id of the ruleset played.
    """

    ignores_extra_operands = False
    """Whether surplus operands are ignored instead of being an error."""

    squares_are_numbers = False
    """Whether squares are numbered from the top, only those that can be played on."""

    squares_are_moves = False
    """Whether a square alone is a move; elsewhere it asks where its piece can go."""

    tells_by_transcript = False
    """Whether a game of machines is printed as a transcript, and the program ends with the game."""

    notation = "canonical"
    """The notation of moves, as `Position.format_move` knows it."""

    default_seats: Mapping[Side, Seat] = {Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO}
    """Who fills the seats when nothing else is asked for."""

    def __init__(self, ruleset: str) -> None:
        self.names = side_names(ruleset)

    def read_side(self, word: str) -> Side | None:
        """The side meant by a word in lower case; None when it is no side."""
        for side in Side:
            if word == self.names[side].lower():
                return side
        return None

    def new_start(self, position: Position) -> Position | None:  # noqa: ARG002
        """The start of a new game after one that ended in `position`; None for the usual one."""
        return None

    def commands(self, context: CommandContext) -> Iterable[Command]:  # noqa: ARG002
        """The commands that only this game has."""
        return ()

    def prompt(self, side: Side) -> str:
        """The prompt for the person on turn: ``Black: ``."""
        return f"{self.names[side]}: "

    @abstractmethod
    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move from words in lower case; None if they do not look like one.

        Raises:
            RulesError: they look like a move, but it is not legal; the message says why.
        """

    def move_line(self, event: Moved) -> str | None:
        """The message of a move by the machine or the other player; None for no message."""
        return f"{self.names[event.side]}: {self.move_text(event)}"

    def move_text(self, event: Moved) -> str:
        """A move in the notation of this language."""
        return event.before.format_move(event.move, self.notation)

    def turn_text(self, position: Position, made: int) -> str:  # noqa: ARG002
        """The number of the turn, for people: ``Turn 3``.

        Args:
            position: the position.
            made: the number of moves made in this game.
        """
        return f"Turn {made + 1}"

    def word_line(self, ply: int, word: str) -> str | None:  # noqa: ARG002
        """The message of what the machine or the other player says instead of a move, if any.

        Args:
            ply: the number of moves made before it.
            word: ``draw``, ``accept``, ``reject`` or ``resign``.

        Returns:
            The message, or None.
        """
        return None

    def report(
        self,
        side: Side,  # noqa: ARG002
        agent: str | None,  # noqa: ARG002
        move: str,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        error: str | None,  # noqa: ARG002
    ) -> str | None:
        """The report on the error stream of a move made or tried; None for no report.

        Args:
            side: who moved, or tried to.
            agent: who plays that side, as `Game.agent` says; None over the network.
            move: the move in this language's notation, or as it was typed.
            seconds: how long it took to choose the move.
            error: why it is not legal; None if it is.
        """
        return None

    def illegal_lines(self, error: Exception) -> Iterable[str]:
        """The lines on the error stream about a move that is not legal."""
        return (f"Error: {error}",)

    def prompt_again(self, context: CommandContext) -> str | None:  # noqa: ARG002
        """The message to repeat after an illegal move, since it still awaits an answer; or None."""
        return None

    def result_line(self, outcome: Outcome) -> str:
        """The message of the end of a game: ``Black wins.`` or ``Draw.``."""
        return "Draw." if outcome.winner is None else f"{self.names[outcome.winner]} wins."

    def counts(self, position: Position) -> str:
        """How many pieces both sides have: ``Black 12, White 9``."""
        first, second = position.counts
        return f"{self.names[0]} {first}, {self.names[1]} {second}"

    def final_board(self, position: Position) -> Iterable[str]:  # noqa: ARG002
        """The board lines before the result, or when an unfinished game is left."""
        return ()

    @abstractmethod
    def dump(self, position: Position) -> Iterable[str]:
        """The board in the exact format that programs read."""

    @abstractmethod
    def board(self, position: Position) -> Iterable[str]:
        """The board for people, in words and signs that programs do not misread."""

    def paths(self, move: Move, position: Position) -> list[list[str]]:  # noqa: ARG002
        """The ways to enter a legal move on a board: the squares to point at, one after another.

        Returns:
            One or more ways; a pass has one way, without squares.
        """
        return [[*move.squares]]

    def squares_in(self, text: str) -> list[str]:
        """The squares that a text names, in its order."""
        square = _NUMBER if self.squares_are_numbers else _SQUARE
        return square.findall(text)

    def echo(self, typed: str, move: Move) -> str | None:
        """What to tell if a move is written with other squares than typed; None if it is not."""
        return None if self.squares_in(typed) == [*move.squares] else f"{typed} is {move}."

    target_signs: Mapping[str, str] = {}
    """The signs of `targets` and what they mean, such as ``jump to``; none where no piece moves."""

    def targets(self, square: str, position: Position) -> Mapping[str, str]:
        """The squares where a piece may go, each with a sign: ``x`` if it captures, else ``+``.

        Raises:
            CommandError, RulesError: nothing can go from there; the message says why.
        """
        if not self.target_signs:
            return {}
        reached = {
            move.to_square: "x" if position.captures(move) else "+"
            for move in position.legal_moves
            if move.from_square == square and move.to_square is not None
        }
        if not reached:
            position.parse_move(f"{square}-{square}")  # raises the reason
        return reached

    def reached_from(self, square: str, position: Position) -> Mapping[str, str]:
        """The squares that `targets` returns; errors are sentences about this square.

        Raises:
            CommandError: nothing can go from there; the message says why.
        """
        try:
            return self.targets(square, position)
        except RulesError as error:
            # The message begins with the move from the square to itself, which nobody typed.
            text = str(error).partition(" is not legal: ")[2] or str(error)
            named = _SQUARE.match(text) is not None
            raise CommandError(text if named else text[0].upper() + text[1:]) from None

    def lesson(self) -> Iterable[str]:
        """How the game is played, for beginners, in lines of at most 60 characters."""
        return ()

    @abstractmethod
    def move_help(self) -> Iterable[tuple[str, str]]:
        """How moves are typed: pairs of an example and its meaning."""


@dataclass(frozen=True, slots=True)
class MoveEntry:
    """One way to enter a move by pointing at squares.

    A move of Ataxx or Lines of Action has two squares, one of checkers all squares on which the
    piece stands, and one of reversi a single square; a pass has none.

    Attributes:
        squares: the squares in the order of pointing; empty for a pass.
        move: the move.
        takes: whether the game's notation writes it as a capture.
    """

    squares: tuple[str, ...]
    move: Move
    takes: bool


def move_entries(position: Position, language: LineLanguage) -> tuple[MoveEntry, ...]:
    """All ways to enter the legal moves of a position; see `LineLanguage.paths`."""
    may_take = "x" in language.target_signs
    return tuple(
        MoveEntry((*path,), move, may_take and bool(position.captures(move)))
        for move in position.legal_moves
        for path in language.paths(move, position)
    )


def starting_with(every: Sequence[MoveEntry], chosen: Sequence[str]) -> tuple[MoveEntry, ...]:
    """The entries that begin with the squares chosen so far."""
    begun = tuple(chosen)
    return tuple(entry for entry in every if entry.squares[: len(begun)] == begun)


def choose(
    every: Sequence[MoveEntry], chosen: tuple[str, ...], square: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Point at a square, to begin, continue or complete a move.

    Args:
        every: all entries of the position.
        chosen: the squares already pointed at.
        square: the square pointed at now.

    Returns:
        The squares of a complete move, and the squares chosen from now on; one of them is empty.
        The move may be illegal: then the rules say why.
    """
    squares = (*chosen, square)
    following = starting_with(every, squares)
    if any(entry.squares == squares for entry in following):
        return squares, ()
    if following:
        return (), squares
    # The last square of a long jump is enough where only one way ends there.
    ending = {
        entry.squares for entry in starting_with(every, chosen) if entry.squares[-1:] == (square,)
    }
    if chosen and len(ending) == 1:
        return ending.pop(), ()
    if square in chosen:
        return (), ()
    if starting_with(every, (square,)):
        return (), (square,)
    return squares, ()


_SEED = re.compile(r"[+-]?[0-9]+")


def common_commands(context: CommandContext, language: LineLanguage) -> Iterator[Command]:
    """The commands that all games share."""

    def new(_: Sequence[str]) -> None:
        context.begin(start=language.new_start(context.game.position))

    def show(lines: Callable[[Position], Iterable[str]]) -> None:
        for line in lines(context.game.position):
            context.output.print_line(line)

    def verbose(*, on: bool) -> None:
        context.verbose = on

    rows: tuple[tuple[str, str, Action, str], ...] = (
        ("new", "Begin a new game with the same players.", new, "new"),
        ("undo", "Take back the last move made by hand.", lambda _: context.undo(), "undo"),
        ("redo", "Redo what undo took back.", lambda _: context.redo(), "redo"),
        ("resign", "Give the game up, now or as soon as it is your turn.",
         lambda _: _resign(context), "resign"),
    )  # fmt: skip
    for name, summary, action, act in rows:
        yield Command(name, summary, action, in_full=name == "redo", act=act)
    for name, summary, seat in (
        ("auto", "Let an AI play a side.", Seat.AUTO),
        ("manual", "Play a side by hand.", Seat.HUMAN),
    ):
        fill = partial(_fill, context, language, seat)
        first = language.names[0].lower()
        yield Command(name, summary, fill, ("COLOR",), example=first, act="fill")
    yield Command(
        "seed", "Make the AIs repeatable; N is a whole number.", partial(_reseed, context), ("N",),
        example="42", act="new",
    )  # fmt: skip
    for name, summary, action in (
        ("board", "Show the board.", lambda _: show(language.board)),
        ("dump", "Show the board in the format for programs.", lambda _: show(language.dump)),
        ("verbose", "Show the board after every turn.", lambda _: verbose(on=True)),
        ("quiet", "Do not show the board after every turn.", lambda _: verbose(on=False)),
    ):
        yield Command(name, summary, action)
    yield Command("quit", "Leave the program; q does the same.", _quit, alias="q")


async def _resign(context: CommandContext) -> None:
    await context.game.resign()
    if context.game.resigning:
        context.output.print_message(RESIGNS)


def _fill(
    context: CommandContext, language: LineLanguage, seat: Seat, operands: Sequence[str]
) -> None:
    side = language.read_side(operands[0])
    if side is None:
        first, second = language.names
        raise CommandError(
            f'"{operands[0]}" is not a player; the players are {first} and {second}.'
        )
    context.set_seat(side, seat)


def _reseed(context: CommandContext, operands: Sequence[str]) -> None:
    game, word = context.require_offline("seed"), operands[0]
    if not _SEED.fullmatch(word) or not -(1 << 63) <= int(word) < 1 << 63:
        raise CommandError(
            f'"{word}" is not a seed, which is a whole number from -2^63 to 2^63-1, such as 42.'
        )
    game.reseed(int(word))


def _quit(_: Sequence[str]) -> None:
    raise Quit


def help_command(
    context: CommandContext, language: LineLanguage, others: Sequence[Command]
) -> Command:
    """The command `help`, which lists all commands; in a network game, those possible now."""

    def show(_: Sequence[str]) -> None:
        can, every = context.game.can, (*others, own)
        # Offline, a person can use every command sooner or later, so all are listed.
        now = every if "new" in can else available_commands(every, can)
        entries = [*language.move_help(), *((each.usage, each.summary) for each in now)]
        width = max(len(usage) for usage, _ in entries)
        for usage, summary in entries:
            context.output.print_line(f"  {usage:{width}}  {summary}")
        context.output.print_line(
            "Commands of one word may be shortened. What follows # is ignored."
        )

    own = Command("help", "Show this list; ? does the same.", show, alias="?")
    return own


RESIGNS = "You will resign as soon as it is your turn; unresign takes that back."


def peer_commands(context: CommandContext) -> Iterator[Command]:
    """The commands that only a network game has.

    No course defines them, so they must be typed in full, and others keep their abbreviations.
    """
    game, output = context.game, context.output

    def ask(what: Request) -> Action:
        async def act(_: Sequence[str]) -> None:
            await game.ask(what)
            if game.outcome is None:
                output.print_message(ASKED)

        return act

    async def refuse(_: Sequence[str]) -> None:
        output.print_message(f"Refused. You said: {await game.refuse()}")

    async def unresign(_: Sequence[str]) -> None:
        await game.keep_playing()
        output.print_message("You play on.")

    def mute(*, on: bool, notice: str) -> Action:
        def act(_: Sequence[str]) -> None:
            context.muted = on
            output.print_message(notice)

        return act

    hide = mute(on=True, notice="What others say is hidden now; unmute shows it again.")
    unhide = mute(on=False, notice="What others say is shown again.")
    rows: tuple[tuple[str, str, Action, str | None], ...] = (
        ("takeback", "Ask to take your last move back.", ask("takeback"), "takeback"),
        ("abort", "End the game without a result; after your first move, ask to.", ask("abort"),
         "abort"),
        ("agree", "Agree to what your opponent asks for.", lambda _: game.agree(), "agree"),
        ("refuse", "Refuse what your opponent asks for.", refuse, "refuse"),
        ("unresign", "Take back a resignation that waits for your turn.", unresign, "keep_playing"),
        ("claim", "Win the game if your opponent does not answer.", lambda _: game.claim(),
         "claim"),
        ("rematch", "After the game, play another one with colours swapped.",
         lambda _: game.ask_rematch(), "rematch"),
        ("mute", "Hide what others say, until you type unmute.", hide, None),
        ("unmute", "Show again what others say.", unhide, None),
    )  # fmt: skip
    for name, summary, action, act in rows:
        yield Command(name, summary, action, in_full=True, act=act)
    yield Command(
        "say", "Say something to your opponent.", lambda text: game.say(text[0]), ("TEXT",),
        example="hello", in_full=True, verbatim=True, act="say",
    )  # fmt: skip
