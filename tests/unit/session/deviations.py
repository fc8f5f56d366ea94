"""Small games in which one player does something else than to play on, in every way and moment.

The other player is honest: a real session with a real stopwatch, over a clock that the test moves.
What the deviator says is truly signed, and it may show any of its records, or none.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from ataxxd.errors import LocalProtocolError
from ataxxd.node.claims import Stopwatch
from ataxxd.session.events import Effect, Keep, Request
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import Times
from ataxxd.session.points import Points, count_points_of_all
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.session.witnesses import Witness, add_statement
from ataxxd.times import Clock
from ataxxd.transport.mqtt import KEEPALIVE
from ataxxd_protocol import signed
from ataxxd_protocol.messages import AnyLogMessage, AnyMessage, Move, Statement
from tests.conformance.games import SHORT_ENDGAME, WITNESS_KEYS, Pair, craft, sends
from tests.conformance.scenarios import decision

GRACE_MS = 60_000
CLOCK = {"base_ms": 20_000, "increment_ms": 1_000, "lag_ms": 2_000}
"""A flag that falls within the grace, with the thirty seconds of a first move too."""
TAMPERED = "0" * 64
UNCOUNTED = 1
"""What a game that counts for nothing is worth, in halves: more than a loss, less than a win."""


@dataclass
class Table(Pair):
    """Two players, each with a stopwatch over one clock; one of them may be deaf.

    Attributes:
        now: seconds.
        deaf: hears nothing, and so answers nothing.
        private: what the deviator has signed and kept to itself, as records.
        statements: what a witness has signed, where the offer names any.
    """

    now: float = 1_000.0
    deaf: Role | None = None
    private: list[Ledger] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._onlooker = SpectatorSession(Ledger(self.offer))
        self._witness = Witness(WITNESS_KEYS[0], lambda: self.now)
        self.now += 60  # before the game, and so it is sure when what it hears was said
        self.watches = {role: Stopwatch(self.clock) for role in Role}
        for watch in self.watches.values():
            watch.on_connected()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, lambda: self.now)

    def carry(self, role: Role, effects: Sequence[Effect]) -> None:
        pending = [(role, list(effects))]
        while pending:
            sender, batch = pending.pop(0)
            for effect in batch:
                if isinstance(effect, Keep):
                    self.watches[sender].on_message(ours=effect.role is sender)
            other = sender.other
            for message in sends(batch):
                self.overhear(message)
                if other is not self.deaf:
                    answer = self.players[other].receive(message, self.watches[other].times)
                    pending.append((other, answer))

    def ledger(self, role: Role) -> Ledger:
        return self.players[role].ledger

    def say(self, role: Role, message: AnyLogMessage) -> None:
        """Take in and deliver what a player has signed by its own hand."""
        self.carry(role, self.players[role]._accept(role, message))

    def tell(self, role: Role, message: AnyLogMessage) -> None:
        """Deliver it without taking it in: its author means to deny it."""
        self.overhear(message)
        effects = self.players[role.other].receive(message, self.watches[role.other].times)
        self.carry(role.other, effects)

    def overhear(self, message: AnyMessage) -> None:
        """The witness hears a message, which nobody else need hear."""
        self._onlooker.receive(message)
        statement = self._witness.receive(self._onlooker.ledger, message)
        if statement is not None and self.offer.witnesses:
            self.statements.append(statement)

    def asks_again(self, role: Role) -> None:
        """A player who waits repeats itself, and asks the other, who does not answer."""
        for message in sends(self.players[role].on_connected()):
            self.overhear(message)

    def play_on(self, until: Callable[[], bool] = lambda: False) -> None:
        """Make the first legal moves, one a second, until the game is over; deaf players none."""
        while not until() and (role := self.host.ledger.on_turn) not in (None, self.deaf):
            if self.ledger(Role.GUEST).on_turn is not role:
                return  # they do not have the same game any more
            assert role is not None
            self.now += 1
            self.carry(role, self.players[role].play(first_move(self.ledger(role)), 1_000))

    def claims(self, role: Role) -> None:
        """The honest player waits for the grace, or the flag, and claims."""
        self.now += GRACE_MS / 1000 + 1
        waited = self.watches[role].waited_ms
        if self.ledger(role).phase in IN_PLAY and self.ledger(role).on_turn is not role:
            self.carry(role, self.players[role].claim(reason(self.ledger(role)), waited))

    def blip(self, role: Role) -> None:
        """A player's connection is lost for three seconds."""
        self.lose(role, 3)

    def outage(self, role: Role) -> None:
        """A player's connection is lost for nearly as long as the grace."""
        self.lose(role, GRACE_MS / 1000 - 10)

    def lose(self, role: Role, seconds: float) -> None:
        """A player's connection is lost, of which it knows by a ping that is not answered."""
        self.watches[role].on_disconnected(KEEPALIVE, delivered=True)
        self.now += seconds
        self.watches[role].on_connected()

    def restart(self, role: Role) -> None:
        """A player's program is started again."""
        watch = self.watches[role]
        moments = {True: iter(watch._ours), False: iter(watch._theirs)}
        kept = [
            (by is role, int((self.now - next(moments[by is role]).monotonic) * 1000))
            for by, _ in self.ledger(role).line
        ]
        self.watches[role] = Stopwatch(self.clock, kept)
        self.watches[role].on_connected()


Act: TypeAlias = Callable[[Table, Role], None]
WAITING: dict[str, Act] = {}
"""Acts of a player who waits for the other's move."""
ON_TURN: dict[str, Act] = {}
"""Acts of a player on turn."""
OVER: dict[str, Act] = {}
"""Acts of a player when the game is over, from before it has scored."""

OUTAGE = "sends its move late, with a claim, after an outage"
"""The one act that pays: no record tells when a move was sent to somebody who was away."""

UNHEARD = "moves in an outage, repeats nothing and claims"
"""The same act to the two players; the witnesses hear the move, but not the other."""

BOARD = SHORT_ENDGAME.split()[0]


def first_move(ledger: Ledger) -> Any:
    return ledger.position.legal_moves[0]


def reason(ledger: Ledger) -> str:
    """What the offer allows to be claimed."""
    return "flag" if ledger.offer.grace_ms is None else "silence"


def claim_by(role: Role, ledger: Ledger, waited_ms: int = GRACE_MS) -> AnyLogMessage:
    """A claim, true or not, as its author would sign it in its place."""
    return decision(ledger, role, reason(ledger), waited_ms)


def lies(waited_ms: int, *, before: Callable[[Table, Role], None]) -> Act:
    """Claim a silence that was none, at the moment's place."""

    def act(table: Table, role: Role) -> None:
        before(table, role.other)
        table.say(role, claim_by(role, table.ledger(role), waited_ms))

    return act


def crosses(waited_ms: int, *, before: Callable[[Table, Role], None], answers: bool = True) -> Act:
    """Claim a silence as if the other's answer, which has come, had not."""

    def act(table: Table, role: Role) -> None:
        old, other = table.ledger(role).copy(), role.other
        table.deaf = role
        table.now += 1
        table.carry(other, table.players[other].play(first_move(old), 1_000))
        before(table, other)
        if answers:
            table.deaf = None
        table.say(role, claim_by(role, old, waited_ms))

    return act


def waits(before: Callable[[Table, Role], None]) -> Callable[[Table, Role], None]:
    """Let the grace pass, in which something happens to the other player; then claim."""

    def pass_time(table: Table, role: Role) -> None:
        end = table.now + GRACE_MS / 1000
        table.now += 30
        before(table, role)
        table.now = max(table.now, end)

    return pass_time


def nothing(table: Table, role: Role) -> None:
    """Nothing happens to the other player."""


def keeps_a_claim(table: Table, role: Role) -> None:
    """Sign a claim, show it to nobody in the game, and play on."""
    secret = table.ledger(role).copy()
    secret.accept(role, claim_by(role, secret))
    table.private.append(secret)
    table.play_on()


def shows_witnesses(act: Act) -> Act:
    """What an act has signed and kept to itself is shown to the witnesses."""

    def shown(table: Table, role: Role) -> None:
        act(table, role)
        for ledger in table.private:
            table.overhear(ledger.line[-1][1])

    return shown


def keeps_a_claim_and_stops(table: Table, role: Role) -> None:
    """The same, and go silent when the other has moved; spectators may have been shown it."""
    secret = table.ledger(role).copy()
    secret.accept(role, claim_by(role, secret))
    table.private.append(secret)
    table.deaf = role
    table.play_on(lambda: table.ledger(role.other).on_turn is role)
    table.claims(role.other)


def sends_late(before: Callable[[Table, Role], None]) -> Act:
    """Move, tell nobody for as long as the grace, then show it with a claim."""

    def act(table: Table, role: Role) -> None:
        ledger = table.ledger(role)
        move = craft(ledger, role, "move", move=first_move(ledger).text, elapsed_ms=1)
        after = ledger.copy()
        after.accept(role, move)
        waits(before)(table, role.other)
        table.now += 1
        table.say(role, move)
        if after.phase in IN_PLAY:
            table.say(role, claim_by(role, after))

    return act


def sends_to_witnesses(before: Callable[[Table, Role], None]) -> Act:
    """Move when the other's connection is lost, answer none of its requests, and claim."""

    def act(table: Table, role: Role) -> None:
        ledger, end = table.ledger(role), table.now + GRACE_MS / 1000 + 1
        move = craft(ledger, role, "move", move=first_move(ledger).text, elapsed_ms=1)
        after = ledger.copy()
        after.accept(role, move)
        table.overhear(move)
        before(table, role.other)
        while table.now < end:
            table.asks_again(role.other)
            table.now += 25
        table.say(role, move)
        if after.phase in IN_PLAY:
            table.say(role, claim_by(role, after))

    return act


def answers_to_witnesses(answer: Callable[[Table, Role], None]) -> Act:
    """Move when the other's connection is lost, answer none of its requests until it claims."""

    def act(table: Table, role: Role) -> None:
        ledger = table.ledger(role)
        table.now += 1
        table.overhear(craft(ledger, role, "move", move=first_move(ledger).text, elapsed_ms=1))
        table.blip(role.other)
        for _ in range(3):
            table.asks_again(role.other)
            table.now += 20
        goes(answer)(table, role)

    return act


def breaks(kind: str, **fields: Any) -> Act:
    """Break a rule."""

    def act(table: Table, role: Role) -> None:
        ledger = table.ledger(role)
        table.say(role, craft(ledger, role, kind, **fields))

    return act


def moves_out_of_turn(table: Table, role: Role) -> None:
    """Move on the other's turn."""
    table.say(
        role, craft(table.ledger(role), role, "move", move="-", position=TAMPERED, elapsed_ms=1)
    )


def oversteps(table: Table, role: Role) -> None:
    """State more time than a clock leaves; without one that is only a slow move."""
    ledger = table.ledger(role)
    table.say(
        role, craft(ledger, role, "move", move=first_move(ledger).text, elapsed_ms=10 * GRACE_MS)
    )
    table.play_on()


def resigns(table: Table, role: Role) -> None:
    """Give the game up."""
    table.carry(role, table.players[role].resign())


def signs_twice(table: Table, role: Role) -> None:
    """Move, and send another move under the same number."""
    ledger = table.ledger(role)
    other = craft(ledger, role, "move", move=ledger.position.legal_moves[-1].text, elapsed_ms=2)
    table.carry(role, table.players[role].play(first_move(ledger), 1_000))
    table.tell(role, other)
    table.play_on()


def keeps_a_move(table: Table, role: Role) -> None:
    """Move, and keep a record with another move under the same number."""
    ledger = table.ledger(role)
    secret = ledger.copy()
    move = ledger.position.legal_moves[-1].text
    secret.accept(role, craft(secret, role, "move", move=move, elapsed_ms=2))
    table.private.append(secret)
    table.play_on()


def goes(answer: Callable[[Table, Role], None]) -> Act:
    """Say nothing until the other has claimed, and then `answer`."""

    def act(table: Table, role: Role) -> None:
        table.deaf = role
        table.claims(role.other)
        answer(table, role)

    return act


def _claim(table: Table, role: Role) -> AnyLogMessage:
    ledger = table.ledger(role.other)
    assert ledger.decided_at is not None
    return ledger.line[ledger.decided_at][1]


def agrees(table: Table, role: Role) -> None:
    table.deaf = None
    table.carry(role, table.players[role].receive(_claim(table, role), table.watches[role].times))


def contests(table: Table, role: Role) -> None:
    table.deaf = None
    lie = lambda *_: Times(0, 0)  # noqa: E731
    table.carry(role, table.players[role].receive(_claim(table, role), lie))


def moves_late(table: Table, role: Role) -> None:
    """A move as if it had crossed the claim, and no answer."""
    ledger = table.ledger(role)
    table.say(role, craft(ledger, role, "move", move=first_move(ledger).text, elapsed_ms=1))


def moves_late_and_contests(table: Table, role: Role) -> None:
    moves_late(table, role)
    contests(table, role)


def denies(table: Table, role: Role) -> None:
    """Answer a claim by a score of one's own."""
    table.ledger(role).accept(role.other, _claim(table, role))
    mine = "1-0" if table.ledger(role).side_of(role) == 0 else "0-1"
    table.say(role, craft(table.ledger(role), role, "score", score=mine))


def leaves(table: Table, role: Role) -> None:
    """Never answer."""


def asks(what: Request) -> Act:
    """Ask for something that the other refuses, and play on."""

    def act(table: Table, role: Role) -> None:
        with suppress(LocalProtocolError):  # there may be nothing to take back
            table.carry(role, table.players[role].ask(what))
        table.play_on()

    return act


def withholds(table: Table, role: Role) -> None:
    """Write no score."""


def scores(table: Table, role: Role) -> None:
    """Write a score, and a false one."""
    ledger = table.ledger(role)
    if ledger.scorer is role.other:
        table.deaf = None
        table.carry(role.other, table.players[role.other].complete_pending())
        for message in table.ledger(role.other).log(role.other)[len(ledger.log(role.other)) :]:
            ledger.accept(role.other, message)
    if ledger.scorer is role:
        for score in ("1-0", "0-1", "1/2-1/2", "*"):
            twin = ledger.copy()
            twin.accept(role, craft(twin, role, "score", score=score))
            table.private.append(twin)
        table.say(role, craft(ledger, role, "score", score="*", termination="aborted"))


WAITING |= {
    f"{name} {how}": make(waited, before=before)
    for name, make in (("claims falsely", lies), ("claims across the answer", crosses))
    for how, before in (
        ("at once", nothing),
        ("after a blip", Table.blip),
        ("after a restart", Table.restart),
    )
    for waited in (GRACE_MS,)
}
WAITING |= {
    f"waits, and claims across the answer {how}": crosses(GRACE_MS, before=waits(before))
    for how, before in (
        ("at once", nothing),
        ("after a blip", Table.blip),
        ("after an outage", Table.outage),
    )
}
WAITING |= {
    "claims a day across the answer": crosses(86_400_000, before=Table.blip),
    "claims across and hears nothing more": crosses(GRACE_MS, before=nothing, answers=False),
    "keeps a claim and plays on": keeps_a_claim,
    "keeps a claim and stops": keeps_a_claim_and_stops,
    "keeps a claim and shows it to witnesses": shows_witnesses(keeps_a_claim),
    "keeps a claim, stops and shows it to witnesses": shows_witnesses(keeps_a_claim_and_stops),
    "claims what was not agreed": lies(1_000, before=nothing),
    "moves out of turn": moves_out_of_turn,
    "scores too early": breaks("score", score="1-0", termination="no-moves"),
    "asks for a takeback": asks("takeback"),
    "asks for an abort": asks("abort"),
}
ON_TURN |= {
    "resigns": resigns,
    "states more time than it had": oversteps,
    "claims on its own turn": lies(GRACE_MS, before=nothing),
    "sends its move late, with a claim": sends_late(nothing),
    "sends its move late, with a claim, after a blip": sends_late(Table.blip),
    OUTAGE: sends_late(Table.outage),
    "moves in a blip, repeats nothing and claims": sends_to_witnesses(Table.blip),
    UNHEARD: sends_to_witnesses(Table.outage),
    "moves in a blip, repeats nothing and goes silent": answers_to_witnesses(leaves),
    "moves in a blip, repeats nothing and contests": answers_to_witnesses(contests),
    "moves in a blip, repeats nothing and shows it late": answers_to_witnesses(moves_late),
    "makes an illegal move": breaks("move", move="a1a7", position=TAMPERED, elapsed_ms=1),
    "leaves a ply out": breaks("resign", ply=99),
    "aborts without consent": breaks("abort"),
    "signs two moves": signs_twice,
    "keeps a second move": keeps_a_move,
    "scores too early ": breaks("score", score="1-0", termination="no-moves"),
    "offers a draw that the game does not know": breaks("draw"),
    "asks for a takeback ": asks("takeback"),
    "goes silent and leaves": goes(leaves),
    "goes silent and agrees": goes(agrees),
    "goes silent and contests": goes(contests),
    "goes silent and denies": goes(denies),
    "goes silent and moves late": goes(moves_late),
    "goes silent, moves late and contests": goes(moves_late_and_contests),
}
OVER |= {"withholds its score": withholds, "signs false scores": scores}
ACTS = {name.strip() for acts in (WAITING, ON_TURN, OVER) for name in acts}


@dataclass(frozen=True)
class Case:
    """One act of one player at one moment.

    Attributes:
        name: for messages.
        role: who deviates.
        act: what it does.
        played_on: what playing on counts.
        shown: every set of records that may be shown: the other's, and what the deviator adds.
        sides: of the deviator and of the other.
    """

    name: str
    role: Role
    act: str
    played_on: Points
    shown: tuple[Sequence[Ledger], ...]
    sides: tuple[Any, Any]

    @cached_property
    def counts(self) -> tuple[Points | str, ...]:
        """What each set of records counts as."""
        return tuple(map(count_points_of_all, self.shown))

    def worth(self, count: Points | str, *, own: bool = True) -> int:
        """What a count is worth to the deviator, or to the other, in halves."""
        side = self.sides[0 if own else 1]
        return UNCOUNTED if isinstance(count, str) else count.of(side)


def starts() -> Iterator[tuple[str, dict[str, Any]]]:
    for color in ("first", "second"):
        for board in (BOARD, BOARD.translate(str.maketrans("xo", "ox"))):
            for timed in ({"grace_ms": GRACE_MS}, {"clock": CLOCK}):
                text = f"{board} x 0 1"
                name = f"{color} {text}, {next(iter(timed))}"
                yield name, {"start": text, "color": color, **timed}


def cases(witnesses: Sequence[str] = ()) -> Iterator[Case]:
    """Every act at every moment, with witnesses or without any."""
    for name, usual in starts():
        terms = {**usual, "witnesses": list(witnesses)} if witnesses else usual
        whole = Table.started(**terms)
        whole.play_on()
        played_on = count_points_of_all([whole.host.ledger, whole.guest.ledger])
        assert isinstance(played_on, Points)
        plies = len(whole.host.ledger.moves)
        for moment in range(plies + 1):
            for role in Role:
                yield from _at(name, terms, moment, role, played_on)


def _at(
    name: str, terms: dict[str, Any], moment: int, role: Role, played_on: Points
) -> Iterator[Case]:
    def begun() -> Table:
        table = Table.started(**terms)
        if moment == len_of(terms):
            # The last move, after which the deviator does not score by itself.
            table.play_on(lambda: len(table.host.ledger.moves) == moment - 1)
            by = table.host.ledger.on_turn
            assert by is not None
            table.deaf = role
            table.carry(by, table.players[by].play(first_move(table.ledger(by)), 1_000))
            if by is not role:
                move = next(m for m in table.ledger(by).log(by)[::-1] if isinstance(m, Move))
                table.ledger(role).accept(by, move)
        else:
            table.play_on(lambda: len(table.host.ledger.moves) == moment)
        return table

    table = begun()
    if table.ledger(role).phase in (Phase.OVER, Phase.SCORED):
        acts = OVER
    elif table.ledger(role).on_turn is role:
        acts = ON_TURN
    else:
        acts = WAITING
    for what, act in acts.items():
        table = begun()
        if what == "aborts without consent" and not any(
            isinstance(each, Move) for each in table.ledger(role).log(role)
        ):
            continue  # before its first move it may
        act(table, role)
        honest = table.ledger(role.other)
        own = [[], [table.ledger(role)], *([each] for each in table.private), table.private]
        told = list(told_by_witnesses(honest, table.statements))
        shown = tuple([each, *records] for each in told for records in own)
        sides = (honest.side_of(role), honest.side_of(role.other))
        yield Case(
            f"{name}, ply {moment}: the {role} {what}", role, what.strip(), played_on, shown, sides
        )


def told_by_witnesses(honest: Ledger, heard: Sequence[Statement]) -> Iterator[Ledger]:
    """The other's record with the statements of two witnesses, and of a third, true or not."""
    if not heard:
        yield honest
        return
    for third in (None, 0, GRACE_MS):
        told = honest.copy()
        for one in heard:
            by_two = [(key, one.silence_ms) for key in WITNESS_KEYS[:2]]
            by_all = by_two if third is None else [*by_two, (WITNESS_KEYS[2], third)]
            for key, silence_ms in by_all:
                changed = {"author": key.node, "key": key.public_key, "silence_ms": silence_ms}
                add_statement(told, signed(one.model_copy(update=changed), key))
        yield told


_LENGTHS: dict[str, int] = {}


def len_of(terms: dict[str, Any]) -> int:
    """How many plies a game takes that is played on."""
    key = str(terms)
    if key not in _LENGTHS:
        whole = Table.started(**terms)
        whole.play_on()
        _LENGTHS[key] = len(whole.host.ledger.moves)
    return _LENGTHS[key]
