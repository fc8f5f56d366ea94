"""A member compares its club's log with its own games."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.node.journal import Journal
from ataxxd.session.events import Keep
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd.tournament.club_keeper import find_false_announcements
from tests.conformance.clubs import CLUB_KEY, NOW_MS, Club, club_of_two, short_game
from tests.conformance.games import GUEST_KEY, HOST_KEY, of_kind

CLOCK = Clock(wall=lambda: NOW_MS / 1000)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.db", CLOCK)) as opened:
        yield opened


def found(club: Club, journal: Journal, node: str = GUEST_KEY.node) -> list[str]:
    return [*find_false_announcements(club.read(), node, journal, CLOCK)]


@pytest.mark.parametrize(("late_s", "said"), [(0, None), (59, None), (90, "1m 30s after")])
@pytest.mark.parametrize("role", list(Role))
def test_a_game_that_was_announced_after_it_began_is_named(
    role: Role, late_s: int, said: str | None, journal: Journal
) -> None:
    club, pair = club_of_two(), short_game()
    stored = journal.begin(pair.offer, role, {})
    kept = of_kind(pair.effects[role], Keep)
    journal.keep(stored, [(each.role, each.message) for each in kept])
    club.now_ms += late_s * 1000
    club.announce(pair)
    doubted = found(club, journal, (HOST_KEY if role is Role.HOST else GUEST_KEY).node)
    assert doubted == ([] if said is None else [doubted[0]])
    assert said is None or f"announced {said} it had begun" in doubted[0]


def test_a_game_that_a_member_has_not_played_is_named(journal: Journal) -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    (only,) = found(club, journal)
    assert "this node has not played it" in only
    # It has asked for the seat, and was never given it.
    stored = journal.begin(pair.offer, Role.GUEST, {})
    assert pair.guest.ledger.join is not None
    journal.keep(stored, [(Role.GUEST, pair.guest.ledger.join)])
    (only,) = found(club, journal)
    assert "this node has not played it" in only
    assert found(club, journal, CLUB_KEY.node) == []


def test_when_a_game_began_that_was_learnt_again_is_not_known(journal: Journal) -> None:
    club, pair = club_of_two(), short_game()
    stored = journal.begin(pair.offer, Role.HOST, {})
    journal.adopt(stored, pair.host.ledger.line)
    club.now_ms += 90_000
    club.announce(pair)
    assert found(club, journal, HOST_KEY.node) == []
