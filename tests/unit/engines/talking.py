"""An engine server in this process, spoken to line by line."""

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ataxxd.engines.native import LEVELS
from ataxxd_clients.engines import EngineServer
from tests.time_limits import DEADLINE


class Talk:
    """What one says to a server, and what it has answered."""

    def __init__(self, write_end: int) -> None:
        self._input = os.fdopen(write_end, "w", encoding="utf-8")
        self.said = queue.Queue[str]()

    def tell(self, *lines: str) -> None:
        """Say lines to it."""
        for line in lines:
            self._input.write(line + "\n")
        self._input.flush()

    def until(self, beginning: str) -> list[str]:
        """What it says, up to the first line that begins so."""
        lines = [self.said.get(timeout=DEADLINE)]
        while not lines[-1].startswith(beginning):
            lines.append(self.said.get(timeout=DEADLINE))
        return lines

    def answer(self, line: str, beginning: str) -> str:
        """The first answer to a line that begins so."""
        self.tell(line)
        return self.until(beginning)[-1]

    def hang_up(self) -> None:
        """End its input."""
        self._input.close()


@contextmanager
def talking_to(kind: type[EngineServer]) -> Iterator[Talk]:
    """A conversation; when it ends, so does the server."""
    read_end, write_end = os.pipe()
    talk = Talk(write_end)
    server = kind(talk.said.put, LEVELS, "1.2.3")
    stream = os.fdopen(read_end, encoding="utf-8")
    thread = threading.Thread(target=server.serve, args=(stream,), name="server")
    thread.start()
    try:
        yield talk
    finally:
        talk.hang_up()
        thread.join(DEADLINE)
        stream.close()
        assert not thread.is_alive()
