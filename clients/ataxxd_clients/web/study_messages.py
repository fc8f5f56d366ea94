"""The messages between a study and its page, as JSON.

Each message is one websocket text frame with one object. ``type`` says which. The server
begins with `Hello` and a `StudyState`; a page sends commands, each with an ``id``, and gets one
`Answer` for each. Whatever changes, a new `StudyState` follows, and `Opinions` whenever the engine
has said more.

A study is a tree of positions, each with a number of its own that is never used again. One of them
is looked at, by all pages together. Squares and boards are those of
[the control interface](control.md), and so are the parts that are named alike.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from ataxxd_clients.web.messages import (
    Answer,
    Ending,
    Explain,
    File,
    Hello,
    Leave,
    LegalMove,
    SideNumber,
    Told,
    TypedMove,
    Verdict,
    WireCommand,
    WireMessage,
)

LONGEST_FILE = 1 << 19
"""Characters of a game that a page may send."""

NodeNumber: TypeAlias = Annotated[int, Field(ge=0, description="Of a position.")]


class Try(WireCommand):
    """Play a move at the position that is looked at: along one that is there, or a new one."""

    type: Literal["try"] = "try"
    node: Annotated[NodeNumber, Field(description="Where the page plays it; refused elsewhere.")]
    move: TypedMove


class LookAt(WireCommand):
    """Look at another position."""

    type: Literal["look_at"] = "look_at"
    node: NodeNumber


class Delete(WireCommand):
    """Delete the move before a position, with all that follows."""

    type: Literal["delete"] = "delete"
    node: NodeNumber


class Promote(WireCommand):
    """Make the variation of a position the main one where it branched off last."""

    type: Literal["promote"] = "promote"
    node: NodeNumber


class Think(WireCommand):
    """Let the engine look at every position that is looked at, or no longer."""

    type: Literal["think"] = "think"
    on: bool


class Survey(WireCommand):
    """Let the engine evaluate every position of the line, or stop it."""

    type: Literal["survey"] = "survey"
    on: bool


class Open(WireCommand):
    """Study another game; this one is gone."""

    type: Literal["open"] = "open"
    name: Annotated[str, Field(max_length=200, description="Its file's; the suffix tells more.")]
    notation: Annotated[str | None, Field(description="Which one, whatever the suffix says.")] = (
        None
    )
    text: Annotated[str, Field(max_length=LONGEST_FILE, description="The content of the file.")]


StudyCommand: TypeAlias = Annotated[
    Try | Explain | LookAt | Delete | Promote | Think | Survey | Open | Leave,
    Field(discriminator="type"),
]
STUDY_COMMANDS: TypeAdapter[StudyCommand] = TypeAdapter(StudyCommand)


class StudyNode(WireMessage):
    """A position of the study, and the move that led to it."""

    node: NodeNumber
    parent: Annotated[int | None, Field(description="Where it was played; null at the start.")]
    side: Annotated[SideNumber | None, Field(description="Who played it.")]
    name: Annotated[str | None, Field(description="Such as a7-b6, or pass; null at the start.")]
    squares: Annotated[list[str], Field(description="Those that it left and reached.")]
    board: list[str]


class StudyState(WireMessage):
    """All that a page shows, but for what it has been sent before."""

    type: Literal["study"] = "study"
    game: str
    ruleset: str
    ruleset_title: str
    rules: Annotated[list[str], Field(description="How the game is played, in lines.")]
    example: Annotated[str, Field(description="A move as people type it.")]
    names: Annotated[list[str], Field(min_length=2, max_length=2, description="Of the sides.")]
    title: Annotated[str, Field(description="Who played, and when; empty where nobody knows.")]
    squares: Annotated[
        list[list[str | None]],
        Field(description="The names of the squares, as boards have them; null is unplayable."),
    ]
    nodes: Annotated[
        list[StudyNode], Field(description="Those that this page has not been sent yet.")
    ]
    order: Annotated[
        list[int],
        Field(description="All that there are, each before what follows it, main moves first."),
    ]
    line: Annotated[list[int], Field(description="The line that is looked at, from the start.")]
    cursor: Annotated[NodeNumber, Field(description="The position that is looked at.")]
    turn: Annotated[SideNumber, Field(description="The side to move there.")]
    pieces: Annotated[list[int], Field(min_length=2, max_length=2, description="Of the sides.")]
    legal: Annotated[list[LegalMove], Field(description="Those of that position.")]
    ending: Annotated[Ending | None, Field(description="How the game ended there.")]
    files: Annotated[
        list[File], Field(description="The notations that have words for the main line.")
    ]


class NodeVerdict(WireMessage):
    """What the engine thinks of a position."""

    node: NodeNumber
    verdict: Verdict
    best: Annotated[
        list[str], Field(description="The squares by which the best move is entered; may be none.")
    ]


class Opinions(WireMessage):
    """What the engine says of the positions; comes again whenever there is more."""

    latest: ClassVar[bool] = True

    type: Literal["opinions"] = "opinions"
    thinks: Annotated[bool, Field(description="Whether it looks along.")]
    progress: Annotated[
        list[int] | None,
        Field(description="Positions done and to do of the evaluation; null when none goes on."),
    ]
    verdicts: list[NodeVerdict]


StudyServerMessage: TypeAlias = Annotated[
    Hello | StudyState | Opinions | Told | Answer, Field(discriminator="type")
]
STUDY_SERVER_MESSAGES: TypeAdapter[StudyServerMessage] = TypeAdapter(StudyServerMessage)
