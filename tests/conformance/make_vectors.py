"""Writes protocol/vectors/: ``python -m tests.conformance.make_vectors``.

Deterministic: fixed keys, fixed choices. The files are language-neutral JSON; payloads
stand in them as text, or in hexadecimal where they are not UTF-8.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ataxxd.node.messaging.calls import rank_members
from ataxxd.rules import Position
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.points import count_points_of_all
from ataxxd.session.record import dump_record, state_parts
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import Topics, encode, position_digest, signed
from ataxxd_protocol.links import Link
from ataxxd_protocol.messages import (
    Abort,
    LogMessage,
    Recall,
    Result,
    SignedMessage,
    Status,
    Sync,
    Takeback,
    Talk,
    Unread,
)
from ataxxd_protocol.signing import canonical_json, digest
from tests.conformance.clubs import logs
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    RULESET,
    SECRET,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
    make_offer,
    of_version,
    sends,
)
from tests.conformance.letters import GROUP, letters, make_question
from tests.conformance.playouts import playouts
from tests.conformance.scenarios import (
    CLOCK,
    bounded_claims,
    checkers,
    claimed_too_much,
    counts,
    first_moves,
    games,
    overstepped,
)
from tests.conformance.signatures import a_move, re_signed, signatures
from tests.conformance.tournaments import NODES, make_plan, one_more, tournaments
from tests.conformance.witnessed import broken_statements, with_statements, witnessed_counts

FOLDER = Path(__file__).parents[2] / "protocol" / "vectors"
TAMPERED = "0" * 64


def canonical() -> dict[str, Any]:
    """JSON texts and their canonical form; payloads that are not canonical, and why."""
    valid = [
        ("keys in order of their code points", {"b": 1, "a": 2, "aa": 3, "A": 4}),
        ("the bounds of integers", {"low": -(2**53) + 1, "high": 2**53 - 1, "zero": 0}),
        ("what must be escaped", {"text": '"\\\b\t\n\f\r\x00\x1f'}),
        ("what must not be escaped", {"text": "/ é € 𝄞 \x7f"}),
        ("nested", {"list": [{"b": [], "a": {}}, "x", [1, 2]]}),
    ]
    who = '{"type":"who"}'
    invalid: list[tuple[str, bytes]] = [
        ("nothing", b""),
        ("cut short", b'{"type":"who"'),
        ("a blank in front", b" " + who.encode()),
        ("a line feed behind", who.encode() + b"\n"),
        ("a blank between", b'{"type": "who"}'),
        ("two objects", who.encode() * 2),
        ("no object", b'["who"]'),
        ("a key twice", b'{"type":"who","type":"who"}'),
        ("an escape that is not needed", b'{"type":"\\u0077ho"}'),
        ("a byte order mark", b"\xef\xbb\xbf" + who.encode()),
        ("not UTF-8", b'{"type":"wh\xff"}'),
        ("a lone surrogate", b'{"type":"\\ud800"}'),
    ]
    move = encode(a_move()).decode()
    for name, number in (
        ("a fraction", "1.0"),
        ("an exponent", "1e3"),
        ("minus zero", "-0"),
        ("a leading zero", "01"),
        ("an integer out of range", str(2**53)),
        ("true", "true"),
        ("null", "null"),
        ("no number of JSON", "NaN"),
    ):
        invalid.append((name, move.replace('"elapsed_ms":1000', f'"elapsed_ms":{number}').encode()))
    fields = json.loads(move)
    backwards = {key: fields[key] for key in sorted(fields, reverse=True)}
    invalid.append(("keys in another order", json.dumps(backwards, separators=(",", ":")).encode()))
    return {
        "valid": [
            {"name": name, "json": json.dumps(value), "canonical": canonical_json(value).decode()}
            for name, value in valid
        ],
        "invalid": [{"reason": name, "hex": data.hex()} for name, data in invalid],
    }


def messages() -> dict[str, Any]:
    """Payloads of every type that the codec takes, and payloads that it refuses, and why."""
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    drawn = checkers()
    drawn.carry(Role.HOST, drawn.host.offer_draw())
    drawn.carry(Role.GUEST, drawn.guest.answer_draw(accept=True))
    accused = Pair.started()
    second = craft(accused.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    accused.play("b6")
    accused.carry(Role.GUEST, accused.guest.receive(second))
    late = Pair.started()
    stranger = PlayerSession(Ledger(late.offer), Role.GUEST, OTHER_KEY)
    (join,) = sends(stranger.ask_to_join(NONCE, "other/1"))
    (reject,) = sends(late.host.receive(join))
    sync = sends(late.guest.on_connected())[-1]
    assert isinstance(sync, Sync)
    asking = forge(sync, GUEST_KEY, nonce=NONCE)
    echo = forge(sync, HOST_KEY, **{"from": HOST_KEY.node}, echo=NONCE)
    status = Status.model_validate(
        {"game": late.offer.digest, "from": GUEST_KEY.node, "epoch": 1, "state": "online"}
    )
    opening = make_offer(opening=("b6",), start_hash=_digest_after("b6"))
    timed = Pair.started(clock=CLOCK, grace_ms=60_000, takebacks="never", rematch_of="0" * 64)
    timed.play("g2")
    timed.carry(Role.HOST, timed.host.claim("silence", 60_000))
    claimed = timed.host.ledger.log(Role.HOST)[-1]
    answer = craft(accused.guest.ledger, Role.GUEST, "score", score="1-0", termination="time")
    back = Pair.started()
    back.play("g2", "b1")
    back.carry(Role.HOST, back.host.ask("takeback"))
    back.carry(Role.GUEST, back.guest.agree())
    back.play("b6")
    back.carry(Role.HOST, back.host.ask("abort"))
    back.carry(Role.GUEST, back.guest.agree())
    back.carry(Role.HOST, back.host.say("Danke schön, 再见!", 1_700_000_000_000))
    aborted = Pair.started()
    aborted.carry(Role.HOST, aborted.host.ask("abort"))
    spoken = [message for message in back.wire if not isinstance(message, LogMessage)]
    talk = Talk.model_validate(
        {"game": back.offer.digest, "from": OTHER_KEY.node, "key": OTHER_KEY.public_key}
        | {"at_ms": 1_700_000_000_001, "text": "A nice game to watch."}
    )
    resigned = Pair.started()
    resigned.carry(Role.HOST, resigned.host.resign())
    valid: list[SignedMessage] = [
        pair.offer,
        opening,
        *(message for message in pair.wire if isinstance(message, LogMessage)),
        *drawn.host.ledger.log(Role.HOST)[1:2],
        *drawn.host.ledger.log(Role.GUEST)[1:2],
        resigned.host.ledger.log(Role.HOST)[1],
        *accused.guest.ledger.log(Role.GUEST)[-1:],
        timed.offer,
        with_statements().offer,
        claimed,
        forge(answer, GUEST_KEY, had_ms=7),
        forge(answer, GUEST_KEY, had_ms=7, since_ms=9),
        *(message for message in back.wire if isinstance(message, Takeback | Abort)),
        aborted.host.ledger.log(Role.HOST)[1],
        signed(state_parts(pair.host.ledger)[0], HOST_KEY),
        signed(state_parts(Pair.make().host.ledger)[0], HOST_KEY),
    ]
    tournament = Tournament(make_plan(5))
    rounds = [one_more(tournament, withdrawn=[NODES[4]] if number else []) for number in range(2)]
    lost = resigned.host.ledger.log(Role.HOST)[1]
    recall = Recall(game=lost.game, author=GUEST_KEY.node, message=lost)
    left = resigned.host.ledger.log(Role.HOST)[:2]
    unread = signed(Unread(game=lost.game, author=HOST_KEY.node, messages=tuple(left)), HOST_KEY)
    notes = (
        *(*spoken, signed(talk, OTHER_KEY), reject, sync, asking, echo, signed(recall, GUEST_KEY)),
        unread,
        signed(status, GUEST_KEY),
        *with_statements().statements,
    )
    for note in notes:
        assert isinstance(note, SignedMessage)
        valid.append(note)
    valid += letters()
    valid += [make_plan(2), make_plan(5, clock=CLOCK, grace_ms=60_000, takebacks="never"), *rounds]
    whole = Result(
        score="1-0", game=pair.offer.digest, record=digest(dump_record(pair.host.ledger))
    )
    valid.append(forge(rounds[1], HOST_KEY, results=[whole.fields(), {"score": "0-1"}]))
    payloads = [encode(message).decode() for message in valid] + ['{"type":"who"}']
    invalid: list[dict[str, Any]] = []
    # One of each type, the shortest, is spoilt in every way.
    samples = {json.loads(payload)["type"]: payload for payload in sorted(payloads, key=len)[::-1]}
    for kind, payload in sorted(samples.items()):
        fields = json.loads(payload)

        def refuse(reason: str, changed: dict[str, Any], kind: str = kind) -> None:
            text = canonical_json(changed).decode()
            invalid.append({"type": kind, "reason": reason, "payload": text})

        refuse("an unknown field", fields | {"extra": 1})
        for name in fields:
            optional = name in ("opening", "proof", "had_ms", "clock", "rulesets")
            # That a challenge is for one of the two its schema cannot say.
            if not optional and (kind, name) != ("challenge", "group"):
                refuse(f"{name} is missing", {k: v for k, v in fields.items() if k != name})
            for reason, value in _wrong(name, fields[name]):
                refuse(reason, fields | {name: value})
    shout = samples["move"].replace('"type":"move"', '"type":"shout"')
    invalid.append({"type": "move", "reason": "an unknown type", "payload": shout})
    return {"valid": payloads, "invalid": invalid}


def _wrong(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, int):
        yield f"{name} is a string", str(value)
        if name != "score":
            yield f"{name} is negative", -1
    elif isinstance(value, list):
        yield f"{name} is no array", {}
    elif isinstance(value, dict):
        yield f"{name} is no object", []
    elif name == "text":
        yield "text has a line feed at its end", value + "\n"
        yield "text steers a terminal", value + "\x1b[2J"
        yield "text turns the direction of writing", "\u202e" + value
        yield "text is empty", ""
    elif name != "type":
        yield f"{name} has a line feed at its end", value + "\n"
        if name in ("start", "reason", "agent", "move") or " " in value:
            yield f"{name} is not ASCII", value[:-1] + "é"
            yield f"{name} is an integer", 7
        else:
            yield f"{name} is in upper case or out of its alphabet", value[:-1] + "X"


def digests() -> dict[str, Any]:
    """Digests of messages and of positions."""
    pair = Pair.started()
    pair.play("g2")
    texts = [
        (RULESET, Position.start(RULESET).text),
        ("ataxx/uai", Position.start("ataxx/uai").text),
        (RULESET, SHORT_ENDGAME),
    ]
    return {
        "messages": [
            {
                "payload": encode(message).decode(),
                "signed_bytes": message.signed_bytes.decode(),
                "digest": message.digest,
            }
            for message in (pair.offer, *pair.wire)
            if isinstance(message, SignedMessage)
        ],
        "positions": [
            {"ruleset": ruleset, "text": text, "digest": position_digest(ruleset, text)}
            for ruleset, text in texts
        ],
        "commitments": [{"secret": SECRET, "commit": digest(bytes.fromhex(SECRET))}],
        "tosses": [
            {"secret": SECRET, "nonce": nonce, "host_side": _toss(nonce)}
            for nonce in (NONCE, "00" * 16, "01" * 16, "ff" * 16)
        ],
    }


def _toss(nonce: str) -> str:
    first = bytes.fromhex(digest(bytes.fromhex(SECRET + nonce)))[0]
    return "first" if first % 2 == 0 else "second"


def topics() -> dict[str, Any]:
    """Topics and what they are; topics that are none of ours."""
    made = Topics()
    host, node = HOST_KEY.node, GUEST_KEY.node
    valid = [
        made.offer("ourgame", host),
        made.offer("a", host),
        made.offer("0" + "-" * 31, host),
        made.state("ourgame", host),
        made.state("ourgame", host, 1),
        made.state("ourgame", host, 999),
        made.out("ourgame", host, node),
        made.talk("ourgame", host, node),
        made.status("ourgame", host, node),
        made.statement("ourgame", host, node),
        made.who("ourgame"),
        made.who(),
        made.card(node),
        made.nickname(node),
        made.post(host, node),
        made.call(host, GROUP),
        made.event("open", host),
        made.event("open", host, 12),
    ]
    invalid = [
        f"ataxxd/2/ourgame/{host}/offer",
        f"ataxxd/1/ourgame/{host}/offer/",
        f"ataxxd/1/Ourgame/{host}/offer",
        f"ataxxd/1/-game/{host}/offer",
        f"ataxxd/1/{'a' * 33}/{host}/offer",
        f"ataxxd/1/ourgame\n/{host}/offer",
        f"ataxxd/1/ourgame/{host[:-1]}/offer",
        f"ataxxd/1/ourgame/{host}/state/0",
        f"ataxxd/1/ourgame/{host}/state/1000",
        f"ataxxd/1/ourgame/{host}/{node}/in",
        f"ataxxd/1/_/{host}/offer",
        f"ataxxd/1/ourgame/{host}/event/open",
        f"ataxxd/1/_/{host}/event/open/0",
        f"ataxxd/1/_/{host}/event/Open",
        "ataxxd/1/who",
        f"ataxxd/1/ourgame/{node}/card",
        f"ataxxd/1/ourgame/{node}/nickname",
        f"ataxxd/1/_/{host}/post/{GROUP}",
        f"ataxxd/1/_/{host}/call/{GROUP}/",
        f"ataxxd/1/_/{host}/call/_",
    ]
    described = []
    for topic in valid:
        address = made.parse(topic)
        assert address is not None
        fields = {
            "kind": address.kind,
            "name": address.name,
            "host": address.host,
            "writer": address.writer,
            "to": address.to,
        }
        if address.kind == "state" or address.part:
            fields["part"] = str(address.part)
        described.append({"topic": topic, **{k: v for k, v in fields.items() if v is not None}})
    return {"root": made.root, "valid": described, "invalid": invalid}


def calls() -> list[dict[str, Any]]:
    """Calls, and the members of a group in the order of their ranks for each."""
    members = sorted(key.node for key in (HOST_KEY, GUEST_KEY, OTHER_KEY))
    calls = [make_question(nodes=number).digest for number in range(1, 7)]
    return [
        {"call": call, "members": members, "ranks": rank_members(call, members)} for call in calls
    ]


def records() -> dict[str, Any]:
    """Records that hold, with what they say, and records that do not, and why."""
    pair = Pair.started(start=SHORT_ENDGAME, color="random")
    pair.play_out([3, 1, 4, 1, 5, 9, 2, 6])
    whole = dump_record(pair.host.ledger).decode()
    cut = Pair.started()
    cut.play("g2", "b1")
    unfinished = dump_record(cut.host.ledger).decode()
    broken: list[dict[str, Any]] = []

    def breaks(reason: str, text: str, at: int | None = None) -> None:
        case: dict[str, Any] = {"reason": reason, "record": text}
        broken.append(case | ({} if at is None else {"entry": at}))

    def edited(edit: Any) -> str:
        value = json.loads(whole)
        edit(value)
        return canonical_json(value).decode() + "\n"

    breaks("no line feed at the end", whole[:-1])
    breaks("two line feeds at the end", whole + "\n")
    breaks("not canonical", whole.replace(",", ", ", 1))
    breaks("another version", edited(lambda r: r.update(v="1.1")))
    breaks("an altered offer", edited(lambda r: r["offer"].update(name="theirs")))
    breaks("an altered time", edited(lambda r: r["entries"][2]["set"].update(elapsed_ms=7)), 3)
    breaks("an altered check", edited(lambda r: r["entries"][3].update(check="0" * 16)), 4)
    breaks("a message by the other player", edited(lambda r: r["entries"][2].update(by="host")), 3)
    breaks("a missing entry", edited(lambda r: r["entries"].pop(2)), 3)
    breaks("an entry twice", edited(lambda r: r["entries"].insert(3, r["entries"][2])), 4)
    breaks("not the shortest form", edited(lambda r: r["entries"][2]["set"].update(ply=1)), 3)
    breaks("a missing signature", edited(lambda r: r["sigs"].pop("guest")))
    breaks("the other's signature", edited(lambda r: r["sigs"].update(host=r["sigs"]["guest"])))
    breaks("the last message taken away", edited(lambda r: r["entries"].pop()))
    blamed = Pair.started()
    blamed.play("g2", "b1")
    ledger = blamed.host.ledger.copy()
    ledger.accept(Role.HOST, craft(ledger, Role.HOST, "move", move="f1", elapsed_ms=1))
    invented = craft(ledger, Role.GUEST, "move", move="a7a5", position=TAMPERED, elapsed_ms=1)
    ledger.accept(Role.GUEST, invented.model_copy(update={"sig": "0" * 128}))
    breaks("a breach that its author never signed", dump_record(ledger).decode())
    return {
        "valid": [
            {"record": text, "moves": moves, "standing": standing, **result}
            for text, moves, standing, result in (
                (whole, _moves(pair), "agreed", _result(pair)),
                (unfinished, _moves(cut), "unfinished", {}),
                (dump_record(Pair.make().host.ledger).decode(), [], "unfinished", {}),
            )
        ],
        "broken": broken,
        "same": [[whole, re_signed(whole.encode(), key).decode()] for key in (HOST_KEY, GUEST_KEY)],
    }


def _moves(pair: Pair) -> list[str]:
    return [move.text for move in pair.host.ledger.moves]


def links() -> dict[str, Any]:
    """Fragments of links with what they say, and others with what is wrong with them."""
    host, secret, broker = HOST_KEY.node, "5ec2e7" * 4, "ws://192.168.1.5:8083/mqtt"
    usual = f"ourgame~{host}~{broker}"
    valid = [
        usual,
        f"ourgame~{host}.{secret}~wss://broker.example/mqtt",
        f"0{'-' * 31}~{host}.{'f' * 64}~ws://[fe80::1]:65535",
        f"a~{host}~wss://b/",
        f"a~{host}~wss://my_broker.example:443/a/B-c_d.e",
        usual.replace("~", "%7E").replace(":", "%3A").replace("/", "%2f"),
        f"{usual}~what=a later version says;~%21",
    ]
    broken = [
        "",
        "ourgame",
        f"ourgame~{host}",
        f"ourgame~{host}~",
        f"~{host}~{broker}",
        f"Ourgame~{host}~{broker}",
        f"{'a' * 33}~{host}~{broker}",
        f"ourgame~{host[:-1]}~{broker}",
        f"ourgame~{host}.~{broker}",
        f"ourgame~{host}.{'f' * 65}~{broker}",
        f"ourgame~{host}.SECRET~{broker}",
        f"ourgame#{host}~{broker}",
        f"ourgame~{host}~mqtt://192.168.1.5",
        f"ourgame~{host}~http://192.168.1.5/mqtt",
        f"ourgame~{host}~ws://",
        f"ourgame~{host}~ws://ana:pass@broker.example/mqtt",
        f"ourgame~{host}~ws://broker.example:0/mqtt",
        f"ourgame~{host}~ws://broker.example:65536/mqtt",
        f"ourgame~{host}~ws://broker.example/mqtt?token=1",
        f"ourgame~{host}~ws://broker..example/mqtt",
        f"ourgame~{host}~WSS://broker.example/mqtt",
        f"ourgame~{host}~wss://broker.example/{'a' * 235}",
        f"{usual}\n",
        f"{usual}%0A",
        f"ourgame~{host}~ws://br%C3%B6ker.example/mqtt",
        f"ourgame~{host}~ws://br\u00f6ker.example/mqtt",
        f"ourgame~{host}~ws://broker.example/%252f",
        f"ourgame~{host}~ws://broker.example/%2",
        f"{usual}~%zz",
        f"{usual}~{'a' * 450}",
        f"0!{usual}",
        f"10000!{usual}",
    ]
    later = [f"2!{usual}", "9999%21anything", "1!"]
    return {
        "valid": [{"fragment": text, **_said(text)} for text in valid],
        "broken": broken,
        "version": later,
    }


def _said(fragment: str) -> dict[str, str]:
    return Link.read(fragment).model_dump(exclude_none=True)


def _result(pair: Pair) -> dict[str, str]:
    outcome = pair.host.ledger.outcome
    assert outcome is not None
    return {"score": outcome.score, "termination": outcome.termination}


def _digest_after(*moves: str) -> str:
    position = Position.start(RULESET)
    for text in moves:
        position = position.play(position.parse_move(text))
    return position_digest(RULESET, position.text)


def vector_files() -> dict[str, bytes]:
    """File names and contents of all vectors: those of 1.0 as they were, then what each adds."""
    with of_version("1.0"):
        made = {
            "canonical": canonical(),
            "messages": messages(),
            "digests": digests(),
            "signatures": signatures(),
            "topics": topics(),
            "links": links(),
            "calls": calls(),
            "rules": playouts(),
            "games": [],
            "records": {},
            "events": tournaments(),
        }
        told, judged = games(), records()
    with of_version("1.1"):
        told += first_moves()
        judged["valid"].append(_record_of(overstepped(), "agreed"))
    told += bounded_claims()
    judged["valid"].append(_record_of(claimed_too_much(), "contested"))
    attested = dump_record(with_statements()).decode()
    moves = [move.text for move in with_statements().moves]
    end = {"score": "1-0", "termination": "abandoned"}
    judged["valid"].append({"record": attested, "moves": moves, "standing": "agreed", **end})
    judged["broken"] += broken_statements()
    made |= {
        "games": told,
        "records": judged,
        "counts": counted({**counts(), **witnessed_counts()}),
        "club": logs(),
    }
    return {
        f"{name}.json": json.dumps(value, indent=1, ensure_ascii=True).encode() + b"\n"
        for name, value in made.items()
    }


def counted(scenarios: dict[str, list[Ledger]]) -> list[dict[str, Any]]:
    """Records of one game each, and what it counts as."""
    told = []
    for name, ledgers in scenarios.items():
        count = count_points_of_all(ledgers)
        made = {} if isinstance(count, str) else {"counts": count.text}
        records = [dump_record(ledger).decode() for ledger in ledgers]
        told.append({"name": name, "records": records, **made})
    return told


def _record_of(pair: Pair, standing: str) -> dict[str, Any]:
    record = dump_record(pair.host.ledger).decode()
    return {"record": record, "moves": _moves(pair), "standing": standing, **_result(pair)}


def main() -> None:
    """Write the vectors."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in vector_files().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
