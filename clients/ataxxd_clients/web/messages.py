"""The messages between a table and a page: the control interface as JSON.

Each message is one websocket text frame with one object. ``type`` says which. The server
begins with `Hello`, in a network game a `Share`, and a `State`, or `Waiting` as long as nobody
has joined; a page sends commands, each with an ``id``, and gets one `Answer` for each. After
every change a new `State` follows; only its `State.moves_from` depends on the one before.

Squares are named as the game names them (``a7``, in checkers ``12``). Boards are rows from
the top, one character a square, as of `ataxxd.rules.Position.rows`. Sides are 0, who moves
first in the game, and 1.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

VERSION: Literal[1] = 1
"""The version of this interface; a page of another version asks to be loaded again."""

SideNumber: TypeAlias = Annotated[int, Field(ge=0, le=1)]
Square: TypeAlias = Annotated[str, StringConstraints(pattern="^[a-z]?[0-9]{1,2}$")]
Request: TypeAlias = Literal["takeback", "abort"]
PlySeen: TypeAlias = Annotated[
    int, Field(ge=0, description="How many moves the page has seen; another number refuses it.")
]
TypedMove: TypeAlias = Annotated[
    str, Field(max_length=100, description="A move as people type it.")
]


class WireMessage(BaseModel):
    """Base of all that is sent.

    Attributes:
        latest: whether only the last one of its kind matters to a page that is behind.
    """

    latest: ClassVar[bool] = False
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WireCommand(WireMessage):
    """Base of all that pages send."""

    id: Annotated[int, Field(ge=0, lt=2**31, description="Comes back in the answer.")]


class Play(WireCommand):
    """Play a move for the person on turn."""

    type: Literal["play"] = "play"
    ply: PlySeen
    move: TypedMove


class Premove(WireCommand):
    """Have a move played as soon as it is the person's turn, if it is legal then.

    It takes the place of the one before.
    """

    type: Literal["premove"] = "premove"
    ply: PlySeen
    move: Annotated[
        str,
        Field(
            max_length=100,
            description="As for `Play`, or the squares it begins and ends on; empty takes it back.",
        ),
    ]


class Explain(WireCommand):
    """Ask why a piece cannot move, or not in this way; the answer is the engine's refusal."""

    type: Literal["explain"] = "explain"
    squares: Annotated[list[Square], Field(min_length=1, max_length=16)]


class Resign(WireCommand):
    """Resign; on the other side's turn of a network game, as soon as one's own turn comes."""

    type: Literal["resign"] = "resign"


class KeepPlaying(WireCommand):
    """Take back a resignation that waits for the person's turn."""

    type: Literal["keep_playing"] = "keep_playing"


class OfferDraw(WireCommand):
    """Offer a draw in place of a move."""

    type: Literal["offer_draw"] = "offer_draw"


class AnswerDraw(WireCommand):
    """Answer the draw that is offered."""

    type: Literal["answer_draw"] = "answer_draw"
    accept: bool


class Undo(WireCommand):
    """Take back the last move, and one more when the machine is on turn then; offline only."""

    type: Literal["undo"] = "undo"


class Redo(WireCommand):
    """Make again what `Undo` took back; offline only."""

    type: Literal["redo"] = "redo"


class New(WireCommand):
    """Begin a new game with the same players; offline only."""

    type: Literal["new"] = "new"


class Fill(WireCommand):
    """Seat a person or the machine, also in the middle of a game; offline only."""

    type: Literal["fill"] = "fill"
    side: SideNumber
    seat: Literal["human", "auto"]


class Ask(WireCommand):
    """Ask the other player to take the last move back, or to end the game without a result."""

    type: Literal["ask"] = "ask"
    what: Request


class Agree(WireCommand):
    """Agree to what your opponent asks for."""

    type: Literal["agree"] = "agree"


class Refuse(WireCommand):
    """Refuse what the other player asks for; a line of chat says so."""

    type: Literal["refuse"] = "refuse"


class Claim(WireCommand):
    """Claim the game of a player who does not answer."""

    type: Literal["claim"] = "claim"


class Say(WireCommand):
    """Say something to the other player; a spectator says it to the other spectators."""

    type: Literal["say"] = "say"
    text: Annotated[str, Field(min_length=1, max_length=500)]


class Mute(WireCommand):
    """Hide what somebody says, or show it again."""

    type: Literal["mute"] = "mute"
    speaker: Annotated[str, Field(max_length=100, description="As in `Said`.")]
    muted: bool


class Rematch(WireCommand):
    """Ask for another game with colours swapped, or agree to the other player's wish."""

    type: Literal["rematch"] = "rematch"


class AskHint(WireCommand):
    """Ask which move the engine would play; `Hint` follows. Not in a game with somebody else."""

    type: Literal["hint"] = "hint"


class Evaluate(WireCommand):
    """Turn the engine's evaluation of the game on or off; `Evaluation` follows, to every page.

    Not in a game with somebody else until it is over.
    """

    type: Literal["evaluate"] = "evaluate"
    on: bool


class Leave(WireCommand):
    """Leave the table: the program ends."""

    type: Literal["leave"] = "leave"


Command: TypeAlias = Annotated[
    Play
    | Premove
    | Explain
    | Resign
    | KeepPlaying
    | OfferDraw
    | AnswerDraw
    | Undo
    | Redo
    | New
    | Fill
    | Ask
    | Agree
    | Refuse
    | Claim
    | Say
    | Mute
    | Rematch
    | AskHint
    | Evaluate
    | Leave,
    Field(discriminator="type"),
]
COMMANDS: TypeAdapter[Command] = TypeAdapter(Command)


# `tools.page_reference` makes docs/reference/control.md and its schema from this module.
Kind: TypeAlias = Literal["place", "clone", "move", "capture", "pass"]
Ability: TypeAlias = Literal[
    "move",
    "premove",
    "resign",
    "keep_playing",
    "offer_draw",
    "answer_draw",
    "undo",
    "redo",
    "new",
    "fill",
    "takeback",
    "abort",
    "agree",
    "refuse",
    "claim",
    "say",
    "rematch",
    "hint",
    "evaluate",
    "leave",
]


class Hello(WireMessage):
    """The first message of the server."""

    type: Literal["hello"] = "hello"
    version: Literal[1] = VERSION
    program: Annotated[str, Field(description="Such as ataxxd/0.1.0.")]


class Answer(WireMessage):
    """What became of a command."""

    type: Literal["answer"] = "answer"
    id: int
    error: Annotated[
        str | None, Field(description="Why it was refused, for people; null when it was obeyed.")
    ] = None


class Told(WireMessage):
    """Something happened; a sentence for people. What it changed is in the `State` that follows."""

    type: Literal["told"] = "told"
    kind: Literal[
        "moved",
        "dropped",
        "over",
        "draw_asked",
        "draw_refused",
        "asked",
        "taken_back",
        "may_claim",
        "may_be_claimed",
        "rematch_asked",
        "begun",
        "named",
        "notice",
    ]
    side: Annotated[SideNumber | None, Field(description="Whose doing it is.")] = None
    text: str


class Said(WireMessage):
    """Somebody said something; pages that connect later get it again, as `earlier`."""

    type: Literal["said"] = "said"
    number: Annotated[int, Field(description="Grows by one from line to line.")]
    speaker: Annotated[str, Field(description="You, the name of a side, or of a spectator.")]
    text: str
    mine: Annotated[bool, Field(description="Whether it was said from here.")]
    earlier: bool = False


class Player(WireMessage):
    """A side: its name, who fills the seat, and how many pieces it has."""

    name: str
    who: Annotated[
        str,
        Field(description="In words: you, the computer, or such as ana (k7fq-3xa2)."),
    ]
    seat: Literal["human", "auto", "remote"]
    pieces: int
    clock_ms: Annotated[
        int | None, Field(description="What is left of its time now; null without a clock.")
    ] = None
    starts_in_ms: Annotated[
        int, Field(description="How long it may think about its first move before its clock runs.")
    ] = 0


class PlayedMove(WireMessage):
    """A move of the game.

    A name such as ``b6`` is null for a pass; ``squares`` are those that it left and reached.
    """

    side: SideNumber
    name: str | None
    squares: list[str]
    board: Annotated[list[str], Field(description="After the move.")]


class Premoved(WireMessage):
    """A move that waits for the other side to move."""

    move: Annotated[str, Field(description="As it was entered.")]
    squares: Annotated[list[str], Field(description="The squares that it names.")]


class LegalMove(WireMessage):
    """A move that is possible now."""

    move: Annotated[str, Field(description="The text for `Play`.")]
    paths: Annotated[
        list[list[str]],
        Field(description="Squares by which it can be entered, one after another; none is a pass."),
    ]
    kind: Kind
    board: Annotated[list[str], Field(description="After the move.")]


class File(WireMessage):
    """A way to save the game: ``GET /export/NAME`` with the cookie gives the file."""

    name: str
    title: Annotated[str, Field(description="For people.")]


class Ending(WireMessage):
    """How a game ended."""

    winner: Annotated[SideNumber | None, Field(description="Null for a draw, or no result.")]
    termination: Annotated[str, Field(description="As of `ataxxd.rules.Outcome`.")]
    text: Annotated[str, Field(description="A sentence for people.")]


class Share(WireMessage):
    """How others can join the game; sent first, and again when the seat is taken."""

    type: Literal["share"] = "share"
    name: Annotated[str, Field(description="The game's.")]
    link: Annotated[
        str | None, Field(description="Opens the game in any browser; null without one.")
    ]
    join: Annotated[
        str | None, Field(description="The command that takes the open seat; null without one.")
    ]
    watch: Annotated[str, Field(description="The command that looks on.")]
    terms: Annotated[str, Field(description="What is agreed to by joining; empty for the usual.")]
    reaches: Annotated[
        bool, Field(description="Whether the broker can be reached from other machines.")
    ]
    code: Annotated[
        list[str],
        Field(description="A QR code of the link, or else of the command: rows of 1 and 0."),
    ]


class Verdict(WireMessage):
    """What the engine thinks of a position."""

    share: Annotated[
        float, Field(ge=0, le=1, description="How much of a bar belongs to side 0; 1 is a win.")
    ]
    words: Annotated[str, Field(description="Such as Red +0.35, or Blue wins in 3.")]
    line: Annotated[list[str], Field(description="The moves it expects, the best one first.")]
    why: Annotated[
        str | None,
        Field(
            description="What the best move does, such as takes 3 and grows by 1; null where that"
            " is little."
        ),
    ]


class Hint(WireMessage):
    """The move that the engine would play."""

    type: Literal["hint"] = "hint"
    ply: Annotated[int, Field(description="After how many moves of the game.")]
    squares: Annotated[list[str], Field(description="By which it is entered; none is a pass.")]
    text: Annotated[str, Field(description="A sentence for people.")]


class Evaluation(WireMessage):
    """The engine's verdicts of the game; comes again whenever there are more."""

    latest: ClassVar[bool] = True

    type: Literal["evaluation"] = "evaluation"
    on: Annotated[bool, Field(description="Whether the engine goes on with the game.")]
    verdicts: Annotated[
        list[Verdict | None],
        Field(description="After 0, 1, 2, … moves; null where it has not looked yet."),
    ]


class Waiting(WireMessage):
    """There is no board yet: nobody has joined."""

    type: Literal["waiting"] = "waiting"
    title: Annotated[str, Field(description="The game's name.")]
    who: Annotated[str, Field(description="Who is waited for; empty for anybody.")]


class State(WireMessage):
    """All that a page shows."""

    type: Literal["state"] = "state"
    title: Annotated[str, Field(description="The game's name where it has one.")]
    kind: Literal["local", "network", "watch"]
    game: str
    ruleset: str
    ruleset_title: str
    rules: Annotated[list[str], Field(description="How the game is played, in lines.")]
    example: Annotated[str, Field(description="A move as people type it.")]
    squares: Annotated[
        list[list[str | None]],
        Field(description="The names of the squares, as boards have them; null is unplayable."),
    ]
    start: Annotated[list[str], Field(description="The board before the first move.")]
    moves_from: Annotated[
        int, Field(description="How many of the moves sent before stand; `moves` follow them.")
    ]
    moves: list[PlayedMove]
    turn: Annotated[SideNumber, Field(description="The side to move.")]
    turn_text: Annotated[str, Field(description="Such as Turn 3.")]
    players: Annotated[list[Player], Field(min_length=2, max_length=2)]
    legal: Annotated[list[LegalMove], Field(description="Empty unless a person here is on turn.")]
    one_square: Annotated[bool, Field(description="Whether a move is entered by one square.")]
    premove: Premoved | None
    draw_offered_by: SideNumber | None
    muted: Annotated[list[str], Field(description="Speakers whose lines are not to be shown.")]
    asked: Annotated[
        Request | None, Field(description="What the other player asks for; lapses with a move.")
    ]
    resigning: Annotated[
        bool, Field(description="Whether the person here resigns as soon as their turn comes.")
    ]
    can: Annotated[list[Ability], Field(description="The commands that make sense now.")]
    ending: Ending | None
    broker_lost: Annotated[
        bool, Field(description="Whether the connection to the broker is lost; it is tried again.")
    ]
    files: Annotated[
        list[File], Field(description="The notations that have words for the game as it is now.")
    ]


ServerMessage: TypeAlias = Annotated[
    Hello | Share | Waiting | State | Told | Said | Hint | Evaluation | Answer,
    Field(discriminator="type"),
]
SERVER_MESSAGES: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
