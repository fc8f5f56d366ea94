"""A club's log: what it announced counts, whatever a player, a stranger or the club does then."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ataxxd.errors import VerificationError
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.tournament.club_log import ForkedLog, check_proof, read_log
from ataxxd.tournament.ratings import GatheredGames, gather_games
from ataxxd.tournament.tournament import Tournament, result_of
from ataxxd_protocol import SigningKey, encode, signed
from ataxxd_protocol.merkle import (
    HashTree,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from ataxxd_protocol.messages import Admission, DrawnRound, PlannedEvent, Removal, Result
from tests.conformance.clubs import (
    CLUB_KEY,
    DAY_MS,
    DEADLINE_MS,
    NOW_MS,
    Club,
    announcement,
    club_of_two,
    club_with_event,
    game_of_event,
    result,
    short_game,
)
from tests.conformance.games import GUEST_KEY, HOST_KEY, Pair
from tests.conformance.make_vectors import FOLDER
from tests.conformance.tournaments import make_plan

VECTORS: dict[str, Any] = json.loads((FOLDER / "club.json").read_bytes())
TODAY = NOW_MS // DAY_MS + 30
# Section 2.1.5 of RFC 9162 has no figures; these are those of the tests of the first logs.
LEAVES = (
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    bytes(range(0x40, 0x44)),
    bytes(range(0x50, 0x58)),
    bytes(range(0x60, 0x70)),
)
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def rated(club: Club, *records: bytes) -> GatheredGames:
    """What a club's games come to with these records at hand."""
    named = [(f"record {number}", data) for number, data in enumerate(records)]
    return gather_games(named, day=TODAY, log=club.read())


def why(found: GatheredGames) -> str:
    """Why the only record does not count."""
    assert found.games == ()
    (only,) = found.left_out
    return only.why


@pytest.mark.requirement("MP-CLUB-1")
@pytest.mark.parametrize("size", range(1, len(LEAVES) + 1))
def test_the_tree_is_that_of_certificate_transparency(size: int) -> None:
    tree = HashTree()
    for leaf in LEAVES[:size]:
        tree.append(leaf_hash(leaf))
    assert tree.root.hex() == ROOTS[size - 1]
    assert tree.size == size


@pytest.mark.requirement("MP-CLUB-1")
@pytest.mark.parametrize("size", range(1, 20))
def test_a_proof_shows_its_entry_and_no_other(size: int) -> None:
    leaves = [leaf_hash(bytes([each])) for each in range(size)]
    root = root_of(leaves)
    for index in range(size):
        proof = inclusion_proof(leaves, index)
        assert verify_inclusion(leaves[index], index, size, proof, root)
        assert not verify_inclusion(leaf_hash(b"another"), index, size, proof, root)
        assert not verify_inclusion(leaves[index], index, size, [*proof, root], root)
        assert not verify_inclusion(leaves[index], index, size, proof, root_of(leaves[:-1]))
        for other in range(size + 1):
            assert (other == index) or not verify_inclusion(leaves[index], other, size, proof, root)


@pytest.mark.requirement("MP-CLUB-1")
@pytest.mark.parametrize("size", range(1, 20))
def test_a_proof_shows_that_a_log_extends_another(size: int) -> None:
    leaves = [leaf_hash(bytes([each])) for each in range(size)]
    root = root_of(leaves)
    for old in range(1, size + 1):
        proof = consistency_proof(leaves, old)
        before = root_of(leaves[:old])
        assert verify_consistency(old, before, size, root, proof)
        forked = root_of([*leaves[: old - 1], leaf_hash(b"another")])
        assert not verify_consistency(old, forked, size, root, proof)
        assert not verify_consistency(old, before, size, forked, proof)
        assert not verify_consistency(old, before, size, root, [*proof, root])
    assert not verify_consistency(0, root_of([]), size, root, [])
    assert not verify_consistency(size + 1, root, size, root, [])


@pytest.mark.requirement("MP-CLUB-1", "MP-CLUB-2")
def test_the_logs_of_the_vectors_hold() -> None:
    for case in VECTORS["valid"]:
        log = read_log("".join(f"{line}\n" for line in case["lines"]).encode())
        assert sorted(log.members) == case["members"]
        assert log.head is not None
        assert log.head.root == case["root"]
        for proof in case["proofs"]:
            assert encode(log.proof(proof["index"])).decode() == proof["proof"]


@pytest.mark.requirement("MP-CLUB-1")
def test_the_consistency_proofs_of_the_vectors_hold() -> None:
    for case in VECTORS["consistency"]:
        old, root = bytes.fromhex(case["old_root"]), bytes.fromhex(case["root"])
        path = [bytes.fromhex(each) for each in case["path"]]
        assert verify_consistency(case["old_size"], old, case["size"], root, path)


@pytest.mark.requirement("MP-CLUB-2", "MP-CLUB-3", "MP-CLUB-4")
@pytest.mark.parametrize("case", VECTORS["wrong"], ids=lambda case: str(case["reason"]))
def test_the_logs_of_the_vectors_that_do_not_hold_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(VerificationError, match=f"^line {case['line']}: "):
        read_log("".join(f"{line}\n" for line in case["lines"]).encode())


@pytest.mark.requirement("MP-CLUB-5")
def test_an_announced_game_counts() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    pair.play_out()
    club.result(pair)
    found = rated(club, dump_record(pair.host.ledger))
    (only,) = found.games
    assert (only.first, only.second, only.both_lost) == (HOST_KEY.node, GUEST_KEY.node, False)
    assert found.left_out == ()


@pytest.mark.requirement("MP-CLUB-5", "MP-CLUB-6")
def test_the_game_of_a_pairing_counts_and_only_where_the_round_is_in_the_log() -> None:
    club = club_with_event()
    pair = game_of_event(club)
    pair.carry(Role.HOST, pair.host.resign())
    record = dump_record(pair.host.ledger)
    (only,) = rated(club, record).games
    assert (only.score, only.second_score) == (0, 2)
    # A host that drops an event it does not like, or plans another one under its name.
    assert "has not announced it" in why(rated(club_of_two(), record))
    # The result names the record: whoever has it not is told.
    (tournament,) = club.log.events.values()
    made = tournament.next_round([result_of(pair.host.ledger)], created_ms=NOW_MS)
    club.write(DrawnRound(round=signed(made, CLUB_KEY), at_ms=NOW_MS))
    assert "is not here" in why(rated(club))
    assert len(rated(club, record).games) == 1


@pytest.mark.requirement("MP-CLUB-3", "MP-EVENT-12")
def test_an_event_is_compared_with_the_log_of_its_host() -> None:
    club = club_with_event()
    (logged,) = club.log.events.values()
    club.read().check_event(logged)
    shown = Tournament(logged.plan)
    club.read().check_event(shown)
    # Another first round of the same event.
    made = shown.next_round([], created_ms=NOW_MS + 5)
    shown.accept_round(signed(made, CLUB_KEY))
    with pytest.raises(ForkedLog, match="two different rounds 1"):
        club.read().check_event(shown)
    later = Tournament(logged.plan)
    for each in logged.rounds:
        later.accept_round(each)
    later.accept_round(signed(later.next_round([Result(score="1-0")], created_ms=NOW_MS), CLUB_KEY))
    with pytest.raises(VerificationError, match="does not have round 2"):
        club.read().check_event(later)
    with pytest.raises(VerificationError, match="does not have this event"):
        club_of_two().read().check_event(logged)


# Attacks


@pytest.mark.requirement("MP-CLUB-6")
def test_a_loser_gains_nothing_by_a_record_that_it_withholds() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    pair.play_out()
    club.now_ms = DEADLINE_MS - 1
    club.admit("a" * 20)
    assert rated(club).games == ()
    club.now_ms = DEADLINE_MS + 1
    club.admit("b" * 20)
    (withheld,) = rated(club).games
    assert (withheld.score, withheld.second_score) == (0, 0)
    # The winner need only show its own.
    (shown,) = rated(club, dump_record(pair.guest.ledger)).games
    assert {shown.score, shown.second_score} == {0, 2}


@pytest.mark.requirement("MP-CLUB-6")
def test_a_game_that_is_not_over_in_time_is_lost_for_both_whatever_comes_late() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    unfinished = dump_record(pair.host.ledger)
    assert why(rated(club, unfinished)) == "the game is not over"
    club.now_ms = DEADLINE_MS + 1
    club.result(pair)
    (only,) = rated(club, unfinished).games
    assert (only.score, only.second_score) == (0, 0)
    pair.play(pair.host.ledger.position.legal_moves[0].text)
    (late,) = rated(club, unfinished, dump_record(pair.host.ledger)).games
    assert (late.score, late.second_score) == (0, 0)


@pytest.mark.requirement("MP-CLUB-6")
def test_a_deadline_passes_the_same_for_everybody_and_not_before_its_day() -> None:
    club = club_of_two()
    pair = short_game(color="random")
    club.announce(pair)
    unfinished = ("record", dump_record(pair.host.ledger))
    club.now_ms = DEADLINE_MS + DAY_MS
    club.admit("a" * 20)
    log, passed = club.read(), DEADLINE_MS // DAY_MS
    tables = [gather_games(each, day=passed, log=log) for each in ([], [unfinished])]
    assert tables[0].games == tables[1].games
    assert tables[0].digest == tables[1].digest
    assert len(tables[0].games) == 1
    for records in ([], [unfinished]):
        assert gather_games(records, day=passed - 1, log=log).games == ()
        alone = gather_games(records, day=passed, log=log, members=[HOST_KEY.node])
        assert "is not a member" in why(alone)


@pytest.mark.requirement("MP-CLUB-6")
def test_a_record_that_is_in_the_log_and_not_at_hand_is_told() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    pair.play_out()
    club.result(pair)
    assert "is not here" in why(rated(club))


@pytest.mark.requirement("MP-CLUB-6")
def test_nobody_gains_by_a_record_that_there_is_not() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    club.write(result(pair, NOW_MS).model_copy(update={"record": "0" * 64}))
    pair.play_out()
    club.now_ms = DEADLINE_MS + 1
    club.admit("a" * 20)
    found = rated(club)
    (only,) = found.games
    assert (only.score, only.second_score) == (0, 0)
    assert "is not here" in found.left_out[0].why
    (shown,) = rated(club, dump_record(pair.guest.ledger)).games
    assert {shown.score, shown.second_score} == {0, 2}


@pytest.mark.requirement("MP-CLUB-3")
def test_two_heads_of_which_neither_extends_the_other_prove_a_forked_log() -> None:
    pair = short_game()
    told = club_of_two()
    told.announce(pair)
    known = told.read().head
    assert known is not None
    # The club forgets the game that its friend has lost.
    other = club_of_two()
    other.admit("a" * 20)
    other.admit("b" * 20)
    with pytest.raises(ForkedLog):
        other.read().check_head(known)
    # Without the log: no proof leads from one to the other.
    theirs = other.read().head
    assert theirs is not None
    told.read().check_head(known)
    with pytest.raises(VerificationError, match="an older copy"):
        told.read().check_head(theirs)


@pytest.mark.requirement("MP-CLUB-3")
def test_a_head_that_the_club_has_not_signed_proves_nothing() -> None:
    club = club_of_two()
    known = club.read().head
    assert known is not None
    for forged in (
        signed(known.model_copy(update={"root": "0" * 64}), HOST_KEY),
        signed(known.model_copy(update={"key": HOST_KEY.public_key}), HOST_KEY),
    ):
        with pytest.raises(VerificationError, match="signature does not hold"):
            club.read().check_head(forged)
    other = signed(
        known.model_copy(update={"club": HOST_KEY.node, "key": HOST_KEY.public_key}), HOST_KEY
    )
    with pytest.raises(VerificationError, match="another club"):
        club.read().check_head(other)


@pytest.mark.requirement("MP-CLUB-5")
def test_a_record_that_is_put_among_the_others_counts_for_nothing() -> None:
    club, pair = club_of_two(), short_game()
    pair.play_out()
    assert "has not announced it" in why(rated(club, dump_record(pair.host.ledger)))


@pytest.mark.requirement("MP-CLUB-5")
def test_an_announcement_is_of_one_guest() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    friend = SigningKey(bytes([9]) * 32)
    other = Pair.make(start=pair.offer.start, start_hash=pair.offer.start_hash, grace_ms=60_000)
    other.players[Role.GUEST]._key = friend
    other.carry(Role.GUEST, other.guest.ask_to_join("0b" * 16, "x/1"))
    other.play_out()
    assert other.offer.digest == pair.offer.digest
    assert "has not announced it" in why(rated(club, dump_record(other.host.ledger)))


@pytest.mark.requirement("MP-CLUB-4", "MP-CLUB-5")
def test_the_wins_over_a_node_that_nobody_admitted_count_for_nothing() -> None:
    club, pair = Club(), short_game()
    club.admit(HOST_KEY.node)
    with pytest.raises(VerificationError, match="is not a member"):
        club.announce(pair)
    pair.play_out()
    assert "has not announced it" in why(rated(club, dump_record(pair.host.ledger)))
    # Nor when a club that is not asked announces it.
    club.write(Admission(node=GUEST_KEY.node, at_ms=NOW_MS))
    club.write(Removal(node=GUEST_KEY.node, at_ms=NOW_MS))
    with pytest.raises(VerificationError, match="is not a member"):
        club.announce(pair)


@pytest.mark.requirement("MP-CLUB-4")
def test_a_game_cannot_be_announced_after_its_end() -> None:
    club, pair = club_of_two(), short_game()
    pair.play_out()
    # Its result is in the log already.
    with pytest.raises(VerificationError, match="not announced before it"):
        club.result(pair)
    # Whoever was to join it could no longer.
    with pytest.raises(VerificationError, match="had expired"):
        club.announce(pair, at_ms=pair.offer.expires_ms + 1)
    # A club that puts the announcement where it should have been has signed two logs.
    club.now_ms += 1
    seen = club.admit("a" * 20)
    rewritten = club_of_two()
    rewritten.announce(pair)
    rewritten.now_ms += 1
    rewritten.admit("a" * 20)
    with pytest.raises(ForkedLog):
        rewritten.read().check_head(seen)
    # And what stands behind a head cannot be older than it.
    with pytest.raises(VerificationError, match="older than what stands before it"):
        club.announce(pair, at_ms=NOW_MS)


@pytest.mark.requirement("MP-CLUB-2")
def test_a_log_in_which_one_byte_was_changed_does_not_hold() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    data = club.file
    read_log(data)
    for at in range(0, len(data), 7):
        with pytest.raises(VerificationError):
            read_log(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


@pytest.mark.requirement("MP-CLUB-2")
@pytest.mark.parametrize("cut", [1, 100, -1])
def test_a_log_that_was_cut_within_a_line_does_not_hold(cut: int) -> None:
    with pytest.raises(VerificationError, match="this log is cut short"):
        read_log(club_of_two().file[:-cut] if cut > 0 else b"")


def test_entries_without_a_head_over_them_are_nobodys() -> None:
    club = club_of_two()
    club.lines.append(encode(Admission(node="a" * 20, at_ms=NOW_MS)))
    with pytest.raises(VerificationError, match="does not end with the club's signature"):
        club.read()


ENTRIES: dict[str, tuple[Callable[[Club, Pair], Any], str]] = {
    "a member again": (
        lambda _club, _pair: Admission(node=HOST_KEY.node, at_ms=NOW_MS),
        "is a member already",
    ),
    "a removal of nobody": (
        lambda _club, _pair: Removal(node="a" * 20, at_ms=NOW_MS),
        "is not a member",
    ),
    "an earlier entry": (
        lambda _club, _pair: Admission(node="a" * 20, at_ms=NOW_MS - 1),
        "older than",
    ),
    "a past deadline": (
        lambda _club, pair: announcement(pair, deadline_ms=NOW_MS),
        "deadline is past",
    ),
    "an offer of the future": (
        lambda _club, _pair: announcement(short_game(created_ms=NOW_MS + 2 * DAY_MS)),
        "dated in the future",
    ),
    "a game without clock and grace": (
        lambda _club, _pair: announcement(Pair.started()),
        "no silence ends",
    ),
    "a join of another game": (
        lambda _club, pair: announcement(pair, offer=short_game(name="other").offer),
        "another game",
    ),
    "a result of nothing": (lambda _club, pair: result(pair, NOW_MS), "not announced"),
    "an event of another host": (
        lambda _club, _pair: PlannedEvent(plan=make_plan(), at_ms=NOW_MS),
        "another host",
    ),
}


@pytest.mark.requirement("MP-CLUB-4")
@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_that_does_not_follow_changes_nothing(name: str) -> None:
    made, words = ENTRIES[name]
    club, pair = club_of_two(), short_game()
    before = (club.file, len(club.log.entries), set(club.log.members))
    with pytest.raises(VerificationError, match=words):
        club.write(made(club, pair))
    assert (club.file, len(club.log.entries), set(club.log.members)) == before


@pytest.mark.requirement("MP-CLUB-1")
def test_a_proof_shows_an_announcement_to_whoever_has_nothing_else() -> None:
    club, pair = club_of_two(), short_game()
    club.announce(pair)
    proof = club.read().proof(2)
    check_proof(proof)
    for forged in (
        proof.model_copy(update={"index": 1}),
        proof.model_copy(update={"entry": announcement(pair, deadline_ms=DEADLINE_MS + 1)}),
        proof.model_copy(update={"path": proof.path[:-1]}),
        proof.model_copy(update={"head": signed(proof.head, GUEST_KEY)}),
    ):
        with pytest.raises(VerificationError):
            check_proof(forged)
