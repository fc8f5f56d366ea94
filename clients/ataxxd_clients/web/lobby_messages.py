"""The messages between a lobby and its page: what a node sees and has open, as JSON.

As at a table, each message is one websocket text frame with one object, and ``type`` says
which. The server begins with `Hello` and a `Lobby`; the page sends commands, each with an
``id``, and gets one `Reply` for each. Whatever changes, a whole new `Lobby` follows.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, TypeAdapter

from ataxxd.sanitize import sanitized
from ataxxd_clients.web.messages import Hello, WireCommand, WireMessage

# `tools.page_reference` makes docs/reference/lobby.md and its schema from this module.
Entry: TypeAlias = Annotated[str, Field(max_length=500)]
Sanitized: TypeAlias = Annotated[str, AfterValidator(sanitized)]
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
    new_host: Annotated[
        bool, Field(description="Whether to join also where others have hosted the name before.")
    ] = False


class LookOn(WireCommand):
    """Watch a game."""

    type: Literal["look_on"] = "look_on"
    name: Entry
    host: Entry


class CallMe(WireCommand):
    """Give this node a nickname."""

    type: Literal["call_me"] = "call_me"
    nickname: Entry


class Ask(WireCommand):
    """Challenge a player; a table opens, which waits for the answer."""

    type: Literal["challenge"] = "challenge"
    player: Annotated[Entry, Field(description="The player's node id.")]
    ruleset: Entry
    color: Color
    clock: Annotated[Entry, Field(description="As of `host`.")]


class Accept(WireCommand):
    """Play a challenge."""

    type: Literal["accept"] = "accept"
    challenge: Entry


class Refuse(WireCommand):
    """Say no to a challenge."""

    type: Literal["decline"] = "decline"
    challenge: Entry


class Again(WireCommand):
    """Challenge the opponent of a finished game, with sides changed."""

    type: Literal["rematch"] = "rematch"
    game: Entry


class Study(WireCommand):
    """Study a finished game of this node."""

    type: Literal["study"] = "study"
    game: Entry


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
    Host
    | Join
    | LookOn
    | CallMe
    | Ask
    | Accept
    | Refuse
    | Again
    | Study
    | Resume
    | Against
    | Close,
    Field(discriminator="type"),
]
LOBBY_COMMANDS: TypeAdapter[LobbyCommand] = TypeAdapter(LobbyCommand)


class Fault(WireMessage):
    """Why a command was refused, for people."""

    text: str
    field: Annotated[str, Field(description="Which field is at fault; empty for none.")]
    question: Annotated[
        str | None,
        Field(
            description="Of `join`: what a person can be asked; agreed to, it is sent again with "
            "`new_host`. Null for nothing."
        ),
    ] = None


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
    players: Annotated[
        list[str],
        Field(
            description="As people read them, with a rating where this node has rated games of "
            "theirs, who moves first before; the host alone while nobody has joined."
        ),
    ]
    result: Annotated[str, Field(description="How it ended, in words; empty while it goes on.")]
    ours: Annotated[bool, Field(description="Whether this node plays in it.")]
    instead_of: Annotated[
        str | None,
        Field(
            description="Whom this node has joined under this name before, as people read it, "
            "where somebody else hosts it now; else null."
        ),
    ]
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
    opponent: Annotated[str, Field(description="As people read it; empty without one.")]


class Finished(WireMessage):
    """A game of this node that is over."""

    id: str
    ruleset: str
    players: Annotated[
        list[str],
        Field(
            min_length=2,
            max_length=2,
            description="The players, first side first; `you` is this node.",
        ),
    ]
    result: Annotated[str, Field(description="How it ended, in words.")]
    age_s: int


class ListedPlayer(WireMessage):
    """Somebody who is there."""

    node: str
    name: Annotated[str, Field(description="The nickname and the beginning of the id.")]
    bot: bool
    rulesets: Annotated[list[str], Field(description="In which it takes challenges.")]
    free: Annotated[bool, Field(description="Whether it takes another game now.")]
    playing: Annotated[int, Field(description="How many games it plays.")]
    text: Annotated[Sanitized, Field(description="What it says of itself.")]
    ratings: Annotated[
        dict[str, int],
        Field(description="What it is rated, by ruleset, by the games that this node has."),
    ]


class Challenge(WireMessage):
    """Somebody asks this node for a game."""

    id: str
    name: Annotated[
        str, Field(description="The challenger, as people read it, with a rating where known.")
    ]
    ruleset: str
    side: Annotated[str, Field(description="Ours: first, second or random.")]
    terms: str
    text: Annotated[Sanitized, Field(description="What the challenger says to it.")]


class OpenTable(WireMessage):
    """A table of this lobby."""

    id: str
    title: str
    ruleset: str
    players: Annotated[list[str], Field(description="As people read them; fewer while some miss.")]
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
    nickname: Annotated[str, Field(description="This node's; empty without one.")]
    broker: str
    connected: bool
    rulesets: list[Rules]
    players: list[ListedPlayer]
    challenges: list[Challenge]
    games: list[Listed]
    kept: list[Kept]
    finished: list[Finished]
    tables: list[OpenTable]


LobbyMessage: TypeAlias = Annotated[
    Hello | Reply | Opened | Trouble | Lobby, Field(discriminator="type")
]
LOBBY_MESSAGES: TypeAdapter[LobbyMessage] = TypeAdapter(LobbyMessage)
