"""``ataxxd event plan``: who plays what, by which system."""

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ataxxd.cli import options
from ataxxd.cli.commands.tournament import EventPlanOptions, System
from ataxxd.cli.say import say, tell
from ataxxd.cli.setup import chosen_ruleset
from ataxxd.errors import ExitCode, StorageError, UsageError
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.home import Home, load_identity
from ataxxd.node.offers import AGENT, Terms, access_field
from ataxxd.serve.config.lines import lines_of
from ataxxd.times import clock_fields, duration_ms
from ataxxd.tournament.folder import EventFolder, folder_of
from ataxxd_protocol import PROTOCOL_VERSION, SigningKey, grouped, signed
from ataxxd_protocol.faults import first_fault, no_such
from ataxxd_protocol.messages import EventPlan


@dataclass(frozen=True, slots=True)
class Wish:
    """A plan as options and a file describe it; what is None is not said."""

    players: tuple[str, ...] | None = None
    system: str | None = None
    rounds: int | None = None
    game: str | None = None
    ruleset: str | None = None
    clock: str | None = None
    grace: str | None = None
    takebacks: bool | None = None
    round_time: str | None = None
    seed: int | None = None


_USUAL = Wish((), System.ROUND_ROBIN, None, options.USUAL_GAME, None, "none", "15m", False, "1h", 0)
_KINDS: dict[str, type] = {"rounds": int, "seed": int, "takebacks": bool}
_WORDS = {int: "a whole number", bool: "true or false", str: "text in quotes"}
_RANGES = {"rounds": range(1, 100), "seed": range(2**53)}
_EXAMPLES = {
    "system": 'system = "swiss"', "rounds": "rounds = 5", "game": 'game = "reversi"',
    "ruleset": 'ruleset = "ataxx/uai"', "clock": 'clock = "5+3"', "grace": 'grace = "15m"',
    "takebacks": "takebacks = true", "round-time": 'round-time = "1h"', "seed": "seed = 7",
}  # fmt: skip


def run(options: EventPlanOptions) -> int:
    """Plan the event NAME and sign the plan."""
    said = Wish(
        players=tuple(options.players) if options.players else None,
        system=options.system,
        rounds=options.rounds,
        game=options.game,
        ruleset=options.ruleset,
        clock=options.clock,
        grace=options.grace,
        takebacks=options.takebacks,
        round_time=options.round_time,
        seed=options.seed,
    )
    place = Home(options.home)
    key = load_identity(place.identity)
    plan = planned(options.name, _merged(said, _read(options.file), _USUAL), key)
    folder = EventFolder(folder_of(place, options.name))
    if folder.exists and not options.new:
        raise UsageError(
            f'There is an event "{options.name}" in {folder.path}. Take another name, or replace '
            "it: --new"
        )
    folder.clear()
    folder.keep(plan)
    say(f"Planned in {folder.path}. Publish it: ataxxd event run {options.name}")
    tell(f"{options.name}#{grouped(plan.host)}")
    return ExitCode.OK


def planned(name: str, wish: Wish, key: SigningKey) -> EventPlan:
    """The signed plan of a wish in which everything is said but the rounds.

    Raises:
        UsageError: it is no plan; says why.
    """
    players = [
        access_field(player, invited=False, option="--player") for player in wish.players or ()
    ]
    terms = Terms.read(str(wish.clock), str(wish.grace), takebacks=bool(wish.takebacks))
    rounds = wish.rounds
    if rounds is None:
        rounds = _rounds(len(players), str(wish.system))
    made: dict[str, Any] = {
        "v": PROTOCOL_VERSION,
        "name": name,
        "host": key.node,
        "key": key.public_key,
        "system": str(wish.system),
        "rounds": rounds,
        "ruleset": chosen_ruleset(str(wish.game), wish.ruleset).id,
        "round_ms": duration_ms(str(wish.round_time), "--round-time"),
        "players": players,
        "seed": wish.seed,
        "agent": AGENT,
        "created_ms": SYSTEM_CLOCK.now_ms(),
        **terms.fields(),
    }
    try:
        return signed(EventPlan.model_validate(made), key)
    except ValidationError as error:
        raise UsageError(
            f"This is not the plan of an event: {first_fault(error, EventPlan)}. An event has a "
            "name of "
            "up to 24 lower-case letters, digits and dashes, 2 to 64 players, each once (--player "
            "ID), and up to 99 rounds."
        ) from None


def _rounds(count: int, system: str) -> int:
    """As many rounds as a system needs: all meet, or one is left who has won everything."""
    if system == System.SWISS:
        return max(1, (count - 1).bit_length())
    return max(1, count - 1 + count % 2)


def _merged(*wishes: Wish) -> Wish:
    """What is said, by who says it first."""
    merged = wishes[-1]
    for wish in reversed(wishes[:-1]):
        values = {each.name: getattr(wish, each.name) for each in fields(Wish)}
        merged = replace(merged, **{name: v for name, v in values.items() if v is not None})
    return merged


def _read(file: Path | None) -> Wish:
    """What a file says.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is no TOML, or has a key that a plan has not.
    """
    if file is None:
        return Wish()

    try:
        text = file.read_text(encoding="utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise UsageError(
            f'{file} is not TOML: {error}. Text needs quotes, as in clock = "5+3"; see toml.io.'
        ) from None
    lines = lines_of(text)
    known = {each.name.replace("_", "-"): each.name for each in fields(Wish)}
    values: dict[str, Any] = {}
    for key, value in found.items():
        where = f"{file}, line {lines[key,]}" if (key,) in lines else str(file)
        if key not in known:
            told = no_such(key, [*known], "key")
            raise UsageError(f"{where}: {told}{'' if told.endswith('?') else '.'}")
        values[known[key]] = _checked(f"{where}: {key}", key, value)
    return Wish(**values)


def _checked(where: str, key: str, value: object) -> object:
    """A value of the file, with the place told where it is wrong."""
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
            clock_fields(value, where)
        elif key == "round-time" or (key == "grace" and value != "never"):
            duration_ms(value, where)
    return value
