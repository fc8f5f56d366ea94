"""The test vectors are current, and every one of them is what it says."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from jsonschema import Draft202012Validator

from ataxxd._engine import rulesets
from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.node.messaging.calls import rank_members
from ataxxd.rules import Position
from ataxxd.session.events import Keep
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_points_of_all
from ataxxd.session.record import dump_record, standing_of, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd_protocol import MalformedMessage, SigningKey, Topics, decode, encode, position_digest
from ataxxd_protocol.links import Link, LinkError
from ataxxd_protocol.messages import Offer, SignedMessage
from ataxxd_protocol.signing import canonical_json, digest, verify
from tests.conformance.judge import judge, state
from tests.conformance.make_vectors import FOLDER, vector_files
from tools.schemas import MODELS, schema

NOTATION = Path(__file__).parents[2] / "docs" / "reference" / "notation.md"


def vectors(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())


GAMES: list[dict[str, Any]] = vectors("games")


def test_the_vectors_in_the_tree_are_current() -> None:
    found = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    del found["played.json"]
    made = vector_files()
    stale = sorted(name for name in {*found, *made} if found.get(name) != made.get(name))
    assert not stale, "run: python -m tests.conformance.make_vectors"


@pytest.mark.requirement("MP-CODEC-1")
def test_canonical_forms_are_those_of_rfc_8785() -> None:
    for case in vectors("canonical")["valid"]:
        value = json.loads(case["json"])
        assert canonical_json(value).decode() == case["canonical"], case["name"]
        assert rfc8785.dumps(value).decode() == case["canonical"], case["name"]


@pytest.mark.requirement("MP-CODEC-1", "MP-CODEC-3")
def test_payloads_that_are_not_canonical_are_malformed() -> None:
    for case in vectors("canonical")["invalid"]:
        with pytest.raises(MalformedMessage):
            decode(bytes.fromhex(case["hex"]))


@pytest.mark.requirement("MP-CODEC-4")
def test_valid_messages_of_every_type_are_taken_by_codec_and_schema() -> None:
    kinds = set()
    for payload in vectors("messages")["valid"]:
        message = decode(payload.encode())
        assert encode(message).decode() == payload
        Draft202012Validator(schema(message.type)).validate(json.loads(payload))
        kinds.add(message.type)
    assert kinds == set(MODELS) - {"record"}


@pytest.mark.requirement("MP-CODEC-4", "MP-CODEC-5")
def test_invalid_messages_are_refused_by_codec_and_schema() -> None:
    kinds = set()
    for case in vectors("messages")["invalid"]:
        with pytest.raises(MalformedMessage):
            decode(case["payload"].encode())
        fields = json.loads(case["payload"])
        # Python's "$" lets a line feed at the end pass; the "$" of JSON Schema does not.
        if "line feed" not in case["reason"]:
            validator = Draft202012Validator(schema(case["type"]))
            assert not validator.is_valid(fields), case["reason"]
        kinds.add(case["type"])
    assert kinds == set(MODELS) - {"record"}


@pytest.mark.requirement("MP-SIGN-1", "MP-SIGN-2", "MP-SIGN-4", "MP-HAND-8")
def test_digests_are_what_they_say() -> None:
    made = vectors("digests")
    for case in made["messages"]:
        message = decode(case["payload"].encode())
        assert isinstance(message, SignedMessage)
        fields = json.loads(case["payload"])
        del fields["sig"]
        assert case["signed_bytes"].encode() == message.signed_bytes == rfc8785.dumps(fields)
        assert digest(case["signed_bytes"].encode()) == case["digest"] == message.digest
    for case in made["positions"]:
        assert position_digest(case["ruleset"], case["text"]) == case["digest"]
    for case in made["commitments"]:
        assert digest(bytes.fromhex(case["secret"])) == case["commit"]
    assert {case["host_side"] for case in made["tosses"]} == {"first", "second"}


@pytest.mark.requirement("MP-ID-1", "MP-ID-2", "MP-SIGN-3", "MP-SIGN-5")
def test_keys_and_signatures_are_what_they_say() -> None:
    made = vectors("signatures")
    for case in made["keys"]:
        key = SigningKey(bytes.fromhex(case["seed"]))
        assert (key.public_key, key.node) == (case["public_key"], case["node"])
    for case in made["signatures"]:
        held = verify(case["public_key"], case["bytes"].encode(), case["sig"])
        assert held == bool(case["holds"]), case["name"]
    assert len(made["small_order"]) == 14
    for public_key in made["small_order"]:
        assert not verify(public_key, b"", "01" + "00" * 63)


@pytest.mark.requirement("MP-TOPIC-1")
def test_topics_are_what_they_say() -> None:
    made = vectors("topics")
    parse = Topics(made["root"]).parse
    for case in made["valid"]:
        address = parse(case["topic"])
        assert address is not None
        assert (address.kind, address.name) == (case["kind"], case["name"])
        assert (address.host, address.writer) == (case.get("host"), case.get("writer"))
        assert (address.part, address.to) == (int(case.get("part", "0")), case.get("to"))
    for topic in made["invalid"]:
        assert parse(topic) is None, topic


@pytest.mark.requirement("MP-LINK-1", "MP-LINK-2", "MP-LINK-3", "MP-LINK-4")
def test_links_say_what_is_written() -> None:
    made = vectors("links")
    for case in made["valid"]:
        link = Link.read(case["fragment"])
        assert {"fragment": case["fragment"], **link.model_dump(exclude_none=True)} == case
        assert Link.read(link.fragment) == link
        assert link.at("https://page.example/") == f"https://page.example/#{link.fragment}"
        assert link.secret is None or link.secret not in repr(link)
    for reason in ("broken", "version"):
        for fragment in made[reason]:
            with pytest.raises(LinkError) as failed:
                Link.read(fragment)
            assert failed.value.reason == reason, fragment


@pytest.mark.requirement("MP-CALL-1")
def test_members_rank_as_is_written() -> None:
    made = vectors("calls")
    for case in made:
        assert rank_members(case["call"], case["members"]) == case["ranks"]
    assert len({case["ranks"][0] for case in made}) > 1


@pytest.mark.requirement("MP-RULE-1")
@pytest.mark.parametrize("game", vectors("rules"), ids=lambda game: str(game["ruleset"]))
def test_every_position_has_the_legal_moves_and_the_end_that_are_written(
    game: dict[str, Any],
) -> None:
    position = Position(game["ruleset"], game["positions"][0]["text"])
    for step in game["positions"]:
        assert position.text == step["text"]
        assert sorted(move.text for move in position.legal_moves) == step["legal"].split()
        if "move" in step:
            assert position.outcome is None
            position = position.play(position.parse_move(step["move"]))
    ended = {} if position.outcome is None else asdict(position.outcome)
    assert ended.get("termination") == game.get("termination")
    assert getattr(position.outcome, "score", None) == game.get("score")


@pytest.mark.requirement("MP-RULE-2")
def test_the_vectors_show_every_end_that_the_table_of_rulesets_names() -> None:
    section = NOTATION.read_text(encoding="utf-8").split("\n## Rulesets\n")[1]
    written = {
        row.split("`")[1]: set(re.findall(r"`([a-z-]+)`", row.split("|")[2]))
        for row in section.splitlines()
        if row.startswith("| `")
    }
    shown: dict[str, set[str]] = {info.id: set() for info in rulesets()}
    for game in vectors("rules"):
        shown[game["ruleset"]] |= {game["termination"]} if "termination" in game else set()
    assert written == shown


@pytest.mark.requirement("MP-LOG-6", "MP-LOG-7", "MP-FAULT-1", "MP-SCORE-1")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game["name"]))
def test_a_judge_makes_of_a_game_what_is_written(game: dict[str, Any]) -> None:
    offer = decode(game["offer"].encode())
    assert isinstance(offer, Offer)
    ledger = Ledger(offer)
    assert state(ledger) == game["start"]
    for step in game["messages"]:
        before = dump_record(ledger)
        expected = {name: value for name, value in step.items() if name != "payload"}
        assert judge(ledger, step["payload"]) == expected
        if step["became"] not in ("accepted", "fault"):
            assert dump_record(ledger) == before
    assert standing_of(ledger).value == game["standing"]
    assert dump_record(ledger).decode() == game["record"]


@pytest.mark.requirement("MP-REC-2", "MP-REC-5", "MP-LOG-4")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game["name"]))
def test_a_spectator_and_a_verifier_make_the_same_of_it(game: dict[str, Any]) -> None:
    offer = decode(game["offer"].encode())
    assert isinstance(offer, Offer)
    watching = SpectatorSession(Ledger(offer))
    for step in game["messages"]:
        try:
            message = decode(step["payload"].encode())
        except MalformedMessage:
            assert step["became"] == "malformed"
            continue
        effects = watching.receive(message)
        assert not any(isinstance(effect, Keep) for effect in effects)
    assert dump_record(watching.ledger).decode() == game["record"]
    verdict = verify_record(game["record"].encode())
    last = game["messages"][-1]
    assert state(verdict.ledger) == {
        name: value for name, value in last.items() if name not in ("payload", "became", "code")
    }
    assert verdict.standing.value == game["standing"]


def test_the_games_show_every_way_a_game_can_end() -> None:
    ends = {game["messages"][-1].get("termination") for game in GAMES}
    assert ends >= {
        *("no-moves", "resignation", "draw-agreed", "illegal-move", "desync"),
        *("double-dealing", "protocol-violation", "abandoned", "time", "aborted", None),
    }
    became = {step["became"] for game in GAMES for step in game["messages"]}
    assert became == {
        *("accepted", "fault", "duplicate", "gap", "conflict", "refused", "forged"),
        *("stranger", "malformed"),
    }
    standings = {"agreed", "disputed", "contested", "unconfirmed", "unfinished"}
    assert {game["standing"] for game in GAMES} == standings


@pytest.mark.requirement("MP-REC-6")
def test_valid_records_hold_and_say_what_is_written() -> None:
    for case in vectors("records")["valid"]:
        verdict = verify_record(case["record"].encode())
        assert [move.text for move in verdict.ledger.moves] == case["moves"]
        assert verdict.standing.value == case["standing"]
        outcome = verdict.ledger.outcome
        assert (None if outcome is None else outcome.score) == case.get("score")
        assert (None if outcome is None else outcome.termination) == case.get("termination")


@pytest.mark.requirement("MP-REC-1", "MP-REC-2", "MP-REC-3", "MP-REC-4", "MP-REC-5", "MP-WITNESS-5")
def test_broken_records_do_not_hold_and_the_entry_is_named() -> None:
    for case in vectors("records")["broken"]:
        with pytest.raises(VerificationError) as caught:
            verify_record(case["record"].encode())
        if "entry" in case:
            assert str(caught.value).startswith(f"entry {case['entry']} ("), case["reason"]


@pytest.mark.requirement("MP-REC-8", "MP-SIGN-2")
def test_records_that_differ_in_signatures_alone_are_the_same() -> None:
    for records in vectors("records")["same"]:
        assert len(set(records)) == len(records)
        ledgers = [verify_record(each.encode()).ledger for each in records]
        told = {tuple(each.digest for _, each in ledger.line) for ledger in ledgers}
        assert len(told) == len({ledger.game for ledger in ledgers}) == 1


def test_an_offer_of_the_vectors_with_another_key_is_refused() -> None:
    offer = decode(GAMES[0]["offer"].encode())
    assert isinstance(offer, Offer)
    with pytest.raises(RemoteProtocolError):
        Ledger(offer.model_copy(update={"key": "0" * 64}))


@pytest.mark.requirement("MP-COUNT-1", "MP-COUNT-2", "MP-COUNT-3", "MP-COUNT-4", "MP-WITNESS-6")
@pytest.mark.parametrize("case", vectors("counts"), ids=lambda case: str(case["name"]))
def test_a_game_counts_as_the_vectors_say_in_whatever_order_its_records_come(
    case: dict[str, Any],
) -> None:
    ledgers = [verify_record(record.encode()).ledger for record in case["records"]]
    for order in (ledgers, ledgers[::-1], [*ledgers, *ledgers]):
        count = count_points_of_all(order)
        assert (None if isinstance(count, str) else count.text) == case.get("counts")
