"""How seats are taken for a program: hosted, joined or gone on with; all of them in the journal."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ataxxd.errors import GameError, StorageError, UsageError
from ataxxd.node.addresses import DEFAULT_URL, broker_url, named, public
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.game_run import Place
from ataxxd.node.home import check_writable
from ataxxd.node.hosting import check_name, make_room
from ataxxd.node.ledger_game import dated
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import TOPICS, Node
from ataxxd.node.offers import new_offer
from ataxxd.node.presence import Announcer
from ataxxd.node.recovery import caught_up
from ataxxd.node.settings import Settings
from ataxxd.node.terms import Terms
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation.formats import format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd.transport.base import WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol.messages import Offer


class Seats:
    """The seats of a node at one broker.

    Attributes:
        node: whose.
        url: the broker's address, possibly with secrets.
        place: what every game needs.
    """

    def __init__(self, node: Node, option: str | None) -> None:
        """Of an open node; `option` is the broker as the user named it."""
        self.node = node
        self.url = url = named(broker_url(option or DEFAULT_URL), node.key.node)
        self._option = option
        self._at = f"@{public(url)}" if option else ""

        def connect(will: WillFactory | None) -> MqttTransport:
            return MqttTransport(url, will=will)

        self.place = Place(node, connect, _as_text, nobody_reads)

    @asynccontextmanager
    async def hosted(
        self,
        name: str,
        begin: GameRecord,
        *,
        color: str,
        terms: Terms,
        expires_s: float,
        transcript: Path | str | None,
        passing: bool = False,
    ) -> AsyncIterator[NetworkGame]:
        """A game of ours; see `NodeClient.host`.

        Args:
            name: of the game.
            begin: where it begins.
            color: our side.
            terms: what else is agreed.
            expires_s: how long a guest may take to come, in seconds.
            transcript: where the game is written in the end.
            passing: an offer that nobody has taken is forgotten in the end.
        """
        node = self.node
        check_name(name)
        if color not in ("first", "second", "random"):
            raise UsageError(f"color={color!r}: choose first, second or random.")
        make_room(node, name)
        settings = Settings(
            broker=self._option,
            transcript=_checked(transcript),
            secret=secrets.token_hex(16),
            invitation=secrets.token_hex(8) if terms.access == "invited" else "",
        ).with_seed()
        offer = new_offer(
            node.key,
            name,
            begin,
            color=color,
            secret=settings.secret,
            now_ms=SYSTEM_CLOCK.now_ms(),
            lasts_ms=round(expires_s * 1000),
            terms=terms,
        )
        with node.home.lock(offer.digest, offer.name):
            stored = node.journal.begin(offer, Role.HOST, settings.stored())
            game = NetworkGame(self.place, stored, Ledger(offer), settings, at=self._at)
            try:
                async with game.opened():
                    yield game
            finally:
                # What no broker has had nobody can have seen: there is nothing to resume.
                if game.is_open and (passing or not game.was_offered):
                    node.journal.finish(stored)

    @asynccontextmanager
    async def joined(
        self, offer: Offer, *, secret: str = "", transcript: Path | str | None = None
    ) -> AsyncIterator[NetworkGame]:
        """The free seat of an offer that holds; see `NodeClient.join`.

        Args:
            offer: the game.
            secret: the invitation's.
            transcript: where the game is written in the end.
        """
        node = self.node
        settings = Settings(
            broker=self._option, transcript=_checked(transcript), invitation=secret
        ).with_seed()
        with node.home.lock(offer.digest, offer.name):
            stored = node.journal.begin(offer, Role.GUEST, settings.stored())
            game = NetworkGame(self.place, stored, Ledger(offer), settings, at=self._at)
            async with game.opened():
                yield game

    @asynccontextmanager
    async def resumed(self, name: str) -> AsyncIterator[NetworkGame]:
        """A game that is not over; see `NodeClient.resume`."""
        node = self.node
        kept = node.journal.unfinished(name)
        if not kept:
            others = ", ".join(stored.offer.name for stored in node.journal.unfinished())
            raise GameError(
                f'No unfinished game "{name}" in {node.home.path}. '
                + (f"Unfinished here: {others}." if others else "Open one with host.")
            )
        # A game that has begun goes before an offer that nobody has taken.
        stored = min(kept, key=lambda game: node.journal.ledger(game).phase is Phase.OPEN)
        settings = Settings.restored(stored.settings)
        with node.home.lock(stored.offer.digest, name):
            if stored.restored:
                announcer = Announcer(TOPICS, stored.offer, node.key)
                stored = await caught_up(stored, node.journal, announcer, self.place.connect)
            # Read under the lock: another process may have written until a moment ago.
            ledger = node.journal.ledger(stored)
            if ledger.phase is Phase.OPEN and stored.role is Role.GUEST:
                node.journal.finish(stored)
                raise GameError(f'You never got the seat of "{name}". Try again with join.')
            game = NetworkGame(self.place, stored, ledger, settings, at=self._at)
            async with game.opened():
                yield game


def beginning(ruleset: str, start: Position | None) -> GameRecord:
    """Where a game begins: at `start`, or as is usual.

    Raises:
        UsageError: nobody could move there, or it is of another ruleset.
        RulesError: there is no such ruleset.
    """
    begin = Position.start(ruleset) if start is None else start
    if begin.ruleset != ruleset:
        raise UsageError(f"This position is of {begin.ruleset}, and the game of {ruleset}.")
    if begin.outcome is not None:
        raise UsageError(
            f"In {begin.text!r} the game is over ({begin.outcome.termination}): nobody could move."
        )
    return GameRecord(begin)


def nobody_reads(_: str) -> None:
    """A program hears what matters as events and errors."""


def _checked(path: Path | str | None) -> str | None:
    return None if path is None else str(check_writable(Path(path), "transcript"))


def _as_text(ledger: Ledger, path: Path) -> bytes:
    form = format_of_file(path.name)
    if form is None:
        return dump_record(ledger)
    try:
        return form.write(dated(ledger)).encode()
    except RulesError as error:
        raise StorageError(f"{path} cannot be written: {error}") from None
