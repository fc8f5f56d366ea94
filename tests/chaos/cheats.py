"""A player who breaks the rules, once, after having kept all of them.

It may stand by what it did, deny it and go on as if nothing had been, or vanish.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from ataxxd.node.runtime import PlayerRuntime
from ataxxd.rules import Side
from ataxxd.session.events import Effect
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import _MODELS, PlayerSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey, encode, signed
from ataxxd_protocol.messages import AnyLogMessage, Offer
from tests.chaos.players import Player
from tests.chaos.world import World

_NOBODY = "0" * 64
A_DAY_MS = 86_400_000
Fields: TypeAlias = dict[str, Any]
BEHAVIOURS = ("stands", "denies", "vanishes")


def _move(ledger: Ledger, role: Role, index: int = 0) -> Fields:
    moves = tuple(ledger.position.legal_moves)
    move = moves[index % len(moves)].text
    return ledger.predict(role, "move", move) | {"move": move, "elapsed_ms": 1}


def _illegal(ledger: Ledger, role: Role) -> Fields:
    return _move(ledger, role) | {"move": "nowhere", "position": _NOBODY}


def _wrong_position(ledger: Ledger, role: Role) -> Fields:
    return _move(ledger, role) | {"position": _NOBODY}


def _wrong_ply(ledger: Ledger, role: Role) -> Fields:
    return _move(ledger, role) | {"ply": ledger.ply + 1}


def _wrong_seen(ledger: Ledger, role: Role) -> Fields:
    theirs = ledger.log(role.other)
    return _move(ledger, role) | {"seen": theirs[-2].digest if len(theirs) > 1 else ledger.game}


def _early_score(ledger: Ledger, role: Role) -> Fields:
    return ledger.predict(role, "score") | {"score": "1-0", "termination": "no-moves"}


def _false_proof(ledger: Ledger, role: Role) -> Fields:
    theirs = ledger.log(role.other)[-1]
    proof = {} if theirs.type == "join" else {"proof": theirs.fields()}
    return _early_score(ledger, role) | {"termination": "double-dealing"} | proof


def _answer_unasked(ledger: Ledger, role: Role) -> Fields:
    return ledger.predict(role, "draw-answer") | {"answer": "accept"}


def _second_move(ledger: Ledger, role: Role) -> Fields:
    return _move(ledger, role, 1) | {"elapsed_ms": 2}


ON_TURN: dict[str, Callable[[Ledger, Role], Fields]] = {
    "illegal": _illegal,
    "wrong-position": _wrong_position,
    "wrong-ply": _wrong_ply,
    "wrong-seen": _wrong_seen,
    "early-score": _early_score,
    "false-proof": _false_proof,
    "answer-unasked": _answer_unasked,
}
"""One message that is at fault, in place of an honest one."""

BESIDE_THE_GAME = ("out-of-turn", "two-stories")
"""A message besides the honest ones; it comes too late when an honest one has ended the game."""

CHEATS = (*ON_TURN, *BESIDE_THE_GAME, "whisper", "false-score", "silence", "false-claim")


class Cheat(Player):
    """A player who cheats at a turn of its choice.

    Attributes:
        kind: how, one of `CHEATS`.
        behaviour: what it does then, one of `BEHAVIOURS`.
        turns_left: how many honest turns it has before.
        cheated: it has.
        spoken: what breaks a rule has reached the broker, for all to hear.
        whispered: the payload meant for the spectators alone.
    """

    def __init__(self, world: World, name: str, key: SigningKey, offer: Offer, role: Role) -> None:
        super().__init__(world, name, key, offer, role)
        self.kind = ""
        self.behaviour = ""
        self.turns_left = 0
        self.cheated = False
        self.spoken = False
        self.whispered = b""
        self._words: set[bytes] = set()
        self._two_faced = False
        world.broker.heard.append(self._overhear)

    @property
    def deceives(self) -> bool:
        """Whether it signs what fits two stories: spectators may believe the other one."""
        if self.kind in ON_TURN:
            return self.behaviour == "denies" or self._two_faced
        if self.kind == "false-claim" and (self.behaviour == "denies" or self._two_faced):
            return True
        return self.kind in ("two-stories", "whisper", "out-of-turn")

    def seated(self, ledger: Ledger) -> PlayerSession:
        """With a session that may lie in the end."""
        if self.kind == "false-score":
            return _Liar(ledger, self.role, self.key, self.secret)
        return super().seated(ledger)

    async def act(self, runtime: PlayerRuntime) -> None:
        """Honest until it is time."""
        ledger = runtime.session.ledger
        if self.cheated or ledger.position.outcome is not None:
            await super().act(runtime)
            return
        if self.turns_left > 0 or ledger.phase.value != "playing":
            self.turns_left -= 1
            await super().act(runtime)
            return
        self.cheated = True
        self.world.note(f"{self.name} cheats: {self.kind}, {self.behaviour}")
        match self.kind:
            case "silence":
                await self._vanish()
            case "out-of-turn":
                await super().act(runtime)
                if ledger.on_turn is self.role.other:
                    await self._commit(runtime, _move(ledger, self.role))
            case "two-stories" | "whisper":
                await self._tell_two_stories(runtime)
            case "false-claim":
                await super().act(runtime)
                await self._claim_falsely(runtime)
            case _:
                await self._commit(runtime, ON_TURN[self.kind](ledger, self.role))

    async def _tell_two_stories(self, runtime: PlayerRuntime) -> None:
        ledger = runtime.session.ledger
        second = self._signed(_second_move(ledger, self.role))
        if self.kind == "whisper":
            self.whispered = encode(second)
        if self.world.fate.random() < 0.5:
            await self._publish(runtime, second)
            await self._honest_move(runtime)
        else:
            await self._honest_move(runtime)
            await self._publish(runtime, second)
        if self.behaviour == "vanishes":
            await self._vanish()

    async def _claim_falsely(self, runtime: PlayerRuntime) -> None:
        """Claim the game for a day of silence, perhaps as if an answer had not come."""
        before = runtime.session.ledger.copy()
        if before.on_turn is self.role.other:
            fields = before.predict(self.role, "score") | {
                "score": "1-0" if before.side_of(self.role) is Side.FIRST else "0-1",
                "termination": "abandoned",
                "claim": {"reason": "silence", "waited_ms": A_DAY_MS},
            }
            await self.world.sleep(self.world.fate.choice([0.1, 2.0]))
            if runtime.session.ledger.head(self.role) == before.head(self.role):
                await self._commit(runtime, fields)

    async def _honest_move(self, runtime: PlayerRuntime) -> None:
        await runtime.play(next(iter(runtime.session.ledger.position.legal_moves)))

    async def _commit(self, runtime: PlayerRuntime, fields: Fields) -> None:
        message = self._signed(fields)
        self._words.add(encode(message))
        if self.behaviour == "stands":
            await runtime.carry_out(runtime.session._accept(self.role, message))
            return
        await self._publish(runtime, message)
        if self.behaviour == "vanishes":
            await self._vanish()
        elif runtime.session.ledger.on_turn is not self.role:
            pass
        elif runtime.session.ledger.phase is Phase.ASKED:
            # The other player has offered a draw meanwhile.
            await super().act(runtime)
        else:
            await self._honest_move(runtime)

    async def _publish(self, runtime: PlayerRuntime, message: AnyLogMessage) -> None:
        self._words.add(encode(message))
        await runtime._transport.publish(runtime._out, encode(message))

    def _overhear(self, _client: str, _topic: str, payload: bytes) -> None:
        if payload in self._words and self.kind != "whisper":
            self.spoken = True

    async def _vanish(self) -> None:
        # What it said last may still get through.
        await self.world.sleep(1.0)
        self.forever = True
        self.process.die()

    def _signed(self, fields: Fields) -> AnyLogMessage:
        return signed(_MODELS[fields["type"]].model_validate(fields), self.key)

    def _check_message(self, message: AnyLogMessage, payload: bytes) -> None:
        """A cheat may say what it likes; a session that knows nothing of it may contradict it."""
        if self.said.setdefault(message.n, payload) != payload:
            self._two_faced = True


class _Liar(PlayerSession):
    """Whose score is not the result."""

    def _write_score(self) -> list[Effect]:
        outcome = self.ledger.outcome
        wrong = "0-1" if outcome is None or outcome.score != "0-1" else "1-0"
        return self._write("score", {"score": wrong})
