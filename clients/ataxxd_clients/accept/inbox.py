"""What passes between two sides that play each other: messages, each way in an inbox."""

import asyncio
from collections import deque

from ataxxd_clients.accept.messages import Message


class NoMoreComes(Exception):
    """A wait for the other side that would never end; the message says why."""


class Inbox:
    """The messages that one side gets from the other; `couple` makes the two inboxes."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._reverse: Inbox = self
        self.waiting = False

    @classmethod
    def couple(cls) -> tuple["Inbox", "Inbox"]:
        """Two inboxes, one for each way."""
        one, two = cls(), cls()
        one.set_reverse(two)
        two.set_reverse(one)
        return one, two

    def set_reverse(self, other: "Inbox") -> None:
        """Name the inbox of the other way; who waits there may be who has to write here."""
        self._reverse = other

    @property
    def starving(self) -> bool:
        """Whether somebody waits here and nothing has come."""
        return self.waiting and not self._messages

    def put(self, message: Message) -> None:
        """Deliver a message."""
        self._messages.append(message)
        self._changed.set()

    def close(self) -> None:
        """Say that nothing more will be delivered."""
        self._closed = True
        self._changed.set()

    async def get(self) -> Message:
        """Wait for the next message and take it.

        Raises:
            NoMoreComes: the other side is at its end, or waits for this one.
        """
        self.waiting = True
        try:
            while not self._messages:
                if self._closed:
                    msg = "waited for the other program, whose script has come to its end"
                    raise NoMoreComes(msg)
                if self._reverse.starving:
                    msg = (
                        "each program waits for the other to move; one of the scripts needs "
                        "#*move before #*remote move/win"
                    )
                    raise NoMoreComes(msg)
                self._changed.clear()
                await self._changed.wait()
        finally:
            self.waiting = False
        return self._messages.popleft()
