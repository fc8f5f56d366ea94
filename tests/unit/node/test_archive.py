"""The archive finds in a journal what a look at every game of it would find."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.node.archive import OPENING_PLIES, Archive, ArchiveQuery
from ataxxd.node.journal import Journal
from ataxxd.rules import Position
from ataxxd.session.events import Keep
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd_protocol import position_digest
from tests.conformance.games import RULESET, SHORT_ENDGAME, Pair, of_kind

DAY_MS = 86_400_000
SHORT_HASH = position_digest(RULESET, SHORT_ENDGAME)


class Store:
    """A journal with its archive, and the games in it as they were."""

    def __init__(self, folder: Path) -> None:
        self.day = 0
        clock = Clock(wall=lambda: self.day * DAY_MS / 1000)
        self.journal = Journal(folder / "journal.db", clock)
        self.index = folder / "archive.db"
        self.ledgers: dict[str, Ledger] = {}

    def add(self, pair: Pair, role: Role = Role.HOST, *, finished: bool = True) -> str:
        """Keep a game as one of its players does, on a day of its own."""
        self.day += 1
        stored = self.journal.begin(pair.offer, role, {})
        kept = of_kind(pair.effects[role], Keep)
        self.journal.keep(stored, [(effect.role, effect.message) for effect in kept])
        if finished:
            self.journal.finish(stored)
        self.ledgers[pair.offer.digest] = pair.players[role].ledger
        return pair.offer.digest

    def find(self, **wanted: object) -> list[str]:
        """The ids of the games that fit, as an archive just opened finds them."""
        with closing(Archive(self.index, self.journal)) as archive:
            archive.refresh()
            return [game.game for game in archive.search(ArchiveQuery(**wanted))]  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty journal."""
    made = Store(tmp_path)
    yield made
    made.journal.close()


def a_game(seed: int, **changes: object) -> Pair:
    """A game played out at random."""
    chance = random.Random(seed)
    changes.setdefault("name", f"game{seed}")
    pair = Pair.started(**changes)
    pair.play_out(iter(lambda: chance.randrange(1000), None))
    return pair


def test_a_position_is_found_in_every_game_that_had_it_early_and_in_no_other(store: Store) -> None:
    for seed in range(12):
        store.add(a_game(seed))
    position = Position.start(RULESET)
    chance = random.Random(5)
    report_search = {position}
    for ledger in store.ledgers.values():
        walked = [ledger.start]
        for move in ledger.moves:
            walked.append(walked[-1].play(move))
        report_search.update(chance.sample(walked, 4))
    for position in report_search:
        had = {
            game
            for game, ledger in store.ledgers.items()
            if (*position.rows, position.turn) in boards(ledger)[: OPENING_PLIES + 1]
        }
        assert set(store.find(position=position)) == had


def boards(ledger: Ledger) -> list[tuple[object, ...]]:
    """Rows and side to move of all positions of a game."""
    position = ledger.start
    found: list[tuple[object, ...]] = [(*position.rows, position.turn)]
    for move in ledger.moves:
        position = position.play(move)
        found.append((*position.rows, position.turn))
    return found


def test_games_come_newest_first_and_fit_all_that_is_asked(store: Store) -> None:
    first = store.add(a_game(1, name="club"))
    second = store.add(a_game(2, name="club"), Role.GUEST)
    third = store.add(a_game(3, name="ladder", start=SHORT_ENDGAME, start_hash=SHORT_HASH))
    assert store.find() == [third, second, first]
    assert store.find(name="club") == [second, first]
    assert store.find(kind="ataxx") == [third, second, first]
    assert store.find(kind="reversi") == []
    assert store.find(since_ms=2 * DAY_MS, until_ms=3 * DAY_MS) == [second]
    assert store.find(name="club", since_ms=2 * DAY_MS) == [second]


def test_results_are_told_from_this_nodes_side(store: Store) -> None:
    pair = Pair.started()
    pair.carry(Role.HOST, pair.host.resign())
    game = store.add(pair, Role.HOST)
    assert store.find(result="lost") == [game]
    store.add(pair, Role.GUEST)
    assert store.find(result="won") == [game]
    assert store.find() == [game, game]


def test_a_game_that_goes_on_is_not_in_the_archive_until_it_is_over(store: Store) -> None:
    store.add(a_game(1), finished=False)
    assert store.find() == []
    (stored,) = store.journal.unfinished()
    store.journal.finish(stored)
    assert store.find() == [stored.offer.digest]


def test_an_offer_that_nobody_took_is_no_finished_game(store: Store) -> None:
    store.add(Pair.make())
    assert store.find() == []


@pytest.mark.parametrize("damage", [b"", b"not a database", b"SQLite format 3\x00" + bytes(200)])
def test_a_lost_or_damaged_index_is_made_again(store: Store, damage: bytes) -> None:
    game = store.add(a_game(1))
    assert store.find() == [game]
    store.index.write_bytes(damage)
    assert store.find() == [game]


def test_what_is_forgotten_is_gone_and_what_goes_on_stays(store: Store) -> None:
    gone, kept = store.add(a_game(1)), store.add(a_game(2))
    store.add(a_game(3), finished=False)
    with closing(Archive(store.index, store.journal)) as archive:
        archive.refresh()
        games = {game.game: game for game in archive.search(ArchiveQuery())}
        assert archive.forget([games[gone]]) == 1
    assert store.find() == [kept]
    assert store.journal.find(gone) is None
    assert len(store.journal.unfinished()) == 1


def test_only_what_is_done_can_be_forgotten(store: Store) -> None:
    going_on = store.add(a_game(1), finished=False)
    assert store.journal.forget([(going_on, Role.HOST)]) == 0
    assert store.journal.find(going_on) is not None
