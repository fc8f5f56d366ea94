"""What each message does to a game: the transition table and its handlers.

A handler is called for the next message of a player's mailbox, known to be signed and
chained. It changes the state, returns the `Fault` that the message is, or raises
`RemoteProtocolError` for a message without effect. `TRANSITIONS` is the whole table: a pair
that is not in it is a fault of the author while the game is in play, and is refused without
effect at any other time.
"""

from collections.abc import Callable

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Outcome, RulesError, ruleset_info
from ataxxd.session.handshake import check_join_fits, commitment, host_side
from ataxxd.session.roles import SIDE_BY_NAME, Role
from ataxxd.session.state import (
    Fault,
    GameState,
    Phase,
    Reception,
    digest_of,
    position_after,
)
from ataxxd_protocol import node_id, signature_holds
from ataxxd_protocol.messages import (
    Abort,
    AnyLogMessage,
    Claim,
    Consent,
    Draw,
    DrawAnswer,
    Join,
    Move,
    Proof,
    Resign,
    Score,
    Start,
    Takeback,
)

# How a fault is named as the reason of the result; any other is a protocol violation.
TERMINATIONS = {
    "move/illegal": "illegal-move",
    "move/wrong-position": "desync",
    "chain/double-dealing": "double-dealing",
}
# Two clocks that tell one stretch of time may differ by this, and by a hundredth of it.
_CLOCKS_MS = 1_000

CLAIMED = {"silence": "abandoned", "flag": "time"}
"""How a claim is named as the reason of the result."""


def end(
    state: GameState, termination: str, winner: Role | None, fault: Fault | None = None
) -> None:
    """End the game; `winner` None is a draw."""
    state.outcome = Outcome(termination, None if winner is None else state.side_of(winner))
    state.fault = fault
    state.phase = Phase.OVER


def on_join(state: GameState, role: Role, message: AnyLogMessage) -> None:
    """A guest asks for the seat."""
    assert isinstance(message, Join)
    if role is not Role.GUEST:
        raise RemoteProtocolError("order/unexpected", "the host cannot join its own game")
    check_join_fits(state.offer, message)
    state.join = message
    state.phase = Phase.JOINED


def on_start(state: GameState, role: Role, message: AnyLogMessage) -> None:
    """The host gives the seat away."""
    assert isinstance(message, Start)
    if role is not Role.HOST or state.join is None:
        raise RemoteProtocolError("order/unexpected", "only the host can start the game")
    if message.guest != state.join.author:
        raise RemoteProtocolError("start/guest", f"the host gave the seat to {message.guest}")
    if commitment(message.secret) != state.offer.commit:
        raise RemoteProtocolError(
            "start/secret", "the host's secret is not the one its offer commits to"
        )
    if message.host_side != host_side(state.offer, message.secret, state.join):
        raise RemoteProtocolError(
            "start/side", f"the host took the {message.host_side} side against its offer"
        )
    state.host_side = SIDE_BY_NAME[message.host_side]
    state.phase = Phase.PLAYING


def on_move(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """A player moves."""
    assert isinstance(message, Move)
    fault = _turn_fault(state, role, message, "moved")
    if fault is not None:
        return fault
    remaining = state.remaining_ms(role)
    if remaining is not None and message.elapsed_ms > remaining:
        end(state, "time", role.other)
        return None
    try:
        judged = state.judge(message.move)
    except RulesError as error:
        return Fault(role, "move/illegal", f"ply {message.ply}: {error}")
    move, after = judged.move, judged.after
    if move.text != message.move:
        text = f"ply {message.ply}: {message.move!r} is not the text of {move.text}"
        return Fault(role, "move/illegal", text)
    if message.position != judged.digest:
        text = f"ply {message.ply}: the position after {move} is not what the {role} says"
        return Fault(role, "move/wrong-position", text)
    state.position = after
    state.moves = (*state.moves, move)
    state.must_move = False
    if after.outcome is not None:
        state.outcome = after.outcome
        state.phase = Phase.OVER
    return None


def on_resign(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """A player gives the game up, on its turn."""
    assert isinstance(message, Resign)
    fault = _turn_fault(state, role, message, "resigned") or _must_move_fault(state, role)
    if fault is None:
        end(state, "resignation", role.other)
    return fault


def on_draw(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """A player offers a draw instead of moving; the other must answer before anything else."""
    assert isinstance(message, Draw)
    fault = _turn_fault(state, role, message, "offered a draw") or _must_move_fault(state, role)
    if fault is None and not ruleset_info(state.offer.ruleset).draw_offers:
        text = f"the {role} offered a draw, which {state.offer.ruleset} does not know"
        fault = Fault(role, "draw/unknown-here", text)
    if fault is None:
        state.phase = Phase.ASKED
    return fault


def on_draw_answer(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """The offer of a draw is accepted or rejected."""
    assert isinstance(message, DrawAnswer)
    if role is not state.on_turn:
        return Fault(role, "draw/own-offer", f"the {role} answered its own offer of a draw")
    if message.answer == "accept":
        end(state, "draw-agreed", None)
    else:
        state.phase = Phase.PLAYING
        state.must_move = True
    return None


def on_takeback(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """The game goes back to an earlier ply, as the other player agreed to."""
    assert isinstance(message, Takeback)
    fault = _turn_fault(state, role, message, "took a move back")
    if fault is not None:
        return fault
    if state.offer.takebacks == "never":
        return Fault(role, "takeback/never", f"the {role} took a move back against the offer")
    if not len(state.opening) < message.to < state.ply:
        text = f"the {role} took back ply {message.to}, which was not played"
        return Fault(role, "takeback/no-such-ply", text)
    consent = message.consent
    if consent.to != message.to or not _agreed(state, role, consent, "takeback"):
        text = f"the {role} took ply {message.to} back without the {role.other}'s consent"
        return Fault(role, "takeback/no-consent", text)
    state.moves = state.moves[: message.to - 1]
    state.position = position_after(state.start, state.moves)
    state.must_move = False
    return None


def on_abort(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """The game ends without a result."""
    assert isinstance(message, Abort)
    fault = _turn_fault(state, role, message, "aborted the game")
    if fault is not None:
        return fault
    if message.consent is None:
        allowed = not any(isinstance(each, Move) for each in state.log(role))
    else:
        allowed = _agreed(state, role, message.consent, "abort")
    if not allowed:
        text = f"the {role} aborted the game without the {role.other}'s consent"
        return Fault(role, "abort/no-consent", text)
    end(state, "aborted", None)
    return None


def on_decision(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """A score in play: only as a claim, or as the accusation of double-dealing with its proof."""
    assert isinstance(message, Score)
    if not message.decisive:
        return Fault(role, "score/too-early", f"the {role} wrote a score before the game was over")
    state.decision, state.decided_at = role, len(state.line)
    if message.claim is not None:
        return _on_claim(state, role, message)
    return _on_accusation(state, role, message)


def _on_claim(state: GameState, role: Role, message: Score) -> Fault | None:
    claim = message.claim
    assert claim is not None
    if role is state.on_turn:
        return Fault(role, "claim/own-turn", f"the {role} claimed the game on its own turn")
    least = state.claimable_after_ms(claim.reason)
    if least is None or claim.waited_ms < least:
        text = f"the {role} claimed the game after {claim.waited_ms / 1000:g} s of {claim.reason}"
        return Fault(role, "claim/too-early", text)
    end(state, CLAIMED[claim.reason], role)
    state.claim = claim
    _take_score(state, role, message)
    return None


def _on_accusation(state: GameState, role: Role, message: Score) -> Fault | None:
    assert message.proof is not None
    fault = _double_dealing(state, role.other, message.proof)
    if fault is None:
        text = f"the {role} accuses the {role.other} without proof"
        return Fault(role, "score/false-proof", text)
    end(state, "double-dealing", role, fault)
    _take_score(state, role, message)
    return None


def on_score(state: GameState, role: Role, message: AnyLogMessage) -> None:
    """A player's last word, when the game is over."""
    assert isinstance(message, Score)
    if state.scorer is not role:
        raise RemoteProtocolError("score/order", f"it is not the {role}'s turn to write its score")
    if message.decisive:
        raise RemoteProtocolError(
            "score/too-late", f"the {role} claims or accuses when the game is over already"
        )
    if message.answers:
        if state.claim is None or state.first_scorer is not role.other:
            raise RemoteProtocolError("score/no-claim", f"the {role} answers a claim nobody made")
        state.contested = _contradicts(state, state.claim, message)
    _take_score(state, role, message)


def _contradicts(state: GameState, claim: Claim, answer: Score) -> bool:
    """Whether the times of an answer and of the claim cannot both be true."""
    waited = claim.waited_ms
    if answer.since_ms is not None and answer.since_ms + waited // 100 + _CLOCKS_MS < waited:
        return True
    lag = 0 if state.offer.clock is None else state.offer.clock.lag_ms
    return answer.had_ms is not None and 2 * answer.had_ms + lag < waited


def _take_score(state: GameState, role: Role, message: Score) -> None:
    outcome = state.outcome
    assert outcome is not None
    result = (outcome.score, outcome.termination, digest_of(state.position))
    if (message.score, message.termination, message.position) != result:
        state.false_scores = (*state.false_scores, role)
    if state.first_scorer is None:
        state.first_scorer, state.phase = role, Phase.SCORED
    else:
        state.phase = Phase.CLOSED


def _turn_fault(
    state: GameState, role: Role, message: Move | Resign | Draw | Takeback | Abort, did: str
) -> Fault | None:
    if role is not state.on_turn:
        return Fault(role, f"{message.type}/not-your-turn", f"the {role} {did} out of turn")
    if message.ply != state.ply:
        text = f"the {role} called ply {state.ply} number {message.ply}"
        return Fault(role, "move/wrong-ply", text)
    return None


def _must_move_fault(state: GameState, role: Role) -> Fault | None:
    if not state.must_move:
        return None
    text = f"the {role} did not move after its offer of a draw was rejected"
    return Fault(role, "draw/must-move", text)


def _double_dealing(state: GameState, role: Role, proof: Proof) -> Fault | None:
    key = state.key_of(role)
    if proof.game != state.game or key is None or not signature_holds(proof, key):
        return None
    if state.reception(role, proof) is not Reception.CONFLICT:
        return None
    number = min(proof.n, len(state.log(role)) - 1)
    text = f"the {role} signed two different messages number {number}"
    return Fault(role, "chain/double-dealing", text)


def _agreed(state: GameState, role: Role, consent: Consent, what: str) -> bool:
    """True when `consent` is the other player's, to `what`, here and now."""
    key = state.key_of(role.other)
    return (
        consent.what == what
        and consent.game == state.game
        and consent.tip == state.tip
        and key is not None
        and consent.author == node_id(key)
        and signature_holds(consent, key)
    )


Handler = Callable[[GameState, Role, AnyLogMessage], Fault | None]

TRANSITIONS: dict[tuple[Phase, str], Handler] = {
    (Phase.OPEN, "join"): on_join,
    (Phase.JOINED, "start"): on_start,
    (Phase.PLAYING, "move"): on_move,
    (Phase.PLAYING, "resign"): on_resign,
    (Phase.PLAYING, "draw"): on_draw,
    (Phase.PLAYING, "takeback"): on_takeback,
    (Phase.PLAYING, "abort"): on_abort,
    (Phase.PLAYING, "score"): on_decision,
    (Phase.ASKED, "draw-answer"): on_draw_answer,
    (Phase.ASKED, "score"): on_decision,
    (Phase.OVER, "score"): on_score,
    (Phase.SCORED, "score"): on_score,
}
