"""The pages that look at a game: what comes from each goes to the game, what changes to all.

One room has one game, perhaps not from the beginning: a host's page is there before the guest.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import segno

from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Game
from ataxxd.rules import RulesError
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.web import messages
from ataxxd_clients.web.channel import Connection, Table
from ataxxd_clients.web.messages import (
    COMMANDS,
    Command,
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


class Room(Table):
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
    refusals = (CommandError, RulesError, LocalProtocolError)

    def __init__(
        self,
        game: Game | None = None,
        *,
        title: str = "",
        log: Callable[[str], object] | None = None,
        invitation: Invitation | None = None,
        waits_for: str = "",
    ) -> None:
        super().__init__()
        self._title = title
        self._log = log
        self._invitation = invitation
        self._waits_for = waits_for
        self._playing: Playing | None = None
        self._seated = asyncio.Event()
        if game is not None:
            self.sit(game)

    def sit(self, game: Game) -> None:
        """Show a game, of which nothing has been shown yet."""
        self._playing = Playing(
            game,
            title=self._title,
            log=self._log,
            announce=self._announce,
            advise=self.tell,
        )
        self._seated.set()
        if self._invitation is not None:
            self._invitation = replace(self._invitation, join=None)
            self.tell(as_share(self._invitation))
        self.look()

    async def run(self) -> None:
        """Tell every page what happens in the game, for ever."""
        await self._seated.wait()
        assert self._playing is not None
        await self._playing.run()

    def _greeting(self) -> Iterator[WireMessage]:
        if self._invitation is not None:
            yield as_share(self._invitation)
        if self._playing is not None:
            yield from self._playing.talk.lines
            if (known := self._playing.advising.evaluation) is not None:
                yield known

    async def export(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file with the game; see `Table.export`."""
        return await self._game.export(name)

    async def _obey(self, command: Command) -> None:
        if isinstance(command, messages.Leave):
            self._write("quit")
            self.close_reason = "You have left the table."
            self.left.set()
        else:
            await self._game.obey(command)
        self.look()

    @property
    def _game(self) -> Playing:
        if self._playing is None:
            msg = "Nobody has come yet; the game begins when somebody joins."
            raise CommandError(msg)
        return self._playing

    def _state(self, connection: Connection) -> State | Waiting:
        if self._playing is None:
            return Waiting(title=self._title, who=self._waits_for)
        state = self._playing.state(connection.known)
        connection.known = self._playing.moves
        return state

    def _write(self, line: str) -> None:
        if self._log is not None:
            self._log(line)

    def _announce(self, told: Told | Said) -> None:
        self.tell(told)
        self.look()
