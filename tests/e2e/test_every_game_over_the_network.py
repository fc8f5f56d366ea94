"""Every game over both kinds of broker, whoever plays, from a position or after moves made.

One test for each game, broker and pair of players; which of the two beginnings it has
changes with the broker, so that each pair has both. The games begin near their ends.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ataxxd.rules import Position, Side
from ataxxd.rules.notation.formats import format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.speakers import CHECKERS, LANGUAGES, Language, Speaker

ENDINGS = Path(__file__).parents[1] / "data" / "endings"
MOSQUITTO, EMBEDDED = "mosquitto", "embedded"
PERSON, ENGINE = "person", "engine"
AUTO = ("--auto", "--level", "1", "--seed", "1")


@pytest.fixture
async def nodes(
    broker: str, make_mosquitto: Callable[[], Mosquitto], tmp_path: Path
) -> AsyncIterator[Nodes]:
    """Nodes at a Mosquitto, or at an embedded broker in a process of its own."""
    made = Nodes(tmp_path, make_mosquitto().url if broker == MOSQUITTO else None)
    try:
        if broker == EMBEDDED:
            alone = await made.node("broker").start("broker", "--port", "0")
            made.broker = (await alone.says("The broker listens at")).split()[4].rstrip(".")
        yield made
    finally:
        await made.close()


def beginning(language: Language, kind: str) -> tuple[tuple[str, ...], GameRecord]:
    """The host's options for a game that is nearly over, and the game so far."""
    if kind == "position":
        return ("--position", language.ending), GameRecord(
            Position.from_text(language.ruleset, language.ending)
        )
    path = ENDINGS / language.init
    form = format_of_file(path.name)
    assert form is not None
    return ("--init", str(path)), form.read(path.read_text(), language.ruleset)


@pytest.mark.parametrize(
    ("first", "second"),
    [(PERSON, ENGINE), (ENGINE, PERSON), (ENGINE, ENGINE), (PERSON, PERSON)],
)
@pytest.mark.parametrize("broker", [MOSQUITTO, EMBEDDED])
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.game)
async def test_host_guest_and_spectator_end_with_the_same_verified_record(
    language: Language, broker: str, first: str, second: str, nodes: Nodes, tmp_path: Path
) -> None:
    # The host moves second in half of the games.
    turned = (LANGUAGES.index(language) + (first == second)) % 2
    options, game = beginning(language, ("position", "init")[(turned + (broker == EMBEDDED)) % 2])
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
    assert ledger.outcome.termination in watch.out.lines[-1]
    for person in people.values():
        assert person.position == ledger.position
