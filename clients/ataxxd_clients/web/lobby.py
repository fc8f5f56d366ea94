"""The lobby and its page: what a node sees and has open, as JSON, and the room of both.

As at a table, each message is one websocket text frame with one object, and ``type`` says
which. The server begins with `Hello` and a `Lobby`; the page sends commands, each with an
``id``, and gets one `Reply` for each. Whatever changes, a whole new `Lobby` follows.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter

from ataxxd.node.open_game import OpenGame
from ataxxd.node.open_games import OpenGames, Proposal, RequestError
from ataxxd.rules import rulesets
from ataxxd.sanitize import sanitized
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.study import GameFiles
from ataxxd_clients.web.channel import Channel, Connection, Table
from ataxxd_clients.web.messages import Hello, WireCommand, WireMessage
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.study import StudyRoom

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
    """Resume a game of this node."""

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
    players: Annotated[
        list[str],
        Field(
            description="As people read them, the first to move first where that is known; `you` "
            "is this node, alone while nobody has joined."
        ),
    ]
    opponent: Annotated[str, Field(description="As people read it; empty without one.")]
    unconfirmed_s: Annotated[
        int | None,
        Field(
            description="How long ago it was over, where the opponent has not confirmed that, or "
            "that they have our signature; else null."
        ),
    ]


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
    """A player who is online."""

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


MessageT = TypeVar("MessageT", bound=WireMessage)

TABLE_LEFT = "This table was left."
"""What the pages of a table are told when it is no longer open."""

# The most ended tables that are kept for a page still to come.
_MAX_ENDED = 16


@dataclass(slots=True)
class _RunningTable:
    """A table with its room."""

    opened: OpenGame
    room: Room | StudyRoom
    task: "asyncio.Task[None]"


class LobbyRoom(Channel):
    """The lobby with its connections; `run` must run beside them.

    Each open game has a room of its own, in which its pages are the same as those of a program
    with one table.

    Args:
        lobby: the games and players; `run` runs it as well.
        files: reads the games that the page of a study sends.
    """

    subject = "lobby"
    ready = "The lobby is open; the program ends when you close it there."
    page = "lobby.html"
    socket = "/lobby"
    commands = LOBBY_COMMANDS
    # The commands of a study are the longest.
    longest_command = StudyRoom.longest_command
    pause_s = 0.1

    def __init__(self, lobby: OpenGames, files: GameFiles) -> None:
        super().__init__()
        self._lobby = lobby
        self._files = files
        self._tables: dict[str, _RunningTable] = {}
        # Tables that ended by themselves before a page had connected: it must still be told why.
        self._ended: dict[str, Room] = {}

    async def run(self) -> None:
        """Tell every page what changes, for ever."""
        try:
            while True:
                trouble = await self._lobby.wait_for_change()
                open_now = {opened.id: opened for opened in self._lobby.open}
                for each in [each for each in self._tables if each not in open_now]:
                    seated = self._tables[each]
                    # If a page has left the table, it knows already.
                    if not seated.room.left.is_set():
                        seated.room.close_reason = sanitized(seated.opened.ended_by) or TABLE_LEFT
                        if isinstance(seated.room, Room) and not seated.room.visited:
                            self._await(each, seated.room)
                    self._close(each)
                if trouble is not None:
                    self.send(Trouble(text=sanitized(trouble)))
                self.send_state()
        finally:
            for each in [*self._tables]:
                self._close(each)

    def room(self, table: str) -> Table | None:
        """The room of an open table, or of one that ended before a page had come."""
        seated = self._tables.get(table)
        return self._ended.get(table) if seated is None else seated.room

    async def execute(self, connection: Connection, command: LobbyCommand) -> None:
        """Obey a page's command, and answer it."""
        try:
            opened = await self._execute(command)
        except RequestError as error:
            question = None if error.question is None else sanitized(error.question)
            fault = Fault(text=sanitized(str(error)), field=error.field, question=question)
            connection.queue(Reply(id=command.id, error=fault))
            return
        if opened is not None:
            connection.queue(Opened(table=opened.id))
        connection.queue(Reply(id=command.id))
        self.send_state()

    async def _execute(self, command: LobbyCommand) -> OpenGame | None:
        lobby = self._lobby
        match command:
            case Host():
                terms = command.model_dump(exclude={"id", "type"})
                return self._show(lobby.host(Proposal(**terms)))
            case Join(invitation=invitation, new_host=new_host):
                return self._show(await lobby.join(invitation, new_host=new_host))
            case LookOn(name=name, host=host):
                return self._show(await lobby.watch(name, host))
            case Ask(player=player, ruleset=ruleset, color=color, clock=clock):
                asked = Proposal("", ruleset, color, clock, access=player)
                return self._show(lobby.challenge(asked))
            case Accept(challenge=challenge):
                return self._show(lobby.accept(challenge))
            case Again(game=game):
                return self._show(lobby.rematch(game))
            case Study(game=game):
                return self._show(lobby.study(game))
            case Resume(game=game):
                return self._show(lobby.resume(game))
            case Against(ruleset=ruleset, color=color, level=level):
                return self._show(lobby.play(ruleset, color, level))
            case _:
                await self._execute_without_table(command)
                return None

    async def _execute_without_table(self, command: LobbyCommand) -> None:
        match command:
            case CallMe(nickname=nickname):
                self._lobby.set_nickname(nickname)
            case Refuse(challenge=challenge):
                await self._lobby.decline(challenge)
            case Close():
                self.close_reason = "You have ended the program."
                self.left.set()
            case _:
                pass

    def _show(self, opened: OpenGame) -> OpenGame:
        invitation = None
        if opened.watch_command is not None:
            reaches = self._lobby.serves_network or "@" in opened.watch_command
            invitation = Invitation(
                opened.title, opened.join_command, opened.watch_command, opened.terms, reaches
            )
        room: Room | StudyRoom = Room(
            title=opened.title, invitation=invitation, waits_for=opened.waits_for
        )
        if opened.studied_game is not None:
            room = StudyRoom(opened.studied_game, self._files)
        task = asyncio.create_task(_run_table(opened, room), name=f"room {opened.id}")
        self._tables[opened.id] = _RunningTable(opened, room, task)
        return opened

    def _await(self, table: str, room: Room) -> None:
        self._ended[table] = room
        if len(self._ended) > _MAX_ENDED:
            del self._ended[next(iter(self._ended))]

    def _close(self, table: str) -> None:
        seated = self._tables.pop(table)
        seated.room.left.set()
        seated.task.cancel()

    def _state(self, connection: Connection) -> Lobby:  # noqa: ARG002 -- all see the same
        lobby = self._lobby
        return Lobby(
            node=lobby.node,
            nickname=lobby.nickname,
            broker=lobby.broker,
            connected=lobby.connected,
            rulesets=[
                Rules(id=info.id, game=info.game, title=info.title, sides=[*info.side_names])
                for info in rulesets()
            ],
            players=_to_messages(ListedPlayer, lobby.players),
            challenges=_to_messages(Challenge, lobby.challenges),
            games=_to_messages(Listed, lobby.games),
            kept=_to_messages(Kept, lobby.kept),
            finished=_to_messages(Finished, lobby.finished),
            tables=[
                OpenTable(
                    id=opened.id,
                    title=opened.title,
                    ruleset=opened.ruleset,
                    players=[*opened.players],
                    doing=opened.status_text,
                )
                for opened in lobby.open
            ],
        )


def _to_messages(kind: type[MessageT], found: Iterable[object]) -> list[MessageT]:
    """What was found, as messages for pages: attributes and fields have the same names."""
    return [kind.model_validate(each, strict=False, from_attributes=True) for each in found]


async def _run_table(opened: OpenGame, room: Room | StudyRoom) -> None:
    """Show a table's game until it is left, and leave it then."""
    playing = asyncio.create_task(_play(opened, room), name=f"game {opened.id}")
    try:
        await room.left.wait()
    finally:
        opened.leave()
        playing.cancel()
        await asyncio.wait({playing})


async def _play(opened: OpenGame, room: Room | StudyRoom) -> None:
    if isinstance(room, StudyRoom):
        await room.run()
        return
    table = await opened.begun()
    if table is not None:
        room.begin(table)
        await room.run()
