"""Options that several commands share, described once."""

from pathlib import Path
from typing import Annotated

import typer

Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        envvar="ATAXXD_HOME",
        metavar="DIR",
        help="The node's state folder: its key and its games.",
    ),
]
Broker = Annotated[
    str | None,
    typer.Option(
        "--broker",
        envvar="ATAXXD_BROKER",
        metavar="URL",
        help="mqtt://[USER:PASSWORD@]HOST[:PORT], or mqtts://, ws://, wss://, with "
        "?ca=FILE&cert=FILE&key=FILE. With :PASSWORD alone, USER is this node's id.  [default: mqtt://127.0.0.1:1883]",
    ),
]
Auto = Annotated[bool, typer.Option("--auto", help="Let the engine play this side.")]
Player = Annotated[
    str | None,
    typer.Option(
        "--player",
        metavar="WHO",
        help="Who plays this side: human, auto (the engine), first, random[:SEED], "
        "alphabeta:DEPTH or engine:COMMAND.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="COMMAND",
        help="Another program in place of our engine, such as ./zataxx; limit=2s before it lets "
        "it think so long.",
    ),
]
EngineProtocol = Annotated[
    str | None,
    typer.Option(
        "--engine-protocol", metavar="NAME", help="What it speaks; by the game, if not said."
    ),
]
Level = Annotated[
    int | None,
    typer.Option(
        "--level",
        min=0,
        help="How strong the engine plays: 1 to 10; more is as 10, and 0 any legal moves.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="The engine thinks so long: 500ms, 2s, 1m."),
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", min=1, metavar="N", help="It visits so many positions.")
]
Depth = Annotated[
    int | None, typer.Option("--depth", min=1, metavar="N", help="It looks so many plies ahead.")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, max=256, metavar="N", help="So many of it search at once."),
]
Hash = Annotated[
    int | None,
    typer.Option(
        "--hash", min=1, max=65_536, metavar="MB", help="Its table of positions.  [default: 16]"
    ),
]
Ponder = Annotated[bool, typer.Option("--ponder", help="It thinks while its opponent does, too.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Make the engine's choices repeatable.")]
Transcript = Annotated[
    Path | None,
    typer.Option(
        "--transcript",
        metavar="FILE",
        help="Write the game here: the signed record, or a notation by the suffix.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Another value than the configuration's; may be given again.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")]
Ruleset = Annotated[
    str | None,
    typer.Option("--ruleset", metavar="ID", help="Which rules; `ataxxd doctor` lists them."),
]
USUAL_GAME = "ataxx"
"""The game where none is named."""
Game = Annotated[str, typer.Option("--game", metavar="GAME", help="Which game.")]
Text = Annotated[bool, typer.Option("--text", help="Use the line language on a terminal too.")]
Display = Annotated[bool, typer.Option("--display", help="Open the board in the browser.")]
Tui = Annotated[bool, typer.Option("--tui", help="A board to click on, over all the terminal.")]
Ascii = Annotated[
    bool, typer.Option("--ascii", help="Letters in place of signs on the board in the terminal.")
]
Talk = Annotated[bool, typer.Option("--talk", help="Show what spectators say to each other.")]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="End with a non-zero status at the first error in the input."),
]
Position = Annotated[
    str | None, typer.Option("--position", metavar="TEXT", help="Start from this position.")
]
Blocks = Annotated[
    str | None,
    typer.Option(
        "--blocks",
        metavar='"b2 c3"',
        help="Ataxx: blocked squares; each is reflected to all four quarters.",
    ),
]
Init = Annotated[
    Path | None,
    typer.Option(
        "--init",
        metavar="FILE",
        help="Make the moves of this game first: a transcript, PDN, PGN, GGF or a record.",
    ),
]
Number = Annotated[
    int | None,
    typer.Option(
        "--number", min=1, metavar="N", help="Which game of a file that holds several, from 1."
    ),
]
Clock = Annotated[
    str,
    typer.Option(
        "--clock",
        metavar="TIME",
        help="How long each may think: 10m+5s, 10m, 30s/move, 3d/move or none.",
    ),
]
Grace = Annotated[
    str,
    typer.Option(
        "--grace",
        metavar="TIME",
        help="Who does not answer for so long can be made to lose: 15m, 3d or never.",
    ),
]
Takebacks = Annotated[
    bool, typer.Option("--takebacks/--no-takebacks", help="Whether moves may be taken back.")
]
