"""``ataxxd club check``: whether a log holds, and is the one that its club has shown before."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import extended, read_bytes, read_log_file, read_proof
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.tournament.club_keeper import doubts
from ataxxd.tournament.club_log import ClubLog, ForkedLog
from ataxxd.wording import counted
from ataxxd_protocol import grouped


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A log, or a proof that `club prove` wrote.")
    ],
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--earlier",
            metavar="FILE",
            help="A log or a proof from before, which the log must extend.",
        ),
    ] = None,
    mine: Annotated[
        bool,
        typer.Option("--mine", help="Also that no game of this node was announced late."),
    ] = False,
    home: options.Home = None,
) -> int:
    """Check every line of a club's log.

    With --earlier, also that it extends what the club has shown before. Exits with 7 if that
    proves that the club has signed two logs.
    """
    if (proof := read_proof(read_bytes(file))) is not None:
        tell(
            f"{file}: entry {proof.index + 1} of the log of {grouped(proof.head.club)}: "
            f"{proof.entry.type}"
        )
        return ExitCode.OK
    log = read_log_file(file)
    for before in earlier or ():
        try:
            since = extended(log, before)
        except ForkedLog as error:
            tell(f"{file} and {before}: {error}.")
            return ExitCode.CHEATING_PROVED
        tell(f"{file} extends {before}, by {counted(since, 'entry', 'entries')}.")
    entries = counted(len(log.entries), "entry", "entries")
    tell(f"{file}: the log of {grouped(log.club)} holds, {entries}.")
    found = _doubts(log, Home(home)) if mine else []
    for doubt in found:
        tell(f"By this node's journal and clock: {doubt}.")
    return ExitCode.VERIFICATION_FAILED if found else ExitCode.OK


def _doubts(log: ClubLog, home: Home) -> list[str]:
    with closing(Journal(home.journal)) as journal:
        return [*doubts(log, load_identity(home.identity).node, journal)]
