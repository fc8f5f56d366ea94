"""Commands for engines: their options and help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """Play a match of many games to compare two players.

    Each opening is played twice, with sides swapped. The result is the first player's: won,
    drawn, lost, and Elo with its 95 % interval. With --sprt the command exits with 0 if ELO1
    is shown, and with 14 otherwise.
    """

    player1: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER1",
            help="auto (our engine, limited by the match only), auto@LEVEL, auto:LIMIT (100ms, "
            "nodes:5000, depth:6), alphabeta:DEPTH, random, first, engine:COMMAND.",
        ),
    ]
    player2: Annotated[
        str, typer.Argument(metavar="PLAYER2", help="The second player, in the same form.")
    ]
    game: options.Game = options.USUAL_GAME
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset",
            metavar="ID",
            help="The rules; `ataxxd doctor` lists them.  [default: those of other engines: "
            "ataxx/uai and checkers/acf; else the game's first]",
            rich_help_panel=options.GAME,
        ),
    ] = None
    games: Annotated[
        int,
        typer.Option("--games", min=2, metavar="N", help="Number of games, two for each opening."),
    ] = 100
    concurrency: options.Concurrency = 1
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            metavar="TIME",
            help="Time for a whole game: 10s+100ms, 1m; minutes and seconds as 5+3.",
            rich_help_panel=options.THINKING,
        ),
    ] = None
    older_clock: Annotated[str | None, typer.Option("--time", hidden=True)] = None
    move_time: Annotated[
        str | None,
        typer.Option(
            "--move-time",
            metavar="TIME",
            help="Time for each move.  [default: 100ms]",
            rich_help_panel=options.THINKING,
        ),
    ] = None
    nodes: options.Nodes = None
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            min=1,
            max=100,
            metavar="N",
            help="Plies to look ahead.",
            rich_help_panel=options.THINKING,
        ),
    ] = None
    margin: Annotated[
        str | None,
        typer.Option(
            "--margin",
            metavar="TIME",
            help="How late a move may be before it loses on time.  [default: 100ms; without "
            "--clock and --move-time no move is late]",
            rich_help_panel=options.THINKING,
        ),
    ] = None
    plies: Annotated[
        int,
        typer.Option(
            "--plies",
            min=0,
            max=100,
            metavar="N",
            help="Random moves that make an opening.",
            rich_help_panel=options.GAME,
        ),
    ] = 6
    openings: Annotated[
        Path | None,
        typer.Option(
            "--openings",
            metavar="FILE",
            help="Start from these positions, one per line.",
            rich_help_panel=options.GAME,
        ),
    ] = None
    position: options.Position = None
    blocks: options.Blocks = None
    hash_mb: options.Hash = None
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="Seed of the openings and the random players."),
    ] = 1
    resign: Annotated[
        str | None,
        typer.Option(
            "--resign",
            metavar="MOVES:SCORE",
            help="Score as lost after this many moves in a row at minus this score or worse, such "
            "as 4:1000.",
            rich_help_panel=options.TERMS,
        ),
    ] = None
    draw: Annotated[
        str | None,
        typer.Option(
            "--draw",
            metavar="FROM:MOVES:SCORE",
            help="From move FROM on, score as drawn after this many moves within this score, such "
            "as 30:8:10.",
            rich_help_panel=options.TERMS,
        ),
    ] = None
    max_plies: Annotated[
        int,
        typer.Option(
            "--max-plies",
            min=1,
            metavar="N",
            help="Score a longer game as drawn.",
            rich_help_panel=options.TERMS,
        ),
    ] = 500
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="ELO0:ELO1",
            help="Stop as soon as ELO0 or ELO1 is established; ELO0:ELO1:ALPHA:BETA for other "
            "risks than 0.05.",
        ),
    ] = None
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="Save the match in FILE, and continue it from there.",
            rich_help_panel=options.FILES,
        ),
    ] = None
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            metavar="FILE",
            help="Write all games to FILE: PGN, PDN or GGF.",
            rich_help_panel=options.FILES,
        ),
    ] = None
    queue_url: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="URL",
            help="Have `ataxxd worker` play the games, by this NATS server: nats://HOST:PORT. "
            "Needs --state.",
            rich_help_panel=options.NETWORK,
        ),
    ] = None
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """Play games of matches that `ataxxd match --queue` hands out.

    It plays for whatever match is on the NATS server, one after another, until you stop it. The
    games under way go to other workers then.
    """

    url: Annotated[
        str, typer.Argument(metavar="URL", help="The NATS server of the match: nats://HOST:PORT.")
    ]
    concurrency: options.Concurrency = 1
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="What the match calls this worker.  [default: this machine and the process]",
        ),
    ] = None
    allow_engines: Annotated[
        bool,
        typer.Option(
            "--allow-engines",
            help="Also play as engine:COMMAND: whoever reaches the server can start programs here.",
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UaiOptions:
    """Run as an Ataxx engine for other programs (UAI).

    Speaks UAI on standard input and output until `quit` or the end of the input. Programs
    that pit Ataxx engines against each other, such as cuteataxx, speak it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NboardOptions:
    """Run as a reversi engine for other programs (NBoard).

    Speaks NBoard 2 on standard input and output until `quit` or the end of the input, as
    engines such as NTest and Edax do.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class HubOptions:
    """Run as a checkers engine for other programs (Hub).

    Speaks Hub 2 on standard input and output until `quit` or the end of the input, as
    draughts engines such as Scan do. The game is English checkers.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """Count the nodes of fixed searches, to check the search.

    The counts are the same on every machine, and change only when the search does.
    """

    game: options.OnlyGame = None
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            min=1,
            max=256,
            help="Number of search threads; with more than one, counts vary.",
        ),
    ] = 1
    hash_mb: options.Hash = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerftOptions:
    """Count the positions DEPTH plies ahead.

    The last line of the output is the count alone.
    """

    depth: Annotated[int, typer.Argument(min=0, metavar="DEPTH", help="Depth in plies.")]
    game: options.Game = options.USUAL_GAME
    ruleset: options.Ruleset = None
    position: options.Position = None
    blocks: options.Blocks = None
    divide: Annotated[
        bool, typer.Option("--divide", help="Also print the count below each move.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesMakeOptions:
    """Make endgame tables: who wins with few pieces left.

    Finished parts are saved: after Ctrl-C, the same command continues. The tables for up to
    four pieces come with the program.
    """

    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file to write.  [default: one in the node's folder]"
        ),
    ] = None
    pieces: Annotated[
        int, typer.Option("--pieces", min=2, max=5, help="The most pieces on the board.")
    ] = 5
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesCheckOptions:
    """Check endgame tables, and show how far they go."""

    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The tables.  [default: those of five pieces in the node's folder]"
        ),
    ] = None
    home: options.Home = None
