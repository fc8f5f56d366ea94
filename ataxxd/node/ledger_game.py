"""The state of a network game for clients: always read from the ledger, never copied."""

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.nicknames import player_name
from ataxxd.node.game import Game
from ataxxd.node.names import NameBook
from ataxxd.rules import Move, Outcome, Position, RulesError, Side
from ataxxd.rules.notation import Format
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import TableEvent
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, make_game_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol.messages import Offer


def make_dated_record(ledger: Ledger) -> GameRecord:
    """The game of a ledger in the form that notations write, dated by the day of its offer."""
    day = datetime.fromtimestamp(ledger.offer.created_ms / 1000, tz=UTC)
    return replace(make_game_record(ledger), date=f"{day:%Y.%m.%d}")


def format_game(form: Format | None, ledger: Ledger, path: Path) -> bytes:
    """The content of a game's file: in a notation, or for None the signed record.

    Raises:
        StorageError: the notation cannot express this game; the text names `path`.
    """
    if form is None:
        return dump_record(ledger)
    try:
        return form.write(make_dated_record(ledger)).encode()
    except RulesError as error:
        raise StorageError(f"{path} cannot be written: {error}") from None


def format_player(ledger: Ledger, side: Side, names: NameBook | None) -> str:
    """Who plays a side, as people read it; empty before the game has begun."""
    node = ledger.node_of(ledger.role_playing(side))
    if node is None or ledger.host_side is None:
        return ""
    return player_name(node) if names is None else names.display_name(node)


class LedgerGame(Game):
    """The board of a network game, for players and spectators."""

    _carrier: asyncio.Task[None] | None = None
    """The task that runs the game, if the game has started one itself."""

    @property
    @abstractmethod
    def _ledger(self) -> Ledger:
        """The game so far."""

    @property
    @abstractmethod
    def _names(self) -> NameBook | None:
        """The nicknames that are known here, if they are."""

    @property
    @abstractmethod
    def offer(self) -> Offer:
        """The signed offer: the game's name, rules, start and terms."""

    @property
    def name(self) -> str:
        """Its name on the broker."""
        return self.offer.name

    @property
    def id(self) -> str:
        """The game's id: the digest of its offer, in hexadecimal digits. A rematch has its own."""
        return self.offer.digest

    async def _next(self) -> TableEvent | None:
        assert self._carrier is not None, "it is carried"
        return await self._next_while(self._carrier)

    def player(self, side: Side) -> str:
        """Who plays a side: the nickname and the beginning of the node's id."""
        return format_player(self._ledger, side, self._names)

    def rating(self, side: Side) -> int | None:
        """The rating of a side's player; None if this node does not know it."""
        node = self._ledger.node_of(self._ledger.role_playing(side))
        if node is None or self._names is None:
            return None
        return self._names.find_rating(node, self.offer.ruleset)

    @property
    @abstractmethod
    def _thought_ms(self) -> int:
        """How long the player on turn has thought, in milliseconds, as far as is known here."""

    def remaining_ms(self, side: Side) -> int | None:
        """What a side's clock shows now, in milliseconds; None without a clock."""
        return self._ledger.clock_ms(self._ledger.role_playing(side), self._thought_ms)

    def starts_in_ms(self, side: Side) -> int:
        """Milliseconds before a side's clock starts."""
        ledger = self._ledger
        role = ledger.role_playing(side)
        spent = self._thought_ms if role is ledger.on_turn else 0
        return max(ledger.free_ms(role) - spent, 0)

    @property
    def verified(self) -> int:
        """How many messages of the game have been verified."""
        return sum(len(self._ledger.log(role)) for role in Role)

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._ledger.start

    @property
    def position(self) -> Position:
        """The position after the last verified move."""
        return self._ledger.position

    @property
    def moves(self) -> Sequence[Move]:
        """The moves played so far."""
        return self._ledger.moves

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self._ledger.outcome

    @property
    def record(self) -> GameRecord:
        """The game so far, in the form that notations write."""
        return make_dated_record(self._ledger)

    @property
    def signed_record(self) -> bytes:
        """The game so far as a file that anybody can verify."""
        return dump_record(self._ledger)

    @property
    def draw_offered_by(self) -> Side | None:
        """The side whose offer of a draw has not been answered; None for no offer."""
        return self.position.turn if self._ledger.phase is Phase.ASKED else None
