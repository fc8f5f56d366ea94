"""The lobby and the pages that look at it: commands in, what changes out to all of them.

Each open game has a room of its own, in which its pages are the same as those
of a program with one table.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ataxxd.node.open_game import OpenGame
from ataxxd.node.open_games import Proposal, RequestError
from ataxxd.rules import rulesets
from ataxxd.sanitize import sanitized
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.study import GameFiles
from ataxxd_clients.web import lobby_messages as messages
from ataxxd_clients.web.channel import Channel, Connection, Table
from ataxxd_clients.web.lobby_messages import (
    LOBBY_COMMANDS,
    Challenge,
    Fault,
    Finished,
    Kept,
    Listed,
    ListedPlayer,
    Lobby,
    Opened,
    OpenTable,
    Reply,
    Rules,
    Trouble,
)
from ataxxd_clients.web.messages import WireMessage
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.study_room import StudyRoom

if TYPE_CHECKING:
    from ataxxd.node.open_games import OpenGames

MessageT = TypeVar("MessageT", bound=WireMessage)

TABLE_LEFT = "This table was left."
"""What the pages of a table are told that is open no longer."""

# Tables that have ended whose pages are still awaited.
_MOST_ENDED = 16


@dataclass(slots=True)
class _Seated:
    """A table with its room."""

    opened: OpenGame
    room: Room | StudyRoom
    task: "asyncio.Task[None]"


class LobbyRoom(Channel):
    """The lobby with its connections; `run` must run beside them.

    Args:
        lobby: what is there; it runs, too.
        files: reads the games that the page of a study sends.
    """

    shows = "lobby"
    ready = "The lobby is open; the program ends when you close it there."
    page = "lobby.html"
    commands = LOBBY_COMMANDS
    # What the page of a study sends is longest.
    longest_command = StudyRoom.longest_command
    pause_s = 0.1

    def __init__(self, lobby: "OpenGames", files: GameFiles) -> None:
        super().__init__()
        self._lobby = lobby
        self._files = files
        self._tables: dict[str, _Seated] = {}
        # Tables that ended by themselves before their page had come: it must hear why.
        self._ended: dict[str, Room] = {}

    async def run(self) -> None:
        """Tell every page what changes, for ever."""
        try:
            while True:
                trouble = await self._lobby.changed()
                open_now = {opened.id: opened for opened in self._lobby.open}
                for each in [each for each in self._tables if each not in open_now]:
                    seated = self._tables[each]
                    # A page that has left the table has said so already.
                    if not seated.room.left.is_set():
                        seated.room.close_reason = sanitized(seated.opened.ended_by) or TABLE_LEFT
                        if isinstance(seated.room, Room) and not seated.room.visited:
                            self._await(each, seated.room)
                    self._close(each)
                if trouble is not None:
                    self.tell(Trouble(text=sanitized(trouble)))
                self.look()
        finally:
            for each in [*self._tables]:
                self._close(each)

    def room(self, table: str) -> Table | None:
        """The room of an open table, or of one that ended before a page had come."""
        seated = self._tables.get(table)
        return self._ended.get(table) if seated is None else seated.room

    async def obey(self, connection: Connection, command: messages.LobbyCommand) -> None:
        """Obey a page's command, and answer it."""
        try:
            opened = await self._obey(command)
        except RequestError as error:
            question = None if error.question is None else sanitized(error.question)
            fault = Fault(text=sanitized(str(error)), field=error.field, question=question)
            connection.tell(Reply(id=command.id, error=fault))
            return
        if opened is not None:
            connection.tell(Opened(table=opened.id))
        connection.tell(Reply(id=command.id))
        self.look()

    async def _obey(self, command: messages.LobbyCommand) -> OpenGame | None:
        lobby = self._lobby
        match command:
            case messages.Host():
                terms = command.model_dump(exclude={"id", "type"})
                return self._show(lobby.host(Proposal(**terms)))
            case messages.Join(invitation=invitation, new_host=new_host):
                return self._show(await lobby.join(invitation, new_host=new_host))
            case messages.LookOn(name=name, host=host):
                return self._show(await lobby.look_on(name, host))
            case messages.Ask(player=player, ruleset=ruleset, color=color, clock=clock):
                asked = Proposal("", ruleset, color, clock, access=player)
                return self._show(lobby.challenge(asked))
            case messages.Accept(challenge=challenge):
                return self._show(lobby.accept(challenge))
            case messages.Again(game=game):
                return self._show(lobby.rematch(game))
            case messages.Study(game=game):
                return self._show(lobby.study(game))
            case messages.Resume(game=game):
                return self._show(lobby.resume(game))
            case messages.Against(ruleset=ruleset, color=color, level=level):
                return self._show(lobby.play(ruleset, color, level))
            case _:
                await self._obey_without_table(command)
                return None

    async def _obey_without_table(self, command: messages.LobbyCommand) -> None:
        match command:
            case messages.CallMe(nickname=nickname):
                self._lobby.call_us(nickname)
            case messages.Refuse(challenge=challenge):
                await self._lobby.decline(challenge)
            case messages.Close():
                self.close_reason = "You have ended the program."
                self.left.set()
            case _:
                pass

    def _show(self, opened: OpenGame) -> OpenGame:
        invitation = None
        if opened.watch is not None:
            reaches = "@" in opened.watch
            invitation = Invitation(opened.title, opened.join, opened.watch, opened.terms, reaches)
        room: Room | StudyRoom = Room(
            title=opened.title, invitation=invitation, waits_for=opened.waits_for
        )
        if opened.studied is not None:
            room = StudyRoom(opened.studied, self._files)
        task = asyncio.create_task(_carry(opened, room), name=f"room {opened.id}")
        self._tables[opened.id] = _Seated(opened, room, task)
        return opened

    def _await(self, table: str, room: Room) -> None:
        self._ended[table] = room
        if len(self._ended) > _MOST_ENDED:
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
            players=_told(ListedPlayer, lobby.players),
            challenges=_told(Challenge, lobby.challenges),
            games=_told(Listed, lobby.games),
            kept=_told(Kept, lobby.kept),
            finished=_told(Finished, lobby.finished),
            tables=_told(OpenTable, lobby.open),
        )


def _told(kind: type[MessageT], found: Iterable[object]) -> list[MessageT]:
    """What was found as pages get it: attributes and fields have the same names."""
    return [kind.model_validate(each, strict=False, from_attributes=True) for each in found]


async def _carry(opened: OpenGame, room: Room | StudyRoom) -> None:
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
        room.sit(table)
        await room.run()
