"""``ataxxd event plan`` and ``ataxxd event run``: say who plays what, and be the host."""

import asyncio
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from ataxxd.cli import options
from ataxxd.cli.commands.tournament import EventPlanOptions, EventRunOptions, System
from ataxxd.cli.connect import ChosenBroker, address_of, choose_broker
from ataxxd.cli.event_show import find_player, pairing_lines, result_line, table_lines
from ataxxd.cli.game_options import choose_ruleset
from ataxxd.cli.output import print_message, print_result
from ataxxd.errors import (
    ExitCode,
    GameError,
    StorageError,
    TransportError,
    UsageError,
    storage_errors,
)
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import run_beside
from ataxxd.node.game_finder import GameName
from ataxxd.node.home import Home, load_identity
from ataxxd.node.names import NameBook, known_names, learn_names
from ataxxd.node.offers import AGENT, Terms, access_field, wire_name
from ataxxd.node.settlement import LAST_WORD_GRACE
from ataxxd.times import SYSTEM_CLOCK, format_local_time, parse_clock, parse_duration_ms
from ataxxd.toml_lines import explain_toml_error, key_lines
from ataxxd.tournament import hosting
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.feed import find_plan
from ataxxd.tournament.folder import EventFolder, event_folder_path
from ataxxd.tournament.hosting import EventHost
from ataxxd.tournament.tournament import Board
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.shared import SharedConnection
from ataxxd.wording import sentence
from ataxxd_protocol import PROTOCOL_VERSION, TOPICS, SigningKey, grouped, signed
from ataxxd_protocol.faults import first_fault, unknown_name_text
from ataxxd_protocol.messages import MAX_PLAYERS, EventPlan, EventRound

# The settings of a plan, by the names that options and files use; None for those not given.
PlanOptions: TypeAlias = Mapping[str, Any]
_DEFAULTS: PlanOptions = {
    "players": (), "system": System.ROUND_ROBIN, "rounds": None, "game": options.DEFAULT_GAME,
    "ruleset": None, "clock": "none", "grace": "15m", "takebacks": False, "round_time": "1h",
    "seed": 0,
}  # fmt: skip
_KINDS: dict[str, type] = {"rounds": int, "seed": int, "takebacks": bool}
_WORDS = {int: "a whole number", bool: "true or false", str: "text in quotes"}
_RANGES = {"rounds": range(1, 100), "seed": range(2**53)}
_EXAMPLES = {
    "system": 'system = "swiss"', "rounds": "rounds = 5", "game": 'game = "reversi"',
    "ruleset": 'ruleset = "ataxx/uai"', "clock": 'clock = "5+3"', "grace": 'grace = "15m"',
    "takebacks": "takebacks = true", "round-time": 'round-time = "1h"', "seed": "seed = 7",
}  # fmt: skip


def run_plan(options: EventPlanOptions) -> int:
    """Plan the event NAME and sign the plan."""
    said = {name: getattr(options, name) for name in _DEFAULTS}
    said["players"] = tuple(options.players or ()) or None
    place = Home(options.home)
    key = load_identity(place.identity)
    name = wire_name(options.name)
    plan = make_event_plan(name, _merged(_DEFAULTS, _read_file(options.file), said), key)
    folder = EventFolder(event_folder_path(place, name))
    if folder.exists and not options.new:
        raise UsageError(
            f'There is an event "{name}" in {folder.path}. Take another name, or replace it: --new'
        )
    folder.clear()
    folder.write_document(plan)
    print_message(f"Planned in {folder.path}. Publish it: {command_line(f'event run {name}')}")
    print_result(f"{name}#{grouped(plan.host)}")
    return ExitCode.OK


def make_event_plan(name: str, options: PlanOptions, key: SigningKey) -> EventPlan:
    """The signed plan for a wish in which everything is set but perhaps the number of rounds.

    Raises:
        UsageError: the plan would not be valid; the text says why.
    """
    players = [
        access_field(player, invited=False, option="--player")
        for player in options["players"] or ()
    ]
    terms = Terms.read(
        str(options["clock"]), str(options["grace"]), takebacks=bool(options["takebacks"])
    )
    rounds = options["rounds"]
    if rounds is None:
        rounds = _rounds(len(players), str(options["system"]))
    made: dict[str, Any] = {
        "v": PROTOCOL_VERSION,
        "name": name,
        "host": key.node,
        "key": key.public_key,
        "system": str(options["system"]),
        "rounds": rounds,
        "ruleset": choose_ruleset(str(options["game"]), options["ruleset"]).id,
        "round_ms": parse_duration_ms(str(options["round_time"]), "--round-time"),
        "players": players,
        "seed": options["seed"],
        "agent": AGENT,
        "created_ms": SYSTEM_CLOCK.now_ms(),
        **terms.fields(),
    }
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise UsageError(
            f"An event has 2 to {MAX_PLAYERS} players; this one has {len(players)}. Name each "
            "with --player ID, the strongest first; each sees their own id with: ataxxd id"
        )
    try:
        return signed(EventPlan.model_validate(made), key)
    except ValidationError as error:
        raise UsageError(
            f"This is not the plan of an event: {first_fault(error, EventPlan)}. An event has a "
            "name of up to 24 letters, digits and dashes, and each player once."
        ) from None


def _rounds(count: int, system: str) -> int:
    """The rounds that a system needs: until all have met, or only one can have won every game."""
    if system == System.SWISS:
        return max(1, (count - 1).bit_length())
    return max(1, count - 1 + count % 2)


def _merged(*wishes: PlanOptions) -> PlanOptions:
    """The settings of several wishes; later ones override earlier ones."""
    merged: dict[str, Any] = {}
    for wish in wishes:
        merged |= {name: value for name, value in wish.items() if value is not None}
    return dict.fromkeys(_DEFAULTS) | merged


def _read_file(file: Path | None) -> PlanOptions:
    """The settings in a file.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is not TOML, or has a key that plans do not have.
    """
    if file is None:
        return {}

    try:
        with storage_errors(file, "read"):
            text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text. Save the file as UTF-8.") from None
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, why = explain_toml_error(text, error, 'clock = "5+3"')
        raise UsageError(f"{file}, line {line}: {why}") from None
    lines = key_lines(text)
    known = {name.replace("_", "-"): name for name in _DEFAULTS}
    values: dict[str, Any] = {}
    for key, value in found.items():
        where = f"{file}, line {lines[key,]}" if (key,) in lines else str(file)
        if key not in known:
            told = unknown_name_text(key, [*known], "key")
            raise UsageError(f"{where}: {told}{'' if told.endswith('?') else '.'}")
        values[known[key]] = _checked(f"{where}: {key}", key, value)
    return values


def _checked(where: str, key: str, value: object) -> object:
    """A value of the file, after checking it; the error names its place."""
    if key == "players":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UsageError(f'{where} is a list of node ids: players = ["…", "…"]')
        for each in value:
            access_field(each, invited=False, option=where)
        return tuple(value)
    kind = _KINDS.get(key, str)
    if type(value) is not kind:
        raise UsageError(f"{where} is {_WORDS[kind]}, as in {_EXAMPLES[key]}")
    if key == "system" and value not in [*System]:
        raise UsageError(f"{where} is {' or '.join(System)}.")
    if isinstance(value, int) and key in _RANGES and value not in _RANGES[key]:
        lowest, past = _RANGES[key].start, _RANGES[key].stop
        raise UsageError(f"{where} is from {lowest} to {past - 1}, not {value}.")
    if isinstance(value, str):
        if key == "clock":
            parse_clock(value, where)
        elif key == "round-time" or (key == "grace" and value != "never"):
            parse_duration_ms(value, where)
    return value


# Seconds to look on the broker for an event whose folder is missing.
_FETCH_S = 1.0


async def run_host(options: EventRunOptions) -> ExitCode:
    """Publish the event NAME and run it to its end."""
    name, home, take_down = wire_name(options.name), options.home, options.take_down
    place = Home(home)
    key = load_identity(place.identity)
    folder = EventFolder(event_folder_path(place, name))
    may_start = folder.exists and not take_down
    async with choose_broker(options.broker, home=home, may_start=may_start) as broker:
        if not folder.exists:
            await _fetch(folder, name, key.node, broker.url)
        async with SharedConnection(MqttTransport(broker.url)) as shared:
            plan = folder.load().tournament.plan
            if key.node != plan.host:
                raise StorageError(
                    f"The plan in {folder.path} was signed by {grouped(plan.host)}, not us."
                )
            with known_names(home, store_new=True) as names, place.lock(plan.digest, name):
                gone = [find_player(each, plan, names) for each in options.withdraw or ()]
                if take_down:
                    async with shared.make_line() as transport:
                        await hosting.unpublish_event(transport, plan)
                    print_message(f'"{name}" is taken down; {folder.path} still has it.')
                    return ExitCode.OK
                club = _club(place, key, folder, rated=options.rated)
                was_over = folder.load().tournament.over
                if broker.embedded is not None:
                    await _introduce(names, shared.make_line, plan.players)
                at = f"@{address_of(broker)}" if broker.explicit else ""
                await _host_event(key, folder, shared.make_line, names, gone, club, at)
        if broker.embedded is not None:
            await _stay(broker, name, for_good=was_over)
    return ExitCode.OK


async def _host_event(
    key: SigningKey,
    folder: EventFolder,
    line: Callable[[], Transport],
    names: NameBook,
    gone: Sequence[str],
    club: ClubKeeper | None,
    at: str,
) -> None:
    """Run an event to its end, and print its rounds, their results and the table.

    `at` names the broker to players, as in an invitation.
    """

    def on_round(this: EventRound) -> None:
        plan = host.tournament.plan
        until = format_local_time(this.created_ms + plan.round_ms)
        print_message(f"Round {this.number} of {plan.rounds}, until {until:%Y-%m-%d %H:%M}:")
        for row in pairing_lines(host.tournament, this, names):
            print_message(row)

    def on_game_over(board: Board, in_time: bool) -> None:
        text = result_line(board, names)
        print_message(f"{text}." if in_time else f"{text}: the time of the round is up.")

    def on_news(text: str) -> None:
        print_message(f"[{sentence(text)}]")

    host = EventHost(
        key,
        folder,
        line,
        on_game_over,
        on_round=on_round,
        on_news=on_news,
        withdrawn=gone,
        club=club,
    )
    plan = host.tournament.plan
    async with line() as transport:
        await learn_names(names, transport, plan.players, us=key.node)
    if host.tournament.over:
        print_message(
            f'"{plan.name}" is over; its documents go to the broker again. To remove them from it: '
            f"`{command_line(f'event run {plan.name} --take-down')}`. To hold another event of "
            f"this name: {command_line(f'event plan {plan.name} --new')}"
        )
    else:
        address = f"{plan.name}#{grouped(plan.host)}{at}"
        print_message(f'Running "{plan.name}". Take part: ataxxd event play {address}')
        if gone:
            print_message(
                f"Withdrawn from the next round on: {', '.join(map(names.display_name, gone))}. "
                "If you restart before it begins, say --withdraw again."
            )
    async with (
        line() as transport,
        run_beside(
            learn_names(names, transport, plan.players, us=key.node, seconds=None), "nicknames"
        ),
    ):
        await host.run()
    async with line() as transport:
        await learn_names(names, transport, plan.players)
    print_result(*table_lines(host.tournament, names))


async def _introduce(
    names: NameBook, line: Callable[[], Transport], players: Sequence[str]
) -> None:
    """Publish the players' nicknames on a broker that has just started and has none."""
    async with line() as transport:
        for node in players:
            if (signed := names.signed_nickname(node)) is not None:
                await transport.publish(TOPICS.nickname(node), signed, retain=True)
        await transport.drain()


async def _stay(broker: ChosenBroker, name: str, *, for_good: bool) -> None:
    """Keep the broker that we have started running, since the event is nowhere else."""
    if for_good:
        print_message(
            "This program's broker has it until Ctrl-C. Look at it from another terminal: "
            f"{command_line(f'event show {name}')}"
        )
        await asyncio.Event().wait()
    # Players may still be confirming to each other how the last games ended.
    elif not await broker.linger():
        print_message("The broker stays up until the players have gone; Ctrl-C stops it.")
        await broker.linger(LAST_WORD_GRACE)
    again = command_line(f"event run {name}")
    print_message(f'The broker stops here. To let others look at "{name}" again: {again}')


def _club(place: Home, key: SigningKey, folder: EventFolder, *, rated: bool) -> ClubKeeper | None:
    """The keeper of the log that has the event, or will have it; None for none.

    Raises:
        UsageError: the event has begun without a log, or one of its players is not a member.
    """
    tournament = folder.load().tournament
    keeper = ClubKeeper(place, key)
    log = keeper.log() if rated or keeper.exists else None
    if log is None or (not rated and tournament.plan.digest not in log.events):
        return None
    if tournament.plan.digest not in log.events:
        if tournament.rounds:
            raise UsageError(
                "--rated: the event has begun without it. Whoever decides afterwards which events "
                "count decides who wins."
            )
        strangers = [node for node in tournament.plan.players if node not in log.members]
        if strangers:
            admit = command_line(f"club admit {' '.join(strangers)}")
            raise UsageError(
                f"--rated: {grouped(strangers[0])} is not a member. Admit all who play: {admit}"
            )
    return keeper


async def _fetch(folder: EventFolder, name: str, host: str, url: str) -> None:
    """Fetch an event of ours from the broker if its folder was lost.

    Raises:
        StorageError: it is not there either; the text says if another node has one of that name.
    """
    remedy = f"Plan it: {command_line(f'event plan {name} --player ID …')}"
    try:
        async with MqttTransport(url) as transport:
            plan = await find_plan(transport, GameName(name, host), seconds=_FETCH_S)
    except (GameError, TransportError) as error:
        where = "nor on the broker" if isinstance(error, GameError) else "and no broker to ask"
        with suppress(GameError, TransportError):
            async with MqttTransport(url) as transport:
                other = await find_plan(transport, GameName(name), seconds=_FETCH_S)
                where = f"and the one on the broker is hosted by {grouped(other.host)}, not us"
                remedy = "If that is a node of yours, name its home: --home DIR"
        raise StorageError(f"There is no event in {folder.path}, {where}. {remedy}") from None
    folder.write_document(plan)
