"""A node at work, for tests of what watches it."""

from dataclasses import replace
from typing import Any

from ataxxd.serve.status import GameStatus, ServiceStatus

GAME = GameStatus(
    name="club",
    game="0" * 64,
    ruleset="ataxx/uai",
    role="host",
    opponent="b" * 20,
    opponent_name="bo (bbbb-bbbb)",
    plies=12,
    state="playing",
    ours_to_move=True,
    remaining_ms=(61_000, 3_600_000),
)
OPEN = replace(
    GAME, name="club-2", opponent=None, opponent_name=None, plies=0, state="open",
    ours_to_move=False, remaining_ms=(None, None),
)  # fmt: skip
STATUS = ServiceStatus(
    node="a" * 20,
    broker="mqtt://127.0.0.1:1883",
    connected=True,
    started_ms=1_000_000,
    ready=True,
    draining=False,
    games=(OPEN, GAME),
    searching=1,
    waiting=2,
    finished=7,
    challenges_taken=5,
    challenges_declined=3,
    messages_in=120,
    messages_out=130,
    reconnects=1,
    search_nodes=4_000_000,
    search_ms=2_000,
)


def status(**changes: Any) -> ServiceStatus:
    """The usual status, with changes."""
    return replace(STATUS, **changes)
