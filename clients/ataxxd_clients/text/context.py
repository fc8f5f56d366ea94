"""What commands may do with the game they are given."""

from collections.abc import Mapping

from ataxxd.node.control import Game, Seat
from ataxxd.rules import Position, Side
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.output import Output


class CommandContext:
    """A game, the output beside it, and what a session remembers of both.

    Attributes:
        game: the game.
        output: where commands print.
        verbose: whether the board is shown after each move.
        result_said: whether the result of the game has been printed; it is printed once.
        muted: whether what others say is left out.
        last_line: the message of what the other side did last; None when we have moved since.
    """

    def __init__(self, game: Game, output: Output, *, verbose: bool = False) -> None:
        self.game = game
        self.output = output
        self.verbose = verbose
        self.result_said = False
        self.muted = False
        self.last_line: str | None = None

    def editable(self, what: str) -> Game:
        """The game, for what only offline play allows.

        Raises:
            CommandError: this is a network game.
        """
        if "new" in self.game.can:
            return self.game
        msg = (
            f"{what} is not possible in a network game, where your opponent has a say too. "
            "You can move, resign, dump, board or quit."
        )
        raise CommandError(msg)

    def begin(
        self, seats: Mapping[Side, Seat] | None = None, start: Position | None = None
    ) -> None:
        """Begin a new game, with other seats and from another start if given.

        Raises:
            CommandError: this is a network game.
        """
        game = self.editable("A new game")
        for side, seat in (seats or {}).items():
            self.fill(side, seat)
        game.new(start)
        self.result_said = False
        self.last_line = None

    def fill(self, side: Side, seat: Seat) -> None:
        """Change who plays a side.

        Raises:
            CommandError: it is not possible; the message says why.
        """
        game = self.editable("Changing the players")
        try:
            game.fill(side, seat)
        except ValueError as error:
            raise CommandError(str(error)) from None

    def undo(self) -> None:
        """Take back the last move, and one more if an AI is on turn then.

        Raises:
            CommandError: this is a network game.
        """
        game = self.editable("undo")
        was_over = game.outcome is not None
        self.last_line = None
        if "undo" not in game.can:
            return
        if game.undo() is not None and game.seat(game.position.turn) is Seat.AUTO:
            game.undo()
        if was_over and game.outcome is None:
            self.result_said = False

    def redo(self) -> None:
        """Make the moves again that the last `undo` took back.

        Raises:
            CommandError: this is a network game.
            LocalProtocolError: nothing has been taken back.
        """
        game = self.editable("redo")
        game.redo()
        if game.undone and game.seat(game.position.turn) is Seat.AUTO:
            game.redo()
