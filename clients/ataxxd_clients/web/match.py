"""Matches between engines, and the pages that show them and cannot change them.

Each message is one websocket text frame with one object. The server begins with `Hello`, and sends
`Matches` whenever something has changed.
"""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from ataxxd_clients.web.channel import Channel, Connection
from ataxxd_clients.web.messages import Answer, Leave, WireMessage

COMMANDS: TypeAdapter[Leave] = TypeAdapter(Leave)
Count: TypeAlias = Annotated[int, Field(ge=0)]


class Player(WireMessage):
    """A player and its games."""

    name: str
    won: Count
    drawn: Count
    lost: Count
    failed: Annotated[Count, Field(description="Lost by an illegal answer, a crash, or on time.")]


class Ratio(WireMessage):
    """A sequential test: its log-likelihood ratio, and the bounds that end it."""

    value: float
    low: float
    high: float


class MatchView(WireMessage):
    """One match. Texts are for people, and as the terminal has them."""

    players: list[Player]
    count: Annotated[str, Field(description="How many games have been played, of how many.")]
    played: Count
    planned: Count | None
    pairs: Annotated[list[Count], Field(description="Pairs of games by half points, 0 to 4.")]
    facts: Annotated[list[str], Field(description="Score, Elo, and what a sequential test says.")]
    ratio: Ratio | None
    pace: Annotated[str, Field(description="Workers, games per second, games under way.")]
    columns: list[str]
    workers: Annotated[list[list[str]], Field(description="A row each, by the columns.")]
    over: bool


class Matches(WireMessage):
    """All matches that are shown."""

    type: Literal["matches"] = "matches"
    matches: list[MatchView]


class MatchRoom(Channel):
    """Matches with the pages that show them."""

    subject = "match"
    ready = "The match can be seen in the browser, too; closing the page does not end it."
    page = "match.html"
    socket = "/match"
    commands = COMMANDS
    longest_command = 4096
    pause_s = 0.1

    def __init__(self) -> None:
        super().__init__()
        self._matches = Matches(matches=[])

    def show(self, matches: Sequence[MatchView]) -> None:
        """Show these matches from now on."""
        shown = Matches(matches=[*matches])
        if shown != self._matches:
            self._matches = shown
            for connection in self._connections:
                # A page that is told that the match is over must have seen how it ended.
                connection.state_sent.clear()
            self.send_state()

    async def run(self) -> None:
        """Do nothing, for ever: there is no background work."""
        await asyncio.Event().wait()

    async def execute(self, connection: Connection, command: Leave) -> None:
        """Refuse every command: a match cannot be ended from a page."""
        connection.queue(Answer(id=command.id, error="The match goes on without its pages."))

    def _state(self, connection: Connection) -> WireMessage:  # noqa: ARG002 - all see the same
        return self._matches
