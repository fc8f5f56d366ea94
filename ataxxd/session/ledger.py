"""The judge: both mailboxes of one game, checked message by message.

The host, the guest, a spectator and ``verify`` all feed the same ledger, so all come to
the same result. It is pure: no I/O, no clock, no secrets. Its rules:

- A mailbox is numbered and chained (``n``, ``prev``); ``seen`` ties it to the other one.
- Until the game is over exactly one player may write: the host answers a join, then the
  player on turn moves, resigns or offers a draw, which the other answers. So the two
  mailboxes are one line of messages.
- A signed, in-sequence message that breaks a rule during play is kept, is proof against
  its author, and ends the game: its author loses. It is proof because its ``prev`` and
  ``seen`` bind the whole game before it to its author's signature. A message whose ``prev``
  or ``seen`` does not fit proves nothing by itself (other messages may have been left out
  or invented) and is refused without effect.
- When the game is over both sides write the score: the host first, unless the game ended
  by the host's fault.
- A player may decide a game by a score with a claim (the other did not answer in time) or
  a proof (of double-dealing) without knowing what the other has just written. The decision
  then takes its place after the last message that its author knew, and what the other wrote
  meanwhile is kept but set aside.

`TRANSITIONS` says what each message does in each phase. A message that it does not list for the
phase is a fault of the author while the game is in play, and is refused without effect at any
other time. `ataxxd.session.state` has the state of a game.

The ledger's callers (`ataxxd.session.handshake` and the sessions) check signatures, because a
record carries only the newest signature of each side.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Outcome, RulesError, Side, ruleset_info
from ataxxd.session.handshake import check_join_fits, host_side, make_commitment
from ataxxd.session.state import (
    IN_PLAY,
    Fault,
    GameState,
    Phase,
    Reception,
    Role,
    digest_of,
    position_after,
)
from ataxxd_protocol import node_id, signature_holds
from ataxxd_protocol.faults import first_fault
from ataxxd_protocol.messages import (
    Abort,
    AnyLogMessage,
    Claim,
    Consent,
    Draw,
    DrawAnswer,
    Entry,
    Join,
    Move,
    Proof,
    Resign,
    Score,
    Start,
    Sync,
    Takeback,
)
from ataxxd_protocol.version import allows_sync_echoes, has_since_in_answers

# The termination by the fault's code; for any other fault it is a protocol violation.
TERMINATIONS = {
    "move/illegal": "illegal-move",
    "move/wrong-position": "desync",
    "chain/double-dealing": "double-dealing",
}
# Two clocks that measure the same time may differ by this plus a hundredth of that time.
_CLOCKS_MS = 1_000

CLAIMED = {"silence": "abandoned", "flag": "time"}
"""The termination by the reason of the claim."""


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
    if make_commitment(message.secret) != state.offer.commit:
        raise RemoteProtocolError(
            "start/secret", "the host's secret is not the one its offer commits to"
        )
    if message.host_side != host_side(state.offer, message.secret, state.join):
        raise RemoteProtocolError(
            "start/side", f"the host took the {message.host_side} side against its offer"
        )
    state.host_side = Side.FIRST if message.host_side == "first" else Side.SECOND
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
    """A player resigns, on its turn."""
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
    """The game returns to an earlier ply, as the other player agreed."""
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
    if consent.to != message.to or not _is_agreed(state, role, consent, "takeback"):
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
        allowed = _is_agreed(state, role, message.consent, "abort")
    if not allowed:
        text = f"the {role} aborted the game without the {role.other}'s consent"
        return Fault(role, "abort/no-consent", text)
    end(state, "aborted", None)
    return None


def on_decision(state: GameState, role: Role, message: AnyLogMessage) -> Fault | None:
    """A score during play: a claim, or an accusation of double-dealing with its proof."""
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
    _accept_score(state, role, message)
    return None


def _on_accusation(state: GameState, role: Role, message: Score) -> Fault | None:
    assert message.proof is not None
    fault = _find_double_dealing(state, role.other, message.proof)
    if fault is None:
        text = f"the {role} accuses the {role.other} without proof"
        return Fault(role, "score/false-proof", text)
    end(state, "double-dealing", role, fault)
    _accept_score(state, role, message)
    return None


def on_score(state: GameState, role: Role, message: AnyLogMessage) -> None:
    """A player's score, after the end of the game."""
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
    _accept_score(state, role, message)


def _contradicts(state: GameState, claim: Claim, answer: Score) -> bool:
    """Whether the times of an answer and of the claim cannot both be true."""
    waited = claim.waited_ms
    if answer.since_ms is not None and answer.since_ms + waited // 100 + _CLOCKS_MS < waited:
        return True
    lag = 0 if state.offer.clock is None else state.offer.clock.lag_ms
    return answer.had_ms is not None and 2 * answer.had_ms + lag < waited


def _accept_score(state: GameState, role: Role, message: Score) -> None:
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


def _find_double_dealing(state: GameState, role: Role, proof: Proof) -> Fault | None:
    key = state.key_of(role)
    if proof.game != state.game or key is None or not signature_holds(proof, key):
        return None
    if state.reception(role, proof) is not Reception.CONFLICT:
        return None
    number = min(proof.n, len(state.log(role)) - 1)
    text = f"the {role} signed two different messages number {number}"
    return Fault(role, "chain/double-dealing", text)


def _is_agreed(state: GameState, role: Role, consent: Consent, what: str) -> bool:
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


_CHECK_LENGTH = 16
# What an honest player can have written before it hears of a decision: the move that ends
# its turn, and a claim or the score.
_MAX_ASIDE = 2
_LOG_MESSAGE: TypeAdapter[AnyLogMessage] = TypeAdapter(
    Annotated[AnyLogMessage, Field(discriminator="type")]
)
# The type of a message, by phase, if its record entry does not name one.
_DEFAULT_TYPES = {
    Phase.OPEN: "join",
    Phase.JOINED: "start",
    Phase.PLAYING: "move",
    Phase.ASKED: "draw-answer",
    Phase.OVER: "score",
    Phase.SCORED: "score",
    Phase.CLOSED: "score",
}


class Ledger(GameState):
    """One game, judged message by message; its attributes are those of `GameState`."""

    # Predicted fields and record entries

    def predict(self, role: Role, kind: str | None, move: str | None = None) -> dict[str, Any]:
        """The fields of the next message of `role`, as far as this ledger determines them.

        Args:
            role: the author.
            kind: the message type; the usual one of this phase if None.
            move: for a move, its text.
        """
        kind = kind or _DEFAULT_TYPES[self.phase]
        node = self.offer.host if role is Role.HOST else self.join.author if self.join else None
        fields: dict[str, Any] = {
            "type": kind,
            "game": self.game,
            "n": len(self.log(role)),
            "prev": self.head(role),
            "seen": self.head(role.other),
        }
        if node is not None:
            fields["from"] = node
        match kind:
            case "join":
                fields |= {
                    "v": self.offer.v,
                    "ruleset": self.offer.ruleset,
                    "start_hash": self.offer.start_hash,
                }
            case "start" if self.join is not None:
                fields["guest"] = self.join.author
                if self.offer.color != "random":
                    fields["host_side"] = self.offer.color
            case "move":
                fields["ply"] = self.ply
                # An illegal move has no position to predict.
                with suppress(RulesError):
                    if move is not None:
                        fields["position"] = self.judge(move).digest
            case "resign" | "draw" | "takeback" | "abort":
                fields["ply"] = self.ply
            case "score":
                fields["position"] = digest_of(self.position)
                if self.outcome is not None:
                    fields |= {"score": self.outcome.score, "termination": self.outcome.termination}
            case _:
                pass
        return fields

    def entry(self, role: Role, message: AnyLogMessage) -> Entry:
        """The record's entry for `message`, the next of `role`."""
        fields = message.fields()
        fields.pop("sig", None)
        expected = self.predict(role, message.type, fields.get("move")) | {
            "type": _DEFAULT_TYPES[self.phase]
        }
        free = {name: value for name, value in fields.items() if expected.get(name) != value}
        return Entry(by=role.value, set=free, check=message.digest[:_CHECK_LENGTH])

    def expand(self, entry: Entry) -> tuple[Role, AnyLogMessage]:
        """Rebuild the message of `entry`, the next of a record, without its signature.

        Raises:
            RemoteProtocolError: ``record/entry``: it does not give a message, is not in the form
                that `entry` writes, or its check differs.
        """
        role = Role(entry.by)
        kind, move = entry.set.get("type", _DEFAULT_TYPES[self.phase]), entry.set.get("move")
        fields = self.predict(role, str(kind), str(move) if move is not None else None) | entry.set
        if kind == "move" and move is not None and "position" not in fields:
            raise RemoteProtocolError(
                "record/entry",
                f"{move} is not legal here, and was when it was played: it was altered",
            )
        try:
            message = _LOG_MESSAGE.validate_python(fields)
        except ValidationError as error:
            fault = first_fault(error, AnyLogMessage, typed=False)
            raise RemoteProtocolError("record/entry", fault) from None
        if message.digest[:_CHECK_LENGTH] != entry.check:
            raise RemoteProtocolError(
                "record/entry", "its content does not match its check: it was altered"
            )
        if self.entry(role, message) != entry:
            raise RemoteProtocolError("record/entry", "it is not in the shortest form")
        return role, message

    # Accepting messages

    def accept(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """Accept the next message of a player's mailbox, whose signature has been verified.

        Returns:
            The fault, if the message breaks a rule of play: it is kept as the proof, and the
            game is over. None otherwise.

        Raises:
            RemoteProtocolError: the message does not belong here; nothing has changed.
        """
        if message.game != self.game:
            raise RemoteProtocolError("chain/other-game", "the message belongs to another game")
        self._check_version(message)
        if self.reception(role, message) is not Reception.NEXT:
            raise RemoteProtocolError(
                "chain/not-next", f"{role} message {message.n} is not the next of its mailbox"
            )
        seen = self.count_up_to(role.other, message.seen)
        if seen is None:
            raise RemoteProtocolError(
                "chain/unknown-seen",
                f"{role} message {message.n} answers a {role.other} message that is not here",
            )
        if seen < len(self.log(role.other)):
            place = self._find_place(role, message, seen)
            if place is not None:
                return self._decide_at(place, role, message)
            if self._has_crossed(role, seen):
                self._set_aside(role, message)
                return None
        return self._accept_next(role, message)

    def check_sync(self, sync: Sync) -> None:
        """Refuse a request with a field that this game's protocol version does not have.

        Raises:
            RemoteProtocolError: ``sync/version``.
        """
        if (sync.nonce or sync.echo) and not allows_sync_echoes(self.offer.v):
            raise RemoteProtocolError(
                "sync/version", f"a sync of protocol {self.offer.v} has no nonce and no echo"
            )

    def _check_version(self, message: AnyLogMessage) -> None:
        """Refuse a score with a field that the game's protocol version does not have."""
        if not isinstance(message, Score) or has_since_in_answers(self.offer.v):
            return
        proof = message.proof.fields() if message.proof is not None else {}
        if message.since_ms is not None or "since_ms" in proof:
            raise RemoteProtocolError(
                "score/version", f"a score of protocol {self.offer.v} has no since_ms"
            )

    def _accept_next(self, role: Role, message: AnyLogMessage) -> Fault | None:
        handler = TRANSITIONS.get((self.phase, message.type))
        entry = self.entry(role, message)
        if self.phase in IN_PLAY:
            fault = self._accept_late(role, message)
            if fault is None and handler is not None:
                fault = handler(self, role, message)
            elif fault is None:
                fault = Fault(
                    role, "order/unexpected", f"a {message.type} has no place in mid-game"
                )
            if fault is not None:
                end(self, TERMINATIONS.get(fault.code, "protocol-violation"), role.other, fault)
        else:
            if handler is None:
                raise RemoteProtocolError(
                    "order/unexpected",
                    f"a {message.type} by the {role} has no place while the game is "
                    f"{self.phase.value}",
                )
            late = self._accept_late(role, message)
            if late is not None:
                raise RemoteProtocolError(late.code, late.text)
            fault = handler(self, role, message)
        self._append(role, message, entry)
        return fault

    def _accept_late(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """The fault of writing again without having waited for the other player's answer."""
        if message.seen != self.head(role.other):
            return Fault(
                role,
                "chain/wrong-seen",
                f"{role} message {message.n} does not follow the newest {role.other} message",
            )
        return None

    # Messages that crossed a decision

    def _find_place(self, role: Role, message: AnyLogMessage, seen: int) -> int | None:
        """Where in the line a decision belongs whose author knew `seen` of the other's messages.

        None if `message` is no decision, if its author has written since, or if the other's
        decision takes precedence: the earlier one does, then one with a proof, then the
        host's.
        """
        if not (isinstance(message, Score) and message.decisive):
            return None
        place = [at for at, (by, _) in enumerate(self.line) if by is role.other][seen]
        if any(by is role for by, _ in self.line[place:]):
            return None
        if place != self.decided_at:
            return place
        rival = self.line[place][1]
        assert isinstance(rival, Score)
        if (message.proof is None) == (rival.proof is None):
            return place if role is Role.HOST else None
        return None if message.proof is None else place

    def _decide_at(self, place: int, role: Role, message: AnyLogMessage) -> Fault | None:
        """Insert a decision at `place`, and set aside what the other player has written since."""
        trial = type(self)(self.offer)
        trial.statements = self.statements
        for by, earlier in self.line[:place]:
            trial.accept(by, earlier)
        fault = trial.accept(role, message)
        for by, crossed in self.line[place:]:
            trial.accept(by, crossed)
        vars(self).update(vars(trial))
        return fault

    def _has_crossed(self, role: Role, seen: int) -> bool:
        """True when the author of a message with `seen` did not know of the other's decision."""
        if self.decision is not role.other or self.decided_at is None:
            return False
        return seen <= self.line[self.decided_at][1].n

    def _set_aside(self, role: Role, message: AnyLogMessage) -> None:
        """Keep a message whose author did not know of the decision; it has no effect."""
        assert self.decided_at is not None
        decision = self.line[self.decided_at][1].digest
        later = [each for by, each in self.line[self.decided_at + 1 :] if by is role]
        if len(later) >= _MAX_ASIDE or any(each.seen == decision for each in later):
            raise RemoteProtocolError(
                "order/unexpected", f"the {role} wrote on after the game was decided"
            )
        self._append(role, message, self.entry(role, message))
