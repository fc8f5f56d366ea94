"""What an unattended node is doing: plain values for whoever watches it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ataxxd.times import SYSTEM_CLOCK

_COUNTERS = (
    "finished",
    "challenges_taken",
    "challenges_declined",
    "messages_in",
    "messages_out",
    "reconnects",
    "search_nodes",
    "search_ms",
)


@dataclass(frozen=True, slots=True)
class GameStatus:
    """One game of the node, open or under way.

    Attributes:
        name: the game's name.
        game: the game's id.
        ruleset: what is played.
        role: ``host`` or ``guest``.
        opponent: the other player's id; None while the seat is free.
        opponent_name: the same as people read it.
        plies: moves made.
        state: ``open``, ``playing`` or ``over`` (the end is not confirmed yet).
        ours_to_move: whether it waits for us.
        remaining_ms: what is left to the first and the second side; None without a clock.
    """

    name: str
    game: str
    ruleset: str
    role: str
    opponent: str | None
    opponent_name: str | None
    plies: int
    state: str
    ours_to_move: bool
    remaining_ms: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """All of the node at one moment; what counts up counts from the start of the process.

    Attributes:
        node: this node's id.
        broker: its address, without secrets.
        connected: whether the broker is there.
        started_ms: when the process began, in milliseconds since 1970.
        ready: whether all that the configuration asks for has been taken up.
        draining: whether no new game is begun any more.
        games: open and under way.
        searching: searches under way.
        waiting: searches that wait for a core.
        finished: games that have ended.
        challenges_taken: games that our bots have taken up.
        challenges_declined: challenges that they have refused.
        messages_in: messages received.
        messages_out: messages sent.
        reconnects: connections made after the first.
        search_nodes: positions visited.
        search_ms: time spent in searches.
        nickname: this node's; empty without one.
        processes: how many serve for it.
        restarts: how often one of several has ended and was started again.
    """

    node: str
    broker: str
    connected: bool
    started_ms: int
    ready: bool
    draining: bool
    games: tuple[GameStatus, ...]
    searching: int
    waiting: int
    finished: int
    challenges_taken: int
    challenges_declined: int
    messages_in: int
    messages_out: int
    reconnects: int
    search_nodes: int
    search_ms: int
    nickname: str = ""
    processes: int = 1
    restarts: int = 0

    @classmethod
    def before(cls, node: str, broker: str, nickname: str) -> "ServiceStatus":
        """Of a node that begins now: nothing is there, and nothing has been counted."""
        return cls(
            node=node,
            broker=broker,
            connected=False,
            started_ms=SYSTEM_CLOCK.now_ms(),
            ready=False,
            draining=False,
            games=(),
            searching=0,
            waiting=0,
            **dict.fromkeys(_COUNTERS, 0),
            nickname=nickname,
        )


def counted(status: ServiceStatus, more: ServiceStatus) -> ServiceStatus:
    """A status whose counters go on from those of another."""
    sums = {name: getattr(status, name) + getattr(more, name) for name in _COUNTERS}
    return replace(status, **sums)


def put_together(node: ServiceStatus, processes: Sequence[ServiceStatus | None]) -> ServiceStatus:
    """The status of a node that several processes serve.

    Args:
        node: what is known without them: its counters are those of processes that have ended, and
            it has no games.
        processes: the status of each; None for one that is not there, or does not answer.

    Returns:
        All games and the sums of all counters; ready when all are, and connected when all that
        are there are.
    """
    there = [each for each in processes if each is not None]
    for each in there:
        node = counted(node, each)
    return replace(
        node,
        connected=bool(there) and all(each.connected for each in there),
        ready=len(there) == len(processes) and all(each.ready for each in there),
        draining=node.draining or any(each.draining for each in there),
        games=tuple(game for each in there for game in each.games),
        searching=sum(each.searching for each in there),
        waiting=sum(each.waiting for each in there),
    )
