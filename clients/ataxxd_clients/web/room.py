"""The pages that look at a game: what comes from each goes to the game, what changes to all.

One room has one game, perhaps not from the beginning: a host's page is there before the guest.
Every page sees the same and may act, so that a second tab is no second player. A page that
does not read loses old sentences, and never more: the state it gets next is whole.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import segno

from ataxxd import __version__
from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Game
from ataxxd.rules import RulesError
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.web import messages
from ataxxd_clients.web.messages import (
    COMMANDS,
    Answer,
    Command,
    Evaluation,
    Hello,
    Hint,
    PlayedMove,
    Said,
    Share,
    State,
    Told,
    Waiting,
    WireMessage,
)
from ataxxd_clients.web.playing import Playing


def as_share(invitation: Invitation) -> Share:
    """An invitation for the page, with the code of the link, or else of a command."""
    # A link is long: with less correction its picture still fits on a phone's screen.
    code = segno.make(
        invitation.link or invitation.join or invitation.watch,
        error="l" if invitation.link else "m",
    )
    return Share(
        name=invitation.name,
        link=invitation.link,
        join=invitation.join,
        watch=invitation.watch,
        terms=invitation.terms,
        reaches=invitation.reaches,
        code=["".join("1" if dark else "0" for dark in row) for row in code.matrix],
    )


MOST_CONNECTIONS = 16
"""Pages at one table at a time."""

_MOST_UNREAD = 64


class Connection:
    """A page that is connected: what it has not been sent yet, and what it knows."""

    def __init__(self) -> None:
        self.known: Sequence[PlayedMove] = ()
        self._unread: deque[WireMessage] = deque(maxlen=_MOST_UNREAD)
        self._stale = True
        self._news = asyncio.Event()
        self._news.set()
        self._asked = False
        self.shown = asyncio.Event()
        """Set when the page has been sent a whole state."""

    def tell(self, message: WireMessage) -> None:
        """Send a message when the page is ready for it; see `WireMessage.latest`."""
        if message.latest:
            others = (each for each in self._unread if type(each) is not type(message))
            self._unread = deque(others, maxlen=_MOST_UNREAD)
        self._unread.append(message)
        self._news.set()

    def look(self) -> None:
        """Send the state when the page is ready for it."""
        self._stale = True
        self._news.set()

    async def news(self) -> tuple[list[WireMessage], bool]:
        """Wait for something to send: messages, and whether the state follows them."""
        if self._asked:
            # What was given the last time has been sent by now.
            self.shown.set()
        self._asked = True
        await self._news.wait()
        self._news.clear()
        unread, stale = [*self._unread], self._stale
        self._unread.clear()
        self._stale = False
        return unread, stale


class Room:
    """A game with its connections; `run` must run beside them.

    Args:
        game: the game, where there is one already; nothing else may advance it meanwhile.
        title: the game's name, where it has one.
        log: gets every command and move as the line language has it.
        invitation: how others come to the game, where they can.
        waits_for: who is to come; empty for anybody.
    """

    page = "index.html"
    commands = COMMANDS
    # A sentence of 500 characters, perhaps of four bytes each, written as escapes.
    longest_command = 8192

    def __init__(
        self,
        game: Game | None = None,
        *,
        title: str = "",
        log: Callable[[str], object] | None = None,
        invitation: Invitation | None = None,
        waits_for: str = "",
    ) -> None:
        self._title = title
        self._log = log
        self._invitation = invitation
        self._waits_for = waits_for
        self._connections: set[Connection] = set()
        self._playing: Playing | None = None
        self._seated = asyncio.Event()
        self.visited = False
        """Whether any page has come."""
        self.left = asyncio.Event()
        """Set when a page has left the table for good."""
        self.close_reason = "The program has ended."
        """What the pages are told when the room closes."""
        if game is not None:
            self.sit(game)

    def sit(self, game: Game) -> None:
        """Show a game, of which nothing has been shown yet."""
        self._playing = Playing(
            game,
            title=self._title,
            log=self._log,
            announce=self._announce,
            advise=self._advise,
        )
        self._seated.set()
        if self._invitation is not None:
            self._invitation = replace(self._invitation, join=None)
            for connection in self._connections:
                connection.tell(as_share(self._invitation))
        self._look()

    async def run(self) -> None:
        """Tell every page what happens in the game, for ever."""
        await self._seated.wait()
        assert self._playing is not None
        await self._playing.run()

    @property
    def full(self) -> bool:
        """Whether no more pages may come."""
        return len(self._connections) >= MOST_CONNECTIONS

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A page's stay in the room."""
        connection = Connection()
        self.visited = True
        self._connections.add(connection)
        try:
            yield connection
        finally:
            self._connections.discard(connection)

    async def outgoing(self, connection: Connection) -> AsyncIterator[str]:
        """The messages for a page, as text, for ever."""
        yield Hello(program=f"ataxxd/{__version__}").model_dump_json()
        if self._invitation is not None:
            yield as_share(self._invitation).model_dump_json()
        if self._playing is not None:
            for line in self._playing.talk.lines:
                yield line.model_dump_json()
            if (known := self._playing.advising.evaluation) is not None:
                yield known.model_dump_json()
        while True:
            unread, stale = await connection.news()
            for message in unread:
                yield message.model_dump_json()
            if stale:
                yield self._view(connection).model_dump_json()

    async def obey(self, connection: Connection, command: Command) -> None:
        """Obey a page's command, and answer it."""
        try:
            await self._obey(command)
        except (RulesError, LocalProtocolError, CommandError) as error:
            connection.tell(Answer(id=command.id, error=str(error)))
        else:
            connection.tell(Answer(id=command.id))
            self._look()

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game; see `messages.File`.

        Raises:
            CommandError: it cannot be written so.
        """
        return await self._game.export(name)

    async def _obey(self, command: Command) -> None:
        if isinstance(command, messages.Leave):
            self._write("quit")
            self.close_reason = "You have left the table."
            self.left.set()
        else:
            await self._game.obey(command)

    @property
    def _game(self) -> Playing:
        if self._playing is None:
            msg = "Nobody has come yet; the game begins when somebody joins."
            raise CommandError(msg)
        return self._playing

    def _view(self, connection: Connection) -> State | Waiting:
        if self._playing is None:
            return Waiting(title=self._title, who=self._waits_for)
        state = self._playing.state(connection.known)
        connection.known = self._playing.moves
        return state

    def _write(self, line: str) -> None:
        if self._log is not None:
            self._log(line)

    def _announce(self, told: Told | Said) -> None:
        for connection in self._connections:
            connection.tell(told)
            connection.look()

    def _advise(self, advice: Hint | Evaluation) -> None:
        for connection in self._connections:
            connection.tell(advice)

    def _look(self) -> None:
        for connection in self._connections:
            connection.look()
