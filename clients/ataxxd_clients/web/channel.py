"""Pages connected to a shared state: who is connected, what is queued for each, how it ends.

Every page of a channel sees the same state and may act, so a second tab is not a second player. A
page that does not read loses only old sentences: the next state it gets is complete.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from pydantic import TypeAdapter

from ataxxd import __version__
from ataxxd_clients.web.messages import Answer, Hello, WireCommand, WireMessage

MAX_CONNECTIONS = 16
"""Pages of one channel at a time."""

_MAX_UNREAD = 64


class Connection:
    """A connected page, with what it has not been sent yet.

    Attributes:
        known: what the page already has and need not be sent again; empty at first.
        state_sent: set once the page has been sent a whole state.
    """

    def __init__(self) -> None:
        self.known: Any = ()
        self._unread: deque[WireMessage] = deque(maxlen=_MAX_UNREAD)
        self._stale = True
        self._news = asyncio.Event()
        self._news.set()
        self._asked = False
        self.state_sent = asyncio.Event()

    def queue(self, message: WireMessage) -> None:
        """Send a message when the page is ready for it; see `WireMessage.latest`."""
        if message.latest:
            others = (each for each in self._unread if type(each) is not type(message))
            self._unread = deque(others, maxlen=_MAX_UNREAD)
        self._unread.append(message)
        self._news.set()

    def mark_stale(self) -> None:
        """Send the state when the page is ready for it."""
        self._stale = True
        self._news.set()

    async def wait_for_messages(self) -> tuple[list[WireMessage], bool]:
        """Wait for something to send: messages, and whether the state follows them."""
        if self._asked:
            # The caller asks again, so it has sent what it was given the last time.
            self.state_sent.set()
        self._asked = True
        await self._news.wait()
        self._news.clear()
        unread, stale = [*self._unread], self._stale
        self._unread.clear()
        self._stale = False
        return unread, stale


class Channel(ABC):
    """Something that pages show and control over a websocket.

    Attributes:
        subject: what it shows, in a word.
        ready: the sentence for the person when it is ready.
        page: the file of the page.
        socket: the path of its websocket.
        commands: the commands that pages may send.
        longest_command: the most bytes of a command.
        pause_s: seconds between two states to one page.
        left: set when a page has left for good.
        close_reason: what pages are told at the end.
        visited: whether any page has connected.
    """

    subject: ClassVar[str] = "board"
    ready: ClassVar[str] = "The board is ready; the program ends when you leave it there."
    page: ClassVar[str]
    socket: ClassVar[str] = "/table"
    commands: ClassVar[TypeAdapter[Any]]
    longest_command: ClassVar[int]
    pause_s: ClassVar[float] = 0

    def __init__(self) -> None:
        self._connections: set[Connection] = set()
        self.left = asyncio.Event()
        self.close_reason = "The program has ended."
        self.visited = False

    @property
    def full(self) -> bool:
        """Whether no more pages may connect."""
        return len(self._connections) >= MAX_CONNECTIONS

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A page's connection, while the block lasts."""
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
        for message in self._greeting():
            yield message.model_dump_json()
        while True:
            unread, stale = await connection.wait_for_messages()
            for message in self._batch(connection, unread, stale=stale):
                yield message.model_dump_json()
            if stale and self.pause_s:
                await asyncio.sleep(self.pause_s)

    def send(self, message: WireMessage) -> None:
        """Send a message to every page."""
        for connection in self._connections:
            connection.queue(message)

    def send_state(self) -> None:
        """Send the state to every page."""
        for connection in self._connections:
            connection.mark_stale()

    def announce(self, message: WireMessage) -> None:
        """Send a message to every page, and the state that it has changed."""
        self.send(message)
        self.send_state()

    @abstractmethod
    async def run(self) -> None:
        """Run the background work, for ever."""

    @abstractmethod
    async def execute(self, connection: Connection, command: Any) -> None:
        """Execute one of `commands`, and answer it."""

    @abstractmethod
    def _state(self, connection: Connection) -> WireMessage:
        """All that a page shows, except what it already has."""

    def _greeting(self) -> Iterable[WireMessage]:
        """The messages that a new page gets before its first state."""
        return ()

    def _batch(
        self, connection: Connection, unread: Sequence[WireMessage], *, stale: bool
    ) -> Iterator[WireMessage]:
        yield from unread
        if stale:
            yield self._state(connection)


class Table(Channel):
    """A channel with one game, which can be saved as a file."""

    refusals: ClassVar[tuple[type[Exception], ...]]
    """The errors that say why a command is not executed."""

    @abstractmethod
    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game, for a `messages.File`.

        Raises:
            CommandError: it cannot be written that way.
        """

    async def execute(self, connection: Connection, command: WireCommand) -> None:
        """Obey a page's command, and answer it."""
        try:
            await self._execute(command)
        except self.refusals as error:
            connection.queue(Answer(id=command.id, error=str(error)))
        else:
            connection.queue(Answer(id=command.id))

    @abstractmethod
    async def _execute(self, command: Any) -> None:
        """Execute one of `commands`."""
