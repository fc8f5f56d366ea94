"""What a member's own journal says of its club's log: no record shows when a game was announced."""

from collections.abc import Iterator

from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.session.roles import Role
from ataxxd.times import length
from ataxxd.tournament.club_log import ClubLog

# How far the clocks of a member and of its club may differ.
_CLOCKS_MS = 60_000
# No game begins so long before it is offered, whatever the clocks.
_UNKNOWN_MS = 86_400_000


def doubts(log: ClubLog, node: str, journal: Journal, clock: Clock = SYSTEM_CLOCK) -> Iterator[str]:
    """What is wrong with the announcements of a node's games, as it knows itself, in words.

    Args:
        log: the club's.
        node: the member.
        journal: the member's.
        clock: the member's, by which its journal was kept.
    """
    for (game, guest), known in log.games.items():
        offer = known.announcement.offer
        if node not in (offer.host, guest):
            continue
        stored = journal.find(game, Role.HOST if node == offer.host else Role.GUEST)
        began_ms = None if stored is None else _began_ms(journal, stored, clock)
        if began_ms is None:
            yield f"{offer.name} ({game[:12]}) is announced, and this node has not played it"
        elif began_ms < offer.created_ms - _UNKNOWN_MS:
            continue  # learnt again after a backup: when it began is not known
        elif (late_ms := known.announcement.at_ms - began_ms) > _CLOCKS_MS:
            late = length(late_ms // 1000 * 1000)
            yield f"{offer.name} ({game[:12]}) was announced {late} after it had begun"


def _began_ms(journal: Journal, stored: StoredGame, clock: Clock) -> int | None:
    """When the start of a game was kept; None for one that has not begun here."""
    ages = journal.ages_ms(stored)
    started = next((age for role, age in ages if role is Role.HOST), None)
    return None if started is None else clock.now_ms() - started
