"""How commands declare their options, the options that several share, and typer commands of them.

A command is a dataclass with a field for each option, made by `option`, `flag` or `argument`, or
for a dataclass of further options; a shared option has its type and default here. `command` builds
a typer command from it, with our own help and our own error messages. `--help` needs no other
module, so this one is quick to import.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard, get_type_hints

import typer
from typer.core import TyperCommand

from ataxxd.cli.output import print_message
from ataxxd.engines import DEFAULT_LEVEL
from ataxxd.errors import UsageError
from ataxxd.wording import MIN_SIMILARITY

if TYPE_CHECKING:
    from ataxxd.node.players import Thinking

GAME = "What is played"
PLAYERS = "Who plays"
THINKING = "How the engine thinks"
TERMS = "Terms"
SHOWN = "How it is shown"
NOTIFIED = "Notifications"
FILES = "Files"
NETWORK = "Network"

WHO = (
    "human, auto or auto@LEVEL (the engine), first, random[:SEED], alphabeta:DEPTH, engine:COMMAND"
)
"""Who can play, in the words of options."""

INFO = "info"
"""The key in a field's metadata for typer's information about the option."""


def describe(words: str, text: str | None = None, heading: str | None = None, **more: Any) -> Any:
    """Describe an option or an argument for typer, as an annotation of a type.

    Args:
        words: ``--flag``, ``--option VALUE`` or ``ARGUMENT``.
        text: its help.
        heading: the heading of the help page under which to list it.
        more: further arguments of typer, such as ``min``, ``envvar`` and ``hidden``.
    """
    name, _, value = words.partition(" ")
    if name.startswith("--"):
        more |= {"metavar": value or None, "rich_help_panel": heading}
        return typer.Option(name, help=text, **more)
    return typer.Argument(metavar=words, help=text, **more)


def option(
    words: str,
    text: str | None = None,
    heading: str | None = None,
    default: Any = None,
    **more: Any,
) -> Any:
    """A dataclass field for an option that only one command has; arguments as for `describe`."""
    return field(default=default, metadata={INFO: describe(words, text, heading, **more)})


def flag(words: str, text: str | None = None, heading: str | None = None, **more: Any) -> Any:
    """A dataclass field for an option without a value; arguments as for `describe`."""
    return option(words, text, heading, default=False, **more)


def argument(words: str, text: str, default: Any = MISSING, **more: Any) -> Any:
    """A dataclass field for an argument, required without `default`; others as for `describe`."""
    return field(default=default, metadata={INFO: describe(words, text, **more)})


Home = Annotated[
    Path | None,
    describe(
        "--home DIR", "The folder with this node's key and games.", FILES, envvar="ATAXXD_HOME"
    ),
]
Broker = Annotated[
    str | None,
    describe(
        "--broker URL",
        "The broker: mqtt://[USER:PASSWORD@]HOST[:PORT], or mqtts://, ws://, wss://, with "
        "?ca=FILE&cert=FILE&key=FILE. With :PASSWORD alone, USER is this node's id. Separate "
        "the members of a cluster with commas.  [default: mqtt://127.0.0.1:1883]",
        NETWORK,
        envvar="ATAXXD_BROKER",
    ),
]
Lan = Annotated[bool, describe("--lan", "Start a broker that the local network can find.", NETWORK)]
Wait = Annotated[float, describe("--wait SECONDS", "How long to look for it.", NETWORK, min=0.1)]
Collect = Annotated[
    float, describe("--wait SECONDS", "How long to wait for answers.", NETWORK, min=0.1)
]
Engine = Annotated[
    str | None,
    describe(
        "--engine COMMAND",
        "Use this engine instead of ours, such as ./zataxx; put limit=2s before it to limit its "
        "time per move.",
        PLAYERS,
    ),
]
EngineProtocol = Annotated[
    str | None,
    describe(
        "--engine-protocol NAME",
        "The engine's protocol: uai, nboard or hub.  [default: by the game]",
        PLAYERS,
    ),
]
Nodes = Annotated[
    int | None, describe("--nodes N", "Positions to search per move.", THINKING, min=1)
]
Hash = Annotated[
    int | None,
    describe("--hash MB", "Size of the hash table.  [default: 16]", THINKING, min=1, max=65_536),
]
Plies = Annotated[int, describe("--plies N", "Random moves in each opening.", GAME, min=0, max=100)]
Balanced = Annotated[
    int | None,
    describe(
        "--balanced SCORE",
        "Only openings that our engine scores within this, such as 300: three pieces.",
        GAME,
        min=0,
    ),
]
Seed = Annotated[
    int | None, describe("--seed N", "Make the engine's choices repeatable.", THINKING)
]
Transcript = Annotated[
    Path | None,
    describe(
        "--transcript FILE",
        "Write the game to FILE, over what is there: the signed record, or the notation that its "
        "suffix names.",
        FILES,
    ),
]
Witnesses = Annotated[
    list[str] | None,
    describe(
        "--witness ID",
        "A node that watches and says whether a claim is true; may be repeated. The majority "
        "decides.  [env: ATAXXD_WITNESSES]",
        TERMS,
    ),
]
Settings = Annotated[
    list[str] | None,
    describe("--set SECTION.KEY=VALUE", "Override a value of the configuration; may be repeated."),
]
Json = Annotated[bool, describe("--json", "Print JSON, one object per line.")]
Ratings = Annotated[
    bool, describe("--ratings", "Show ratings, too, by the signed games that this node has.")
]
Ruleset = Annotated[
    str | None,
    describe(
        "--ruleset ID", "The rules; `ataxxd doctor` lists them.  [default: the game's first]", GAME
    ),
]
GAMES = "ataxx, reversi, checkers or loa"
"""The games, for help pages. Only the engine has a list, and light commands do not load it."""
OnlyGame = Annotated[str | None, describe("--game GAME", f"Only this game: {GAMES}.")]
DEFAULT_GAME = "ataxx"
"""The game where none is named."""
_GAME = ("--game GAME", f"{GAMES}.")
Game = Annotated[str, describe(*_GAME, GAME)]
GameOrUnsaid = Annotated[
    str | None, describe(_GAME[0], f"{_GAME[1]}  [default: {DEFAULT_GAME}]", GAME)
]
Line = Annotated[bool, describe("--line", "Use the line language even on a terminal.", SHOWN)]
Display = Annotated[bool, describe("--display", "Show the board in the browser.", SHOWN)]
Tui = Annotated[bool, describe("--tui", "Show a full-screen board to click on.", SHOWN)]
Ascii = Annotated[bool, describe("--ascii", "Draw the board with letters only.", SHOWN)]
Talk = Annotated[bool, describe("--talk", "Show what spectators say.", SHOWN)]
Notify = Annotated[
    list[str] | None,
    describe(
        "--notify WHERE",
        "Notify you of a guest, a challenge, your turn and the end of the game, by desktop, "
        "command:PROGRAM, mail:ADDRESS, ntfy:URL or the URL of a webhook; may be repeated.  "
        "[env: ATAXXD_NOTIFY, one per line]",
        NOTIFIED,
    ),
]
Position = Annotated[str | None, describe("--position TEXT", "Start from this position.", GAME)]
Blocks = Annotated[
    str | None,
    describe(
        '--blocks "b2 c3"',
        "Ataxx: block these squares, and their reflections in the other three quarters.",
        GAME,
    ),
]
Init = Annotated[
    Path | None,
    describe(
        "--init FILE",
        "Start after the moves of this game: a transcript, PDN, PGN, GGF or a record.",
        GAME,
    ),
]
Number = Annotated[
    int | None, describe("--number N", "Which game to take if a file holds several.", min=1)
]
SourceFormat = Annotated[
    str | None, describe("--from FORMAT", "Format of the input, whatever the suffix.")
]
Concurrency = Annotated[int, describe("--concurrency N", "Games to play at once.", min=1, max=256)]
_CLOCK = (
    "--clock TIME",
    "Thinking time: 5+3 (5 minutes plus 3 seconds a move), 10m, 10m+5s, 30s/move, 3d/move or none.",
)
_GRACE = (
    "--grace TIME",
    "How long a player may be silent before the other can claim the game: 15m, 3d or never.",
)
_TAKEBACKS = ("--takebacks/--no-takebacks", "Allow moves to be taken back if both agree.")
Clock = Annotated[str, describe(*_CLOCK, TERMS)]
Grace = Annotated[str, describe(*_GRACE, TERMS)]
Takebacks = Annotated[bool, describe(*_TAKEBACKS, TERMS)]
# None if not given: then a file may set them.
ClockOrUnsaid = Annotated[str | None, describe(_CLOCK[0], f"{_CLOCK[1]}  [default: none]", TERMS)]
GraceOrUnsaid = Annotated[str | None, describe(_GRACE[0], f"{_GRACE[1]}  [default: 15m]", TERMS)]
TakebacksOrUnsaid = Annotated[
    bool | None, describe(_TAKEBACKS[0], f"{_TAKEBACKS[1]}  [default: no-takebacks]", TERMS)
]
Games = Annotated[
    int, describe("--games N", "Play N games in a row, swapping sides.", TERMS, min=1)
]
Expires = Annotated[
    str, describe("--expires TIME", "How long the offer stands: 90s, 1h, 1d.", TERMS)
]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How well our engine plays."""

    level: str | None = option(
        "--level LEVEL",
        "The engine's strength, 1 (a beginner) to 10; 0 plays any legal move.  "
        f"[default: {DEFAULT_LEVEL}]",
        PLAYERS,
    )
    time: str | None = option("--time TIME", "Time per move: 500ms, 2s, 1m.", THINKING)
    nodes: Nodes = None
    depth: int | None = option("--depth N", "Plies to look ahead.", THINKING, min=1)
    threads: int | None = option(
        "--threads N", "Number of search threads.  [default: 1]", THINKING, min=1, max=256
    )
    hash_mb: Hash = None
    ponder: bool = flag("--ponder", "Also think on your opponent's time.", THINKING)


def read_thinking(search: SearchOptions, seed: int | None, *, capped: bool = False) -> "Thinking":
    """The settings of the engine's search.

    Args:
        search: the options of the command.
        seed: the seed of the engine's random choices; None for any.
        capped: take a level above the highest as the highest.

    Raises:
        UsageError: there is no such level.
    """
    from ataxxd.node.players import Thinking, read_option  # loads the engines

    level = read_option(search.level, capped=capped)
    threads = _searching_threads(search.threads, seed)
    return Thinking(
        level, search.time, search.nodes, search.depth, threads, search.hash_mb, search.ponder
    )


def _searching_threads(threads: int | None, seed: int | None) -> int | None:
    """The threads that the engine searches with: one if a seed must repeat its choices."""
    if seed is None or threads is None or threads == 1:
        return threads
    print_message("With --seed the engine searches with one thread: several never repeat a game.")
    return 1


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """Who plays this side of a network game."""

    auto: bool = flag("--auto", "Let the engine play this side.", PLAYERS)
    player: str | None = option("--player WHO", f"Who plays this side: {WHO}.", PLAYERS)
    engine: Engine = None
    engine_protocol: EngineProtocol = None
    search: SearchOptions = field(default_factory=SearchOptions)
    agree: bool = flag(
        "--agree", "Let the engine agree to takebacks and aborts.  [default: refuse]", THINKING
    )
    seed: Seed = None


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Where a game begins."""

    blocks: Blocks = None
    position: Position = None
    init: Init = None


@dataclass(frozen=True, slots=True)
class TermsOptions:
    """The terms of a game."""

    clock: Clock = "none"
    grace: Grace = "15m"
    takebacks: Takebacks = True


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a person sees a game and enters moves."""

    line: Line = False
    tui: Tui = False
    ascii_only: Ascii = False
    strict: bool = flag("--strict", "Stop with an error at the first bad line of input.", SHOWN)
    display: Display = False

    def check(self) -> None:
        """Check that the game can be shown as these options say.

        Raises:
            UsageError: two options exclude each other, or ``--tui`` cannot work here.
        """
        check_tui(tui=self.tui, line=self.line, display=self.display)
        check_ascii(ascii_only=self.ascii_only, display=self.display)


def check_ascii(*, ascii_only: bool, display: bool) -> None:
    """Refuse ``--ascii`` where no board is drawn with letters.

    Raises:
        UsageError: the game is shown in the browser.
    """
    if ascii_only and display:
        raise UsageError("--ascii is for boards in a terminal: leave it out with --display.")


def check_tui(*, tui: bool, line: bool = False, display: bool = False) -> None:
    """Refuse ``--tui`` where it cannot work.

    Raises:
        UsageError: another way to show the game is chosen too, or there is no terminal.
    """
    check_one_view(tui=tui, line=line, display=display)
    if tui and (obstacle := obstacle_to_tui()) is not None:
        raise UsageError(obstacle)


def check_one_view(*, tui: bool, line: bool = False, display: bool = False) -> None:
    """Refuse ``--tui`` together with another way to show a game.

    Raises:
        UsageError: both are chosen.
    """
    if tui and (line or display):
        other = "--line" if line else "--display"
        raise UsageError(f"{other} and --tui are two ways to look at a game: choose one.")


def obstacle_to_tui(typed: str = "--tui") -> str | None:
    """Why the terminal UI, asked for by `typed`, cannot be shown here; None if it can."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return f"{typed} draws on a terminal: standard input and standard error must lead to one."
    if os.environ.get("TERM", "dumb") == "dumb":
        return f"{typed} needs a terminal whose cursor can be moved; this one is dumb, says TERM."
    return None


@dataclass(frozen=True, slots=True)
class NotifyOptions:
    """How a person away from the screen is notified."""

    notify: Notify = None
    notify_after: str = option(
        "--notify-after TIME",
        "Notify you of your turn only if you have not moved for this long.",
        NOTIFIED,
        default="30s",
    )


@dataclass(frozen=True, slots=True)
class SeatOptions:
    """A seat in a network game: who plays in it, and how the game is shown, told of and kept."""

    player: PlayerOptions = field(default_factory=PlayerOptions)
    transcript: Transcript = None
    view: ViewOptions = field(default_factory=ViewOptions)
    notify: NotifyOptions = field(default_factory=NotifyOptions)


@dataclass(frozen=True, slots=True)
class GameFileOptions:
    """Which game of a file is meant, or where there is none, which start."""

    source_format: SourceFormat = None
    number: Number = None
    game: str | None = option("--game GAME", "The game, if there is no FILE.  [default: ataxx]")
    ruleset: Ruleset = None
    blocks: Blocks = None
    position: Position = None


_ORDER = (PLAYERS, THINKING, GAME, TERMS, SHOWN, NOTIFIED, FILES, NETWORK)
_ELSE = "Options"
# So few options fit on half a screen, and need no headings.
_FEW = 10

# Former names of options, which scripts may still use.
_FORMER = {"--text": "--line"}
# One hyphen, or the dash that web pages make of two.
_ONE_DASH = re.compile(r"[-–—]([a-z][a-z0-9-]+)(=.*)?", re.DOTALL)  # noqa: RUF001
# A position whose board begins with an empty or blocked square; no option has a blank in its name.
_POSITION = re.compile(r"-[-0-9XOxo/]* .+", re.DOTALL)
# How typer writes an argument that is required.
_BRACED = re.compile(r"\{([^{}]*?)(?:\.\.\.)?\}(\.\.\.)?")


def command(name: str, options: type, work: Callable[[Any], int]) -> TyperCommand:
    """Build a typer command.

    Args:
        name: the name of the command.
        options: a dataclass with an annotated field for each option; its docstring is the help.
        work: called with an instance of `options`; returns the exit code.
    """

    def run(**values: object) -> None:
        raise typer.Exit(work(fill_options(options, values)))

    signature = inspect.Signature([*_parameters(options)])
    run.__doc__ = options.__doc__
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=PlainCommand)(run)
    made = typer.main.get_command(single)
    assert isinstance(made, TyperCommand)
    return made


class PlainCommand(TyperCommand):
    """A command that explains mistyped long options, and those pasted from typeset pages."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; explain words such as ``-log=FILE``, or with a dash for the hyphens.

        Raises:
            UsageError: there is such a word for an option of this command; or the ruleset named
                belongs to another game than the one named.
        """
        known = {name for parameter in self.params for name in parameter.opts}
        args = [_renamed(word, known) for word in args]
        for word in takewhile(lambda word: word != "--", args):
            found = _ONE_DASH.fullmatch(word)
            if found is not None and (option := f"--{found[1]}") in known:
                raise UsageError(
                    f"{word}: long options begin with two hyphens. Type {option}{found[2] or ''}"
                )
        rest = super().parse_args(ctx, _positions_last(args, known))
        _check_game(ctx)
        return rest

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The words of the usage line, with ``NAME`` instead of typer's ``{NAME}``."""
        return [_BRACED.sub(r"\1\2", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the arguments, and the options under their headings."""
        write_options(self.get_params(ctx), ctx, formatter)


def _renamed(word: str, known: set[str]) -> str:
    """The word, with a former name of one of this command's options replaced."""
    name = _FORMER.get(word)
    return word if name is None or word in known or name not in known else name


def _check_game(ctx: typer.Context) -> None:
    """Refuse a ruleset of another game than the one that was named.

    Only here can we tell a game that was named from the default.
    """
    game, ruleset = ctx.params.get("game"), ctx.params.get("ruleset")
    source = ctx.get_parameter_source("game")
    if game is None or ruleset is None or source is None or source.name != "COMMANDLINE":
        return
    of, slash, _ = ruleset.partition("/")
    if slash and of != game:
        raise UsageError(
            f"--game {game} contradicts --ruleset {ruleset}, whose game is {of}: leave one out."
        )


def _positions_last(args: list[str], options: set[str]) -> list[str]:
    """The words with positions that look like options behind ``--``, which ends the options."""
    words = [*takewhile(lambda word: word != "--", args)]
    kept, positions = list[str](), list[str]()
    for before, word in zip(["", *words], words, strict=False):
        # A word after the name of an option is its value.
        is_one = before not in options and _POSITION.fullmatch(word)
        (positions if is_one else kept).append(word)
    return [*kept, "--", *positions, *args[len(words) + 1 :]] if positions else args


def write_options(parameters: Iterable[Any], context: Any, formatter: Any) -> None:
    """Write a command's arguments and options, each option under its heading.

    Args:
        parameters: typer's parameters, with their headings in ``rich_help_panel``.
        context: the typer context of the command.
        formatter: writes the help page.
    """
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, tuple[str, str]]] = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            # Without its type, which is a name from Python.
            arguments.append((parameter.metavar or parameter.name.upper(), record[1]))
        else:
            options.append((parameter.rich_help_panel or _ELSE, record))
    if len(options) <= _FEW:
        options = [(_ELSE, record) for _, record in options]
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl(arguments)
    for heading in (*_ORDER, _ELSE):
        if records := [record for each, record in options if each == heading]:
            with formatter.section(heading):
                formatter.write_dl(records)


def write_commands(
    groups: Mapping[str, Iterable[str]], summaries: dict[str, str], formatter: Any
) -> None:
    """Write the commands of a program under their headings, in columns of the same width."""
    widest = max(map(len, summaries))
    for heading, names in groups.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(widest), summaries[name]) for name in names])


def fill_options(options: type, values: Mapping[str, Any]) -> Any:
    """An instance of `options` with these values, including those of its groups."""
    return options(
        **{
            name: fill_options(hint, values) if _is_group(hint) else values[name]
            for name, hint in get_type_hints(options).items()
        }
    )


def _parameters(options: type) -> Iterator[inspect.Parameter]:
    """The fields of `options`, those of the groups in it in their places."""
    hints = get_type_hints(options, include_extras=True)
    for each in fields(options):
        hint = hints[each.name]
        if INFO in each.metadata:
            hint = Annotated[hint, each.metadata[INFO]]
        if _is_group(hint):
            yield from _parameters(hint)
        else:
            default = inspect.Parameter.empty if each.default is MISSING else each.default
            yield inspect.Parameter(
                each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint
            )


def _is_group(hint: object) -> TypeGuard[type]:
    return isinstance(hint, type) and is_dataclass(hint)


# Other words for options; of ours, the first that the command has is suggested.
_SENSE = {
    "auto": ("--player1 auto",),
    "black": ("--color", "--player1"),
    "blue": ("--color", "--player2"),
    "browser": ("--display",),
    "color": ("--white",),
    "colour": ("--color", "--white"),
    "cores": ("--concurrency", "--threads"),
    "difficulty": ("--level", "--player2 auto@LEVEL"),
    "fen": ("--position",),
    "gui": ("--display", "--tui"),
    "level": ("--player2 auto@LEVEL",),
    "movetime": ("--move-time", "--time"),
    "nickname": ("--name",),
    "opponent": ("--guest", "--player2"),
    "out": ("--output", "--transcript"),
    "output": ("--transcript",),
    "player": ("--with",),
    "red": ("--color", "--player1"),
    "rounds": ("--games",),
    "server": ("--broker",),
    "side": ("--color", "--white"),
    "skill": ("--level", "--player2 auto@LEVEL"),
    "strength": ("--level", "--player2 auto@LEVEL"),
    "tc": ("--clock",),
    "time": ("--move-time", "--clock"),
    "time-control": ("--clock",),
    "variant": ("--ruleset",),
    "web": ("--display",),
    "white": ("--color",),
}


def similar_options(wrong: str, known: Collection[str]) -> list[str]:
    """The options that may have been meant, the likeliest first; empty if none is similar.

    Args:
        wrong: the option as typed, such as ``--leve``.
        known: the options of the command, such as ``--level``.
    """
    name = wrong.lstrip("-").lower()
    for option in _SENSE.get(name, ()):
        if option.partition(" ")[0] in known:
            return [option]
    names = {option.lstrip("-"): option for option in known if option.startswith("--")}
    return [names[like] for like in get_close_matches(name, names, cutoff=MIN_SIMILARITY)]
