"""What must hold in every state: the laws of the simulation, of one node, of two, and of all."""

from collections.abc import Iterator
from contextlib import contextmanager

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd.session.roles import Role
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from tests.explore.nodes import Node, judged
from tests.explore.terms import TICK_MS


class BrokenLawError(Exception):
    """A state in which a law does not hold."""


@contextmanager
def told(words: str) -> Iterator[None]:
    """Say, should a law be broken, what broke it."""
    try:
        yield
    except BrokenLawError as error:
        error.add_note(words)
        raise


def of_one_node(node: Node, cheat: Role | None = None) -> None:
    """Nobody honest is blamed or disputed; a restart loses nothing; a stranger judges the same."""
    ledger = node.ledger
    _blames_nobody(ledger, f"the {node.role}", cheat)
    if ledger.entries and judged(node.restored().ledger) != judged(ledger):
        raise BrokenLawError(f"the journal of the {node.role} gives another game than it had")
    if ledger.outcome is None and node.held != node.session.resigning:
        raise BrokenLawError(f"a restart changes whether the {node.role} resigns")
    if ledger.entries:
        verdict = verify_record(dump_record(ledger))
        told = (verdict.ledger.outcome, verdict.ledger.fault, verdict.standing)
        if told != (ledger.outcome, ledger.fault, standing_of(ledger)):
            raise BrokenLawError(f"a stranger judges the record of the {node.role} otherwise")


def of_time(node: Node) -> None:
    """No claim is agreed to that its victim's own times contradict."""
    ledger = node.ledger
    claim, place = ledger.claim, ledger.decided_at
    if not node.ticks or claim is None or place is None or ledger.decision is node.role:
        return
    if standing_of(ledger) is not Standing.AGREED:
        return
    said = ledger.line[place][1]
    seen = ledger.count_up_to(node.role, said.seen) or 0
    ours = [age for age, what in node.events if what == "ours"]
    theirs = [age for age, what in node.events if what == "theirs"]
    # The newest of theirs is the claim: the claimant had ours before, and waited after that.
    passed = (ours[seen - 1] - theirs[said.n]) * TICK_MS
    if ours[seen - 1] < node.ticks and claim.waited_ms > passed + claim.waited_ms // 100 + 1000:
        raise BrokenLawError(f"the {node.role} agrees to a wait longer than all that passed")
    lost = any(what not in ("ours", "theirs") for _, what in node.events)
    answered = ours[seen] if seen < len(ledger.log(node.role)) - 1 else None
    if lost or answered is None or theirs[said.n - 1] == node.ticks:
        return
    if 2 * (theirs[said.n - 1] - answered) * TICK_MS < claim.waited_ms:
        raise BrokenLawError(f"the {node.role} loses by silence, and had answered in time")


def of_a_spectator(session: SpectatorSession) -> None:
    """A spectator blames nobody honest."""
    _blames_nobody(session.ledger, "a spectator")


def of_both(host: Node, guest: Node) -> None:
    """Both players tell one story, of which each has the beginning."""
    _one_story(host.ledger, guest.ledger, "host and guest")


def of_all(host: Node, guest: Node, session: SpectatorSession) -> None:
    """A spectator tells the beginning of the players' story."""
    both = (host.ledger, guest.ledger)
    longest = max(both, key=lambda each: (len(each.entries), each.decision is not None))
    _one_story(session.ledger, longest, "a spectator and the players")


def of_an_end(host: Node, guest: Node) -> None:
    """Once messages arrive again, every game ends, with one record."""
    for node in (host, guest):
        if node.ledger.phase is not Phase.CLOSED:
            raise BrokenLawError(
                f"the game cannot end any more: for the {node.role} it is {node.ledger.phase.value}"
            )
    if dump_record(host.ledger) != dump_record(guest.ledger):
        raise BrokenLawError("host and guest end with different records")
    standing = standing_of(host.ledger)
    fair = (Standing.AGREED, Standing.CONTESTED) if host.ledger.claim else (Standing.AGREED,)
    if standing not in fair:
        raise BrokenLawError(f"a game of two honest players ends {standing.value}")


def _blames_nobody(ledger: Ledger, who: str, cheat: Role | None = None) -> None:
    if ledger.fault is not None and ledger.fault.role is not cheat:
        raise BrokenLawError(f"{who} blames an honest player: {ledger.fault.text}")
    if set(ledger.false_scores) - {cheat}:
        raise BrokenLawError(f"{who} has a dispute that an honest player made")


def _one_story(one: Ledger, other: Ledger, who: str) -> None:
    shorter, longer = sorted((one, other), key=lambda each: len(each.entries))
    decided = one.decision is not None or other.decision is not None
    if not decided and shorter.entries != longer.entries[: len(shorter.entries)]:
        raise BrokenLawError(f"{who} tell different stories")
    for role in Role:
        # What crosses a decision is set aside behind it, by those who know of the decision.
        both = [[message.digest for message in each.log(role)] for each in (one, other)]
        count = min(map(len, both))
        if both[0][:count] != both[1][:count]:
            raise BrokenLawError(f"{who} have different mailboxes of the {role}")
