"""The rated games of a serving node: none begins before it is announced."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.effect_runner import EffectRunner
from ataxxd.node.home import Home
from ataxxd.node.journal import BatchedJournal, Journal, StoredGame
from ataxxd.node.runtime import report_join
from ataxxd.serve.rated import RatedGames
from ataxxd.session.events import Effect, Keep
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd_protocol.messages import Admission, Removal
from ataxxd_protocol.signing import digest
from tests.conformance.clubs import DAY_MS, NOW_MS, short_game
from tests.conformance.games import GUEST_KEY, HOST_KEY, Pair, of_kind

SERVED: dict[str, Any] = {"served": "tables/club"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def keeper(home: Home) -> ClubKeeper:
    keeper = ClubKeeper(home, HOST_KEY, Clock(wall=lambda: NOW_MS / 1000))
    keeper.append(
        lambda _, now_ms: [Admission(node=key.node, at_ms=now_ms) for key in (HOST_KEY, GUEST_KEY)]
    )
    return keeper


@pytest.fixture
def journal(home: Home) -> Iterator[Journal]:
    with closing(Journal(home.journal)) as opened:
        yield opened


def rated(journal: Journal, keeper: ClubKeeper) -> RatedGames:
    return RatedGames(journal, keeper, {"tables/club": 14 * DAY_MS}.get)


def beginning(pair: Pair) -> list[tuple[Role, Any]]:
    """What the host keeps when a guest takes the seat: the join, and its start."""
    kept = of_kind(pair.effects[Role.HOST], Keep)[:2]
    return [(each.role, each.message) for each in kept]


def begun(journal: Journal, pair: Pair, settings: dict[str, Any]) -> StoredGame:
    return journal.begin(pair.offer, Role.HOST, settings)


async def kept(games: RatedGames, journal: Journal, stored: StoredGame, pair: Pair) -> int:
    """The host of a game keeps and says what it answers to a join; how much was said of it."""
    said = list[Effect]()

    async def say(effect: Effect) -> None:
        said.append(effect)

    runner = EffectRunner(
        journal, stored, on_kept=partial(report_join, games.announce, stored), on_effect=say
    )
    try:
        await runner.carry_out(of_kind(pair.effects[Role.HOST], Keep)[:2])
    except StorageError:
        assert not said
        raise
    return len(said)


@pytest.mark.requirement("MP-CLUB-7")
async def test_a_rated_game_is_announced_before_its_start_can_be_sent(
    journal: Journal, keeper: ClubKeeper
) -> None:
    pair = short_game()
    assert await kept(rated(journal, keeper), journal, begun(journal, pair, SERVED), pair)
    announced = keeper.log().games[pair.offer.digest, GUEST_KEY.node]
    assert announced.announcement.deadline_ms == NOW_MS + 14 * DAY_MS


@pytest.mark.requirement("MP-CLUB-7")
async def test_where_syncs_are_shared_it_is_announced_when_that_is_kept(
    home: Home, keeper: ClubKeeper
) -> None:
    pair = short_game()
    with closing(BatchedJournal(home.journal)) as journal:
        stored = begun(journal, pair, SERVED)
        keeping = asyncio.create_task(kept(rated(journal, keeper), journal, stored, pair))
        await asyncio.sleep(0)
        assert not keeper.log().games
        assert await keeping
        assert keeper.log().games


@pytest.mark.requirement("MP-CLUB-7")
async def test_a_game_that_cannot_be_announced_is_not_begun(
    home: Home, keeper: ClubKeeper, journal: Journal
) -> None:
    keeper.path.unlink()
    keeper.path.mkdir()
    pair = short_game()
    with pytest.raises(StorageError):
        await kept(rated(journal, keeper), journal, begun(journal, pair, SERVED), pair)
    with closing(BatchedJournal(home.journal)) as shared:
        other = short_game(name="other")
        with pytest.raises(StorageError):
            await kept(rated(shared, keeper), shared, begun(shared, other, SERVED), other)


@pytest.mark.requirement("MP-CLUB-7")
def test_a_game_whose_announcement_was_cut_off_by_a_restart_is_announced_before_it_goes_on(
    journal: Journal, keeper: ClubKeeper
) -> None:
    pair = short_game()
    stored = begun(journal, pair, SERVED)
    journal.keep(stored, beginning(pair))
    for _ in range(2):
        rated(journal, keeper).announce_resumed(stored, journal.ledger(stored))
    assert len(keeper.log().games) == 1


async def test_games_that_are_not_rated_are_not_announced(
    journal: Journal, keeper: ClubKeeper
) -> None:
    for name, settings in (("other", {"served": "tables/other"}), ("own", {})):
        pair = short_game(name=name)
        await kept(rated(journal, keeper), journal, begun(journal, pair, settings), pair)
    # A guest that is not a member plays all the same.
    keeper.append(lambda _, now_ms: [Removal(node=GUEST_KEY.node, at_ms=now_ms)])
    pair = short_game()
    assert await kept(rated(journal, keeper), journal, begun(journal, pair, SERVED), pair)
    assert not keeper.log().games


@pytest.mark.requirement("MP-CLUB-7")
async def test_the_record_is_logged_once_and_kept_beside_the_log(
    journal: Journal, keeper: ClubKeeper
) -> None:
    pair = short_game()
    stored = begun(journal, pair, SERVED)
    games = rated(journal, keeper)
    await kept(games, journal, stored, pair)
    pair.play_out()
    for _ in range(2):
        games.add_record(pair.host.ledger)
    record = dump_record(pair.host.ledger)
    assert keeper.log().games[pair.offer.digest, GUEST_KEY.node].records == [digest(record)]
    (written,) = (keeper.path.parent / "records").iterdir()
    assert written.read_bytes() == record
    games.add_record(short_game(name="unrated").host.ledger)
    assert len(keeper.log().entries) == 4


@pytest.mark.requirement("MP-CLUB-7")
async def test_a_record_that_a_restart_kept_out_of_the_log_is_logged_by_the_next_start(
    journal: Journal, keeper: ClubKeeper
) -> None:
    pair = short_game()
    stored = begun(journal, pair, SERVED)
    games = rated(journal, keeper)
    await kept(games, journal, stored, pair)
    pair.play_out()
    journal.keep(stored, [(e.role, e.message) for e in of_kind(pair.effects[Role.HOST], Keep)[2:]])
    rated(journal, keeper).add_missing_records()
    assert keeper.log().games[pair.offer.digest, GUEST_KEY.node].records
