"""What must hold in every state: the laws of the simulation, of one node, of two, and of all."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ataxxd.rules import Outcome, Position, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_points_of_all
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from tests.explore.nodes import Node, judged
from tests.explore.terms import moves_of

# What a game that counts for nothing is worth, in halves: more than a loss, less than a win.
_UNCOUNTED, _WIN = 1, 2
# As many as it takes in those games that are sure to end.
_PLIES = 4


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
    tick_ms = node.terms.tick_ms
    passed = (ours[seen - 1] - theirs[said.n]) * tick_ms
    if ours[seen - 1] < node.ticks and claim.waited_ms > passed + claim.waited_ms // 100 + 1000:
        raise BrokenLawError(f"the {node.role} agrees to a wait longer than all that passed")
    lost = any(what not in ("ours", "theirs") for _, what in node.events)
    answered = ours[seen] if seen < len(ledger.log(node.role)) - 1 else None
    if lost or answered is None or theirs[said.n - 1] == node.ticks:
        return
    lag_ms = 0 if ledger.offer.clock is None else ledger.offer.clock.lag_ms
    if 2 * (theirs[said.n - 1] - answered) * tick_ms + lag_ms < claim.waited_ms:
        raise BrokenLawError(f"the {node.role} loses by a claim, and had answered in time")


def of_worth(victim: Node, best: int | None, *shown: Ledger) -> None:
    """Nothing that a cheat has done is worth more to it than the best of playing on.

    Args:
        victim: whom it plays with.
        best: what it could have come to by playing on, in halves, when it told its first lie.
        shown: what else it can show a judge.
    """
    ledger = victim.ledger
    if best is None or ledger.phase is not Phase.CLOSED or _is_given(ledger, victim.role):
        return
    count, side = count_points_of_all([ledger, *shown]), ledger.side_of(victim.role.other)
    assert side is not None
    if (_UNCOUNTED if isinstance(count, str) else count.of(side)) > best:
        raise BrokenLawError(f"the {victim.role.other} gains by what it has done: {count}")


def _is_given(ledger: Ledger, victim: Role) -> bool:
    """Whether the victim itself ended the game: by its will, its silence or its own time."""
    outcome = ledger.outcome
    assert outcome is not None
    if outcome.termination in ("draw-agreed", "aborted"):
        return True
    agreed = standing_of(ledger) is Standing.AGREED
    lost = outcome.winner is not None and outcome.winner is not ledger.side_of(victim)
    gave_up = outcome.termination == "resignation" or (ledger.claim is not None and agreed)
    return lost and (gave_up or (outcome.termination == "time" and ledger.claim is None))


def best_of(ledger: Ledger, role: Role) -> int:
    """The most that a player can come to, in halves, whatever legal moves are made from now on.

    A win, where the rules may not end the game within `_PLIES`.
    """
    side = ledger.side_of(role)
    assert side is not None
    if ledger.outcome is not None:
        return _points(ledger.outcome, side)
    return _best(ledger.position.ruleset, ledger.position.text, side, _PLIES)


@cache
def _best(ruleset: str, text: str, side: Side, plies: int) -> int:
    position, best = Position.from_text(ruleset, text), 0
    if position.outcome is not None:
        return _points(position.outcome, side)
    if not plies:
        return _WIN
    for move in moves_of(position):
        best = max(best, _best(ruleset, position.play(move).text, side, plies - 1))
        if best == _WIN:
            break
    return best


def _points(outcome: Outcome, side: Side) -> int:
    return _UNCOUNTED if outcome.winner is None else _WIN * (outcome.winner is side)


def of_a_spectator(session: SpectatorSession, cheat: Role | None = None) -> None:
    """A spectator blames nobody honest."""
    _blames_nobody(session.ledger, "a spectator", cheat)


def of_a_shown_game(victim: Node, session: SpectatorSession) -> None:
    """A spectator is shown nothing in the victim's name that the victim has not signed."""
    role = victim.role
    said = [message.digest for by, message in victim.kept if by is role]
    shown = [message.digest for message in session.ledger.log(role)]
    if shown != said[: len(shown)]:
        raise BrokenLawError(f"a spectator has messages that the {role} has not signed")


def of_what_is_known(before: Ledger, after: Ledger) -> None:
    """A spectator leaves no message of a player for another, but where it proves a breach by it."""
    for role in Role:
        both = [[message.digest for message in each.log(role)] for each in (before, after)]
        count = min(map(len, both))
        proved = after.fault is not None and after.fault.role is role
        if both[0][:count] != both[1][:count] and not proved:
            raise BrokenLawError(f"a spectator leaves what the {role} has signed for another story")


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
