"""Witnessed games over a whole network, in virtual time: real players, real witnesses."""

import asyncio

import pytest

from ataxxd.rules import Position
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import Points, count_points_of_all
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd.session.witnesses import claim_statements, find_player_at_fault
from tests.chaos.duel import Duel, on_turn, phase, unplug
from tests.chaos.players import Onlooker
from tests.conformance.games import WITNESS_KEYS

GRACE_S = 60
NEVER_S = 1e9


class Court(Duel):
    """A duel with one guest before three witnesses, one of whom nobody need start."""

    def __init__(self, seed: int) -> None:
        super().__init__(
            Position.start("ataxx/cs61b-2022"),
            seed,
            grace_ms=GRACE_S * 1000,
            witnesses=[key.node for key in WITNESS_KEYS],
        )
        self.opponent = self.guest()
        self.host.pace_s = self.opponent.pace_s = NEVER_S
        self.opponent.claims = False
        self.witnesses = [
            Onlooker(self.world, f"witness {number}", self.offer, key)
            for number, key in enumerate(WITNESS_KEYS, 1)
        ]

    async def until_the_opponent_is_on_turn(self) -> None:
        """Everybody comes, and the host moves when the witnesses have listened for a while."""
        self.lives = [
            asyncio.create_task(each.exist())
            for each in (self.host, self.opponent, *self.witnesses)
        ]
        await self.until(self._has_begun)
        await asyncio.sleep(15)
        assert self.host.runtime is not None
        await self.host.runtime.play(self.host.runtime.session.ledger.position.legal_moves[0])
        await self.until(lambda: on_turn(self.opponent))

    def _has_begun(self) -> bool:
        return on_turn(self.host) and phase(self.opponent) is Phase.PLAYING

    @property
    def told(self) -> list[Ledger]:
        """The game as both players have stored it."""
        return [self.host.disk.ledger(), self.opponent.disk.ledger()]


@pytest.mark.requirement("MP-WITNESS-2", "MP-WITNESS-4")
@pytest.mark.parametrize("seed", range(3))
def test_a_silence_is_borne_out_by_witnesses_whose_statements_are_in_the_record(seed: int) -> None:
    court = Court(seed)

    async def scenario() -> None:
        await court.until_the_opponent_is_on_turn()
        unplug(court.opponent)
        await asyncio.sleep(GRACE_S + 45)

    court.run(scenario())
    record = verify_record(dump_record(court.host.disk.ledger())).ledger
    assert record.decision is Role.HOST
    said = claim_statements(record)
    assert {each.author for each in said} == set(court.offer.witnesses or ())
    assert all(abs(each.silence_ms - GRACE_S * 1000) < 5_000 for each in said)
    assert find_player_at_fault(record) is Role.GUEST
    (seen, *_) = [each.ledgers()[0] for each in court.witnesses]
    assert claim_statements(seen) == said


@pytest.mark.requirement("MP-WITNESS-3", "MP-WITNESS-4", "MP-WITNESS-6")
@pytest.mark.parametrize(
    ("cut_off", "counts"), [(0, (0, 2)), (1, (0, 2)), (2, (0, 0)), (3, (0, 0))]
)
def test_a_false_claim_is_lost_before_a_majority_of_witnesses(
    cut_off: int, counts: tuple[int, int]
) -> None:
    court = Court(seed=7)

    async def scenario() -> None:
        await court.until_the_opponent_is_on_turn()
        for each in court.witnesses[:cut_off]:
            unplug(each)
        await asyncio.sleep(20)
        for each in court.witnesses[:cut_off]:
            each.machine.online = True
        await asyncio.sleep(15)
        assert court.host.session is not None
        assert court.host.runtime is not None
        claim = court.host.session.claim("silence", GRACE_S * 1000)
        await court.host.runtime.carry_out(claim)
        await asyncio.sleep(30)

    court.run(scenario())
    for each in court.told:
        assert len(claim_statements(each)) == 3 - cut_off
    count = count_points_of_all(court.told)
    assert isinstance(count, Points)
    assert (count.first, count.second) == counts
