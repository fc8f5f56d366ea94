"""The lines of ``watch --json``, and the view that prints them.

docs/reference/watch-json.md and its schema are made of this by ``python -m tools.watch_reference``.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from ataxxd.cli.output import print_json
from ataxxd.node.names import NameBook
from ataxxd.node.runtime import RuntimeEvent
from ataxxd.rules import Side
from ataxxd.session.events import (
    Begun,
    Closed,
    DrawAsked,
    DrawRefused,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    Said,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd.wording import sentence

SideName: TypeAlias = Literal["first", "second"]
Player: TypeAlias = Literal["host", "guest"]
NodeId: TypeAlias = Annotated[str, Field(pattern="^[a-z2-7]{20}$")]
PositionText: TypeAlias = Annotated[str, Field(min_length=1)]
MoveText: TypeAlias = Annotated[str, Field(min_length=1)]


class Line(BaseModel):
    """A line of ``watch --json``: one JSON object, in which ``event`` says what it tells.

    A spectator that comes early, late or after the end is told the whole game so far, then what
    happens. Everything in it has been verified. When both players have written the score,
    ``closed`` is the last line of a game; when one of them never does, ``end`` is. While both
    players stay, a rematch may follow: ``rematch``, and then the lines of the new game. The lines
    end when a player has left. What has no value is left out. New fields and events may come: a
    reader passes over those that it does not know.
    """

    model_config = ConfigDict(frozen=True)


class StartLine(Line):
    """The game has begun."""

    event: Literal["start"] = "start"
    name: Annotated[str, Field(description="Of the game.")]
    ruleset: Annotated[str, Field(description="Its id, such as `reversi/standard`.")]
    host: Annotated[NodeId, Field(description="The host's node id.")]
    guest: Annotated[NodeId, Field(description="The guest's node id.")]
    host_side: Annotated[SideName, Field(description="`first` moves first.")]
    position: Annotated[PositionText, Field(description="The start, as text.")]
    opening: Annotated[
        list[MoveText] | None, Field(description="Moves made already; left out where none are.")
    ] = None


class MoveLine(Line):
    """A move was made."""

    event: Literal["move"] = "move"
    ply: Annotated[int, Field(ge=1, description="The move's number in the game.")]
    side: SideName
    by: Annotated[Player, Field(description="Who has that side.")]
    move: Annotated[MoveText, Field(description="In canonical text.")]
    elapsed_ms: Annotated[int, Field(ge=0, description="How long the player says they thought.")]
    position: Annotated[PositionText, Field(description="After the move, as text.")]


class DrawLine(Line):
    """A draw is offered; an accepted one is an `end`."""

    event: Literal["draw"] = "draw"
    by: Player


class DrawRejectedLine(Line):
    """The draw is rejected."""

    event: Literal["draw-rejected"] = "draw-rejected"
    by: Player


class TakebackLine(Line):
    """Moves were taken back, as both agreed."""

    event: Literal["takeback"] = "takeback"
    by: Annotated[Player, Field(description="Who was on turn.")]
    plies: Annotated[int, Field(ge=1, description="How many moves count no longer.")]


class SetAsideLine(Line):
    """A claim or a proof, made before they arrived, sets later moves aside."""

    event: Literal["set-aside"] = "set-aside"
    by: Annotated[Player, Field(description="Who had decided the game.")]
    plies: Annotated[int, Field(ge=0, description="How many moves count no longer.")]


class ChatLine(Line):
    """A player said something to the other."""

    event: Literal["chat"] = "chat"
    by: Player
    text: str


class TalkLine(Line):
    """With `--talk`: another spectator said something."""

    event: Literal["talk"] = "talk"
    node: Annotated[NodeId, Field(description="Who.")]
    text: str


class NameLine(Line):
    """It is known, or known anew, what a player calls themselves; others may have the same name."""

    event: Literal["name"] = "name"
    node: Annotated[NodeId, Field(description="Who.")]
    by: Annotated[Player, Field(description="The same, as the game has it.")]
    name: Annotated[str, Field(description="Its nickname.")]


class EndLine(Line):
    """The game has ended."""

    event: Literal["end"] = "end"
    score: Annotated[
        str,
        Field(
            pattern=r"^(1-0|0-1|1/2-1/2|\*)$",
            description="`1-0` when the first side wins, `0-1`, `1/2-1/2`, or `*` for no result.",
        ),
    ]
    termination: Annotated[
        str,
        Field(
            pattern="^[a-z-]{1,32}$",
            description="Why, such as `no-moves`, `no-pieces`, `jump-limit`, `resignation`, "
            "`draw-agreed`, `abandoned`, `time`, `aborted`, `illegal-move`, `desync`, "
            "`double-dealing`, `protocol-violation`.",
        ),
    ]
    fault: Annotated[
        str | None, Field(description="The breach of the rules that is proved, in words.")
    ] = None
    fault_by: Annotated[Player | None, Field(description="Who broke them.")] = None


class RematchLine(Line):
    """The players have begun another game; what follows is of it, from its `start` on."""

    event: Literal["rematch"] = "rematch"
    name: Annotated[str, Field(description="Of the game, as before.")]
    host: Annotated[NodeId, Field(description="The host of the new game.")]
    game: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="The id of the new game.")]


class ClosedLine(Line):
    """Both players have written the score: the last line of a game."""

    event: Literal["closed"] = "closed"
    standing: Annotated[
        Literal["agreed", "disputed", "contested", "unconfirmed", "unfinished"],
        Field(description="`agreed` when both wrote the same, and neither contradicts the other."),
    ]


class NoticeLine(Line):
    """Something about the connection, for people."""

    event: Literal["notice"] = "notice"
    text: str


WatchLine: TypeAlias = Annotated[
    StartLine
    | MoveLine
    | DrawLine
    | DrawRejectedLine
    | TakebackLine
    | SetAsideLine
    | ChatLine
    | TalkLine
    | NameLine
    | EndLine
    | ClosedLine
    | RematchLine
    | NoticeLine,
    Field(discriminator="event"),
]
WATCH_LINES: TypeAdapter[WatchLine] = TypeAdapter(WatchLine)


def line_of(event: RuntimeEvent, ledger: Ledger) -> WatchLine | None:
    """The line for an event; None for events that are not shown to spectators.

    Args:
        event: what happened.
        ledger: the game after it.
    """
    match event:
        case Started():
            return _start(event, ledger)
        case Moved(side, move, before, _, ply, Role() as role, int() as elapsed_ms):
            return MoveLine(
                ply=ply,
                side=_name(side),
                by=role.value,
                move=move.text,
                elapsed_ms=elapsed_ms,
                position=before.play(move).text,
            )
        case Over(outcome, fault):
            return EndLine(
                score=outcome.score,
                termination=outcome.termination,
                fault=fault.text if fault else None,
                fault_by=fault.role.value if fault else None,
            )
        case DrawAsked(role=Role() as role):
            return DrawLine(by=role.value)
        case DrawRefused(role=Role() as role):
            return DrawRejectedLine(by=role.value)
        case TakenBack(moves, agreed, role=Role() as role):
            line = TakebackLine if agreed else SetAsideLine
            return line(by=role.value, plies=len(moves))
        case Said() | Overheard() | Named():
            return _of_people(event)
        case Begun(offer=offer) if offer is not None:
            return RematchLine(name=offer.name, host=offer.host, game=offer.digest)
        case Closed(standing):
            return ClosedLine(standing=standing.value)
        case Notice(text):
            return NoticeLine(text=sentence(text))
        case _:
            return None


def known_players(ledger: Ledger, names: NameBook) -> list[WatchLine]:
    """The nicknames already known of the players of a game that has begun."""
    guest = "" if ledger.join is None else ledger.join.author
    players = ((Role.HOST, ledger.offer.host), (Role.GUEST, guest))
    known = [(role, node, names.name_of(node)) for role, node in players]
    return [NameLine(node=node, by=role.value, name=name) for role, node, name in known if name]


def _of_people(event: Said | Overheard | Named) -> WatchLine | None:
    match event:
        case Said(text=text, role=Role() as role):
            return ChatLine(by=role.value, text=text)
        case Overheard(text=text, node=node):
            return TalkLine(node=node, text=text)
        case Named(role=Role() as role, node=node, nickname=nickname):
            return NameLine(node=node, by=role.value, name=nickname)
        case _:
            return None


def _start(event: Started, ledger: Ledger) -> StartLine:
    offer = ledger.offer
    return StartLine(
        name=offer.name,
        ruleset=offer.ruleset,
        host=offer.host,
        guest=event.guest,
        host_side=_name(event.host_side),
        position=ledger.start.text,
        opening=[move.text for move in ledger.opening] or None,
    )


def _name(side: Side) -> SideName:
    return "first" if side is Side.FIRST else "second"


@dataclass(frozen=True, slots=True)
class JsonView:
    """Prints events as JSON objects, one per line; docs/reference/watch-json.md describes them.

    Attributes:
        names: the nicknames that are known here.
    """

    names: NameBook | None = None

    def show(self, event: RuntimeEvent, ledger: Ledger) -> None:
        """Show an event and the game after it."""
        lines = [line_of(event, ledger)]
        if isinstance(event, Started) and self.names is not None:
            lines += known_players(ledger, self.names)
        for line in lines:
            if line is not None:
                print_json(line.model_dump(exclude_none=True))
