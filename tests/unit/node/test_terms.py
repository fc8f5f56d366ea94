"""The terms of a game are read once, wherever somebody writes them."""

from dataclasses import replace
from typing import Any

import pytest

from ataxxd.errors import UsageError
from ataxxd.node.offers import (
    ARGUMENTS,
    FORM,
    OPTIONS,
    TermLabels,
    Terms,
    TermsError,
    default_witnesses,
)
from tests.conformance.games import make_offer

GUEST, WITNESS = "abcd-efgh-ijkl-mnop-qrst", "bcde-fghi-jklm-nopq-rstu"


def test_the_usual_terms_say_nothing() -> None:
    assert Terms.read("none", "never", takebacks=True) == Terms()
    assert Terms().fields() == {}


def test_terms_are_what_an_offer_says_and_are_agreed_on_again() -> None:
    terms = Terms.read("5+3", "15m", takebacks=False, guest=GUEST, witnesses=[WITNESS])
    assert terms.fields() == {
        "clock": {"base_ms": 300_000, "increment_ms": 3_000, "lag_ms": 2_000},
        "grace_ms": 900_000,
        "takebacks": "never",
        "access": GUEST.replace("-", ""),
        "witnesses": (WITNESS.replace("-", ""),),
    }
    offer = make_offer(**terms.fields())
    # Who may join the next one is for its offer to say.
    assert Terms.agreed(offer) == replace(terms, access=None)


@pytest.mark.parametrize("written", [OPTIONS, ARGUMENTS, FORM])
def test_what_says_nothing_is_named_as_it_was_written(written: TermLabels) -> None:
    for field, named, wrong in (
        ("clock", written.clock, {"clock": "5+"}),
        ("grace", written.grace, {"grace": "soon"}),
        ("access", written.guest, {"guest": "bob"}),
        ("witnesses", written.witness, {"witnesses": ["bob"]}),
        ("witnesses", written.witness, {"witnesses": [WITNESS, WITNESS]}),
        ("witnesses", written.witness, {"witnesses": [GUEST], "guest": GUEST}),
    ):
        said: dict[str, Any] = {"clock": "none", "grace": "never", "guest": None, **wrong}
        with pytest.raises(TermsError) as raised:
            Terms.read(**said, takebacks=True, written=written)
        assert raised.value.field == field
        assert str(raised.value).startswith(named)


def test_the_usual_witnesses_are_those_of_the_environment_but_for_who_plays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ATAXXD_WITNESSES", raising=False)
    assert default_witnesses() == ()
    monkeypatch.setenv("ATAXXD_WITNESSES", f"{WITNESS}\n{GUEST}")
    assert default_witnesses(None) == (WITNESS.replace("-", ""), GUEST.replace("-", ""))
    assert default_witnesses(GUEST.upper(), None) == (WITNESS.replace("-", ""),)
    monkeypatch.setenv("ATAXXD_WITNESSES", "bob")
    with pytest.raises(UsageError, match="ATAXXD_WITNESSES 'bob' is not a node id"):
        default_witnesses()
