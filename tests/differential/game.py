"""One game between the two implementations of the protocol, from a seed to a verdict.

One player is this program's session, the other the browser's node; one spectator of each looks on.
Behind each player sits its double, a session of the other implementation with the same key, which
is told the same: at any moment both must have the same game. The network drops, doubles, reorders
and garbles, players are restarted, and in some games one of them cheats. There is no clock.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from ataxxd.session.ledger import Ledger
from ataxxd.session.player import _MODELS
from ataxxd.session.record import verify_record
from ataxxd.session.state import Role
from ataxxd.session.witnesses import claim_digest
from ataxxd_protocol import SigningKey, encode, signed
from tests.chaos.cheats import ON_TURN, _second_move
from tests.chaos.game import make_offer
from tests.chaos.positions import choose_start
from tests.conformance.games import OTHER_KEY, WITNESS_KEYS
from tests.conformance.judge import state as stands_at
from tests.conformance.witnessed import make_statement
from tests.differential.sessions import Act, OurLooker, Ours, Said, Theirs
from tests.interop.browser_peer import PeerProgram

# Rounds of repeating and delivering in which a game must end when nothing is lost any more.
_ROUNDS = 60
_LOOK = "look"
_CHEATS = {**ON_TURN, "two-stories": _second_move}


class DifferError(AssertionError):
    """The two implementations do not agree, or a game does not end."""


@dataclass
class Game:
    """A game under way.

    Attributes:
        seed: plays it again.
        ends: how it ended, for statistics.
        statements: how many its records have of witnesses.
    """

    seed: int
    other: PeerProgram
    ends: str = ""
    statements: int = 0
    trace: list[str] = field(default_factory=list)

    def play(self) -> None:
        """To the end.

        Raises:
            DifferError: the two do not agree.
        """
        self._begin()
        for _ in range(self.fate.choice([10, 40, 120])):
            self._something_happens()
        self._mend()
        self._testify()
        self._judge()

    def _begin(self) -> None:
        self.fate = fate = random.Random(self.seed)
        self.looked_on = random.Random(f"witnesses of {self.seed}")
        self.absence = random.Random(f"absence in {self.seed}")
        self.other.ask(ask="drop")
        keys = {role: SigningKey(fate.randbytes(32)) for role in Role}
        self.keys, self.secret = keys, fate.randbytes(16).hex()
        start = choose_start(fate, whole=fate.random() < 0.05)
        self.offer = make_offer(
            start, fate.choice(["first", "second", "random"]), keys[Role.HOST], self.secret,
            **self._terms(),
        )  # fmt: skip
        self.ours = fate.choice(list(Role))
        self.cheat = fate.choice(list(Role)) if fate.random() < 0.4 else None
        self.times = fate.choice([0, 2_000_000])
        self.cheated = self.vanished = False
        self.players: dict[Role, Ours | Theirs] = {}
        self.doubles: dict[Role, Ours | Theirs] = {}
        for role in Role:
            mine, theirs = self._mine(role), self._theirs(role)
            self.players[role] = mine if role is self.ours else theirs
            self.doubles[role] = theirs if role is self.ours else mine
        self.looker = OurLooker(self.offer)
        self.their_looker = Theirs(self.other, _LOOK, self.offer)
        self.queues: dict[str, list[bytes]] = {Role.HOST: [], Role.GUEST: [], _LOOK: []}
        self.said: list[bytes] = []
        self.said_ms = 0
        self._act(Role.GUEST, Act("join", fate.randbytes(16).hex()))

    def _terms(self) -> dict[str, Any]:
        fate = self.fate
        clock = fate.choice([None, None, {"base_ms": 900, "increment_ms": 50, "lag_ms": 100}])
        terms: dict[str, Any] = {
            "clock": clock,
            "grace_ms": fate.choice([None, 5_000]),
            "takebacks": fate.choice([None, None, "never"]),
        }
        if self.looked_on.random() < 0.5:
            terms["witnesses"] = [key.node for key in WITNESS_KEYS]
        return {name: value for name, value in terms.items() if value is not None}

    def _mine(self, role: Role) -> Ours:
        return Ours(self.offer, role, self.keys[role], self._secret(role), self.times)

    def _theirs(self, role: Role) -> Theirs:
        seed = self.keys[role].seed.hex()
        return Theirs(
            self.other, role, self.offer,
            role=role.value, seed=seed, secret=self._secret(role), times=self.times,
        )  # fmt: skip

    def _secret(self, role: Role) -> str:
        return self.secret if role is Role.HOST else ""

    # What happens

    def _something_happens(self) -> None:
        fate = self.fate
        if self.absence.random() < 0.1:
            self._leave_unread(self.absence.choice(list(Role)))
        role = fate.choice(list(Role))
        match fate.randrange(20):
            case 0:
                self._both(role, "restart")
            case 1:
                self._both(role, "repeat")
            case 2:
                self._lose_some()
            case 3:
                self._garble()
            case 4 if self.said:
                self._deliver(fate.choice([*self.queues]), fate.choice(self.said))
            case 5 | 6:
                self._act(role, self._wish())
            case 7 if self.cheat is not None:
                self._cheat(self.cheat)
            case n if n < 14:
                self._move()
            case _:
                self._deliver_some()

    def _wish(self) -> Act:
        fate = self.fate
        what = fate.choice(
            ["takeback", "takeback", "agree", "agree", "abort", "draw", "accept", "reject", "say",
             "silence", "flag", "resign"]
        )  # fmt: skip
        self.said_ms += 1
        waited = fate.choice([0, 4_999, 5_000, 90_000])
        return Act(what, "Good luck!", waited if what in ("silence", "flag") else self.said_ms)

    def _move(self) -> None:
        for role in Role:
            if self._on_turn(role):
                elapsed = self.fate.choice(["0", "40", "300", "40000"])
                if self._ledger(role).phase.value == "asked":
                    self._act(role, Act(self.fate.choice(["accept", "reject"])))
                else:
                    self._act(role, Act("play", elapsed, self.fate.randrange(2**16)))
                return

    def _cheat(self, cheat: Role) -> None:
        """Break a rule, and then say nothing any more, or go on as if nothing had been."""
        # Whoever is cheated must have heard all that the cheat has said.
        ledger = self._ledger(cheat)
        if self.cheated or ledger.on_turn is not cheat or ledger.phase.value != "playing":
            return
        if ledger.entries != self._ledger(cheat.other).entries:
            return
        kind = self.fate.choice(sorted(_CHEATS))
        fields = _CHEATS[kind](ledger, cheat)
        message = encode(signed(_MODELS[fields["type"]].model_validate(fields), self.keys[cheat]))
        self.trace.append(f"the {cheat} cheats: {kind}")
        self.cheated = True
        self.vanished = self.fate.random() < 0.5
        self._spread(cheat, [message], [])

    def _leave_unread(self, role: Role) -> None:
        """A player leaves what the other may not have read, and the other finds it."""
        if self.vanished and role is self.cheat:
            return
        left, double = self.players[role].unread(), self.doubles[role].unread()
        if not self._strays(role):
            self._same(f"what the {role} and its double leave", left, double)
        self.trace.append(f"{role}: leaves {len(left)}")
        for payload in left:
            self.said.append(payload)
            self._deliver(role.other, payload)

    def _strays(self, role: Role) -> bool:
        """Whether a player has signed what its session does not know.

        What such a one makes of its own message, given back to it, is its own affair.
        """
        return self.cheated and role is self.cheat

    def _on_turn(self, role: Role) -> bool:
        return self._ledger(role).on_turn is role

    def _ledger(self, role: Role) -> Ledger:
        """A player's ledger, as this program has it: its own, or its double's."""
        one, double = self.players[role], self.doubles[role]
        session = one if isinstance(one, Ours) else double
        assert isinstance(session, Ours)
        return session.ledger

    def _act(self, role: Role, act: Act) -> None:
        self._both(role, "act", act)

    def _both(self, role: Role, name: str, *more: object) -> None:
        """Something happens to a player, and to its double."""
        if self.vanished and role is self.cheat:
            return
        said: Said = getattr(self.players[role], name)(*more)
        double: Said = getattr(self.doubles[role], name)(*more)
        self.trace.append(f"{role}: {name} {more} {'refused' if said.refused else ''}")
        # Notes change nothing: one of the two may refuse to say the same twice, or so early.
        noted = more and getattr(more[0], "what", "") in ("takeback", "abort", "agree", "say")
        if not self._strays(role):
            if said.refused != double.refused and not noted:
                raise DifferError(f"only one refuses {more}")
            self._compare(role)
        self._spread(role, said.out, said.state)

    def _spread(self, role: Role, out: list[bytes], state: list[bytes]) -> None:
        self.said += [*out, *state]
        self.queues[role.other] += out
        self.queues[_LOOK] += [*out, *state]
        if role is Role.HOST:
            self.queues[Role.GUEST] += state

    # What the network does

    def _deliver(self, name: str, payload: bytes) -> None:
        if name == _LOOK:
            self.looker.receive(payload)
            self.their_looker.receive(payload)
            self._same("the spectators", stands_at(self.looker.ledger), self.their_looker.stands)
            return
        self._both(Role(name), "receive", payload)

    def _deliver_all(self) -> None:
        while any(self.queues.values()):
            for name, queue in self.queues.items():
                if queue:
                    self._deliver(name, queue.pop(0))

    def _deliver_some(self) -> None:
        name = self.fate.choice([*self.queues])
        queue = self.queues[name]
        for _ in range(min(len(queue), self.fate.choice([1, 2, 5]))):
            at = 0 if self.fate.random() < 0.7 else self.fate.randrange(len(queue))
            payload = queue[at] if self.fate.random() < 0.1 else queue.pop(at)
            self._deliver(name, payload)

    def _lose_some(self) -> None:
        queue = self.queues[self.fate.choice([*self.queues])]
        while queue and self.fate.random() < 0.7:
            queue.pop(self.fate.randrange(len(queue)))

    def _garble(self) -> None:
        if not self.said:
            return
        payload = bytearray(self.fate.choice(self.said))
        at = self.fate.randrange(len(payload))
        payload[at : at + self.fate.choice([0, 1, 1, 9])] = self.fate.choice(
            [b"", b"0", b"f", b'"', b"\xff", b"[", b"1"]
        )
        self._deliver(self.fate.choice([*self.queues]), bytes(payload))

    # The end

    def _mend(self) -> None:
        """Nothing is lost any more."""
        for _ in range(_ROUNDS):
            for role in Role:
                self._both(role, "repeat")
            self._spread(Role.HOST, [], self._state())
            self._deliver_all()
            honest = [role for role in Role if not self._strays(role)]
            if all(self._ledger(role).phase.value == "closed" for role in honest):
                return
            if self.vanished and self.cheat is not None:
                ledger = self._ledger(self.cheat.other)
                if ledger.outcome is not None or ledger.on_turn is self.cheat:
                    return
            self._play_on()
            self._deliver_all()
        if not self.cheated:
            raise DifferError("the game does not end")

    def _testify(self) -> None:
        """The witnesses say something of the claim, if there is one, and others pretend to."""
        honest = Role.HOST if self.cheat is None else self.cheat.other
        ledger = self._ledger(honest)
        if claim_digest(ledger) is None:
            return
        silences = [0, 5_000, 90_000]
        said = [
            make_statement(ledger, key, self.looked_on.choice(silences))
            for key in (*WITNESS_KEYS, OTHER_KEY, self.looked_on.choice(WITNESS_KEYS))
        ]
        forged = said[0].model_copy(update={"silence_ms": 1})
        for statement in [*said, forged, said[0]]:
            for name in self.queues:
                self._deliver(name, encode(statement))

    def _play_on(self) -> None:
        for role in Role:
            if not self._on_turn(role):
                continue
            if len(self._ledger(role).moves) > 8 and not self._ledger(role).must_move:
                self._act(role, Act("reject"))
                self._act(role, Act("resign"))
            self._move()

    def _state(self) -> list[bytes]:
        if self.vanished and self.cheat is Role.HOST:
            return []
        return self.players[Role.HOST].state()

    # What must hold

    def _compare(self, role: Role) -> None:
        pair = (self.players[role], self.doubles[role])
        theirs = next(each for each in pair if isinstance(each, Theirs))
        self._same(f"the {role} and its double", stands_at(self._ledger(role)), theirs.stands)

    def _same(self, who: str, here: object, there: object) -> None:
        if here != there:
            raise DifferError(f"{who} differ: {here!r} here, {there!r} there")

    def _judge(self) -> None:
        for role in Role:
            if not self._strays(role):
                told = self.players[role].told()
                self._same(f"the {role} and its double", told, self.doubles[role].told())
                verdict = verify_record(told[0].encode())
                self._same(f"the record of the {role}", verdict.standing.value, told[1])
                self.statements += len(verdict.ledger.statements)
        self._same("the spectators", self.looker.told(), self.their_looker.told())
        if self.cheat is None or not self.cheated:
            records = {self.players[role].told() for role in Role} | {self.looker.told()}
            if len(records) > 1:
                raise DifferError(f"there are {len(records)} records of one honest game")
        honest = Role.HOST if self.cheat is None else self.cheat.other
        self.ends = self._end_of(self._ledger(honest))

    def _end_of(self, ledger: Ledger) -> str:
        if ledger.fault is not None:
            return ledger.fault.code
        return "no end" if ledger.outcome is None else ledger.outcome.termination
