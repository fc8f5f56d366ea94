"""A guest plays no game that its host has dated far from today."""

from pathlib import Path

import pytest

from ataxxd.node.errors import Incompatible
from ataxxd.node.offers import Terms, new_offer
from ataxxd.node.profile import open_profile
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from tests.conformance.games import HOST_KEY
from tests.memory_broker import MemoryBroker
from tests.unit.node.seated import FIRST, SECRET, Player

DAY_MS = 86_400_000


@pytest.mark.requirement("MP-HAND-16")
@pytest.mark.parametrize(
    ("days", "why"), [(1.01, "dated in the future"), (-31.01, "dated more than a month ago")]
)
async def test_an_offer_that_is_dated_otherwise_than_today_is_not_joined(
    tmp_path: Path, days: float, why: str
) -> None:
    broker = MemoryBroker()
    now_ms = SYSTEM_CLOCK.now_ms()
    offer = new_offer(
        HOST_KEY, "ourgame", FIRST, color="first", secret=SECRET,
        now_ms=now_ms + int(days * DAY_MS), lasts_ms=100 * DAY_MS, terms=Terms(),
    )  # fmt: skip
    async with open_profile(tmp_path) as profile:
        guest = Player(profile, broker)
        guest.sit(offer, Role.GUEST)
        with pytest.raises(Incompatible, match=why):
            await guest.ends()
        assert not profile.journal.unfinished()
        await guest.close()
    assert not any(topic.endswith("/out") for topic in broker.retained)
