"""Two players and two spectators over the worst network there is: they never disagree.

Whatever is dropped, repeated, reordered, replayed, forged or garbled, and whoever is
restarted, nobody raises, nobody is blamed, all ledgers are prefixes of one another, and
once messages get through again the game finishes with one record.
"""

import json
import random
from contextlib import suppress
from typing import Any, get_args

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import Position
from ataxxd.session.events import Effect, Keep, Over, Request
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, state_parts, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import MalformedMessage, decode, encode, signed
from ataxxd_protocol.messages import SignedMessage
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    KEYS,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    RULESET,
    SECRET,
    SHORT_ENDGAME,
    make_offer,
    of_kind,
    restored,
    sends,
)

STARTS = [ONE_MOVE_LEFT, SHORT_ENDGAME, Position.start(RULESET).text]
SPECTATORS = ("early", "late")
choices = st.integers(0, 2**16)


class Network(RuleBasedStateMachine):
    """A host, a guest, two spectators, and what is on its way to each."""

    @initialize(
        start=st.sampled_from(STARTS),
        color=st.sampled_from(["first", "second", "random"]),
        plies=st.integers(-1, 4),
    )
    def open_the_game(self, start: str, color: str, plies: int) -> None:
        self.offer = make_offer(start=start, color=color)
        self.players = {
            Role.HOST: PlayerSession(Ledger(self.offer), Role.HOST, HOST_KEY, SECRET),
            Role.GUEST: PlayerSession(Ledger(self.offer), Role.GUEST, GUEST_KEY),
        }
        self.spectators = {name: SpectatorSession(Ledger(self.offer)) for name in SPECTATORS}
        self.kept: dict[Role, list[Keep]] = {role: [] for role in Role}
        self.published: list[bytes] = []
        self.on_the_way: dict[str, list[bytes]] = {name: [] for name in (*Role, *SPECTATORS)}
        # Most trouble needs a game under way; the spectators may have seen nothing of it.
        if plies >= 0:
            self.join()
            for number in range(plies + 1):
                self.deliver_all_in_order(Role.HOST)
                self.deliver_all_in_order(Role.GUEST)
                if number < plies and self.on_turn is not None:
                    self.make_a_move(number)

    # What nodes do

    @precondition(lambda self: self.players[Role.GUEST].ledger.phase is Phase.OPEN)
    @rule()
    def join(self) -> None:
        self.carry_out(Role.GUEST, self.players[Role.GUEST].ask_to_join(NONCE, AGENT))

    @precondition(lambda self: self.on_turn is not None)
    @rule(choice=choices)
    def move(self, choice: int) -> None:
        self.make_a_move(choice)

    @precondition(lambda self: self.on_turn is not None)
    @rule(choice=choices)
    def move_and_be_answered(self, choice: int) -> None:
        for _ in range(2):
            if (role := self.on_turn) is not None:
                self.make_a_move(choice)
                self.deliver_all_in_order(role.other)

    @precondition(lambda self: self.on_turn is not None)
    @rule(sure=st.integers(0, 15))
    def resign(self, sure: int) -> None:
        role = self.on_turn
        if sure == 0 and role is not None:
            self.carry_out(role, self.players[role].resign())

    @rule(role=st.sampled_from(Role), what=st.sampled_from(get_args(Request)))
    def ask(self, role: Role, what: Request) -> None:
        with suppress(LocalProtocolError):
            self.carry_out(role, self.players[role].ask(what))

    @rule(role=st.sampled_from(Role))
    def agree(self, role: Role) -> None:
        with suppress(LocalProtocolError):
            self.carry_out(role, self.players[role].agree())

    @rule(role=st.sampled_from(Role), now_ms=st.integers(0, 9))
    def say(self, role: Role, now_ms: int) -> None:
        with suppress(LocalProtocolError):
            self.carry_out(role, self.players[role].say("Good luck!", now_ms))

    @rule(role=st.sampled_from(Role))
    def reconnect(self, role: Role) -> None:
        self.carry_out(role, self.players[role].on_connected())

    @rule(role=st.sampled_from(Role))
    def restart(self, role: Role) -> None:
        before = dump_record(self.players[role].ledger)
        self.players[role] = restored(self.players[role], self.kept[role])
        assert dump_record(self.players[role].ledger) == before
        self.carry_out(role, self.players[role].complete_pending())

    @rule()
    def publish_the_state(self) -> None:
        for part in state_parts(self.players[Role.HOST].ledger):
            payload = encode(signed(part, HOST_KEY))
            self.published.append(payload)
            for name in (*SPECTATORS, Role.GUEST):
                self.on_the_way[name].append(payload)

    # What the network does

    @rule(name=st.sampled_from([*Role, *SPECTATORS]), choice=choices)
    def deliver(self, name: str, choice: int) -> None:
        if waiting := self.on_the_way[name]:
            self.receive(name, waiting.pop(choice % len(waiting)))

    @rule(name=st.sampled_from([*Role, *SPECTATORS]))
    def deliver_all_in_order(self, name: str) -> None:
        while self.on_the_way[name]:
            self.receive(name, self.on_the_way[name].pop(0))

    @rule(name=st.sampled_from([*Role, *SPECTATORS]), seed=choices)
    def deliver_some_in_any_order(self, name: str, seed: int) -> None:
        waiting, self.on_the_way[name] = self.on_the_way[name], []
        fate = random.Random(seed)
        for payload in fate.sample(waiting, len(waiting)):
            for _ in range(fate.choice([0, 1, 1, 2])):
                self.receive(name, payload)

    @rule(name=st.sampled_from([*Role, *SPECTATORS]), choice=choices)
    def repeat_anything_ever_said(self, name: str, choice: int) -> None:
        if self.published:
            self.receive(name, self.published[choice % len(self.published)])

    @rule(
        name=st.sampled_from([*Role, *SPECTATORS]), choice=choices, garbled=st.binary(max_size=40)
    )
    def garble(self, name: str, choice: int, garbled: bytes) -> None:
        if self.published:
            payload = self.published[choice % len(self.published)]
            cut = choice % len(payload)
            self.receive(name, payload[:cut] + garbled + payload[cut + len(garbled) :])

    @rule(
        name=st.sampled_from([*Role, *SPECTATORS]),
        choice=choices,
        renamed=st.booleans(),
        number=st.none() | st.integers(0, 99_999),
    )
    def forge(self, name: str, choice: int, renamed: bool, number: int | None) -> None:
        # A stranger may even sit down while the seat is free; that is another game's story.
        if not self.published or self.players[Role.HOST].ledger.phase is Phase.OPEN:
            return
        message = decode(self.published[choice % len(self.published)])
        assert isinstance(message, SignedMessage)
        changes: dict[str, Any] = {}
        if renamed and "author" in type(message).model_fields:
            changes["author"] = OTHER_KEY.node
        if number is not None and "n" in type(message).model_fields:
            changes["n"] = number
        self.receive(name, encode(signed(message.model_copy(update=changes), OTHER_KEY)))

    @rule(name=st.sampled_from([*Role, *SPECTATORS]), choice=choices, field=choices, other=choices)
    def alter(self, name: str, choice: int, field: int, other: int) -> None:
        # Canonical, so that it comes past the codec, under the signature of what it was.
        if not self.published:
            return
        true = json.loads(self.published[choice % len(self.published)])
        donor = json.loads(self.published[other % len(self.published)])
        keys = sorted(true.keys() - {"sig"})
        key = keys[field % len(keys)]
        value = donor.get(key, true[key])
        true[key] = value + 1 if isinstance(value, int) else value
        self.receive(name, canonical_json(true))

    # What must hold

    @invariant()
    def nobody_is_blamed_and_nothing_is_disputed(self) -> None:
        for ledger in self.ledgers:
            assert ledger.fault is None
            assert not ledger.disputed

    @invariant()
    def all_tell_the_same_story_as_far_as_they_know_it(self) -> None:
        longest = max(self.ledgers, key=lambda ledger: len(ledger.entries)).entries
        for ledger in self.ledgers:
            assert ledger.entries == longest[: len(ledger.entries)]

    def teardown(self) -> None:
        """The network mends, and the game is played to its end."""
        if not hasattr(self, "players"):
            return
        if self.players[Role.GUEST].ledger.phase is Phase.OPEN:
            self.join()
        moves = random.Random(len(self.published))
        self.mend()
        while self.on_turn is not None:
            self.make_a_move(moves.randrange(2**16))
            self.mend()
        self.publish_the_state()
        self.mend()
        records = {dump_record(ledger) for ledger in self.ledgers}
        assert len(records) == 1
        assert verify_record(records.pop()).standing is Standing.AGREED
        assert not any(watching.behind for watching in self.spectators.values())

    # How it is done

    @property
    def ledgers(self) -> list[Ledger]:
        sessions: list[PlayerSession | SpectatorSession] = [
            *self.players.values(),
            *self.spectators.values(),
        ]
        return [session.ledger for session in sessions]

    @property
    def on_turn(self) -> Role | None:
        for role, player in self.players.items():
            if player.ledger.on_turn is role:
                return role
        return None

    def make_a_move(self, choice: int) -> None:
        role = self.on_turn
        assert role is not None
        moves = self.players[role].ledger.position.legal_moves
        self.carry_out(role, self.players[role].play(moves[choice % len(moves)], choice))

    def mend(self) -> None:
        for role in Role:
            self.carry_out(role, self.players[role].on_connected())
        while any(self.on_the_way.values()):
            for name in self.on_the_way:
                self.deliver_all_in_order(name)

    def carry_out(self, role: Role, effects: list[Effect]) -> None:
        self.kept[role] += of_kind(effects, Keep)
        assert len(of_kind(effects, Over)) <= 1
        for message in sends(effects):
            payload = encode(message)
            assert isinstance(message, SignedMessage)
            assert message.sig == KEYS[role].sign(message.signed_bytes)
            self.published.append(payload)
            for name in (role.other, *SPECTATORS):
                self.on_the_way[name].append(payload)

    def receive(self, name: str, payload: bytes) -> None:
        try:
            message = decode(payload)
        except MalformedMessage:
            return
        if name in SPECTATORS:
            self.spectators[name].receive(message)
            return
        role = Role(name)
        before = len(self.players[role].ledger.entries)
        effects = self.players[role].receive(message)
        # Whatever became part of the game is kept, and nothing else is.
        assert len(self.players[role].ledger.entries) - before == len(of_kind(effects, Keep))
        self.carry_out(role, effects)


Network.TestCase.settings = settings(
    max_examples=max(60, settings().max_examples // 5), stateful_step_count=40
)
TestNetwork = Network.TestCase
