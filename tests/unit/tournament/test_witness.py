"""A claim in an event that the accused contests: its host watched the game, and decides."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, state_parts
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd.tournament.folder import SeenMessages
from ataxxd.tournament.hosting import ArrivalRecorder, WatchedBoard
from ataxxd.tournament.tournament import Finding, Tournament, result_of
from ataxxd_protocol import Topics, encode, signed
from ataxxd_protocol.messages import AnyLogMessage, EventPlan, LogMessage, Offer, Result
from tests.conformance.games import GUEST_KEY, HOST_KEY, Pair, craft
from tests.conformance.scenarios import decision
from tests.conformance.tournaments import NOW_MS, make_plan
from tests.memory_broker import Carried, MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.tournament.test_audit import NAME, judged

TOPICS = Topics()
GRACE_MS = 60_000


class Hands:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.clock = Clock(lambda: self.seconds, lambda: NOW_MS / 1000 + self.seconds)


class Game:
    """A game of an event in which the host of the game is claimed from, or claims."""

    def __init__(self) -> None:
        self.plan: EventPlan = make_plan(2, rounds=1, grace_ms=GRACE_MS)
        self.pair = Pair.started(
            name=NAME, access=GUEST_KEY.node, created_ms=NOW_MS, grace_ms=GRACE_MS
        )
        self.pair.play("g2", "b1")

    @property
    def before(self) -> list[AnyLogMessage]:
        """The whole game so far: the host has to move."""
        return [message for message in self.pair.wire if isinstance(message, LogMessage)]

    def claim(self) -> AnyLogMessage:
        """The guest claims a minute of silence."""
        return decision(self.pair.guest.ledger, Role.GUEST, "silence", GRACE_MS)

    def answer(self, *, crossed: bool) -> list[AnyLogMessage]:
        """The host contests it, with a move that may have come before."""
        ledger = self.pair.host.ledger.copy()
        move = craft(ledger, Role.HOST, "move", move="b6", elapsed_ms=1)
        if crossed:
            ledger.accept(Role.HOST, move)
        ledger.accept(Role.GUEST, self.claim())
        score = craft(ledger, Role.HOST, "score", had_ms=1, since_ms=1)
        return [move, score] if crossed else [score]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not holds():  # noqa: ASYNC110 - the board tells nobody
            await asyncio.sleep(0)


async def watched(
    game: Game,
    silence_s: float,
    *,
    crossed: bool,
    settled_s: float = 60,
    seen: Path | None = None,
) -> Result:
    """What the event's host gives, when it has seen so long a silence.

    Args:
        game: the game.
        silence_s: how long the host of the game is silent.
        crossed: whether its move crosses the claim.
        settled_s: how long the event's host has been connected before the game begins.
        seen: where what was seen is kept: the host is started again in the middle of the silence.
    """
    hands, broker = Hands(), MemoryBroker()
    tournament = Tournament(game.plan)
    tournament.accept_round(signed(tournament.next_round([], created_ms=NOW_MS), HOST_KEY))
    (board,) = tournament.boards
    asked = asyncio.Event()

    def looking() -> tuple[WatchedBoard, asyncio.Task[None]]:
        kept = None if seen is None else SeenMessages(seen)
        looked = WatchedBoard(game.plan, board, broker.connect, clock=hands.clock, seen=kept)
        offers: asyncio.Queue[Offer] = asyncio.Queue()
        offers.put_nowait(game.pair.offer)
        return looked, asyncio.create_task(looked.run(offers))

    def look(carried: Carried) -> Iterable[Carried]:
        if carried.topic == TOPICS.who(NAME):
            asked.set()
        return [carried]

    broker.interfere = look
    looked, running = looking()
    async with asyncio.timeout(DEADLINE):
        await asked.wait()

    async def hears(message: AnyLogMessage) -> None:
        topic = TOPICS.out(NAME, HOST_KEY.node, message.author)
        broker.inject(topic, encode(message))
        # A spectator keeps a join until the start names it.
        await until(lambda: message.type == "join" or message.digest in _heard(looked))

    hands.seconds += settled_s
    for message in game.before:
        await hears(message)
    *moves, score = game.answer(crossed=crossed)
    if seen is not None:
        hands.seconds += silence_s / 2
        silence_s /= 2
        running.cancel()
        await asyncio.wait({running})
        for part in state_parts(game.pair.host.ledger):
            topic = TOPICS.state(NAME, HOST_KEY.node, part.part)
            broker.inject(topic, encode(signed(part, HOST_KEY)), retain=True)
        looked, running = looking()
        await until(lambda: len(_heard(looked)) == len(game.before))
    hands.seconds += silence_s
    for message in (*moves, game.claim(), score):
        await hears(message)
    async with asyncio.timeout(DEADLINE):
        await running
    return looked.result


def _heard(board: WatchedBoard) -> set[str]:
    return set() if board.ledger is None else {each.digest for _, each in board.ledger.line}


@pytest.mark.requirement("MP-EVENT-14")
@pytest.mark.parametrize(
    ("silence_s", "crossed", "score"),
    [
        # At once, as if nothing had been heard for a minute: the claimant has lied.
        (1, False, "1-0"),
        (1, True, "1-0"),
        (54, True, "1-0"),
        # The accused was silent, and denies it.
        (60, False, "0-1"),
        (61, True, "0-1"),
    ],
)
async def test_the_host_of_an_event_gives_a_contested_game_to_who_was_right(
    silence_s: float, crossed: bool, score: str
) -> None:
    game = Game()
    result = await watched(game, silence_s, crossed=crossed)
    assert result.score == score


@pytest.mark.requirement("MP-EVENT-14")
@pytest.mark.parametrize(("silence_s", "score"), [(60, "0-1"), (40, "1-0")])
async def test_a_host_that_is_started_again_knows_what_it_has_seen(
    silence_s: float, score: str, tmp_path: Path
) -> None:
    result = await watched(Game(), silence_s, crossed=False, seen=tmp_path / "seen.jsonl")
    assert result.score == score


def test_what_cannot_be_read_of_what_was_seen_was_not_seen(tmp_path: Path) -> None:
    seen = SeenMessages(tmp_path / "seen" / "game.jsonl")
    assert seen.read() == {}
    seen.add("a" * 64, 5)
    seen.add("b" * 64, None)
    SeenMessages(seen.path).add("c" * 64, 7)
    whole = seen.path.read_bytes()
    seen.path.write_bytes(whole[:-3])
    assert SeenMessages(seen.path).read() == {"a" * 64: 5, "b" * 64: None}
    for line in (b"[]\n", b"{}\n", b'{"message":1,"heard_ms":2}\n', b"\xff\n"):
        seen.path.write_bytes(whole + line)
        assert len(SeenMessages(seen.path).read()) == 3


@pytest.mark.requirement("MP-EVENT-14")
async def test_what_the_host_has_not_seen_begin_it_can_only_refute() -> None:
    # It has just connected, so what it hears may be old; the round may have begun long ago.
    assert (await watched(Game(), 60, crossed=False, settled_s=0)).score == "*"
    witness = ArrivalRecorder(lambda: 10.0, earliest_start_s=0.0)
    ledger = Game().pair.host.ledger.copy()
    ledger.accept(Role.GUEST, decision(ledger, Role.GUEST, "silence", GRACE_MS))
    # Whatever came when, the round is ten seconds old.
    assert witness.find_loser(ledger) is Role.GUEST


@pytest.mark.requirement("MP-EVENT-14")
def test_an_event_is_checked_with_what_its_host_decided_about_a_claim() -> None:
    game = Game()
    ledger: Ledger = game.pair.host.ledger.copy()
    for message in (game.claim(), *game.answer(crossed=False)):
        ledger.accept(Role.GUEST if message.author == GUEST_KEY.node else Role.HOST, message)
    record = {NAME: dump_record(ledger)}
    for loser, score in ((None, "*"), (Role.HOST, "0-1"), (Role.GUEST, "1-0")):
        result = result_of(ledger, loser)
        assert result.score == score
        checked = judged(result, record, game.plan)
        assert checked.finding is Finding.HOLDS
        assert ("the host decided" in checked.why) is (loser is not None)
    drawn = result_of(ledger).model_copy(update={"score": "1/2-1/2"})
    assert judged(drawn, record, game.plan).finding is Finding.WRONG
    # Nothing else is for the host to decide.
    won = game.pair.host.ledger.copy()
    won.accept(Role.HOST, craft(won, Role.HOST, "resign"))
    assert {result_of(won, role).score for role in Role} == {"0-1"}
