"""Whether games wait in a home is seen without opening its journal."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.node.home_location import has_unfinished_games
from ataxxd.node.journal import Journal
from ataxxd.session.state import Role
from tests.journals import OLD_VERSIONS, lay_out


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_an_unfinished_game_is_seen_in_a_journal_of_any_version(
    version: int, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    journal = lay_out(home, version, Role.HOST)
    before = journal.read_bytes()
    assert has_unfinished_games(home)
    assert journal.read_bytes() == before
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE games SET finished = 1")
    assert not has_unfinished_games(home)


def test_an_unfinished_game_is_seen_in_the_journal_that_another_process_plays(
    tmp_path: Path,
) -> None:
    path = lay_out(tmp_path / "home", OLD_VERSIONS[-1], Role.GUEST)
    with closing(Journal(path)) as journal:
        assert journal.unfinished()
        assert has_unfinished_games(path.parent)


def test_where_there_is_no_journal_there_are_no_games_and_nothing_is_made(tmp_path: Path) -> None:
    assert not has_unfinished_games(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_journal_that_cannot_be_read_has_no_games(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no journal at all")
    assert not has_unfinished_games(tmp_path)
