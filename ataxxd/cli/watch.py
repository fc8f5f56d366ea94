"""``ataxxd watch``: look on, late, early or after the end."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.display import display
from ataxxd.cli.files import check_transcript
from ataxxd.cli.invitation import invitation_to
from ataxxd.cli.names import learnt_names
from ataxxd.cli.notations import check_network_words, kept_text
from ataxxd.cli.say import say
from ataxxd.cli.screen import check_tui, terminal_of
from ataxxd.cli.signals import run_until_stopped
from ataxxd.cli.views import JsonView, LiveView, TextView, View
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.errors import host_changed
from ataxxd.node.home import Home, load_identity, write_atomically
from ataxxd.node.lobby import FoundGame, GameName, Lobby
from ataxxd.node.names import NameBook
from ataxxd.node.profile import TOPICS, known_hosts
from ataxxd.node.seats import passed_over, split_place
from ataxxd.node.settings import numbered_record
from ataxxd.node.talk import TalkRoom
from ataxxd.node.waiting import plain_errors
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import game_of
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.transport.address import meant
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.console import LineSource, Output, Terminal
from ataxxd_clients.text.run import at_keyboard
from ataxxd_protocol import grouped


def run(
    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]|LINK", help="The game.")],
    broker: options.Broker = None,
    as_json: options.Json = False,
    transcript: options.Transcript = None,
    wait: options.Wait = 3.0,
    talk: Annotated[bool, typer.Option("--talk", help="Chat with the other spectators.")] = False,
    home: options.Home = None,
    display: options.Display = False,
    tui: options.Tui = False,
    ascii_only: options.Ascii = False,
) -> int:
    """Watch the game NAME and verify every move.

    On a terminal the board is shown after every move. Otherwise each event is printed on a
    line of its own, or with --json as an object. Rematches are shown, too; the command ends
    when the game is over and a player has left.
    """
    place, named_broker = split_place(name)
    check_tui(tui=tui)
    if tui and (as_json or display):
        raise UsageError("--json, --display and --tui are three ways to watch: choose one.")
    if display and as_json:
        raise UsageError("--display shows the game to people and --json to programs: choose one.")
    target = check_transcript(transcript)
    look = _Look(wait, target, talk, home, as_json, display, tui, ascii_only)
    return run_until_stopped(_watch(place, meant(named_broker, broker), look))


@dataclass(frozen=True, slots=True)
class _Look:
    wait: float
    transcript: Path | None
    talk: bool
    home: Path | None
    as_json: bool
    display: bool
    tui: bool
    ascii_only: bool


async def _watch(wanted: GameName, broker_url: str | None, look: _Look) -> ExitCode:
    place = Home(look.home)
    key = load_identity(place.identity) if look.talk else None
    async with (
        chosen_broker(broker_url) as broker,
        MqttTransport(broker.url) as transport,
        learnt_names(look.home) as names,
    ):
        found, note = await _found(wanted, transport, names, look)
        offer = found.offer
        check_network_words(look.transcript, game_of(Ledger(offer)))
        room = TalkRoom(offer, transport, TOPICS, key) if key is not None else None
        watcher = Watcher(
            SpectatorSession(Ledger(offer)), transport, TOPICS, room, names, follows=True
        )
        terminal = None if look.as_json or room is None else _terminal(look)
        view = _view(look, names, note, scrolls=terminal is not None)
        if not (look.as_json or look.tui):
            _say_what(found)
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    if look.tui:
                        game = WatchedGame(watcher, note=note)
                        await _look_on(game, group, ascii_only=look.ascii_only)
                    elif look.display:
                        invitation = invitation_to(offer, broker, lan=False, secret="")
                        await _show(WatchedGame(watcher, room, note=note), invitation, group)
                    elif room is not None:
                        await _talk(watcher, view, room, terminal, group)
                    else:
                        async for event in watcher.events():
                            view.show(event, watcher.session.ledger)
        finally:
            games = [*watcher.ended, watcher.session.ledger]
            if look.transcript is not None:
                _keep(games, look.transcript)
    cheated = any(ledger.fault is not None for ledger in games)
    return ExitCode.CHEATING_PROVED if cheated else ExitCode.OK


async def _found(
    wanted: GameName, transport: Transport, names: NameBook, look: _Look
) -> tuple[FoundGame, str]:
    """The game, and what is worth saying all the time.

    That is: somebody else hosted the name before, or has a game of it that is not over. It is said
    here, too, and so is who else offers the name.
    """
    with known_hosts(Home(look.home)) as known:
        looking = Lobby(transport, TOPICS, names=names, known_hosts=known.joined)
        found = await looking.find_sight(wanted, seconds=look.wait)
        host = found.offer.host
        before = known.instead_of(wanted.name, host)
    note = ""
    if before is not None and wanted.prefix != host:
        shown = [names.shown(node, whole=True) for node in (before, host)]
        note = "Note: " + host_changed(wanted.name, before=shown[0], now=shown[1])
        say(note)
    if found.passed_over:
        told = passed_over(wanted, found, names)
        others = [looking.games.get((wanted.name, host)) for host in found.passed_over]
        going_on = [other for other in others if other is not None and not other.over]
        if found.over and going_on:
            ways = " or ".join(
                f"ataxxd watch {wanted.name}#{grouped(each.offer.host)}" for each in going_on
            )
            note = told = f"{told} This game is over. To watch the other: {ways}"
        say(told)
    return found, note


def _say_what(found: FoundGame) -> None:
    """Say which game is watched, and what is waited for."""
    say(f'Watching "{found.offer.name}" ({found.offer.ruleset}). Leave with Ctrl-C.')
    if found.phase in (Phase.OPEN, Phase.JOINED):
        say("Nobody has joined it yet; waiting for it to begin.")


def _keep(games: Sequence[Ledger], transcript: Path) -> None:
    """Write the game, and those that followed it with a number behind the file's name."""
    for number, ledger in enumerate(games, start=1):
        if ledger.phase not in (Phase.OPEN, Phase.JOINED):
            path = numbered_record(transcript, number)
            write_atomically(path, kept_text(ledger, path))


def _terminal(look: _Look) -> Terminal | None:
    """The terminal to type on with an editor; None where there is none."""
    terminal = terminal_of(sys.stdin, sys.stdout, line=False, ascii_only=look.ascii_only)
    return terminal if terminal is not None and terminal.cursor else None


def _view(look: _Look, names: NameBook, note: str, *, scrolls: bool) -> View:
    """How the game is shown on standard output."""
    if look.as_json:
        return JsonView()
    if sys.stdout.isatty():
        return LiveView(names, ascii_only=look.ascii_only, note=note, scrolls=scrolls)
    return TextView(names)


async def _show(game: WatchedGame, invitation: Invitation, group: asyncio.TaskGroup) -> None:
    """Show the game in the browser until somebody leaves it there, also after its end."""
    watching = group.create_task(game.run(), name="watching")
    await display(game, title=invitation.name, invitation=replace(invitation, join=None))
    watching.cancel()


async def _talk(
    watcher: Watcher,
    view: View,
    room: TalkRoom,
    terminal: Terminal | None,
    group: asyncio.TaskGroup,
) -> None:
    """Show the game, and say each line of standard input to the other spectators."""
    with at_keyboard([sys.stdin], sys.stdout, sys.stderr, terminal) as (lines, output):
        asking = terminal is not None
        talking = group.create_task(_say(room, lines, output, asking=asking), name="talk")
        async for event in watcher.events():
            with output.aside():
                view.show(event, watcher.session.ledger)
        talking.cancel()
        await asyncio.wait({talking})


async def _say(room: TalkRoom, lines: LineSource, output: Output, *, asking: bool) -> None:
    while True:
        if asking:
            output.prompt("Say: ")
        line = await lines.read()
        if line is None:
            return
        if text := line.strip():
            try:
                await room.say(text)
            except ValueError:
                output.tell("Not said: a message is one line of 1 to 500 visible characters.")


async def _look_on(game: WatchedGame, group: asyncio.TaskGroup, *, ascii_only: bool) -> None:
    """Show the game on a board in the terminal, until the person leaves it."""
    from ataxxd_clients.tui.run import run_tui  # noqa: PLC0415 - slow to load

    following = group.create_task(game.run(), name="game")
    await run_tui(game, ascii_only=ascii_only)
    following.cancel()
