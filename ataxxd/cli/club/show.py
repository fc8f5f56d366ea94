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
from ataxxd.tournament.club_log import AnnouncedGame, ClubLog
from ataxxd.tournament.ratings import date_of, day_of
from ataxxd.tournament.tournament import Tournament
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
        assert log.head is not None, "a log ends with one"
        now_ms = log.head.at_ms
        for game in log.games.values():
            offer, join = game.announcement.offer, game.announcement.join
            players = f"{names.shown(offer.host)} and {names.shown(join.author)}"
            tell(f"  {offer.name} ({offer.digest[:12]}): {players}, {_told_of_game(game, now_ms)}")
        for tournament in log.events.values():
            tell(f"  event {tournament.plan.name}: {_told_of_event(tournament, now_ms)}")
    return ExitCode.OK


def _told_of_game(game: AnnouncedGame, now_ms: int) -> str:
    """What there is of a game by the time of the newest head."""
    deadline_ms = game.announcement.deadline_ms
    if game.records:
        return counted(len(game.records), "record")
    if deadline_ms < now_ms:
        return f"no record by {_date(deadline_ms)}: lost for both"
    return f"no record yet, due {_date(deadline_ms)}"


def _told_of_event(tournament: Tournament, now_ms: int) -> str:
    """How far an event has come by the time of the newest head."""
    if tournament.over:
        return "over"
    if not tournament.rounds:
        return "not begun"
    newest = tournament.rounds[-1]
    ends_ms = newest.created_ms + tournament.plan.round_ms
    if ends_ms < now_ms:
        return f"round {newest.number}, whose results are missing since {_date(ends_ms)}"
    return f"round {newest.number}, until {_date(ends_ms)}"


def _date(unix_ms: int) -> str:
    return date_of(day_of(unix_ms))


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
