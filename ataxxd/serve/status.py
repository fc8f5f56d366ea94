"""What an unattended node is doing: plain values for whoever watches it."""

from dataclasses import dataclass


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
