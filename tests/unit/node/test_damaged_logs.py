"""A journal that was damaged after its process was killed knows that it has lost something."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.high_water import HighWaterMark
from ataxxd.node.journal import Journal
from ataxxd.session.events import Keep
from ataxxd.session.state import Role
from ataxxd_protocol import encode
from tests.conformance.games import Pair, of_kind

FLIPS = 96


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The files of a journal as a killed process leaves them, and how many messages it signed."""
    folder, left = tmp_path_factory.mktemp("open"), tmp_path_factory.mktemp("killed")
    pair = Pair.started()
    pair.play_out()
    kept = of_kind(pair.effects[Role.HOST], Keep)[:24]
    with closing(Journal(folder / "journal.db")) as journal:
        stored = journal.begin(pair.offer, Role.HOST, {})
        for each in kept:
            journal.keep(stored, [(each.role, each.message)])
        for file in folder.glob("journal.*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, left)
    return left, sum(each.role is Role.HOST for each in kept)


@pytest.fixture
def left(killed: tuple[Path, int], tmp_path: Path) -> Path:
    """These files, to be damaged."""
    return Path(shutil.copytree(killed[0], tmp_path / "home"))


def opened(folder: Path) -> tuple[bool, int]:
    """Whether the game of the journal is trusted, and how many of our messages are known."""
    with closing(Journal(folder / "journal.db")) as journal:
        (stored,) = journal.unfinished()
        return not stored.restored, len(journal.ledger(stored).log(Role.HOST))


def changed(folder: Path, *statements: str) -> None:
    """Do with the journal's tables what SQLite takes for a change like any other."""
    with closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


@pytest.mark.requirement("MP-NODE-2")
@pytest.mark.parametrize(
    ("lost", "left_over"),
    [
        ("seq >= 20", 20),
        ("seq = (SELECT max(seq) FROM messages)", 23),
        # What stands behind a gap rests on what is gone.
        ("seq = 7", 7),
        ("seq BETWEEN 3 AND 5", 3),
        ("seq = 0", 0),
        ("true", 0),
    ],
)
def test_messages_that_are_gone_from_the_middle_of_the_file_are_missed(
    lost: str, left_over: int, left: Path
) -> None:
    changed(left, f"DELETE FROM messages WHERE {lost}")
    for _ in range(2):
        with closing(Journal(left / "journal.db")) as journal:
            (stored,) = journal.unfinished()
            assert stored.restored
            assert len(journal.ledger(stored).entries) == left_over


@pytest.mark.requirement("MP-NODE-2")
def test_an_older_page_of_the_file_is_noticed(tmp_path: Path) -> None:
    """As a disk leaves it that has lost one write, to which SQLite is blind."""
    path = tmp_path / "journal.db"
    pair = Pair.started()
    pair.play_out()
    kept = of_kind(pair.effects[Role.HOST], Keep)
    pages: list[list[bytes]] = []
    for count in (6, 7):
        with closing(Journal(path)) as journal:
            found = journal.unfinished()
            stored = found[0] if found else journal.begin(pair.offer, Role.HOST, {})
            begin = 6 if found else 0
            journal.commit([(stored, [(each.role, each.message) for each in kept[begin:count]])])
        content = path.read_bytes()
        pages.append([content[at : at + 4096] for at in range(0, len(content), 4096)])
    # The seventh message went to a page that held others before it.
    text = encode(kept[6].message)[:64]
    (number,) = [at for at, page in enumerate(pages[1]) if text in page]
    with path.open("r+b") as file:
        file.seek(number * 4096)
        file.write(pages[0][number])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("SELECT count(*) FROM messages").fetchone() == (6,)
    with closing(Journal(path)) as journal:
        (stored,) = journal.unfinished()
        assert stored.restored


def test_a_finished_game_with_messages_gone_is_no_game(left: Path) -> None:
    with closing(Journal(left / "journal.db")) as journal:
        (stored,) = journal.unfinished()
        journal.finish(stored)
    changed(left, "DELETE FROM messages WHERE seq >= 20")
    with (
        closing(Journal(left / "journal.db")) as journal,
        pytest.raises(StorageError, match="messages of it are gone"),
    ):
        journal.ledger(stored)


@pytest.mark.requirement("MP-NODE-2")
def test_a_game_that_is_gone_is_missed(left: Path, caplog: pytest.LogCaptureFixture) -> None:
    other = Pair.started(name="other")
    with closing(Journal(left / "journal.db")) as journal:
        journal.begin(other.offer, Role.HOST, {})
    changed(left, "DELETE FROM messages", f"DELETE FROM games WHERE game != '{other.offer.digest}'")
    with closing(Journal(left / "journal.db")) as journal:
        (stored,) = journal.unfinished()
        assert stored.restored
    assert "lacks what this node sent last" in caplog.text


def test_what_is_forgotten_or_replaced_on_purpose_is_not_missed(left: Path) -> None:
    with closing(Journal(left / "journal.db")) as journal:
        (stored,) = journal.unfinished()
        line = journal.ledger(stored).line
        journal.mark_restored()
        journal.adopt(stored, line)
        refused = Pair.make(name="refused")
        journal.begin(refused.offer, Role.GUEST, {})
        journal.begin(refused.offer, Role.GUEST, {})
        over = journal.begin(Pair.make(name="over").offer, Role.HOST, {})
        journal.finish(over)
        assert journal.forget([(over.offer.digest, Role.HOST)]) == 1
        journal.finish(journal.begin(Pair.make(name="old").offer, Role.HOST, {}))
        assert journal.forget_ended(2**53) == 1
    with closing(Journal(left / "journal.db")) as journal:
        assert [each.restored for each in journal.unfinished()] == [False, False]


def test_a_killed_process_has_lost_nothing(left: Path, killed: tuple[Path, int]) -> None:
    assert opened(left) == (True, killed[1])
    assert opened(left) == (True, killed[1])


@pytest.mark.parametrize("seed", range(FLIPS))
def test_one_wrong_bit_in_the_log_is_noticed_or_does_no_harm(
    seed: int, left: Path, killed: tuple[Path, int]
) -> None:
    choices = random.Random(seed)
    log = left / "journal.db-wal"
    content = bytearray(log.read_bytes())
    # In each part of the log.
    place = len(content) * seed // FLIPS + choices.randrange(len(content) // FLIPS)
    content[place] ^= 1 << choices.randrange(8)
    log.write_bytes(content)
    trusted, known = opened(left)
    assert trusted is (known == killed[1])


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "older"])
def test_a_log_that_is_not_whole_is_noticed(
    damage: str, left: Path, killed: tuple[Path, int]
) -> None:
    log = left / "journal.db-wal"
    if damage == "missing":
        log.unlink()
    else:
        part = {"empty": 0.0, "cut": 0.5, "older": 0.8}[damage]
        log.write_bytes(log.read_bytes()[: int(log.stat().st_size * part)])
    trusted, known = opened(left)
    assert not trusted
    assert 1 <= known < killed[1]
    # It stays so until the game has been learnt from the other side.
    assert opened(left) == (False, known)


@pytest.mark.parametrize(
    "mark", [None, b"", b"ataxxd-mark-1 00000000000000000001 0123456789abcdef\n"]
)
def test_without_a_mark_that_holds_no_game_is_trusted(
    mark: bytes | None, left: Path, killed: tuple[Path, int]
) -> None:
    path = left / "journal.mark"
    if mark is None:
        path.unlink()
    else:
        path.write_bytes(mark)
    assert opened(left) == (False, killed[1])
    assert HighWaterMark(path).read() is not None


def test_a_mark_is_never_lowered(tmp_path: Path) -> None:
    one, other = HighWaterMark(tmp_path / "mark"), HighWaterMark(tmp_path / "mark")
    assert one.read() is None
    for count in (3, 5, 4):
        (one if count == 4 else other).raise_to(count)
    assert one.read() == other.read() == 5
    one.close()
    other.close()
