"""Whole games for the vectors, good and bad, as payloads in the order a judge gets them."""

from typing import Any

from ataxxd.rules import Position, Side
from ataxxd.session.events import Keep
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import Times
from ataxxd.session.record import dump_record, standing_of
from ataxxd.session.state import Role
from ataxxd_protocol import encode, signed
from ataxxd_protocol.messages import AnyLogMessage, Consent, LogMessage
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
    of_kind,
    of_version,
)
from tests.conformance.judge import judge, state

TAMPERED = "0" * 64
EACH = {"move_ms": 15_000, "lag_ms": 2_000}
CLOCK = {"base_ms": 10_000, "increment_ms": 1_000, "lag_ms": 2_000}


def games() -> list[dict[str, Any]]:
    """Whole games as a judge sees them: each payload, what becomes of it, where it leads."""
    return [
        _told("a game to its end by the rules", *_normal()),
        _told("a colour by the toss of a coin", *_normal(color="random")),
        _told("a resignation", *_resignation()),
        _told("a draw that is rejected, and one that is agreed", *_draws()),
        _told("an illegal move", *_breach("move", move="d4", position=TAMPERED, elapsed_ms=1)),
        _told(
            "a move that is no move", *_breach("move", move="zz", position=TAMPERED, elapsed_ms=1)
        ),
        _told("a wrong position", *_breach("move", move="g2", position=TAMPERED, elapsed_ms=1)),
        _told("a wrong ply", *_breach("move", move="g2", elapsed_ms=1, ply=2)),
        _told(
            "a move out of turn",
            *_breach("move", Role.GUEST, move="g6", position=TAMPERED, elapsed_ms=1),
        ),
        _told("a resignation out of turn", *_breach("resign", Role.GUEST)),
        _told(
            "a score before the end",
            *_breach("score", Role.GUEST, score="0-1", termination="resignation"),
        ),
        _told("double-dealing, proved", *_double_dealing()),
        _told("double-dealing, alleged", *_false_proof()),
        _told("forged, foreign, repeated and early messages", *_noise()),
        _told("a score that disputes the result", *_dispute()),
        _told("a move taken back by consent, and an abort", *_takeback()),
        _told("a takeback without consent", *_forced_takeback()),
        _told("a silence that is claimed", *_claim("silence", 60_000, grace_ms=60_000)),
        _told("a flag that is claimed", *_claim("flag", 15_000, clock=CLOCK)),
        _told(
            "a claim that is contested", *_claim("silence", 60_000, {"had_ms": 2}, grace_ms=60_000)
        ),
        _told("a claim too early", *_claim("silence", 59_999, grace_ms=60_000)),
        _told("a move that crossed a claim", *_crossing()),
        _told("a move in more time than there was", *_overstepped()),
        _told("an illegal move in more time than there was", *_overstepped_illegally()),
        _told("an abort before the first move, with a consent that does not fit", *_own_consent()),
        _told("a move that answers nothing, in mid-game", *_blind()),
        _told("a claim too early that a move crossed", *_crossed_fault()),
        _told("what was written after the answer to a claim", *_after_the_answer()),
        _told("two decisions that crossed", *_two_decisions()),
    ]


def first_moves() -> list[dict[str, Any]]:
    """Games by the rule of 1.1 on first moves, as `games` tells them."""
    return [
        _told("first moves of which 30 seconds are free", *_first_moves(35_000, 40_000, 9_000)),
        _told("a first move in more time than there was", *_first_moves(30_000, 40_001)),
        _told("a second move has no free time", *_first_moves(30_000, 30_000, 11_001)),
        _told("a first move taken back was the first", *_first_taken_back()),
        _told("the flag of a first move that is claimed", *_claim("flag", 42_001, clock=CLOCK)),
        _told("the flag of a first move, too early", *_claim("flag", 42_000, clock=CLOCK)),
        _told(
            "first moves with a time for each", *_first_moves(45_000, 45_000, 15_001, clock=EACH)
        ),
    ]


def bounded_claims() -> list[dict[str, Any]]:
    """Games by the rules of 1.2 on how long a claimant can have waited, as `games` tells them."""
    grace: dict[str, Any] = {"grace_ms": 60_000}

    def claim(waited_ms: int, **answer: int) -> Story:
        return _claim("silence", waited_ms, answer, **grace)

    with of_version("1.1"):
        before = _claim("silence", 60_000, {"since_ms": 60_000}, refused=True, **grace)
    return [
        _told("a claim for as long as there was", *claim(60_000, had_ms=60_000, since_ms=60_000)),
        _told("a claim for longer than there was", *claim(900_000, since_ms=5_000)),
        _told("clocks that differ by as much as they may", *claim(60_000, since_ms=58_400)),
        _told("clocks that differ by more", *claim(60_000, since_ms=58_399)),
        _told("a message that was not there for half as long", *claim(60_000, had_ms=29_999)),
        _told("an age of which 1.1 knows nothing", *before),
    ]


def claimed_too_much() -> Pair:
    """A game that was claimed for longer than it has lasted."""
    pair = Pair.started(grace_ms=900_000)
    pair.play("g2")
    claim = of_kind(pair.host.claim("silence", 900_000), Keep)[0]
    answer = pair.guest.receive(claim.message, lambda _seen, _asked: Times(4_000, 5_000))
    pair.carry(Role.GUEST, answer)
    return pair


def counts() -> dict[str, list[Ledger]]:
    """Records of one game each, by what they show."""
    grace: dict[str, Any] = {"grace_ms": 60_000}
    crossed = _claimed_across()
    return {
        "a game under way": [begun()],
        "an abort": [with_messages(begun(), (Role.GUEST, "abort", {}))],
        "a resignation without a score": [resigned()],
        "a resignation that its author denies": [denied()],
        "a breach": [cheated()],
        "a move in more time than there was": [stated_late()],
        "a claim that nobody has answered": [claimed()],
        "a claim that is agreed to": [claimed(since_ms=60_000)],
        "a claim that is contested": [claimed(since_ms=5_000)],
        "a claim that a move has crossed, not answered": [crossed],
        "the same, answered": [with_messages(crossed, (Role.GUEST, "score", {"since_ms": 60_000}))],
        "a claim, and the move that it leaves out": [claimed(), begun(grace, "b1")],
        "a claim, and the game that its author went on with": [
            claimed(),
            begun(grace, "b1", "b6"),
        ],
        "a claim, and the move that ended the game": _claimed_across_the_end(),
        "two answers to a claim": [
            claimed(since_ms=5_000),
            claimed(since_ms=60_000),
        ],
        "two stories by both": [
            with_messages(begun(grace, "b1"), (Role.HOST, "resign", {})),
            with_messages(begun(grace), (Role.GUEST, "resign", {}), (Role.HOST, "score", {})),
        ],
        "two stories by both with one result": [
            with_messages(begun(grace, "b1", "b6"), (Role.GUEST, "resign", {})),
            with_messages(begun(grace), (Role.GUEST, "resign", {}), (Role.HOST, "score", {})),
        ],
    }


def begun(terms: dict[str, Any] | None = None, *moves: str) -> Ledger:
    """A game in which the host has moved, and then more."""
    pair = Pair.started(**terms or {})
    pair.play("g2", *moves)
    return pair.host.ledger


def _claimed_across_the_end() -> list[Ledger]:
    """Spectators were shown a claim of a silence; its victim, who was not, has won by its move."""
    pair = Pair.started(start=ONE_MOVE_LEFT, color="first", grace_ms=60_000)
    lie = pair.guest.ledger.copy()
    lie.accept(Role.GUEST, decision(lie, Role.GUEST, "silence", 60_000))
    pair.host.play(next(iter(pair.host.ledger.position.legal_moves)), 1_000)
    return [lie, pair.host.ledger]


def with_messages(ledger: Ledger, *written: tuple[Role, str, dict[str, Any]]) -> Ledger:
    """The game with more messages, each by a player, of a type, with these fields."""
    after = ledger.copy()
    for role, kind, fields in written:
        after.accept(role, craft(after, role, kind, **fields))
    return after


def resigned() -> Ledger:
    """The guest has resigned, and nobody has signed a score."""
    return with_messages(begun(), (Role.GUEST, "resign", {}))


def denied() -> Ledger:
    """The guest has resigned, and signs that it has won."""
    return with_messages(
        resigned(), (Role.HOST, "score", {}), (Role.GUEST, "score", {"score": "0-1"})
    )


def cheated() -> Ledger:
    """The guest has made a move that is not legal."""
    illegal = {"move": "d4", "position": TAMPERED, "elapsed_ms": 1}
    return with_messages(begun(), (Role.GUEST, "move", illegal))


def stated_late() -> Ledger:
    """The guest has said itself that it took longer than it had."""
    late = {"move": "b1", "elapsed_ms": 90_000}
    return with_messages(begun({"clock": CLOCK}), (Role.GUEST, "move", late))


def claimed(terms: dict[str, Any] | None = None, **answer: int) -> Ledger:
    """The host has claimed the game, and the guest answers by some times, or not at all."""
    before = begun({"grace_ms": 60_000, **(terms or {})})
    ledger = with_messages(before, (Role.HOST, "score", _claim_of(before)))
    return with_messages(ledger, (Role.GUEST, "score", answer)) if answer else ledger


def _claimed_across() -> Ledger:
    """The guest has moved as if the host's claim had not come."""
    before = begun({"grace_ms": 60_000})
    ledger = with_messages(before, (Role.HOST, "score", _claim_of(before)))
    ledger.accept(Role.GUEST, craft(before, Role.GUEST, "move", move="b1", elapsed_ms=1))
    return ledger


def _claim_of(ledger: Ledger) -> dict[str, Any]:
    fields = decision(ledger, Role.HOST, "silence", 60_000).fields()
    return {name: fields[name] for name in ("score", "termination", "claim")}


Story = tuple[Pair, list[str]]


def _told(name: str, pair: Pair, payloads: list[str]) -> dict[str, Any]:
    ledger = Ledger(pair.offer)
    steps = [{"payload": payload, **judge(ledger, payload)} for payload in payloads]
    return {
        "name": name,
        "offer": encode(pair.offer).decode(),
        "start": state(Ledger(pair.offer)),
        "messages": steps,
        "standing": standing_of(ledger).value,
        "record": dump_record(ledger).decode(),
    }


def _spoken(pair: Pair) -> list[str]:
    return [encode(message).decode() for message in pair.wire if isinstance(message, LogMessage)]


def _normal(**changes: str) -> Story:
    pair = Pair.started(start=SHORT_ENDGAME, **changes)
    pair.play_out([3, 1, 4, 1, 5, 9, 2, 6])
    return pair, _spoken(pair)


def _resignation() -> Story:
    pair = Pair.started()
    pair.play("g2")
    pair.carry(Role.GUEST, pair.guest.resign())
    return pair, _spoken(pair)


def checkers() -> Pair:
    """A game that knows agreed draws, just started."""
    ruleset = "checkers/cs61b-2004"
    return Pair.started(ruleset=ruleset, start=Position.start(ruleset).text)


def _draws() -> Story:
    pair = checkers()
    pair.carry(Role.HOST, pair.host.offer_draw())
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=False))
    pair.play(pair.host.ledger.position.legal_moves[0].text)
    pair.carry(Role.GUEST, pair.guest.offer_draw())
    pair.carry(Role.HOST, pair.host.answer_draw(accept=True))
    return pair, _spoken(pair)


def _breach(kind: str, by: Role = Role.HOST, **fields: Any) -> Story:
    """A breach by one player, and both scores as they must follow."""
    pair = Pair.started()
    ledger = pair.players[by.other].ledger.copy()
    said = _spoken(pair)
    said.append(_take(ledger, by, craft(ledger, by, kind, **fields)))
    said += [_take(ledger, role, craft(ledger, role, "score")) for role in (by.other, by)]
    return pair, said


def _take(ledger: Ledger, role: Role, message: AnyLogMessage) -> str:
    ledger.accept(role, message)
    return encode(message).decode()


def _double_dealing() -> Story:
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6")
    pair.carry(Role.GUEST, pair.guest.receive(second))
    said = _spoken(pair)
    return pair, [*said[:3], encode(second).decode(), *said[3:]]


def _false_proof() -> Story:
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6")
    ledger = pair.host.ledger.copy()
    accusation = craft(
        ledger,
        Role.GUEST,
        "score",
        score="0-1",
        termination="double-dealing",
        proof=forge(second, GUEST_KEY).fields(),
    )
    said = [*_spoken(pair), _take(ledger, Role.GUEST, accusation)]
    said += [_take(ledger, role, craft(ledger, role, "score")) for role in Role]
    return pair, said


def _noise() -> Story:
    pair = Pair.started()
    pair.play("g2", "b1")
    join, start, move, answer = _spoken(pair)
    true = pair.host.ledger.log(Role.HOST)[1]
    noise = [
        encode(message).decode()
        for message in (
            forge(true, OTHER_KEY),
            forge(true, OTHER_KEY, **{"from": OTHER_KEY.node}),
            forge(true, HOST_KEY, game=TAMPERED),
            forge(true, HOST_KEY, n=7),
            forge(true, HOST_KEY, seen=TAMPERED),
            forge(true, HOST_KEY, prev=TAMPERED),
        )
    ]
    return pair, [
        *(start, join, join, start, answer, *noise, move[:-1]),
        *(move, move, answer, *noise, start),
    ]


def _dispute() -> Story:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    ledger = Ledger(pair.offer)
    said = _spoken(pair)
    for payload in said[:-1]:
        judge(ledger, payload)
    disputing = craft(ledger, Role.GUEST, "score", score="0-1")
    return pair, [*said[:-1], encode(disputing).decode()]


def _takeback() -> Story:
    pair = Pair.started()
    pair.play("g2", "b1")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.carry(Role.GUEST, pair.guest.agree())
    pair.play("b6")
    pair.carry(Role.HOST, pair.host.ask("abort"))
    pair.carry(Role.GUEST, pair.guest.agree())
    return pair, _spoken(pair)


def _forced_takeback() -> Story:
    pair = Pair.started()
    pair.play("g2", "b1")
    ledger = pair.host.ledger.copy()
    own = {"what": "takeback", "to": 1, "game": ledger.game, "from": HOST_KEY.node}
    consent = signed(Consent.model_validate(own | {"tip": ledger.tip}), HOST_KEY)
    said = _spoken(pair)
    forced = craft(ledger, Role.HOST, "takeback", to=1, consent=consent.fields())
    said.append(_take(ledger, Role.HOST, forced))
    said += [_take(ledger, role, craft(ledger, role, "score")) for role in (Role.GUEST, Role.HOST)]
    return pair, said


def _claim(
    reason: str,
    waited_ms: int,
    answer: dict[str, int] | None = None,
    *,
    refused: bool = False,
    **terms: Any,
) -> Story:
    pair = Pair.started(**terms)
    pair.play("g2")
    ledger, said = pair.host.ledger.copy(), _spoken(pair)
    claim = decision(ledger, Role.HOST, reason, waited_ms)
    said.append(_take(ledger, Role.HOST, claim))
    if ledger.scorer is Role.GUEST:
        score = craft(ledger, Role.GUEST, "score", **answer or {})
        said.append(encode(score).decode() if refused else _take(ledger, Role.GUEST, score))
    if ledger.scorer is Role.HOST:
        said.append(_take(ledger, Role.HOST, craft(ledger, Role.HOST, "score")))
    return pair, said


def decision(ledger: Ledger, role: Role, reason: str, waited_ms: int) -> AnyLogMessage:
    """A claim by a player, whether it may or not."""
    return craft(
        ledger,
        role,
        "score",
        score="1-0" if ledger.side_of(role) is Side.FIRST else "0-1",
        termination="abandoned" if reason == "silence" else "time",
        claim={"reason": reason, "waited_ms": waited_ms},
    )


def _crossing() -> Story:
    """The guest's move comes before the claim, which its author wrote without knowing it."""
    pair = Pair.started(grace_ms=60_000)
    pair.play("g2")
    ledger = pair.guest.ledger.copy()
    claim = decision(ledger, Role.HOST, "silence", 60_000)
    move = craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1)
    said = [*_spoken(pair), _take(ledger, Role.GUEST, move), _take(ledger, Role.HOST, claim)]
    said.append(_take(ledger, Role.GUEST, craft(ledger, Role.GUEST, "score")))
    return pair, said


def _overstepped() -> Story:
    pair = Pair.started(clock=CLOCK)
    pair.play("g2", "b1")
    slow = pair.host.ledger.position.parse_move("b6")
    pair.carry(Role.HOST, pair.host.play(slow, 10_001))
    return pair, _spoken(pair)


def _overstepped_illegally() -> Story:
    pair = Pair.started(clock=CLOCK)
    pair.play("g2", "b1")
    ledger, said = pair.guest.ledger.copy(), _spoken(pair)
    late = craft(ledger, Role.HOST, "move", move="d4", elapsed_ms=10_001, position=TAMPERED)
    said.append(_take(ledger, Role.HOST, late))
    return pair, said + [_take(ledger, role, craft(ledger, role, "score")) for role in Role]


def _first_moves(*elapsed_ms: int, clock: dict[str, int] = CLOCK) -> Story:
    """Moves that took so long, until one is not made."""
    pair = Pair.started(clock=clock)
    for text, elapsed in zip(("g2", "b1", "b6"), elapsed_ms, strict=False):
        role = pair.host.ledger.on_turn
        assert role is not None
        move = pair.host.ledger.position.parse_move(text)
        pair.carry(role, pair.players[role].play(move, elapsed))
    return pair, _spoken(pair)


def overstepped() -> Pair:
    """A game whose first player took more than its free time and its clock for its first move."""
    return _first_moves(30_000, 40_001)[0]


def _first_taken_back() -> Story:
    pair, _ = _first_moves(30_000)
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.carry(Role.GUEST, pair.guest.agree())
    move = pair.host.ledger.position.parse_move("g2")
    pair.carry(Role.HOST, pair.host.play(move, 11_001))
    return pair, _spoken(pair)


def _own_consent() -> Story:
    own = {"what": "abort", "from": HOST_KEY.node}
    pair = Pair.started()
    ledger = pair.host.ledger
    consent = Consent.model_validate(own | {"game": ledger.game, "tip": ledger.tip})
    return _breach("abort", consent=signed(consent, HOST_KEY).fields())


def _blind() -> Story:
    pair = Pair.started()
    pair.play("g2")
    ledger, said = pair.host.ledger.copy(), _spoken(pair)
    blind = craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1, seen=ledger.game)
    return pair, [*said, _take(ledger, Role.GUEST, blind)]


def _crossed_fault() -> Story:
    """The claim is judged where its author stood, and the guest's move is set aside."""
    pair = Pair.started(grace_ms=60_000)
    pair.play("g2")
    ledger, said = pair.guest.ledger.copy(), _spoken(pair)
    claim = decision(ledger, Role.HOST, "silence", 59_999)
    move = craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1)
    said += [_take(ledger, Role.GUEST, move), _take(ledger, Role.HOST, claim)]
    said += [_take(ledger, role, craft(ledger, role, "score")) for role in (Role.GUEST, Role.HOST)]
    return pair, said


def _after_the_answer() -> Story:
    """The guest answers a claim by its score, and both write on as if it had not."""
    pair = Pair.started(grace_ms=60_000)
    pair.play("g2")
    ledger, said = pair.host.ledger.copy(), _spoken(pair)
    move = craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1)
    claim = decision(ledger, Role.HOST, "silence", 60_000)
    again = forge(claim, HOST_KEY, n=claim.n + 1, prev=claim.digest)
    said.append(_take(ledger, Role.HOST, claim))
    answer = craft(ledger, Role.GUEST, "score")
    said.append(_take(ledger, Role.GUEST, answer))
    after = forge(move, GUEST_KEY, n=answer.n + 1, prev=answer.digest)
    return pair, [*said, encode(after).decode(), encode(again).decode()]


def _two_decisions() -> Story:
    """The guest claims the game, and the host accuses it of dealing double at the same place."""
    pair = Pair.started(grace_ms=60_000)
    pair.play("g2", "b1")
    ledger, said = pair.host.ledger.copy(), _spoken(pair)
    other = forge(ledger.log(Role.GUEST)[1], GUEST_KEY, elapsed_ms=7)
    accusation = craft(
        ledger,
        Role.HOST,
        "score",
        score="1-0",
        termination="double-dealing",
        proof=other.fields(),
    )
    claim = decision(ledger, Role.GUEST, "silence", 60_000)
    said += [_take(ledger, Role.GUEST, claim), _take(ledger, Role.HOST, accusation)]
    return pair, [*said, _take(ledger, Role.GUEST, craft(ledger, Role.GUEST, "score"))]
