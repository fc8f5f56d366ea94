"""What is wrong with a value is told in words of ours, never in the validator's."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from ataxxd_protocol.codec import MalformedMessage, decode_record
from ataxxd_protocol.faults import first_fault
from tests.unit.session.test_records import a_record

VALIDATORS = ("Input should", "Field required", "Value error", "Extra inputs", "pattern", "valid ")


def fault(edit: Callable[[Any], object]) -> str:
    """What is wrong with a record of one move after an edit."""
    record = json.loads(a_record(moves=1))
    edit(record)
    with pytest.raises(MalformedMessage) as refused:
        decode_record(json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return str(refused.value)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (
            lambda r: r["offer"].update(clock={"baseAms": 5}),
            'offer.clock: there is no field "baseAms". Did you mean "base_ms"?',
        ),
        (lambda r: r.update(entires=[]), 'there is no field "entires". Did you mean "entries"?'),
        (lambda r: r["offer"].pop("ruleset"), "offer.ruleset: it is missing"),
        (
            lambda r: r["offer"].update(color="purple"),
            "offer.color: \"purple\" is not one of 'first', 'second' or 'random'",
        ),
        (lambda r: r.update(type="gurke"), "type: \"gurke\" is not 'record'"),
        (
            lambda r: r["offer"].update(clock={"base_ms": 5, "lag_ms": 1, "move_ms": 5}),
            "offer.clock: a clock has either base_ms or move_ms",
        ),
        (
            lambda r: r["offer"].update(clock={"base_ms": -1, "lag_ms": 1}),
            "offer.clock.base_ms: -1 is out of range: at least 1",
        ),
        (lambda r: r["offer"].update(clock="5+3"), 'offer.clock: "5+3" is not an object in braces'),
        (lambda r: r["offer"].update(name=None), "offer.name: null is not text in quotes"),
        (
            lambda r: r["offer"].update(name="Our Game"),
            'offer.name: "Our Game" is not a name of up to 32 lower-case letters',
        ),
        (
            lambda r: r["offer"].update(ruleset="ataxx"),
            'offer.ruleset: "ataxx" is not a ruleset such as ataxx/uai',
        ),
        (
            lambda r: r["entries"][0].update(check="zz"),
            'entries.1.check: "zz" is not 16 hexadecimal digits',
        ),
        (lambda r: r.update(entries={}), "entries: {} is not a list in brackets"),
        (lambda r: r.update(v=[1] * 99), "v: [1, 1,"),
    ],
)
def test_a_fault_in_a_record_says_where_it_is_and_what_is_right(
    edit: Callable[[Any], object], told: str
) -> None:
    said = fault(edit)
    assert said.startswith(told)
    assert not [word for word in VALIDATORS if word in said]
    assert len(said) < 250
    assert said.isascii()


class Team(BaseModel):
    players: Annotated[tuple[str, ...], Field(min_length=2)]


def test_too_few_are_counted() -> None:
    with pytest.raises(ValidationError) as refused:
        Team.model_validate({"players": ["ann"]})
    assert first_fault(refused.value, Team) == "players: 1 are too few: at least 2"
