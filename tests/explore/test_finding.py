"""The explorer finds what is broken on purpose, and tells the way there."""

from dataclasses import replace
from typing import Any

import pytest

from ataxxd.session.events import Effect
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import GameState, Phase, Reception, Role
from tests.explore.cheating import CheatExplorer
from tests.explore.explorer import Explorer
from tests.explore.terms import Terms

SMALL = Terms("ataxx", bound=4, asks=False)
TINY = Terms("ataxx", bound=3, asks=False, resigns=False)
TIMED = Terms("ataxx", bound=3, ticks=2, asks=False, resigns=False)
# Whoever moves first wins.
ENDING = Terms("reversi", bound=2, ticks=2, kills=0, connections=0, asks=False, resigns=False)


def test_who_owes_nothing_after_a_restart_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerSession, "complete_pending", lambda self, timing: [])
    report = Explorer(SMALL).run()
    assert report.broken is not None
    assert "cannot end any more" in report.broken
    assert "killed after Keep" in "\n".join(report.story)


def test_saying_before_keeping_makes_an_honest_player_contradict_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    take = PlayerSession._accept

    def hasty(self: PlayerSession, role: Role, message: Any) -> list[Effect]:
        effects = take(self, role, message)
        if role is self.role:
            effects[0], effects[1] = effects[1], effects[0]
        return effects

    monkeypatch.setattr(PlayerSession, "_accept", hasty)
    report = Explorer(SMALL).run()
    assert report.broken is not None
    assert "killed after Send" in "\n".join(report.story)


def test_a_duplicate_taken_for_a_contradiction_blames_the_honest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reception = Ledger.reception

    def suspicious(self: Ledger, role: Role, message: Any) -> Reception:
        found = reception(self, role, message)
        return Reception.CONFLICT if found is Reception.DUPLICATE else found

    monkeypatch.setattr(Ledger, "reception", suspicious)
    report = Explorer(SMALL).run()
    assert report.broken is not None
    assert "blames an honest player" in report.broken


def test_an_old_consent_that_still_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(self: PlayerSession, consent: Any) -> bool:
        return consent is not None and self.ledger.phase is Phase.PLAYING

    monkeypatch.setattr(PlayerSession, "_is_current", forever)
    report = Explorer(Terms("ataxx", bound=4, resigns=False)).run()
    assert report.broken is not None
    assert "blames an honest player" in report.broken


def test_a_claim_that_is_not_put_where_its_author_stood_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Ledger, "_find_place", lambda self, role, message, seen: None)
    report = Explorer(TIMED).run()
    assert report.broken is not None
    assert "claims silence" in "\n".join(report.story)


def test_a_message_that_has_not_seen_the_newest_is_found_where_nobody_checks_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Ledger, "_accept_late", lambda self, role, message: None)
    reports = [CheatExplorer(TINY, role, 1).run() for role in Role]
    assert any("has not seen the newest" in (each.broken or "") for each in reports)


def test_a_claim_without_a_least_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameState, "claimable_after_ms", lambda self, reason: 0)
    reports = [CheatExplorer(TINY, role, 1).run() for role in Role]
    assert any("ms of silence" in (each.broken or "") for each in reports)


@pytest.mark.parametrize("cheat", Role)
def test_who_agrees_to_any_wait_is_found(cheat: Role, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerSession, "_answer_to_claim", lambda self: {})
    report = CheatExplorer(TIMED, cheat, 1).run()
    assert report.broken is not None
    assert "a wait longer than all that passed" in report.broken
    assert "abandoned after" in "\n".join(report.story)


def test_a_spectator_that_believes_the_newest_story_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SpectatorSession, "_contradicts_signed", lambda self, other: False)
    report = CheatExplorer(replace(TIMED, kills=0, connections=0), Role.HOST, 1).run()
    assert report.broken is not None
    assert "leaves what the host has signed" in report.broken
    assert "a spectator gets a state" in "\n".join(report.story)


def test_a_spectator_that_believes_a_host_about_its_guest_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd.session.spectator.check_signatures", lambda ledger, sigs: None)
    report = CheatExplorer(TINY, Role.HOST, 1).run()
    assert report.broken is not None
    assert "messages that the guest has not signed" in report.broken
    assert "a spectator gets a state" in "\n".join(report.story)


@pytest.mark.parametrize("terms", [ENDING, replace(ENDING, clock=True)], ids=["silence", "flag"])
def test_a_false_claim_that_counts_though_it_is_contested_is_found(
    terms: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.session.points._is_claim_denied", lambda ledger: False)
    report = CheatExplorer(terms, Role.GUEST, 1).run()
    assert report.broken is not None
    assert "gains by what it has done" in report.broken
    assert "a claim after" in "\n".join(report.story)


def test_a_story_is_the_way_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerSession, "complete_pending", lambda self, timing: [])
    told = str(Explorer(SMALL).run())
    assert "\n  1. guest asks for the seat\n" in told
    assert "the host has: guest join 0" in told
