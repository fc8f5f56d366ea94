"""Games with witnesses, for the vectors and for tests."""

import json
from typing import Any

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.session.witnesses import add_statement, claim_digest
from ataxxd_protocol import PROTOCOL_VERSION, SigningKey, signed
from ataxxd_protocol.messages import Statement
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import HOST_KEY, OTHER_KEY, WITNESS_KEYS, craft, forge, of_version
from tests.conformance.scenarios import begun, claimed, with_messages

WITNESSES = [key.node for key in WITNESS_KEYS]
GRACE_MS = 60_000
LONG, SHORT = 59_000, 20_000


def make_statement(ledger: Ledger, key: SigningKey, silence_ms: int, **changes: Any) -> Statement:
    """What a witness signs of the claim that stands; `changes` are fields as on the wire."""
    fields = {
        "game": ledger.game,
        "from": key.node,
        "key": key.public_key,
        "claim": claim_digest(ledger) or ledger.game,
        "silence_ms": silence_ms,
    }
    return signed(Statement.model_validate(fields | changes), key)


def attested(ledger: Ledger, *silences_ms: int | None) -> Ledger:
    """The game with what its witnesses say of its claim, each in its turn; None says nothing."""
    after = ledger.copy()
    for key, silence_ms in zip(WITNESS_KEYS, silences_ms, strict=False):
        if silence_ms is not None:
            add_statement(after, make_statement(after, key, silence_ms))
    return after


@of_version(PROTOCOL_VERSION)
def witnessed(witnesses: int = 3, **answer: int) -> Ledger:
    """The host has claimed a game with witnesses, and the guest answers, or does not."""
    return claimed({"witnesses": WITNESSES[:witnesses]}, **answer)


@of_version(PROTOCOL_VERSION)
def witnessed_counts() -> dict[str, list[Ledger]]:
    """Records of games with witnesses, by what they show."""
    agreed, contested = {"since_ms": 60_000}, {"since_ms": 5_000}
    silent = witnessed()
    before = begun({"grace_ms": GRACE_MS, "witnesses": WITNESSES})
    late = craft(before, Role.GUEST, "move", move="b1", elapsed_ms=1)
    crossed = silent.copy()
    crossed.accept(Role.GUEST, late)
    twice = attested(witnessed(**agreed), SHORT, SHORT)
    add_statement(twice, make_statement(twice, WITNESS_KEYS[1], LONG))
    threshold = 60_000 - 600 - 5_000
    return {
        "witnesses, and a claim on which they say nothing": [silent],
        "the same, contested": [witnessed(**contested)],
        "most witnesses heard no such silence, though it is agreed to": [
            attested(witnessed(**agreed), SHORT, SHORT, LONG)
        ],
        "most witnesses heard the silence that is contested": [
            attested(witnessed(**contested), LONG, LONG, SHORT)
        ],
        "a silence that is just long enough": [
            attested(witnessed(**contested), threshold, threshold)
        ],
        "a silence that is just too short": [
            attested(witnessed(**contested), threshold - 1, threshold - 1)
        ],
        "one of three witnesses": [attested(witnessed(**contested), SHORT)],
        "two of three witnesses, of different minds": [
            attested(witnessed(**agreed), SHORT, LONG),
        ],
        "a witness that says two things says nothing": [twice],
        "two witnesses, of which one says nothing": [attested(witnessed(2, **agreed), SHORT)],
        "two witnesses": [attested(witnessed(2, **agreed), SHORT, SHORT)],
        "the only witness": [attested(witnessed(1, **contested), LONG)],
        "a late move, and witnesses of the silence before it": [attested(crossed, LONG, LONG)],
        "an early move that the claim leaves out, and witnesses": [attested(crossed, SHORT, SHORT)],
        "statements in different records": [
            attested(silent, SHORT),
            attested(witnessed(**agreed), None, SHORT),
        ],
        "witnesses, and a claim by who went on": [
            attested(silent, LONG, LONG),
            with_messages(
                before,
                (Role.GUEST, "move", {"move": "b1", "elapsed_ms": 1}),
                (Role.HOST, "resign", {}),
            ),
        ],
    }


def with_statements() -> Ledger:
    """A record that holds, with statements in it."""
    return attested(witnessed(since_ms=60_000), LONG, SHORT, LONG)


def broken_statements() -> list[dict[str, Any]]:
    """Records with statements that do not hold, and why."""
    ledger = with_statements()
    whole = json.loads(dump_record(ledger))
    first = ledger.statements[0]
    told: list[dict[str, Any]] = []

    def breaks(reason: str, *statements: Any, **changes: Any) -> None:
        value = whole | {"statements": list(statements)} | changes
        told.append({"reason": reason, "record": canonical_json(value).decode() + "\n"})

    rest = whole["statements"][1:]

    def says(reason: str, statement: Statement) -> None:
        breaks(reason, statement.fields(), *rest)

    key = next(key for key in WITNESS_KEYS if key.node == whole["statements"][0]["from"])
    first = make_statement(ledger, key, LONG)
    breaks("no statement in the array")
    breaks("a statement twice", whole["statements"][0], *whole["statements"])
    breaks("statements in another order", *whole["statements"][::-1])
    breaks("a statement without a signature", {k: v for k, v in rest[0].items() if k != "sig"})
    breaks("an altered statement", whole["statements"][0] | {"silence_ms": 1}, *rest)
    says("a statement that another has signed", forge(first, OTHER_KEY))
    stranger = {"from": OTHER_KEY.node, "key": OTHER_KEY.public_key}
    says("a statement by no witness of the game", forge(first, OTHER_KEY, **stranger))
    player = {"from": HOST_KEY.node, "key": HOST_KEY.public_key}
    says("a statement by a player", forge(first, HOST_KEY, **player))
    says("a statement on another game", forge(first, key, game="0" * 64))
    says("a statement on another claim", forge(first, key, claim="0" * 64))
    says(
        "a statement by a key that is not the witness's",
        forge(first, OTHER_KEY, key=OTHER_KEY.public_key),
    )
    bare = json.loads(dump_record(claimed(since_ms=60_000)))
    told.append(
        {
            "reason": "a statement in a game without witnesses",
            "record": canonical_json(bare | {"statements": [first.fields()]}).decode() + "\n",
        }
    )
    return told
