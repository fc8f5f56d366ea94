"""Every game over both kinds of broker, whoever plays, from a position or after moves made.

One test for each game and pair of players. Broker, beginning and who moves first change with
them, so that any two choices meet in some test: a broker knows no game, and a player no broker.
The games begin near their ends.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ataxxd.rules import Position, Side
from ataxxd.rules.notation import format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd.rules.values import ending_text
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.speakers import CHECKERS, LANGUAGES, Language, Speaker

ENDINGS = Path(__file__).parents[1] / "data" / "endings"
MOSQUITTO, EMBEDDED = "mosquitto", "embedded"
PERSON, ENGINE = "person", "engine"
PAIRS = ((PERSON, ENGINE), (ENGINE, PERSON), (ENGINE, ENGINE), (PERSON, PERSON))
POSITION, INIT = "position", "init"
AUTO = ("--auto", "--level", "1", "--seed", "1")


@dataclass(frozen=True)
class Case:
    """One game to be played.

    Attributes:
        turned: the host moves second.
    """

    language: Language
    players: tuple[str, str]
    broker: str
    beginning: str
    turned: bool

    def __str__(self) -> str:
        return "-".join((self.language.game, self.broker, *self.players))


CASES = [
    Case(
        language,
        players,
        (MOSQUITTO, EMBEDDED)[(game + pair) % 2],
        (POSITION, INIT)[(game // 2 + pair) % 2],
        bool((game + pair // 2) % 2),
    )
    for game, language in enumerate(LANGUAGES)
    for pair, players in enumerate(PAIRS)
]


@pytest.mark.gate
def test_any_two_choices_meet_in_some_case() -> None:
    rows = [vars(case).values() for case in CASES]
    for one, other in itertools.combinations([*zip(*rows, strict=True)], 2):
        met = [*zip(one, other, strict=True)]
        wanted = itertools.product(one, other)
        assert all(pair in met for pair in wanted)


@pytest.fixture
async def nodes(
    case: Case, make_mosquitto: Callable[[], Mosquitto], tmp_path: Path
) -> AsyncIterator[Nodes]:
    """Nodes at a Mosquitto, or at an embedded broker in a process of its own."""
    made = Nodes(tmp_path, make_mosquitto().url if case.broker == MOSQUITTO else None)
    try:
        if case.broker == EMBEDDED:
            alone = await made.node("broker").start("broker", "--port", "0")
            made.broker = (await alone.says("The broker listens at")).split()[4].rstrip(".")
        yield made
    finally:
        await made.close()


def beginning(language: Language, kind: str) -> tuple[tuple[str, ...], GameRecord]:
    """The host's options for a game that is nearly over, and the game so far."""
    if kind == POSITION:
        return ("--position", language.ending), GameRecord(
            Position.from_text(language.ruleset, language.ending)
        )
    path = ENDINGS / language.init
    form = format_of_file(path.name)
    assert form is not None
    return ("--init", str(path)), form.read(path.read_text(), language.ruleset)


@pytest.mark.gate(
    "ataxx-mosquitto-person-engine",
    "checkers-embedded-engine-engine",
    "loa-embedded-engine-person",
    "reversi-mosquitto-person-person",
)
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_host_guest_and_spectator_end_with_the_same_verified_record(
    case: Case, nodes: Nodes, tmp_path: Path
) -> None:
    language, (first, second), turned = case.language, case.players, case.turned
    options, game = beginning(language, case.beginning)
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch")}
    players = {"host": (first, Side.FIRST), "guest": (second, Side.SECOND)}
    if turned:
        players = {"host": (second, Side.SECOND), "guest": (first, Side.FIRST)}

    def arguments(who: str) -> tuple[str, ...]:
        auto = AUTO if players[who][0] == ENGINE else ()
        return (*auto, "--transcript", str(records[who]))

    host = await nodes.node("host").host(
        *("ourgame", "--game", language.game, "--color", ("first", "second")[turned]),
        *(*options, *arguments("host")),
        typed=True,
    )
    watch = await nodes.node("watch").start("watch", "ourgame", "--transcript", records["watch"])
    guest = await nodes.node("guest").start("join", "ourgame", *arguments("guest"), typed=True)
    people = {
        who: Speaker(language, side, game.position, 1, len(game.moves))
        for who, (kind, side) in players.items()
        if kind == PERSON
    }
    programs = {"host": host, "guest": guest}
    said = await asyncio.gather(*(each.play(programs[who]) for who, each in people.items()))
    for running in (host, guest, watch):
        await running.ends()

    data = {path.read_bytes() for path in records.values()}
    assert len(data) == 1
    verdict = verify_record(data.pop())
    assert verdict.standing is Standing.AGREED
    ledger = verdict.ledger
    assert ledger.start == game.start
    assert tuple(ledger.opening) == game.moves
    assert tuple(ledger.moves[: len(game.moves)]) == game.moves
    assert ledger.outcome is not None
    result = language.results[ledger.outcome.score]
    # The machine of the old checkers program prints nothing when there is a transcript.
    printed = {running.out.lines[-1] for running in (host, guest) if running.out.lines}
    assert {*printed, *said} == ({result} if people or language is not CHECKERS else set())
    assert watch.out.lines[-1] == ending_text(ledger.outcome, ledger.position)
    for person in people.values():
        assert person.position == ledger.position
