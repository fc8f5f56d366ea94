"""The friendly mode: what a person at a terminal sees and may type."""

import asyncio
import fcntl
import io
import os
import pty
import re
import struct
import termios
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ataxxd.engines.base import FirstBot
from ataxxd.node.game import Game
from ataxxd.rules import Position
from ataxxd.session.events import MayBeClaimed, Seat
from ataxxd_clients.analysis import Adviser, Effort, Verdict
from ataxxd_clients.text.console import LineSource, Output, Terminal
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.linked import LinkedTable, linked_tables
from tests.unit.text.playing import BLUE, RED, RED_WINS_IN_ONE, RULESET, local_table
from tests.unit.text.script_lines import ScriptLines

START = Position.start(RULESET)
PLAIN = Terminal()
PRETTY = Terminal(colour=True, unicode=True, cursor=True, width=60)


async def friendly(
    lines: str | LineSource,
    table: Game | None = None,
    terminal: Terminal = PLAIN,
    out: "Paper | None" = None,
) -> str:
    """What a whole session prints; both players are people unless a table says otherwise."""
    out, err = out or Paper(), io.StringIO()
    source = ScriptLines(lines.splitlines()) if isinstance(lines, str) else lines
    code = await run_friendly(
        table or local_table(seats={RED: Seat.HUMAN}),
        line_language(RULESET),
        source,
        Output(out, err, wraps=True),
        terminal,
        SessionOptions(prompts=True, patience_s=0),
    )
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


class Paper(io.StringIO):
    """Output that a test can wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._written = asyncio.Event()

    def write(self, text: str) -> int:
        self._written.set()
        return super().write(text)

    async def has(self, text: str) -> None:
        while text not in self.getvalue():
            self._written.clear()
            await self._written.wait()


class Narrow(Paper):
    """Output on a terminal of 60 columns."""

    def __init__(self, terminal: int) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal


@pytest.fixture
def narrow() -> Iterator[Narrow]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 18, 60, 0, 0))
    yield Narrow(slave)
    os.close(slave)
    os.close(master)


class Typist:
    """A person whose lines a test types one by one."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()

    @property
    def is_interactive(self) -> bool:
        return True

    async def read(self) -> str | None:
        return await self.lines.get()

    async def wait_until_closed(self) -> None:
        await asyncio.Event().wait()

    def type(self, line: str) -> None:
        self.lines.put_nowait(line)


@dataclass
class Away:
    """A session at one end of a network game, and the other end."""

    typist: Typist
    here: LinkedTable
    there: LinkedTable
    printing: "asyncio.Task[str]"
    out: "Paper"

    @classmethod
    def begin(cls, side: int = 0, terminal: Terminal = PLAIN, left_ms: int | None = None) -> "Away":
        ends = linked_tables(START)
        ends[side].left_ms = left_ms
        typist, out = Typist(), Paper()
        printing = asyncio.create_task(friendly(typist, ends[side], terminal, out))
        return cls(typist, ends[side], ends[1 - side], printing, out)


async def test_the_board_has_coordinates_counts_and_whose_turn_it_is() -> None:
    lines = (await friendly("")).splitlines()
    assert lines[0] == " 7  r  .  .  .  .  .  b    r Red    2  by hand"
    assert lines[3] == " 4  .  .  .  .  .  .  .    Turn 1: Red"
    assert lines[6].startswith(" 1  b  .  .  .  .  .  r")
    assert lines[7] == "    a  b  c  d  e  f  g"


async def test_the_last_move_is_marked_and_named() -> None:
    printed = await friendly("a7-a5\n")
    assert "Red plays a7a5." in printed
    assert " 7 (.) .  .  .  .  .  b " in printed
    assert " 5 [r] ." in printed
    assert "Last: Red a7a5" in printed


async def test_who_plays_second_is_shown_no_move_of_the_first_player() -> None:
    first = await friendly("", local_table(seats={RED: Seat.HUMAN}))
    assert "Type a move such as a7-b6" in first
    second = await friendly("", local_table(seats={RED: Seat.AUTO, BLUE: Seat.HUMAN}))
    assert "Type a move when it is your turn, or help." in second
    assert "a7-b6" not in second


async def test_captures_are_told() -> None:
    table = local_table("7/7/7/2o1x2/2o4/7/7 x 0 1", seats={RED: Seat.HUMAN})
    assert "Red plays d4 and takes 2." in await friendly("e4-d4\n", table)


@pytest.mark.parametrize("move", ["a7-b6", "A7B6", "a7 b6"])
async def test_a_move_may_be_typed_with_or_without_the_hyphen(move: str) -> None:
    printed = await friendly(move)
    assert "-b6 is b6: any piece beside it makes the same clone.\nRed plays b6." in printed


@pytest.mark.parametrize("move", ["b6", "a7a5", "a7-a5"])
async def test_a_move_that_says_what_is_told_is_not_explained(move: str) -> None:
    printed = await friendly(move)
    assert f"Red plays {move.replace('-', '')}." in printed
    assert " is " not in printed


async def test_a_square_alone_shows_where_its_piece_can_go() -> None:
    printed = await friendly("a7\n")
    assert " 7  r  1  2  .  .  .  b" in printed
    assert " 5  2  2  2  .  .  .  ." in printed
    assert "1: grow onto a6, b6, b7\n2: jump to a5, b5, c5, c6, c7\n" in printed
    assert "plays" not in printed


async def test_a_move_may_be_entered_square_by_square() -> None:
    printed = await friendly("a7\nb6\n")
    assert "Red: a7-" not in printed.partition("jump to")[0]
    assert "Red plays b6." in printed.partition("Red: a7-")[2]


async def test_a_square_that_cannot_be_reached_is_explained_and_asked_for_again() -> None:
    printed = await friendly("a7\nd4\nb6\n")
    assert "a7-d4 is not legal: d4 is 3 columns away; the limit is 2." in printed
    assert "Red plays b6." in printed


@pytest.mark.parametrize("given_up", ["", "a7"])
async def test_a_move_that_is_half_entered_can_be_given_up(given_up: str) -> None:
    printed = await friendly(f"a7\n{given_up}\nc5\n")
    assert "c5 is empty" in printed
    assert "plays" not in printed
    assert printed.endswith("Red: \n")


async def test_another_piece_may_be_chosen_instead() -> None:
    assert "Red plays f1." in await friendly("a7\ng1\nf1\n")


async def test_commands_leave_a_move_half_entered_and_a_new_game_does_not() -> None:
    assert "Red plays b6." in await friendly("a7\nboard\ndump\nb6\n")
    assert "c5 is empty" in await friendly("a7\nnew\nc5\n")


async def test_nothing_is_begun_while_the_other_side_is_to_move() -> None:
    away = Away.begin(side=1)
    for line in ("a1", "a2", "quit"):
        away.typist.type(line)
    printed = await away.printing
    assert "a1-" not in printed
    assert "plays" not in printed


@pytest.mark.parametrize(
    ("square", "why"),
    [
        ("d4", "d4 is empty. Red can move from a7 g1."),
        ("a1", "a1 holds a piece of Blue, and it is Red's turn. Red can move from a7 g1."),
        ("h9", "h9 is off the board; columns are a to g and rows 1 to 7."),
    ],
)
async def test_a_square_from_which_nothing_can_go_is_explained(square: str, why: str) -> None:
    printed = " ".join((await friendly(square)).split())
    assert why in printed


async def test_an_illegal_move_is_explained_with_what_is_possible() -> None:
    printed = await friendly("a7-d4\n")
    assert "d4 is 3 columns away; the limit is 2." in printed
    assert "From a7 you can reach a5 a6 b5 b6 b7 c5 c6 c7." in printed


async def test_help_teaches_and_fits_a_small_terminal() -> None:
    printed = await friendly("help\n", terminal=Terminal(unicode=True, width=60))
    lines = printed[printed.index("Red and Blue take") :].splitlines()
    assert len(lines) <= 18
    assert all(len(line) <= 60 for line in lines)
    assert "resign" in printed
    assert "block CR" in printed


async def test_a_whole_turn_fits_a_terminal_of_60_by_18(narrow: Narrow) -> None:
    table = local_table(bot=FirstBot())
    printed = await friendly("a7-b6\na1-a3\n", table, Terminal(unicode=True, width=60), narrow)
    turn = printed[printed.index("Red plays") :].split("Red: ")[0]
    assert len(turn.splitlines()) <= 16
    assert all(len(line) <= 60 for line in printed.splitlines())


async def test_the_machine_answers_before_the_next_board() -> None:
    printed = await friendly("a7-b6\n", local_table(bot=FirstBot()))
    told = printed[printed.index("Red plays") :]
    assert re.match(r"Red plays b6\.\nBlue plays ..\.\n 7 ", told)


async def test_a_new_game_that_begins_as_the_old_one_stood_is_shown() -> None:
    printed = await friendly("resign\nnew\n")
    assert printed.count("Turn 1: Red") == 2


async def test_where_nothing_was_played_there_is_nothing_to_undo() -> None:
    printed = await friendly("undo\na7-a5\nundo\nundo\n")
    assert printed.count("There is nothing to undo: no move has been made.") == 2


async def test_undo_new_and_blocks_show_the_board_they_leave() -> None:
    printed = await friendly("a7-a5\nundo\nblock c3\nnew\n")
    boards = printed.split("    a  b  c  d  e  f  g\n")
    assert len(boards) == 6
    assert "(" not in boards[2]
    assert "#" in boards[3]
    assert "#" not in boards[4]


async def test_the_end_is_told_with_its_reason_and_what_can_be_done() -> None:
    printed = await friendly("f6-g6\n", local_table(RED_WINS_IN_ONE, seats={RED: Seat.HUMAN}))
    assert "Red wins, 3 to 0: Blue has no pieces left." in printed
    assert "Type new for another game, undo, or quit.\nGame over: " in printed
    assert "Blue wins: Red resigned." in await friendly("resign\n")


async def test_a_draw_is_told_as_nobody_winning() -> None:
    cycle = ["a7-a5", "g7-g5", "a5-a7", "g5-g7"]
    jumps = "\n".join(cycle[ply % 4] for ply in range(25))
    assert "A draw, 2 to 2: 25 jumps in a row." in await friendly(jumps)


async def test_a_pass_may_be_spelt_out() -> None:
    table = local_table("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1", seats={RED: Seat.HUMAN})
    assert "Red passes." in await friendly("pass\n", table)


@pytest.mark.parametrize("word", ["q", "quit", "exit", "qu"])
async def test_q_is_enough_to_leave(word: str) -> None:
    assert "Red plays" not in await friendly(f"{word}\na7-b6\n")


async def test_colours_and_signs_are_used_only_where_they_can_be_shown() -> None:
    plain = await friendly("a7-b6\n")
    assert plain.isascii()
    assert "\x1b" not in plain
    pretty = await friendly("a7-b6\n", terminal=PRETTY)
    assert "\x1b[1;31m●\x1b[0m" in pretty


async def test_your_turn_rings_the_bell_in_a_network_game() -> None:
    away = Away.begin(side=1)
    await away.there.play(START.parse_move("a7-b6"))
    away.typist.type("g7-f6")
    await away.there.advance()
    await away.there.advance()
    away.typist.type("quit")
    printed = await away.printing
    assert printed.count("\a") == 1
    assert printed.index("Red plays b6.") < printed.index("\a")
    assert "(waiting for Red) " in printed


async def test_the_warning_before_a_claim_rings_the_bell() -> None:
    away = Away.begin()
    away.here.news.append(MayBeClaimed(120.2))
    away.here.changed.set()
    await away.here.told.wait()
    away.typist.type("quit")
    printed = await away.printing
    assert "Move within 2m, or your opponent may claim the game." in printed
    assert printed.count("\a") == 1


async def test_a_local_game_rings_no_bell() -> None:
    assert "\a" not in await friendly("a7-b6\n", local_table(bot=FirstBot()))


async def test_one_may_look_and_leave_while_the_other_side_thinks() -> None:
    away = Away.begin(side=1)
    for line in ("board", "g7-f6", "b2", "a4", "quit"):
        away.typist.type(line)
    printed = await away.printing
    assert printed.count("It is Red's turn; your move comes after theirs.") == 3
    assert "is empty" not in printed
    assert away.there.moves == ()


async def test_what_a_network_game_does_not_have_is_not_offered() -> None:
    away = Away.begin()
    for line in ("help", "new", "quit"):
        away.typist.type(line)
    printed = " ".join((await away.printing).split())
    # Nor is advice, which is refused until the end.
    assert "Commands: help, board, export FILE, resign, dump, quit." in printed
    assert '"new" is not a command' in printed


async def test_undo_is_answered_by_what_a_network_game_has_in_its_place() -> None:
    away = Away.begin()
    away.here.takebacks = True
    for line in ("undo", "quit"):
        away.typist.type(line)
    assert "too: type takeback to ask for it." in " ".join((await away.printing).split())


async def test_help_says_what_a_command_does() -> None:
    away = Away.begin()
    for line in ("help resign", "help bord", "? export", "quit"):
        away.typist.type(line)
    printed = await away.printing
    assert "resign: Give the game up, now or as soon as it is your turn." in printed
    assert '"bord" is not a command. Did you mean "board"?' in printed
    assert "export FILE: Save the game; the ending of FILE sets the notation." in printed


async def test_who_asks_for_a_takeback_where_nobody_is_asked_is_told_of_undo() -> None:
    printed = await friendly("takeback\nhelp takeback\n", local_table())
    assert printed.count('"takeback" is not a command. Did you mean "undo"?') == 2


async def test_a_command_that_lacks_its_operand_is_told_by_an_example() -> None:
    printed = await friendly("export\n", local_table())
    assert re.search(r"export needs FILE, as in: export ataxx\d\.\w+", printed)


async def test_whoever_offers_a_draw_where_there_is_none_reads_why() -> None:
    away = Away.begin(side=1)
    for line in ("draw", "quit"):
        away.typist.type(line)
    assert "This game has no agreed draws." in await away.printing
    assert "This game has no agreed draws." in await friendly("draw\n", local_table())


async def test_whoever_comes_back_sees_what_was_played_last() -> None:
    here, _ = linked_tables(START)
    await here.play(START.parse_move("a7-b6"))
    here.news.clear()  # it was told before
    assert "Last: Red b6" in await friendly("quit\n", here)


async def test_a_move_that_came_before_the_first_board_is_not_shown_twice() -> None:
    there, here = linked_tables(START)
    await there.play(START.parse_move("a7-b6"))
    printed = await friendly("quit\n", here)
    assert printed.count("Last: Red b6") == 1
    assert "Red plays b6." in printed


async def test_a_win_that_can_be_forced_is_told_as_one() -> None:
    printed = await friendly("hint\neval\n", local_table(RED_WINS_IN_ONE, seats={RED: Seat.HUMAN}))
    assert re.search(r"The engine would play [fg]\d, which wins at once\.", printed)
    assert re.search(r"Red wins in 1, at depth \d+; expected: [fg]\d\.", printed)


async def test_when_the_game_is_over_there_is_no_hint_and_who_has_won_is_told() -> None:
    table = local_table(RED_WINS_IN_ONE, seats={RED: Seat.HUMAN})
    printed = await friendly("f6-g6\nhint\neval\n", table)
    assert "The game is over: there is no move to show." in printed
    assert "The game is over: Red has won." in printed


@pytest.mark.parametrize("move", ["a7-b6", "a7-d4"])
async def test_a_move_after_the_end_is_told_that_the_game_is_over(move: str) -> None:
    away = Away.begin()
    for line in ("resign", move, "quit"):
        away.typist.type(line)
    after = (await away.printing).partition("Red resigned")[2]
    assert "The game is over." in " ".join(after.split())
    for beside_the_point in ("not legal", "makes the same clone", "not your turn"):
        assert beside_the_point not in after


async def test_in_a_game_with_somebody_else_there_is_no_advice_until_it_is_over() -> None:
    away = Away.begin()
    for line in ("hint", "eval", "resign", "eval", "quit"):
        away.typist.type(line)
    printed = " ".join((await away.printing).split())
    refusal = "In a game with somebody else there is no advice until it is over."
    assert printed.count(refusal) == 2
    assert "at depth" in printed[printed.index("resigned") :]


async def test_a_session_that_ends_while_the_engine_thinks_ends_its_thinking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = asyncio.Event()

    class Endless(Adviser):
        async def evaluate(self, position: Position, effort: Effort) -> Verdict:
            begun.set()
            return await super().evaluate(position, Effort(1 << 40, 1_000_000))

    monkeypatch.setattr("ataxxd_clients.text.friendly.Adviser", Endless)
    typist = Typist()
    typist.type("hint")
    printing = asyncio.create_task(friendly(typist))
    await begun.wait()
    await asyncio.sleep(0)  # the loop turns meanwhile
    printing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await printing


async def prompted_then_told(terminal: Terminal, news: str, then: str) -> str:
    away = Away.begin(terminal=terminal)
    await away.out.has("Red:")
    away.here.notify(news)
    await away.out.has(then)
    away.typist.type("quit")
    return await away.printing


async def test_news_on_a_plain_terminal_are_followed_by_the_prompt_again() -> None:
    printed = await prompted_then_told(PLAIN, "Your opponent is offline.", "offline.]\nRed: ")
    assert "Red: \n[Your opponent is offline.]\nRed: " in printed


class Stream(io.StringIO):
    def __init__(self, encoding: str | None, *, terminal: bool) -> None:
        super().__init__()
        self.named, self.terminal = encoding, terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.named or ""

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("encoding", "terminal", "environment", "colour", "unicode"),
    [
        ("utf-8", True, {"TERM": "xterm"}, True, True),
        ("UTF8", True, {"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ("utf-8", True, {"TERM": "xterm", "NO_COLOR": "1"}, False, True),
        ("utf-8", True, {"TERM": "dumb"}, False, True),
        ("utf-8", True, {}, False, True),
        ("utf-8", False, {"TERM": "xterm"}, False, True),
        ("ascii", True, {"TERM": "xterm"}, True, False),
        (None, True, {"TERM": "xterm"}, True, False),
    ],
)
def test_what_a_terminal_can_show_is_found_out(
    encoding: str | None, terminal: bool, environment: dict[str, str], colour: bool, unicode: bool
) -> None:
    found = Terminal.of(Stream(encoding, terminal=terminal), environment)
    assert (found.colour, found.unicode) == (colour, unicode)
    assert found.cursor == (terminal and environment.get("TERM") == "xterm")


async def test_whoever_comes_when_their_time_has_run_out_is_told_so() -> None:
    late, waits = linked_tables(START)
    late.left_ms = waits.left_ms = 0
    assert "Your time has run out." in await friendly("quit\n", late)
    assert "Your time" not in await friendly("quit\n", waits), "it is not their turn"


async def test_time_that_has_run_out_before_is_told_once() -> None:
    away = Away.begin(left_ms=0)
    await away.out.has("Your time has run out.")
    # What tells of the clock has looked at it, too.
    away.here.left_ms = 19_500
    await away.out.has("[You have 19 s left.]")
    away.typist.type("quit")
    assert "Your time is up" not in await away.printing


async def test_on_a_terminal_without_room_beside_the_board_the_remarks_stand_below_it() -> None:
    lines = (await friendly("", terminal=Terminal(width=44))).splitlines()
    assert lines[0] == " 7  r  .  .  .  .  .  b"
    assert lines[7] == "    a  b  c  d  e  f  g"
    assert [line.rstrip() for line in lines[8:11]] == [
        "r Red    2  by hand",
        "b Blue   2  by hand",
        "Turn 1: Red",
    ]


async def test_no_time_is_told_too() -> None:
    away = Away.begin(left_ms=25_000)
    await away.out.has("Red: ")
    away.here.left_ms = 0
    await away.out.has("[Your time is up.]\nRed: ")
    away.typist.type("quit")
    assert (await away.printing).count("Your time is up") == 1


async def test_little_time_is_told_once_and_the_prompt_comes_again() -> None:
    away = Away.begin(left_ms=25_000)
    await away.out.has("Red: ")
    away.here.left_ms = 19_500
    await away.out.has("[You have 19 s left.]\nRed: ")
    away.here.left_ms = 5_000
    away.typist.type("a7-b6")
    await away.out.has("(waiting for Blue)")
    away.typist.type("quit")
    assert (await away.printing).count("s left") == 1
