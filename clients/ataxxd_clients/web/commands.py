"""What a page asks of a table; see `ataxxd_clients.web.messages` for how it goes."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from ataxxd_clients.web.wire import Request, SideNumber, Square, WireCommand


class Play(WireCommand):
    """Play a move for the person on turn."""

    type: Literal["play"] = "play"
    ply: Annotated[
        int, Field(ge=0, description="How many moves the page has seen; another number refuses it.")
    ]
    move: Annotated[str, Field(max_length=100, description="A move as people type it.")]


class Premove(WireCommand):
    """Have a move played as soon as it is the person's turn, if it is legal then.

    It takes the place of the one before.
    """

    type: Literal["premove"] = "premove"
    ply: Annotated[
        int, Field(ge=0, description="How many moves the page has seen; another number refuses it.")
    ]
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
    """Give the game up; on the other side's turn of a network game, as soon as one's own comes."""

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
    """Ask the other player to take the last move back, or to end without a result."""

    type: Literal["ask"] = "ask"
    what: Request


class Agree(WireCommand):
    """Agree to what your opponent asks for."""

    type: Literal["agree"] = "agree"


class Refuse(WireCommand):
    """Refuse what the other player asks for; it is told by a line of talk."""

    type: Literal["refuse"] = "refuse"


class Claim(WireCommand):
    """Claim the game of a player who does not answer."""

    type: Literal["claim"] = "claim"


class Say(WireCommand):
    """Say something to the other player; who looks on, to the others who do."""

    type: Literal["say"] = "say"
    text: Annotated[str, Field(min_length=1, max_length=500)]


class Mute(WireCommand):
    """Do not show what somebody says, or show it again."""

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
    """Let the engine evaluate the game, or no longer; `Evaluation` follows, to every page.

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
