"""The lines of `watch --json` are what their page and their schema say."""

import json
from contextlib import closing

import pytest
from jsonschema import Draft202012Validator

from ataxxd.cli.watch_json import WATCH_LINES, JsonView
from ataxxd.node.names import NameBook
from ataxxd.node.receiving import Incoming
from ataxxd.node.runtime import OfferPublished, RuntimeEvent
from ataxxd.rules import Outcome, Position, Side
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
    Seat,
    Started,
    TakenBack,
)
from ataxxd.session.record import Standing
from ataxxd.session.state import Fault, Role
from ataxxd_protocol import encode
from ataxxd_protocol.topics import Address
from tests.conformance.games import GUEST_KEY, HOST_KEY, RULESET, Pair
from tests.conformance.letters import make_nickname
from tools import watch_reference

START = Position.start(RULESET)
MOVE = START.parse_move("a7-b6")
EVENTS: dict[str, RuntimeEvent] = {
    "start": Started(GUEST_KEY.node, Side.FIRST),
    "move": Moved(Side.FIRST, MOVE, START, Seat.REMOTE, 1, Role.HOST, 5),
    "draw": DrawAsked(Side.FIRST, Role.HOST),
    "draw-rejected": DrawRefused(Side.SECOND, Role.GUEST),
    "takeback": TakenBack((MOVE,), True, Side.SECOND, Role.GUEST),
    "set-aside": TakenBack((MOVE,), False, Side.FIRST, Role.HOST),
    "chat": Said(Side.SECOND, "Good luck! \u265e", Role.GUEST),
    "talk": Overheard("bo", "What a move.", GUEST_KEY.node),
    "name": Named(None, "bo (k7fq-3xa2)", Role.GUEST, GUEST_KEY.node, "bo"),
    "end": Over(
        Outcome("illegal-move", Side.FIRST), Fault(Role.GUEST, "move/illegal", "c4 is taken")
    ),
    "closed": Closed(Standing.AGREED),
    "rematch": Begun(None, Pair.started().offer),
    "notice": Notice("connected again"),
}
SCHEMA = json.loads((watch_reference.FOLDER / watch_reference.SCHEMA).read_text(encoding="utf-8"))


def test_the_published_page_and_schema_are_current() -> None:
    remedy = "run: python -m tools.watch_reference"
    page = (watch_reference.FOLDER / watch_reference.PAGE).read_text(encoding="utf-8")
    assert page == watch_reference.page(), remedy
    assert watch_reference.schema() == SCHEMA, remedy
    Draft202012Validator.check_schema(SCHEMA)


def test_there_is_an_event_here_for_every_kind_of_line() -> None:
    assert set(WATCH_LINES.json_schema()["discriminator"]["mapping"]) == set(EVENTS)


@pytest.mark.parametrize("kind", EVENTS)
def test_a_line_is_what_its_schema_says(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    JsonView().show(EVENTS[kind], Pair.started().host.ledger)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isascii()
    told = json.loads(line)
    assert told["event"] == kind
    assert None not in told.values()
    Draft202012Validator(SCHEMA).validate(told)


def test_a_nickname_that_is_known_beforehand_follows_the_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    topic = Address("nickname", "_", writer=HOST_KEY.node)
    with closing(NameBook()) as names:
        assert names.receive(Incoming(topic, encode(make_nickname(HOST_KEY, name="ana"))))
        JsonView(names).show(EVENTS["start"], Pair.started().host.ledger)
    start, name = map(json.loads, capsys.readouterr().out.splitlines())
    assert start["event"] == "start"
    assert name == {"event": "name", "node": HOST_KEY.node, "by": "host", "name": "ana"}


def test_what_is_no_business_of_spectators_makes_no_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    JsonView().show(OfferPublished(), Pair.started().host.ledger)
    assert not capsys.readouterr().out


def test_a_move_tells_its_number_its_player_and_the_position_after_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    JsonView().show(EVENTS["move"], Pair.started().host.ledger)
    assert json.loads(capsys.readouterr().out) == {
        "event": "move",
        "ply": 1,
        "side": "first",
        "by": "host",
        "move": "b6",
        "elapsed_ms": 5,
        "position": START.play(MOVE).text,
    }
