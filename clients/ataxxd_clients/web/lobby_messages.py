"""The messages between a lobby and its page: the lounge of a node as JSON.

As at a table, each message is one websocket text frame with one object, and ``type`` says
which. The server begins with `Hello` and a `Lobby`; the page sends commands, each with an
``id``, and gets one `Reply` for each. Whatever changes, a whole new `Lobby` follows.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from ataxxd_clients.web.messages import Hello
from ataxxd_clients.web.wire import WireCommand, WireMessage

# `ataxxd_clients.web.reference` makes docs/reference/lobby.md and its schema from this module.
Entry: TypeAlias = Annotated[str, Field(max_length=500)]
Color: TypeAlias = Annotated[str, Field(max_length=20, description="first, second or random.")]


class Host(WireCommand):
    """Open a game and wait for a guest; every field as people write it."""

    type: Literal["host"] = "host"
    name: Entry
    ruleset: Entry
    color: Color
    clock: Annotated[Entry, Field(description="Such as 5+3; empty or none for no clock.")]
    grace: Annotated[Entry, Field(description="Such as 15m; empty or never for no end.")]
    takebacks: bool
    access: Annotated[Entry, Field(description="anyone, invited, or a node's id.")]
    blocks: Annotated[Entry, Field(description="Of Ataxx; empty for none.")]
    position: Annotated[Entry, Field(description="To begin from; empty for the usual.")]
    auto: Annotated[bool, Field(description="The engine plays this side.")]


class Join(WireCommand):
    """Take a free seat."""

    type: Literal["join"] = "join"
    invitation: Annotated[Entry, Field(description="A name, NAME#ID, or a whole invitation.")]


class LookOn(WireCommand):
    """Watch a game."""

    type: Literal["look_on"] = "look_on"
    name: Entry
    host: Entry


class Resume(WireCommand):
    """Go on with a game of this node."""

    type: Literal["resume"] = "resume"
    game: Entry


class Against(WireCommand):
    """Play against this node's engine."""

    type: Literal["against"] = "against"
    ruleset: Entry
    color: Color
    level: Annotated[Entry, Field(description="From 1 to 10; 0 plays any legal move.")]


class Close(WireCommand):
    """End the program: every table is left, and what is not over can be resumed."""

    type: Literal["close"] = "close"


LobbyCommand: TypeAlias = Annotated[
    Host | Join | LookOn | Resume | Against | Close, Field(discriminator="type")
]
LOBBY_COMMANDS: TypeAdapter[LobbyCommand] = TypeAdapter(LobbyCommand)


class Fault(WireMessage):
    """Why a command was refused, for people."""

    text: str
    field: Annotated[str, Field(description="Which field is at fault; empty for none.")]


class Reply(WireMessage):
    """What became of a command."""

    type: Literal["answer"] = "answer"
    id: int
    error: Annotated[Fault | None, Field(description="Null when it was obeyed.")] = None


class Opened(WireMessage):
    """The command of this page has opened a table; its answer follows."""

    type: Literal["opened"] = "opened"
    table: Annotated[str, Field(description="Its page is at /table/ and this.")]


class Trouble(WireMessage):
    """Something went wrong by itself; a sentence for people."""

    type: Literal["trouble"] = "trouble"
    text: str


class Listed(WireMessage):
    """A game on the broker."""

    name: str
    host: str
    host_text: Annotated[str, Field(description="The host's id in groups, for people.")]
    ruleset: str
    progress: Literal["open", "playing", "over"]
    plies: int
    age_s: int
    terms: str
    invited: bool
    obstacle: Annotated[str | None, Field(description="Why the seat cannot be taken here.")]
    watchable: bool


class Kept(WireMessage):
    """A game of this node that can be resumed."""

    id: str
    name: str
    ruleset: str
    hosted: bool
    plies: int


class OpenTable(WireMessage):
    """A table of this lobby."""

    id: str
    title: str
    doing: str


class Rules(WireMessage):
    """A ruleset that can be played."""

    id: str
    game: str
    title: str
    sides: Annotated[list[str], Field(min_length=2, max_length=2)]


class Lobby(WireMessage):
    """All that the page shows."""

    type: Literal["lobby"] = "lobby"
    node: Annotated[str, Field(description="This node's id, in groups.")]
    broker: str
    connected: bool
    rulesets: list[Rules]
    games: list[Listed]
    kept: list[Kept]
    tables: list[OpenTable]


LobbyMessage: TypeAlias = Annotated[
    Hello | Reply | Opened | Trouble | Lobby, Field(discriminator="type")
]
LOBBY_MESSAGES: TypeAdapter[LobbyMessage] = TypeAdapter(LobbyMessage)
