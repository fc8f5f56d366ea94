"""A journal that was damaged after its process was killed knows that it has lost something."""

import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.node.high_water import HighWaterMark
from ataxxd.node.journal import Journal
from ataxxd.session.effects import Keep
from ataxxd.session.roles import Role
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
