"""Commands for engines: their options and help."""

from dataclasses import dataclass
from pathlib import Path

from ataxxd.cli import options
from ataxxd.cli.options import argument, flag, option


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """Play a match of many games to compare two players.

    Each opening is played twice, with sides swapped. The result is the first player's: won,
    drawn, lost, and Elo with its 95 % interval. With --sprt the command exits with 0 if ELO1
    is accepted, and with 14 otherwise. With more than two players, the first plays a match
    against each of the others.
    """

    player1: str | None = argument(
        "PLAYER1",
        "auto (our engine, limited by the match only), auto@LEVEL, auto:LIMIT (100ms, "
        "nodes:5000, depth:6), auto+NAME=VALUE,... (tuned), alphabeta:DEPTH, random, first, "
        "engine:COMMAND.",
        default=None,
    )
    player2: str | None = argument("PLAYER2", "The second player, in the same form.", default=None)
    others: list[str] | None = argument(
        "PLAYER", "More players for the first one to meet, one after the other.", default=None
    )
    game: options.Game = options.DEFAULT_GAME
    ruleset: str | None = option(
        "--ruleset ID",
        "The rules; `ataxxd doctor` lists them.  [default: those of other engines: ataxx/uai "
        "and checkers/acf; else the game's first]",
        options.GAME,
    )
    games: int = option("--games N", "Number of games, two for each opening.", default=100, min=2)
    concurrency: options.Concurrency = 1
    clock: str | None = option(
        "--clock TIME",
        "Time for a whole game: 10s+100ms, 1m; minutes and seconds as 5+3.",
        options.THINKING,
    )
    older_clock: str | None = option("--time", hidden=True)
    move_time: str | None = option(
        "--move-time TIME", "Time for each move.  [default: 100ms]", options.THINKING
    )
    nodes: options.Nodes = None
    depth: int | None = option(
        "--depth N", "Plies to look ahead.", options.THINKING, min=1, max=100
    )
    margin: str | None = option(
        "--margin TIME",
        "How late a move may be before it loses on time.  [default: 100ms; without --clock and "
        "--move-time no move is late]",
        options.THINKING,
    )
    plies: options.Plies = 6
    balanced: options.Balanced = None
    openings: Path | None = option(
        "--openings FILE", "Start from these positions, one per line.", options.GAME
    )
    position: options.Position = None
    blocks: options.Blocks = None
    hash_mb: options.Hash = None
    seed: int = option("--seed N", "Seed of the openings and the random players.", default=1)
    resign: str | None = option(
        "--resign MOVES:SCORE",
        "Score as lost after this many moves in a row at minus this score or worse, such as "
        "4:1000.",
        options.TERMS,
    )
    draw: str | None = option(
        "--draw FROM:MOVES:SCORE",
        "From move FROM on, score as drawn after this many moves within this score, such as "
        "30:8:10.",
        options.TERMS,
    )
    max_plies: int = option(
        "--max-plies N", "Score a longer game as drawn.", options.TERMS, default=500, min=1
    )
    sprt: str | None = option(
        "--sprt ELO0:ELO1",
        "Stop as soon as ELO0 or ELO1 is accepted; ELO0:ELO1:ALPHA:BETA for error rates other than "
        "0.05.",
    )
    state: Path | None = option(
        "--state FILE", "Save the match in FILE, and continue it from there.", options.FILES
    )
    transcript: Path | None = option(
        "--transcript FILE", "Write all games to FILE: PGN, PDN or GGF.", options.FILES
    )
    queue_url: str | None = option(
        "--queue URL",
        "Have `ataxxd worker` play the games, by this NATS server: nats://HOST:PORT. Needs "
        "--state.",
        options.NETWORK,
    )
    watch: str | None = option(
        "--watch PLACE",
        "Play nothing; show a match or a tuning that runs elsewhere, by the FILE of its --state or "
        "the URL of its --queue.",
    )
    display: bool = flag("--display", "Also show the match in the browser.")
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Tune the parameters of the search by playing games (SPSA).

    Two searches play each other: one with every parameter moved up or down at random, the other
    with the opposite moves. Then all parameters move a little towards the winner. The result is
    a player's name for `ataxxd match`. Without a limit, a move takes 5000 nodes.
    """

    game: str = argument("GAME", f"{options.GAMES}.")
    ruleset: str | None = option(
        "--ruleset ID",
        "The rules; `ataxxd doctor` lists them.  [default: as for `ataxxd match`]",
        options.GAME,
    )
    parameters: str | None = option(
        "--parameters LIST",
        "What to tune: NAME,... or NAME:LEAST:MOST:STEP,... with a range and the size of the last "
        "steps.  [default: all]",
    )
    list_: bool = flag("--list", "Only list the parameters.")
    games: int = option("--games N", "Number of games.", default=10_000, min=2)
    pairs: int = option(
        "--pairs N", "Pairs of games per iteration; a pair shares its opening.", default=1, min=1
    )
    rate: float = option(
        "--rate R",
        "The part of its step by which one point moves a parameter at the end.",
        default=0.002,
        min=0.000001,
        max=1.0,
    )
    window: int = option(
        "--window N",
        "Iterations to run at once; the result depends on it.",
        default=8,
        min=1,
        max=10_000,
    )
    concurrency: options.Concurrency = 1
    clock: str | None = option(
        "--clock TIME", "Time for a whole game: 10s+100ms.", options.THINKING
    )
    move_time: str | None = option("--move-time TIME", "Time for each move.", options.THINKING)
    nodes: options.Nodes = None
    depth: int | None = option(
        "--depth N", "Plies to look ahead.", options.THINKING, min=1, max=100
    )
    plies: options.Plies = 6
    balanced: options.Balanced = None
    hash_mb: options.Hash = None
    seed: int = option("--seed N", "Seed of the openings and all other random choices.", default=1)
    state: Path | None = option(
        "--state FILE", "Save the games in FILE, and continue from there.", options.FILES
    )
    queue_url: str | None = option(
        "--queue URL",
        "Have `ataxxd worker` play the games, by this NATS server: nats://HOST:PORT. Needs "
        "--state.",
        options.NETWORK,
    )
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """Play games that `match --queue` and `tune --queue` hand out.

    Plays for each match or tuning on the NATS server, one after another, until you stop it. Its
    unfinished games then go to other workers.
    """

    url: str = argument("URL", "The NATS server of the match: nats://HOST:PORT.")
    concurrency: options.Concurrency = 1
    name: str | None = option(
        "--name NAME", "The worker's name in the match.  [default: this machine and the process]"
    )
    allow_engines: bool = flag(
        "--allow-engines",
        "Also run engine:COMMAND players: anyone who can reach the server can then start programs "
        "here.",
    )


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
    threads: int = option(
        "--threads N",
        "Number of search threads; with more than one, counts vary.",
        default=1,
        min=1,
        max=256,
    )
    hash_mb: options.Hash = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerftOptions:
    """Count the positions DEPTH plies ahead.

    The last line of the output is the count alone.
    """

    depth: int = argument("DEPTH", "Depth in plies.", min=0)
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    position: options.Position = None
    blocks: options.Blocks = None
    divide: bool = flag("--divide", "Also print the count below each move.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesMakeOptions:
    """Make endgame tables: who wins with few pieces left.

    Finished parts are saved: after Ctrl-C, the same command continues. The tables for up to
    four pieces come with the program.
    """

    file: Path | None = argument(
        "FILE", "The file to write.  [default: one in the node's folder]", default=None
    )
    pieces: int = option("--pieces N", "The most pieces on the board.", default=5, min=2, max=5)
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesCheckOptions:
    """Check endgame tables, and show how far they go."""

    file: Path | None = argument(
        "FILE", "The tables.  [default: those of five pieces in the node's folder]", default=None
    )
    home: options.Home = None
