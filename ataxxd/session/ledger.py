"""The judge: both mailboxes of one game, checked message by message.

The host, the guest, a spectator and ``verify`` all feed the same ledger, so all come to
the same result. It is pure: no I/O, no clock, no secrets. Its rules:

- A mailbox is numbered and chained (``n``, ``prev``); ``seen`` ties it to the other one.
- Until the game is over exactly one player may write: the host answers a join, then the
  player on turn moves, resigns or offers a draw, which the other answers. So the two
  mailboxes are one line of messages.
- A signed, in-sequence message that breaks a rule during play is kept, is proof against
  its author, and ends the game: its author loses. It is proof because its ``prev`` and
  ``seen`` bind the whole game before it to its author's signature. Where they do not fit,
  it proves nothing by itself (whoever shows it may have left out or invented what it does
  not name) and is refused without effect.
- When the game is over both sides write the score: the host first, unless the game ended
  by the host's fault.
- A player may decide a game by a score with a claim (the other did not answer in time) or
  a proof (of double-dealing) without knowing what the other has just written. It then
  stands where its author stood, and what the other wrote meanwhile is kept but set aside.

What each message does is in `ataxxd.session.transitions`; what a game stands at, in
`ataxxd.session.state`.

Signatures are checked by whoever feeds the ledger (`ataxxd.session.handshake` and the
sessions), because a record carries only the newest of each side.
"""

from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import RulesError
from ataxxd.session.roles import Role
from ataxxd.session.state import IN_PLAY, Fault, GameState, Phase, Reception, digest_of
from ataxxd.session.transitions import TERMINATIONS, TRANSITIONS, end
from ataxxd_protocol.faults import first_fault
from ataxxd_protocol.messages import AnyLogMessage, Entry, Score, Sync
from ataxxd_protocol.version import bounds_claims, echoes_syncs

_CHECK_LENGTH = 16
# What an honest player can have written before it hears of a decision: the move that ends
# its turn, and a claim or the score.
_MOST_ASIDE = 2
_LOG_MESSAGE: TypeAdapter[AnyLogMessage] = TypeAdapter(
    Annotated[AnyLogMessage, Field(discriminator="type")]
)
# The type that a message has when its record entry does not say.
_USUAL = {
    Phase.OPEN: "join",
    Phase.JOINED: "start",
    Phase.PLAYING: "move",
    Phase.ASKED: "draw-answer",
    Phase.OVER: "score",
    Phase.SCORED: "score",
    Phase.CLOSED: "score",
}


class Ledger(GameState):
    """One game, judged message by message; see `GameState` for its attributes."""

    # What the next message looks like

    def predict(
        self, role: Role, kind: str | None = None, move: str | None = None
    ) -> dict[str, Any]:
        """The fields of the next message of `role` as far as this ledger knows them.

        Args:
            role: the author.
            kind: the message type; the usual one of this phase when None.
            move: for a move, its text, from which the position after it follows.
        """
        kind = kind or _USUAL[self.phase]
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
                # What is not legal leads nowhere.
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
        """`message`, the next of `role`, as the record keeps it."""
        fields = message.fields()
        fields.pop("sig", None)
        expected = self.predict(role, message.type, fields.get("move")) | {
            "type": _USUAL[self.phase]
        }
        free = {name: value for name, value in fields.items() if expected.get(name) != value}
        return Entry(by=role.value, set=free, check=message.digest[:_CHECK_LENGTH])

    def expand(self, entry: Entry) -> tuple[Role, AnyLogMessage]:
        """The message that `entry`, the next of a record, stands for; without its signature.

        Raises:
            RemoteProtocolError: ``record/entry``: the entry makes no message, is not written
                as `entry` writes it, or its check differs.
        """
        role = Role(entry.by)
        kind, move = entry.set.get("type", _USUAL[self.phase]), entry.set.get("move")
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

    # Taking messages in

    def accept(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """Take in the next message of a player's mailbox, whose signature is known to hold.

        Returns:
            The fault, when the message breaks a rule of play: it is kept as the proof and
            the game is over. None otherwise.

        Raises:
            RemoteProtocolError: the message has no place here; nothing has changed.
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
            place = self._place(role, message, seen)
            if place is not None:
                return self._decide_at(place, role, message)
            if self._crossed(role, seen):
                self._set_aside(role, message)
                return None
        return self._take_next(role, message)

    def check_sync(self, sync: Sync) -> None:
        """Refuse a request with what the version of this game does not know.

        Raises:
            RemoteProtocolError: ``sync/version``.
        """
        if (sync.nonce or sync.echo) and not echoes_syncs(self.offer.v):
            raise RemoteProtocolError(
                "sync/version", f"a sync of protocol {self.offer.v} has no nonce and no echo"
            )

    def _check_version(self, message: AnyLogMessage) -> None:
        """Refuse what the version of this game does not know."""
        if not isinstance(message, Score) or bounds_claims(self.offer.v):
            return
        proof = message.proof.fields() if message.proof is not None else {}
        if message.since_ms is not None or "since_ms" in proof:
            raise RemoteProtocolError(
                "score/version", f"a score of protocol {self.offer.v} has no since_ms"
            )

    def _take_next(self, role: Role, message: AnyLogMessage) -> Fault | None:
        handler = TRANSITIONS.get((self.phase, message.type))
        entry = self.entry(role, message)
        if self.phase in IN_PLAY:
            fault = self._late(role, message)
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
            late = self._late(role, message)
            if late is not None:
                raise RemoteProtocolError(late.code, late.text)
            fault = handler(self, role, message)
        self._append(role, message, entry)
        return fault

    def _late(self, role: Role, message: AnyLogMessage) -> Fault | None:
        """The fault of writing again without having waited for the other player's answer."""
        if message.seen != self.head(role.other):
            return Fault(
                role,
                "chain/wrong-seen",
                f"{role} message {message.n} does not follow the newest {role.other} message",
            )
        return None

    # What was on its way when the other player decided the game

    def _place(self, role: Role, message: AnyLogMessage, seen: int) -> int | None:
        """Where in the line a decision belongs whose author knew `seen` of the other's messages.

        None when `message` is no decision, when its author has written since, or when a
        decision of the other goes before it: the earlier one does, then the one with a
        proof, then the host's.
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
        """Put a decision where its author stood, and what the other wrote meanwhile aside."""
        trial = type(self)(self.offer)
        for by, earlier in self.line[:place]:
            trial.accept(by, earlier)
        fault = trial.accept(role, message)
        for by, crossed in self.line[place:]:
            trial.accept(by, crossed)
        vars(self).update(vars(trial))
        return fault

    def _crossed(self, role: Role, seen: int) -> bool:
        """True when the author of a message with `seen` did not know of the other's decision."""
        if self.decision is not role.other or self.decided_at is None:
            return False
        return seen <= self.line[self.decided_at][1].n

    def _set_aside(self, role: Role, message: AnyLogMessage) -> None:
        """Keep a message whose author did not know of the decision: it counts for nothing."""
        assert self.decided_at is not None
        decision = self.line[self.decided_at][1].digest
        later = [each for by, each in self.line[self.decided_at + 1 :] if by is role]
        if len(later) >= _MOST_ASIDE or any(each.seen == decision for each in later):
            raise RemoteProtocolError(
                "order/unexpected", f"the {role} wrote on after the game was decided"
            )
        self._append(role, message, self.entry(role, message))
