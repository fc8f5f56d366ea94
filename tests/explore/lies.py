"""What a player with a program of its own may sign: the truth, and every kind of lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ataxxd.rules import Side, ruleset_info
from ataxxd.session.ledger import CLAIMED, Ledger
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import AnyLogMessage, Consent, Join, Offer, Score, SignedMessage
from tests.conformance.games import AGENT, KEYS, NONCE, SECRET, craft, forge
from tests.explore.terms import moves_of

_NOWHERE = "0" * 64


@dataclass(frozen=True)
class Lie:
    """Something that a player may say.

    Attributes:
        words: what it is.
        message: the message itself.
        breach: whether it breaks a rule that the message itself proves, should it come in play.
        cost: how many lies it is; the truth is none.
    """

    words: str
    message: SignedMessage
    breach: bool = False
    cost: int = 1


def truths(
    ledger: Ledger, role: Role, *, asks: bool, given: Consent | None = None
) -> Iterator[Lie]:
    """What an honest player might say who has the game as `ledger` has it.

    Args:
        ledger: the game.
        role: the player.
        asks: whether it asks for takebacks and aborts.
        given: what the other player agrees to now.
    """
    for said in _truths(ledger, role, asks=asks, given=given):
        yield replace(said, cost=0)


def _truths(ledger: Ledger, role: Role, *, asks: bool, given: Consent | None) -> Iterator[Lie]:
    phase = ledger.phase
    if phase is Phase.OPEN and role is Role.GUEST:
        key = KEYS[role]
        join = {"from": key.node, "key": key.public_key, "nonce": NONCE, "agent": AGENT}
        yield Lie("a join", craft(ledger, role, "join", **join))
    elif phase is Phase.JOINED and role is Role.HOST:
        yield Lie("the start", craft(ledger, role, "start", host_side="first", secret=SECRET))
    elif phase is Phase.ASKED and ledger.on_turn is role:
        for answer in ("accept", "reject"):
            yield Lie(f"{answer} the draw", craft(ledger, role, "draw-answer", answer=answer))
    elif phase is Phase.PLAYING:
        if asks:
            yield from _consents(ledger, role)
        if ledger.on_turn is role:
            yield from _turn(ledger, role, given)
    elif ledger.scorer is role:
        yield Lie("the true score", craft(ledger, role, "score"))


def _turn(ledger: Ledger, role: Role, given: Consent | None) -> Iterator[Lie]:
    for move in moves_of(ledger.position):
        message = craft(ledger, role, "move", move=move.text, elapsed_ms=0)
        yield Lie(f"a legal move {move}", message)
    if not ledger.must_move:
        yield Lie("a resignation", craft(ledger, role, "resign"))
        if ruleset_info(ledger.offer.ruleset).draw_offers:
            yield Lie("an offer of a draw", craft(ledger, role, "draw"))
    if not any(each.type == "move" for each in ledger.log(role)):
        yield Lie("an early abort", craft(ledger, role, "abort"))
    if given is not None:
        fields: dict[str, Any] = {} if given.to is None else {"to": given.to}
        message = craft(ledger, role, given.what, consent=given.fields(), **fields)
        yield Lie(f"the {given.what} that was agreed to", message)


def _consents(ledger: Ledger, role: Role) -> Iterator[Lie]:
    for what, to in (("abort", None), ("takeback", ledger.last_ply_of(role))):
        if what == "abort" or (to is not None and ledger.offer.takebacks != "never"):
            yield Lie(f"asks for a {what}", _consent(ledger, role, what, to))


def _consent(ledger: Ledger, role: Role, what: str, to: int | None) -> Consent:
    fields = {"game": ledger.game, "from": KEYS[role].node, "what": what, "tip": ledger.tip}
    given = {} if to is None else {"to": to}
    return signed(Consent.model_validate(fields | given), KEYS[role])


def lies(offer: Offer, line: Sequence[tuple[Role, AnyLogMessage]], role: Role) -> Iterator[Lie]:
    """What a liar may say that knows the game up to `line`, or acts as if it did."""
    ledger = Ledger(offer)
    for by, message in line:
        ledger.accept(by, message)
    if ledger.phase in IN_PLAY:
        yield from _in_play(ledger, role)
        yield from _decisions(ledger, role)
    else:
        for score, termination in (("1-0", "resignation"), ("0-1", "aborted")):
            fields = {"score": score, "termination": termination, "position": _NOWHERE}
            yield Lie(f"a false score {score}", craft(ledger, role, "score", **fields))


def _in_play(ledger: Ledger, role: Role) -> Iterator[Lie]:
    move = {"move": moves_of(ledger.position)[0].text, "elapsed_ms": 1}
    turn = ledger.on_turn is role and ledger.phase is Phase.PLAYING
    nowhere = {"move": "nowhere", "elapsed_ms": 1, "position": _NOWHERE}
    yield Lie("an illegal move", craft(ledger, role, "move", **nowhere), breach=True)
    wrong = craft(ledger, role, "move", **move, position=_NOWHERE)
    yield Lie("a move with a wrong position", wrong, breach=True)
    yield Lie("a move with a wrong ply", craft(ledger, role, "move", **move, ply=9), breach=True)
    other = craft(ledger, role, "move", **move)
    # Told at an earlier place, a legal move is a second message of its number.
    yield Lie("another move" if turn else "a move out of turn", other, breach=not turn)
    theirs = ledger.log(role.other)
    older = theirs[-2].digest if len(theirs) > 1 else ledger.game
    late = craft(ledger, role, "move", **move, seen=older)
    yield Lie("a move that has not seen the newest message", late, breach=True)
    for kind in ("resign", "draw"):
        said = craft(ledger, role, kind)
        knows = kind == "resign" or ruleset_info(ledger.offer.ruleset).draw_offers
        breach = not (turn and knows and not ledger.must_move)
        yield Lie(f"a {kind} as it likes", said, breach=breach)
    answer = craft(ledger, role, "draw-answer", answer="accept")
    asked = ledger.phase is Phase.ASKED and ledger.on_turn is role
    yield Lie("an answer to a draw", answer, breach=not asked)
    own = _consent(ledger, role, "abort", None).fields()
    abort = craft(ledger, role, "abort", consent=own)
    yield Lie("an abort with its own consent", abort, breach=True)
    to = max(ledger.ply - 1, 1)
    own = _consent(ledger, role, "takeback", to).fields()
    back = craft(ledger, role, "takeback", to=to, consent=own)
    yield Lie("a takeback with its own consent", back, breach=True)


def _decisions(ledger: Ledger, role: Role) -> Iterator[Lie]:
    won = {"score": "1-0" if ledger.side_of(role) is Side.FIRST else "0-1"}
    early = craft(ledger, role, "score", **won, termination="resignation")
    yield Lie("a score before the end", early, breach=True)
    theirs = ledger.log(role.other)[-1]
    proofs = {"its victim's own message": theirs, "a forgery": forge(theirs, KEYS[role])}
    for words, proof in proofs.items():
        decisive = isinstance(proof, Score) and proof.decisive
        # What came out of a state has no signature of its own.
        if proof.sig is not None and not isinstance(proof, Join) and not decisive:
            fields = won | {"termination": "double-dealing", "proof": proof.fields()}
            told = craft(ledger, role, "score", **fields)
            yield Lie(f"a proof that is {words}", told, breach=True)
    for reason in ("silence", "flag"):
        least = _least_wait_ms(ledger, reason)
        # Where nothing of the kind was agreed, one claim is as good as another.
        some = (1000,) if least is None else (least - 1, least, 1000 * least)
        for waited in some:
            claim = {"reason": reason, "waited_ms": waited}
            fields = won | {"termination": CLAIMED[reason], "claim": claim}
            waits = ledger.on_turn is role.other and least is not None and waited >= least
            message = craft(ledger, role, "score", **fields)
            yield Lie(f"a claim after {waited} ms of {reason}", message, breach=not waits)


def _least_wait_ms(ledger: Ledger, reason: str) -> int | None:
    """How long must be waited before a claim; as the specification says it, not as the program."""
    if reason == "silence":
        return ledger.offer.grace_ms
    assert ledger.on_turn is not None
    clock, remaining = ledger.offer.clock, ledger.remaining_ms(ledger.on_turn)
    return None if clock is None or remaining is None else max(remaining, 0) + clock.lag_ms + 1
