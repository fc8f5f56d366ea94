"""The keeper of a club's log: what it has told stays, and nothing is signed on an older copy."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ataxxd.errors import StorageError, VerificationError
from ataxxd.node.backup import back_up, restore
from ataxxd.node.high_water import mark_path
from ataxxd.node.home import Home, load_identity
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog, read_log
from ataxxd_protocol.messages import Admission
from tests.conformance.clubs import CLUB_KEY, club_of_two
from tests.conformance.games import GUEST_KEY, HOST_KEY


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def admit(keeper: ClubKeeper, *nodes: str) -> ClubLog:
    def entries(log: ClubLog, now_ms: int) -> Sequence[Admission]:
        return [Admission(node=node, at_ms=now_ms) for node in nodes if node not in log.members]

    return keeper.append(entries)


def test_what_one_program_appends_another_one_goes_on_from(home: Home) -> None:
    one, other = ClubKeeper(home, CLUB_KEY), ClubKeeper(home, CLUB_KEY)
    admit(one, HOST_KEY.node)
    admit(other, GUEST_KEY.node)
    log = admit(one, HOST_KEY.node, GUEST_KEY.node, "a" * 20)
    assert log.members == {HOST_KEY.node, GUEST_KEY.node, "a" * 20}
    assert len(read_log(one.path.read_bytes()).entries) == 3


def test_what_was_cut_off_while_it_was_written_was_told_to_nobody(home: Home) -> None:
    admit(ClubKeeper(home, CLUB_KEY), HOST_KEY.node)
    path = ClubKeeper(home, CLUB_KEY).path
    told = path.read_bytes()
    admit(ClubKeeper(home, CLUB_KEY), GUEST_KEY.node)
    whole = path.read_bytes()
    mark = mark_path(path).read_bytes()
    for end in range(len(told), len(whole)):
        path.write_bytes(whole[:end])
        # The mark is raised only after the log is on the disk.
        mark_path(path).unlink()
        again = ClubKeeper(home, CLUB_KEY)
        again._mark.raise_to(1)
        assert again.log().members == {HOST_KEY.node}
        assert path.read_bytes() == told
        again._mark.close()
    path.write_bytes(whole)
    mark_path(path).write_bytes(mark)
    assert ClubKeeper(home, CLUB_KEY).log().members == {HOST_KEY.node, GUEST_KEY.node}


@pytest.mark.requirement("MP-CLUB-3")
def test_nothing_is_appended_to_an_older_copy_until_the_newest_is_adopted(home: Home) -> None:
    keeper = ClubKeeper(home, CLUB_KEY)
    admit(keeper, HOST_KEY.node)
    older = keeper.path.read_bytes()
    admit(keeper, GUEST_KEY.node)
    newest = keeper.path.read_bytes()

    keeper.path.write_bytes(older)
    with pytest.raises(StorageError, match="may lack what this club signed last"):
        admit(ClubKeeper(home, CLUB_KEY), "a" * 20)
    mark_path(keeper.path).unlink()
    with pytest.raises(StorageError, match="may lack what this club signed last"):
        admit(ClubKeeper(home, CLUB_KEY), "a" * 20)
    assert keeper.path.read_bytes() == older

    ClubKeeper(home, CLUB_KEY).adopt(newest)
    log = admit(ClubKeeper(home, CLUB_KEY), "a" * 20)
    assert log.members == {HOST_KEY.node, GUEST_KEY.node, "a" * 20}
    assert keeper.path.read_bytes().startswith(newest)


@pytest.mark.requirement("MP-CLUB-3")
def test_a_log_that_is_gone_is_not_begun_again(home: Home) -> None:
    keeper = ClubKeeper(home, CLUB_KEY)
    admit(keeper, HOST_KEY.node)
    keeper.path.unlink()
    with pytest.raises(StorageError, match="may lack what this club signed last"):
        admit(ClubKeeper(home, CLUB_KEY), HOST_KEY.node)


def test_only_a_copy_that_extends_what_is_here_is_adopted(home: Home) -> None:
    keeper = ClubKeeper(home, CLUB_KEY)
    admit(keeper, HOST_KEY.node, GUEST_KEY.node)
    here = keeper.path.read_bytes()
    with pytest.raises(StorageError, match="two logs"):
        keeper.adopt(club_of_two().file)
    with pytest.raises(StorageError, match="belongs to another node"):
        ClubKeeper(home, HOST_KEY).adopt(here)
    with pytest.raises(VerificationError):
        keeper.adopt(b"")
    assert keeper.path.read_bytes() == here
    keeper.adopt(here)
    assert keeper.log().members == {HOST_KEY.node, GUEST_KEY.node}


def test_a_damaged_log_is_named_and_left_as_it_is(home: Home) -> None:
    keeper = ClubKeeper(home, CLUB_KEY)
    admit(keeper, HOST_KEY.node)
    damaged = keeper.path.read_bytes().replace(HOST_KEY.node.encode(), b"a" * 20, 1)
    keeper.path.write_bytes(damaged)
    with pytest.raises(StorageError, match="is damaged: line 2"):
        admit(ClubKeeper(home, CLUB_KEY), GUEST_KEY.node)
    assert keeper.path.read_bytes() == damaged


def test_an_entry_that_does_not_follow_leaves_the_file_as_it_was(home: Home) -> None:
    keeper = ClubKeeper(home, CLUB_KEY)
    admit(keeper, HOST_KEY.node)
    before = keeper.path.read_bytes()
    with pytest.raises(VerificationError, match="is a member already"):
        keeper.append(lambda _log, now_ms: [Admission(node=HOST_KEY.node, at_ms=now_ms)] * 2)
    assert keeper.path.read_bytes() == before
    assert len(keeper.log().entries) == 1


@pytest.mark.requirement("MP-CLUB-3")
def test_a_log_out_of_a_backup_is_not_gone_on_with_unasked(home: Home, tmp_path: Path) -> None:
    key = load_identity(home.identity)
    keeper = ClubKeeper(home, key)
    admit(keeper, HOST_KEY.node)
    keeper.write_record("ours", b"{}\n")
    back_up(home, tmp_path / "backup")
    newer = admit(keeper, GUEST_KEY.node)
    newest = keeper.path.read_bytes()

    restored = Home(tmp_path / "restored")
    restore(restored, tmp_path / "backup")
    again = ClubKeeper(restored, key)
    assert (again.path.parent / "records" / "ours.json").read_bytes() == b"{}\n"
    with pytest.raises(StorageError, match="may lack what this club signed last"):
        admit(again, GUEST_KEY.node)
    again.adopt(newest)
    assert again.log().members == newer.members
    admit(again, "a" * 20)
