"""``ataxxd watch``: watch a game before, during or after it."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ataxxd.cli.announcements import report_search, result_text, standing_text
from ataxxd.cli.commands.play import WatchOptions
from ataxxd.cli.connect import choose_broker, make_invitation
from ataxxd.cli.files import check_network_transcript, check_transcript, transcript_bytes
from ataxxd.cli.options import check_ascii, check_tui
from ataxxd.cli.output import print_message, print_result
from ataxxd.cli.screen import show_in_browser, show_tui, terminal_of
from ataxxd.cli.watch_json import JsonView
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import host_changed
from ataxxd.node.game_finder import FoundGame, GameFinder, GameName
from ataxxd.node.home import Home, load_identity, write_atomically
from ataxxd.node.ledger_game import format_player
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.presence import TalkRoom
from ataxxd.node.profile import known_hosts
from ataxxd.node.runtime import RuntimeEvent
from ataxxd.node.seats import describe_other_hosts, split_broker
from ataxxd.node.settings import numbered_record
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import (
    Begun,
    Closed,
    DrawAsked,
    DrawRefused,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    Said,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import make_game_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.transport.address import resolve_broker
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import sentence
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.labels import time_text
from ataxxd_clients.text.console import Brush, LineSource, Output, Terminal, board_lines
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.keyboard import at_keyboard
from ataxxd_clients.text.language import side_names
from ataxxd_protocol import grouped


class View(Protocol):
    """Shows the events of one game, in order."""

    def show(self, event: RuntimeEvent, ledger: Ledger) -> None:
        """Show `event`; `ledger` is the game after it."""
        ...


@dataclass(frozen=True, slots=True)
class TextView:
    """Prints a line for each move, and the board at the end.

    Attributes:
        names: the nicknames that are known here.
    """

    names: NameBook | None = None

    def show(self, event: RuntimeEvent, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        match event:
            case Moved(side, move, before, _, ply):
                name = side_names(before.ruleset)[side]
                counts = _counts(before.play(move))
                left = _clock(ledger, side, ply)
                print_result(
                    f"{ply:4}. {name:5} {move!s:6} {counts}" + (f"   {left} left" if left else "")
                )
            case Over():
                print_result(*line_language(ledger.position.ruleset).board(ledger.position))
                print_result(result_text(ledger))
            case _:
                _print_event(event, ledger, self.names)


@dataclass(frozen=True, slots=True)
class LiveView:
    """Draws the board on a terminal at the start and after every move.

    Attributes:
        names: the nicknames that are known here.
        ascii_only: use ASCII only, whatever the terminal can show.
        note: a line to show below every board; empty for none.
        scrolls: whether boards are printed below each other, with chat between them.
    """

    names: NameBook | None = None
    ascii_only: bool = False
    note: str = ""
    scrolls: bool = False

    def show(self, event: RuntimeEvent, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        match event:
            case Moved(side, move, before, _, ply):
                position = before.play(move)
                sys.stdout.write("\n" if self.scrolls else "\x1b[H\x1b[2J")
                self._draw(ledger, position, ply, move)
                said = f"played {move}" if move.squares else "passed"
                name = side_names(position.ruleset)[side]
                print_result(f"\n{ply}. {name} {said}.   {_counts(position)}")
                if self.note:
                    print_result(self.note)
            case Over():
                print_result(result_text(ledger))
            case _:
                _print_event(event, ledger, self.names)
                # Draw the board below the message, unless earlier moves are about to follow.
                if isinstance(event, TakenBack) or (
                    isinstance(event, Started) and not ledger.moves
                ):
                    self._draw(ledger, ledger.position, len(ledger.moves))

    def _draw(self, ledger: Ledger, position: Position, ply: int, last: Move | None = None) -> None:
        language = line_language(position.ruleset)
        board = board_lines(
            position,
            Brush(Terminal.of(sys.stdout, ascii_only=self.ascii_only), language.names),
            last=last,
            beside=self._players(ledger, language.names, ply),
        )
        # Not with `print_result`, which would remove our colours.
        sys.stdout.write("".join(f"{line}\n" for line in board))
        sys.stdout.flush()

    def _players(self, ledger: Ledger, names: tuple[str, str], ply: int) -> list[str]:
        players = [format_player(ledger, side, self.names) for side in Side]
        clocks = [_clock(ledger, side, ply) for side in Side]
        longest, latest = max(map(len, players)), max(map(len, clocks))
        return [
            f"{name:5}  {player:{longest}}  {clock:>{latest}}".rstrip()
            for name, player, clock in zip(names, players, clocks, strict=True)
        ]


def _print_event(event: RuntimeEvent, ledger: Ledger, names: NameBook | None) -> None:
    red, blue = side_names(ledger.offer.ruleset)
    match event:
        case Started():
            first, second = (format_player(ledger, side, names) for side in Side)
            print_message(f"{red} is {first}, {blue} is {second}.")
        case Named(Side() as side, name):
            print_message(f"{(red, blue)[side]} is {name}.")
        case DrawAsked(side):
            print_message(f"{(red, blue)[side]} offers a draw.")
        case TakenBack(moves):
            print_message(f"Taken back: {', '.join(move.text for move in moves)}.")
        case Said(side, text):
            print_message(f"{(red, blue)[side]}: {text}")
        case DrawRefused(side):
            print_message(f"{(red, blue)[side]} rejects the draw.")
        case Closed():
            print_message(standing_text(ledger))
        case Overheard(speaker, text):
            print_message(f"{speaker}: {text}")
        case Begun():
            print_message("A rematch begins.")
        case Notice(text):
            print_message(f"[{sentence(text)}]")
        case _:
            pass


def _clock(ledger: Ledger, side: Side, ply: int) -> str:
    """The time a side has left after a move; empty without clocks, or after further moves."""
    if ply < len(ledger.moves):
        return ""
    return time_text(ledger.clock_ms(ledger.role_playing(side), 0))


def _counts(position: Position) -> str:
    names = side_names(position.ruleset)
    return ", ".join(f"{name} {count}" for name, count in zip(names, position.counts, strict=True))


async def run(options: WatchOptions) -> ExitCode:
    """Watch the game NAME and verify every move."""
    check_tui(tui=options.tui)
    check_ascii(ascii_only=options.ascii_only, display=options.display)
    if options.tui and (options.as_json or options.display):
        raise UsageError("--json, --display and --tui are three ways to watch: choose one.")
    if options.display and options.as_json:
        raise UsageError("--display shows the game to people and --json to programs: choose one.")
    wanted, named_broker = split_broker(options.name)
    transcript = check_transcript(options.transcript)
    speaks = options.talk or options.witness
    key = load_identity(Home(options.home).identity) if speaks else None
    with known_names(options.home, store_new=True) as names:
        async with (
            choose_broker(resolve_broker(named_broker, options.broker)) as broker,
            MqttTransport(broker.url) as transport,
        ):
            found, note = await _find_game(wanted, transport, names, options)
            offer = found.offer
            check_network_transcript(transcript, make_game_record(Ledger(offer)))
            room = TalkRoom(offer, transport, key) if options.talk else None
            watcher = Watcher(
                SpectatorSession(Ledger(offer)),
                transport,
                room,
                names,
                follow_rematches=True,
                witness=key if options.witness else None,
            )
            if options.witness and key is not None and not watcher.is_witness:
                raise UsageError(
                    f"{offer.name} does not name this node as a witness. Its host does so with: "
                    f"ataxxd host {offer.name} --witness {grouped(key.node)}"
                )
            terminal = None if options.as_json or room is None else _terminal(options)
            view = _view(options, names, note, scrolls=terminal is not None)
            if not (options.as_json or options.tui):
                _print_found_game(found)
                if watcher.is_witness:
                    print_message(
                        "You are a witness of this game: stay connected until it is over."
                    )
            try:
                with plain_errors():
                    async with asyncio.TaskGroup() as group:
                        if options.tui:
                            game = WatchedGame(watcher, note=note)
                            await _show_tui(game, group, ascii_only=options.ascii_only)
                        elif options.display:
                            invitation = make_invitation(offer, broker, secret="")
                            await _show(WatchedGame(watcher, room, note=note), invitation, group)
                        elif room is not None:
                            await _talk(watcher, view, room, terminal, group)
                        else:
                            async for event in watcher.events():
                                view.show(event, watcher.session.ledger)
            finally:
                games = [*watcher.earlier_games, watcher.session.ledger]
                if transcript is not None:
                    _write_transcripts(games, transcript)
    cheated = any(ledger.fault is not None for ledger in games)
    return ExitCode.CHEATING_PROVED if cheated else ExitCode.OK


async def _find_game(
    wanted: GameName, transport: Transport, names: NameBook, options: WatchOptions
) -> tuple[FoundGame, str]:
    """Find the game; returns it with a note to show all the time, or an empty one.

    The note says that somebody else hosted the name before, or has a game of it that is not over.
    It is also printed here, as are the other hosts of the name.
    """
    with known_hosts(Home(options.home)) as known:
        looking = GameFinder(transport, names=names, known_hosts=known.joined)
        async with report_search(wanted.name, options.wait):
            found = await looking.find_watchable(wanted, seconds=options.wait)
        host = found.offer.host
        before = known.instead_of(wanted.name, host)
    note = ""
    if before is not None and wanted.prefix != host:
        shown = [names.display_name(node, full_id=True) for node in (before, host)]
        note = "Note: " + host_changed(wanted.name, before=shown[0], now=shown[1])
        print_message(note)
    if found.other_hosts:
        told = describe_other_hosts(wanted, found, names)
        others = [looking.games.get((wanted.name, host)) for host in found.other_hosts]
        going_on = [other for other in others if other is not None and not other.is_over]
        if found.is_over and going_on:
            note = told = f"{told} This game is over. {how_to_watch(going_on)}"
        print_message(told)
    return found, note


def how_to_watch(others: Sequence[FoundGame]) -> str:
    """How to watch the games of other hosts; `others` has at least one."""
    ways = [command_line(f"watch {each.offer.name}#{grouped(each.offer.host)}") for each in others]
    if len(ways) == 1:
        return f"To watch the other: {ways[0]}"
    return f"To watch another: {' or '.join(f'`{way}`' for way in ways)}."


def _print_found_game(found: FoundGame) -> None:
    """Say which game is watched, and what we are waiting for."""
    print_message(f'Watching "{found.offer.name}" ({found.offer.ruleset}). Leave with Ctrl-C.')
    if found.phase in (Phase.OPEN, Phase.JOINED):
        print_message("Nobody has joined it yet; waiting for it to begin.")


def _write_transcripts(games: Sequence[Ledger], transcript: Path) -> None:
    """Write the game; its rematches go to files with a number after the name."""
    for number, ledger in enumerate(games, start=1):
        if ledger.phase not in (Phase.OPEN, Phase.JOINED):
            path = numbered_record(transcript, number)
            write_atomically(path, transcript_bytes(ledger, path))


def _terminal(options: WatchOptions) -> Terminal | None:
    """The terminal to type on with an editor; None where there is none."""
    terminal = terminal_of(sys.stdin, sys.stdout, line=False, ascii_only=options.ascii_only)
    return terminal if terminal is not None and terminal.cursor else None


def _view(options: WatchOptions, names: NameBook, note: str, *, scrolls: bool) -> View:
    """How the game is shown on standard output."""
    if options.as_json:
        return JsonView(names)
    if sys.stdout.isatty():
        return LiveView(names, ascii_only=options.ascii_only, note=note, scrolls=scrolls)
    return TextView(names)


async def _show(game: WatchedGame, invitation: Invitation, group: asyncio.TaskGroup) -> None:
    """Show the game in the browser until somebody leaves it there, also after its end."""
    watching = group.create_task(game.run(), name="watching")
    await show_in_browser(game, title=invitation.name, invitation=replace(invitation, join=None))
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
        talking = group.create_task(_send_chat(room, lines, output, asking=asking), name="talk")
        async for event in watcher.events():
            with output.yield_terminal():
                view.show(event, watcher.session.ledger)
        talking.cancel()
        await asyncio.wait({talking})


async def _send_chat(room: TalkRoom, lines: LineSource, output: Output, *, asking: bool) -> None:
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
                output.print_message(
                    "Not said: a message is one line of 1 to 500 visible characters."
                )


async def _show_tui(game: WatchedGame, group: asyncio.TaskGroup, *, ascii_only: bool) -> None:
    """Show the game on a board in the terminal, until the person leaves it."""
    following = group.create_task(game.run(), name="game")
    await show_tui(game, ascii_only=ascii_only)
    following.cancel()
