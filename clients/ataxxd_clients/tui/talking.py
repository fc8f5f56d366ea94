"""A session of the friendly mode whose words appear in windows instead of on paper."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ataxxd.node.control import Game, MayClaim, Moved, Over, RematchAsked, Seat, TableEvent
from ataxxd_clients.text.commands import Command, CommandTable
from ataxxd_clients.text.friendly import FriendlySession
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.text.output import Offers, Output, nothing_offered
from ataxxd_clients.text.session import Options
from ataxxd_clients.text.source import LineSource
from ataxxd_clients.text.terminal import Terminal


class View(Protocol):
    """What shows a session to a person."""

    def tell(self, text: str) -> None:
        """Show some lines of text."""
        ...

    def draw_board(self) -> None:
        """Show the game as it is now; called after whatever may have changed it."""
        ...

    def point_out(self, squares: tuple[str, ...]) -> None:
        """Show where a move can go on of which these squares were entered."""
        ...

    def call(self) -> None:
        """Draw the person's attention: somebody waits for them."""
        ...

    def own_commands(self) -> Sequence[Command]:
        """The commands that only this client has."""
        ...


class TypedLines:
    """Lines that come from keys and clicks; a `LineSource` that never ends by itself."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    def put(self, line: str) -> None:
        """Let a line be read next."""
        self._lines.put_nowait(line)

    async def read(self) -> str | None:
        """See `LineSource.read`."""
        return await self._lines.get()

    async def hung_up(self) -> None:
        """See `LineSource.hung_up`."""
        await asyncio.Event().wait()


class ViewOutput(Output):
    """What a session says, on a view."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell_stage = tell

    def say(self, text: str = "") -> None:
        """See `Output.say`."""
        self._tell_stage(text)

    def prompt(self, text: str, offers: Offers = nothing_offered) -> None:
        """There is a line to type on at all times."""

    def leave_prompt(self) -> None:
        """It is never left."""

    def ring(self) -> None:
        """The view calls the person; see `ScreenSession.say_moved`."""

    def tell(self, text: str) -> None:
        """See `Output.tell`."""
        self._tell_stage(text)


class ScreenSession(FriendlySession):
    """The session behind the terminal UI: it obeys at any time, and draws no boards itself."""

    def __init__(self, game: Game, language: LineLanguage, source: LineSource, view: View) -> None:
        self._view = view
        super().__init__(
            game,
            language,
            source,
            ViewOutput(view.tell),
            Options(prompts=False),
            Terminal(unicode=True, cursor=False, width=60),
        )

    def make_commands(self) -> CommandTable:
        """Those of the friendly mode, and the view's own."""
        own = tuple(self._view.own_commands())
        names = {command.name for command in own}
        others = (command for command in super().make_commands() if command.name not in names)
        return CommandTable((*own, *others))

    def open(self) -> None:
        """The view is set already."""
        self._view.draw_board()

    def reads(self) -> bool:
        """At any time: two machines that play each other can be told to stop."""
        return True

    def say_moved(self, event: Moved) -> None:
        """Tell the move; call the person whose turn it is after somebody else's."""
        super().say_moved(event)
        other = self.game.seat(event.side.opponent)
        if event.seat is not Seat.HUMAN and other is Seat.HUMAN:
            self._view.call()

    def say_over(self, event: Over) -> None:
        """Tell who won and why, and what can be done now."""
        super().say_over(event)
        self._view.call()

    def what_next(self) -> str:
        """See `FriendlySession.what_next`; here nothing ends by itself."""
        can = self.game.can
        if "new" in can:
            return super().what_next()
        rematch = "Type rematch for another game with colours swapped. " * ("rematch" in can)
        return f"{rematch}Look at the game as long as you like; quit with Ctrl-Q."

    async def obey(self, words: Sequence[str]) -> None:
        """Obey a line; what was said is told, for the line that it was typed on is empty again."""
        await super().obey(words)
        if words[0] == "say":
            self.output.say(f"You: {words[1]}")

    def say_error(self, error: Exception) -> None:
        """Tell what was wrong; the window folds long lines."""
        self.output.tell(str(error))

    def show_board(self, signs: Mapping[str, str] | None = None) -> None:  # noqa: ARG002
        """Nothing to print: the board is always there."""
        self._view.draw_board()

    def show_targets(self, square: str) -> None:
        """Point them out on the board, too."""
        super().show_targets(square)
        self._view.point_out((square,))

    def show_ways_on(self) -> None:
        """Point them out on the board, too."""
        super().show_ways_on()
        self._view.point_out(self.begun)

    def _tell(self, event: TableEvent) -> None:
        super()._tell(event)
        match event:
            case MayClaim() | RematchAsked():
                self._view.call()
            case _:
                pass
        self._view.draw_board()

    async def _obey_line(self, line: str) -> bool:
        obeyed = await super()._obey_line(line)
        self._view.draw_board()
        return obeyed
