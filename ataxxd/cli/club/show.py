"""``ataxxd club show``: members and rated games."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import keeper, read_bytes, read_log_file
from ataxxd.cli.names import known_names
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import write_atomically
from ataxxd.tournament.club_log import ClubLog
from ataxxd.wording import counted
from ataxxd_protocol import grouped


def run(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The log.  [default: that of this node]"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write a copy of the log there, for others."),
    ] = None,
    as_json: options.Json = False,
    home: options.Home = None,
) -> int:
    """Show a club's members, and the games that it has announced."""
    if file is None:
        kept = keeper(home)
        log, file = kept.log(), kept.path
    else:
        log = read_log_file(file)
    if save is not None:
        write_atomically(save, read_bytes(file))
        say(f"Wrote {save}.")
    if as_json:
        tell(json.dumps(_object(log)))
        return ExitCode.OK
    with known_names(home) as names:
        tell(
            f"Club {grouped(log.club)}, {counted(len(log.members), 'member')}, "
            f"{counted(len(log.entries), 'entry', 'entries')}"
        )
        for node in sorted(log.members):
            tell(f"  {names.shown(node, whole=True)}")
        for game in log.games.values():
            offer, join = game.announcement.offer, game.announcement.join
            told = counted(len(game.records), "record") if game.records else "no record yet"
            players = f"{names.shown(offer.host)} and {names.shown(join.author)}"
            tell(f"  {offer.name} ({offer.digest[:12]}): {players}, {told}")
        for tournament in log.events.values():
            tell(f"  event {tournament.plan.name}, {counted(len(tournament.rounds), 'round')}")
    return ExitCode.OK


def _object(log: ClubLog) -> dict[str, object]:
    assert log.head is not None
    return {
        "club": log.club,
        "size": len(log.entries),
        "root": log.head.root,
        "at_ms": log.head.at_ms,
        "members": sorted(log.members),
        "games": [
            {
                "game": game,
                "name": known.announcement.offer.name,
                "host": known.announcement.offer.host,
                "guest": guest,
                "announced_ms": known.announcement.at_ms,
                "deadline_ms": known.announcement.deadline_ms,
                "records": known.records,
            }
            for (game, guest), known in log.games.items()
        ],
        "events": [
            {"event": plan, "name": known.plan.name, "rounds": len(known.rounds)}
            for plan, known in log.events.items()
        ],
    }
