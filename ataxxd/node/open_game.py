"""An open game, and what a client may know of the games and players of a broker."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from ataxxd.node.game import Game
from ataxxd.rules.notation.game import GameRecord


class Progress(Enum):
    """How far a game is."""

    OPEN = "open"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game on the broker.

    Attributes:
        name: its name.
        host: the host's node id.
        ruleset: by which rules.
        progress: how far it is.
        plies: moves made so far.
        age_s: how long ago it was offered.
        terms: what is agreed to by joining, in words; empty for the usual.
        invited: only who has the invitation may join.
        obstacle: why this node cannot take the seat; None when it can.
        watchable: whether this node can look on.
        players: who plays, as people read them, who moves first before; the host alone while
            nobody has joined.
        result: how it ended, in words; empty while it goes on.
        ours: this node plays in it.
        instead_of: whom this node has joined under this name before, as people read it, where
            somebody else hosts it now; else None.
    """

    name: str
    host: str
    ruleset: str
    progress: Progress
    plies: int
    age_s: int
    terms: str
    invited: bool
    obstacle: str | None
    watchable: bool
    players: tuple[str, ...] = ()
    result: str = ""
    ours: bool = False
    instead_of: str | None = None


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game of this node that is not over, and that nobody here sits at now.

    Attributes:
        id: the game id.
        name: its name.
        ruleset: by which rules.
        hosted: this node is the host.
        plies: moves made so far.
        opponent: the other player, as people read it; empty while there is none.
    """

    id: str
    name: str
    ruleset: str
    hosted: bool
    plies: int
    opponent: str = ""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game of this node that is over.

    Attributes:
        id: the game id.
        ruleset: by which rules.
        players: as people read them, who moved first before; ``you`` is this node.
        result: how it ended, in words.
        age_s: how long ago.
    """

    id: str
    ruleset: str
    players: tuple[str, str]
    result: str
    age_s: int


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """Somebody who is there, by its card.

    Attributes:
        node: the node id.
        name: as people read it.
        bot: nobody sits at it.
        rulesets: those it takes challenges in; empty when it takes none.
        free: whether it takes another game now.
        playing: how many games it plays.
        text: what it says of itself.
    """

    node: str
    name: str
    bot: bool
    rulesets: tuple[str, ...]
    free: bool
    playing: int
    text: str


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """Somebody asks this node for a game.

    Attributes:
        id: what it is called here.
        name: the challenger, as people read it.
        ruleset: by which rules.
        side: ``first``, ``second`` or ``random``: the side that would be ours.
        terms: what is agreed to by accepting, in words; empty for the usual.
        text: what the challenger says to it.
    """

    id: str
    name: str
    ruleset: str
    side: str
    terms: str
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a host offers; every field as people write it.

    Attributes:
        name: of the game.
        ruleset: its id.
        color: ``first``, ``second`` or ``random``: the host's side.
        clock: such as ``5+3``, or ``none``.
        grace: such as ``15m``, or ``never``.
        takebacks: whether moves may be taken back.
        access: ``anyone``, ``invited``, or the id of the node that the seat is kept for.
        blocks: of Ataxx; empty for none.
        position: to begin from; empty for the usual.
        auto: the engine plays this node's side.
    """

    name: str
    ruleset: str
    color: str = "first"
    clock: str = "none"
    grace: str = "15m"
    takebacks: bool = True
    access: str = "anyone"
    blocks: str = ""
    position: str = ""
    auto: bool = False


class RequestError(Exception):
    """A wish that cannot be granted; nothing has changed.

    Attributes:
        field: the part of the wish that is at fault, as it is called in `Proposal` or in the
            method's arguments; empty where it is none of them.
        question: what a person can agree to, so that the wish is granted; None for nothing.
    """

    def __init__(self, field: str, text: str, *, question: str | None = None) -> None:
        super().__init__(text)
        self.field = field
        self.question = question


class OpenGame(ABC):
    """One game that this node has open, whether it has begun or not; `run` must run beside it.

    Attributes:
        id: what it is called here.
        ended_by: what ended it by itself, such as a declined challenge; empty while it is open.
    """

    def __init__(self, number: int) -> None:
        self.id = str(number)
        self.ended_by = ""
        self._leaving = asyncio.Event()

    @property
    def game(self) -> str | None:
        """The id of the game of ours that is played in it."""
        return None

    @abstractmethod
    async def run(self) -> None:
        """Carry it until it is left.

        Raises:
            AtaxxdError: the game came to an end that way.
        """

    @property
    def title(self) -> str:
        """The game's name; empty offline."""
        return ""

    @property
    @abstractmethod
    def ruleset(self) -> str:
        """By which rules."""

    @property
    def players(self) -> tuple[str, ...]:
        """Who is at it, as people read them, who moves first before; fewer while some miss."""
        return ()

    @property
    def waits_for(self) -> str:
        """Whom it waits for before it begins; empty for anybody."""
        return ""

    @property
    def studied(self) -> GameRecord | None:
        """The game that is only studied here; None where one is played or watched."""
        return None

    @property
    def join(self) -> str | None:
        """The command by which somebody else takes the free seat; None when there is none."""
        return None

    @property
    def watch(self) -> str | None:
        """The command by which others look on; None when they cannot."""
        return None

    @property
    def terms(self) -> str:
        """What is agreed in the game, in words."""
        return ""

    @property
    @abstractmethod
    def doing(self) -> str:
        """What goes on at it, in words: ``waiting for a guest``, ``playing``, ``over``."""

    @abstractmethod
    async def begun(self) -> Game | None:
        """The game, once it has begun; None when it ended before it could."""

    def leave(self) -> None:
        """Leave it; it is closed soon, and a game that is not over can be resumed."""
        self._leaving.set()
