"""The protocols of engines: how a position is asked about, and what an answer is."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ataxxd.engines.external import hub, nboard, uai
from ataxxd.engines.external.process import EngineProcess
from ataxxd.errors import UsageError
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits


class Dialect(Protocol):
    """One protocol. All deadlines are by `time.monotonic`.

    Attributes:
        game: whose engines speak it.
        usual: what a move may cost where nobody says more.
        stop: the word that ends a search; None where there is none.
        answers: the word that an answer begins with.
        keeps_time: whether the engine is told all limits in time, or is to be stopped.
    """

    game: str
    usual: Limits
    stop: str | None
    answers: str
    keeps_time: bool

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        """Begin, and set options; returns what the engine calls itself.

        Args:
            process: the engine.
            options: what the user wants; all of them must be known to it.
            deadline: until when it must have answered.
            usual: what is set besides where the engine lists it.

        Raises:
            EngineError: it does not answer as the protocol wants.
        """
        ...

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        """Tell it that a new game begins."""
        ...

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        """Set up a position and have it think."""
        ...

    def move(self, answer: str, position: Position) -> Move:
        """The move of an answer.

        Raises:
            ValueError: there is none in it, or it is not legal.
        """
        ...

    def score(self, lines: Sequence[str], position: Position) -> int | None:
        """What the engine thinks of its move, by the lines up to its answer.

        In hundredths of a piece for the side to move; None when it does not say.
        """
        ...


_DIALECTS: Mapping[str, Dialect] = {
    "uai": uai.Uai(),
    "nboard": nboard.NBoard(),
    "hub": hub.Hub(),
}


def dialect_for(game: str, protocol: str | None) -> Dialect:
    """The protocol of that name, or the one that engines of a game speak.

    Raises:
        UsageError: there is none, or it is of another game.
    """
    if protocol is None:
        for dialect in _DIALECTS.values():
            if dialect.game == game:
                return dialect
        raise UsageError(f"No protocol of engines for {game} is known here. {_known()}")
    if protocol not in _DIALECTS:
        raise UsageError(f"There is no protocol {protocol!r} of engines. {_known()}")
    dialect = _DIALECTS[protocol]
    if dialect.game != game:
        raise UsageError(f"Engines that speak {protocol} play {dialect.game}, not {game}.")
    return dialect


def _known() -> str:
    known = ", ".join(f"{name} for {each.game}" for name, each in _DIALECTS.items())
    return f"Known are {known}."
