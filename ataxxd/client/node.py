"""This node as a program has it: games to host, join, watch and resume."""

import os
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from ataxxd.bots.registry import make_bot
from ataxxd.client.game import EngineGame
from ataxxd.client.network import NetworkGame
from ataxxd.client.watched import WatchedGame
from ataxxd.errors import GameError, StorageError, UsageError
from ataxxd.node.addresses import DEFAULT_URL, broker_url, named, public, same_place
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.control import ListedGame, Seat
from ataxxd.node.hosting import check_name, make_room
from ataxxd.node.joining import check_found, split_place
from ataxxd.node.journal import StoredGame
from ataxxd.node.ledger_table import dated
from ataxxd.node.listing import listed
from ataxxd.node.lobby import LOOK_S, FoundGame, GameName, Lobby
from ataxxd.node.local import LocalTable
from ataxxd.node.node import TOPICS, Node, opened_node
from ataxxd.node.offers import new_offer
from ataxxd.node.settings import Settings
from ataxxd.node.taken_seat import Place
from ataxxd.node.terms import access_field
from ataxxd.rules import Position, RulesError, Side
from ataxxd.rules.notation.formats import format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd.times import clock_fields, duration_ms
from ataxxd.transport.base import WillFactory
from ataxxd.transport.mqtt import MqttTransport

BROKER_VARIABLE = "ATAXXD_BROKER"


@asynccontextmanager
async def open_node(
    broker: str | None = None, *, home: Path | str | None = None
) -> AsyncIterator["NodeClient"]:
    """A node, while the block lasts; end the games' blocks before it.

    Args:
        broker: its address, ``mqtt://[USER:PASSWORD@]HOST[:PORT]`` or ``mqtts://``, ``ws://``,
            ``wss://``; ``$ATAXXD_BROKER`` when None, else port 1883 of this machine. Nothing
            connects before a game is wanted.
        home: the folder of its key and its journal, made when it is not there;
            ``$ATAXXD_HOME`` when None, else the user's. Several programs may use one home, as
            long as they do not play the same game.

    Raises:
        StorageError: the home cannot be used.
    """
    option = broker or os.environ.get(BROKER_VARIABLE) or None
    async with opened_node(None if home is None else Path(home)) as node:
        yield NodeClient(node, option)


class NodeClient:
    """A node at one broker; see `open_node`.

    Attributes:
        id: the node's id, by which others know it: 20 letters and digits.
        broker: the broker's address, without secrets.
    """

    def __init__(self, node: Node, option: str | None) -> None:
        """Of an open node; `option` is the broker as the user named it."""
        url = named(broker_url(option or DEFAULT_URL), node.key.node)
        self._url = url
        self.id = node.key.node
        self.broker = public(url)
        self._node = node
        self._option = option
        self._at = f"@{self.broker}" if option else ""

        def connect(will: WillFactory | None) -> MqttTransport:
            return MqttTransport(url, will=will)

        self._place = Place(node, connect, _as_text, _nobody_reads)

    # What there is

    async def games(self, *, seconds: float = 1.5) -> Sequence[ListedGame]:
        """The games of the broker, open, under way or over, oldest first.

        Args:
            seconds: how long to wait for the hosts' answers.

        Raises:
            TransportError: the broker cannot be reached, or refuses us.
        """
        async with self._place.connect(None) as transport:
            found = await Lobby(transport, TOPICS).look(seconds=seconds)
        now_ms = SYSTEM_CLOCK.now_ms()
        return [listed(each, self.id, now_ms) for each in found]

    def unfinished(self) -> Sequence[str]:
        """The names of this node's games that can be resumed, newest first."""
        return [stored.offer.name for stored in self._node.journal.unfinished()]

    # What can be done

    @asynccontextmanager
    async def host(
        self,
        name: str,
        *,
        ruleset: str,
        color: str = "first",
        clock: str = "none",
        grace: str = "15m",
        takebacks: bool = True,
        guest: str | None = None,
        invited: bool = False,
        start: Position | None = None,
        expires_s: float = 86_400.0,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """A game of ours, from the moment at which the broker has the offer.

        Leaving the block withdraws an offer that nobody has taken, and leaves a game that is
        not over, which `resume` (or ``ataxxd resume``) goes on with. When the game is over it
        waits until the other player has its end and both have signed the result, for some
        minutes should that one be away; cancelled, it leaves that to `resume`, too.

        Args:
            name: what others join: up to 32 lower-case letters, digits and dashes.
            ruleset: its id, such as ``reversi/standard``.
            color: our side: ``first``, ``second`` or ``random``.
            clock: ``10m+5s``, ``10m``, ``30s/move``, ``3d/move`` or ``none``.
            grace: who does not answer for so long can be made to lose: ``15m``, or ``never``.
            takebacks: whether moves may be taken back.
            guest: keep the seat for the node of this id.
            invited: only who has the `NetworkGame.invitation` may join.
            start: a position of the ruleset to begin from; the usual one when None.
            expires_s: how long a guest may take to come, in seconds.
            transcript: write the game there in the end: the signed record, or the notation that
                the suffix names.

        Raises:
            UsageError: the terms say nothing.
            RulesError: there is no such ruleset.
            NameInUse: this node already plays a game of that name.
            NobodyCame: the offer expired.
            TransportError: the broker cannot be reached, or refuses us.
        """
        node = self._node
        check_name(name)
        begin = _beginning(ruleset, start)
        if color not in ("first", "second", "random"):
            raise UsageError(f"color={color!r}: choose first, second or random.")
        terms = {
            "clock": clock_fields(clock, "clock"),
            "grace_ms": None if grace == "never" else duration_ms(grace, "grace"),
            "takebacks": None if takebacks else "never",
            "access": access_field(guest, invited=invited, option="guest"),
        }
        make_room(node, name)
        settings = Settings(
            broker=self._option,
            transcript=_absolute(transcript),
            secret=secrets.token_hex(16),
            invitation=secrets.token_hex(8) if invited else "",
        ).with_seed()
        offer = new_offer(
            node.key,
            name,
            begin,
            color=color,
            secret=settings.secret,
            now_ms=SYSTEM_CLOCK.now_ms(),
            lasts_ms=round(expires_s * 1000),
            terms={key: value for key, value in terms.items() if value is not None},
        )
        with node.home.lock(offer.digest, offer.name):
            stored = node.journal.begin(offer, Role.HOST, settings.stored())
            async with self._seated(stored, Ledger(offer), settings) as game:
                yield game

    @asynccontextmanager
    async def join(
        self,
        invitation: str,
        *,
        seconds: float = LOOK_S,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """A seat in somebody's game, from its start.

        Leaving the block is as for `host`.

        Args:
            invitation: ``NAME``, ``NAME#ID``, or all that the invitation says.
            seconds: how long to look for the game.
            transcript: as for `host`.

        Raises:
            UsageError: this names no game, or one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            SeatTaken: somebody else has the seat, or it is kept for somebody else.
            NameInUse: we have the seat already; `resume` goes on.
            HostSilent: the host does not answer; `resume` asks again.
            TransportError: the broker cannot be reached, or refuses us.
        """
        node = self._node
        wanted, found = await self._find(invitation, seconds, open_only=True)
        check_found(node, wanted, found, _nobody_reads)
        offer = found.offer
        settings = Settings(
            broker=self._option, transcript=_absolute(transcript), invitation=wanted.secret
        ).with_seed()
        with node.home.lock(offer.digest, offer.name):
            stored = node.journal.begin(offer, Role.GUEST, settings.stored())
            async with self._seated(stored, Ledger(offer), settings) as game:
                yield game

    @asynccontextmanager
    async def resume(self, name: str) -> AsyncIterator[NetworkGame]:
        """A game of this node that is not over, from where it stands.

        Args:
            name: of the game; the newest of several.

        Raises:
            GameError: there is none.
            NameInUse: another process plays it.
            TransportError: the broker cannot be reached, or refuses us.
        """
        node = self._node
        kept = node.journal.unfinished(name)
        if not kept:
            others = ", ".join(self.unfinished())
            raise GameError(
                f'No unfinished game "{name}" in {node.home.path}. '
                + (f"Unfinished here: {others}." if others else "Open one with host.")
            )
        # A game that has begun goes before an offer that nobody has taken.
        stored = min(kept, key=lambda game: node.journal.ledger(game).phase is Phase.OPEN)
        settings = Settings.restored(stored.settings)
        with node.home.lock(stored.offer.digest, name):
            # Read under the lock: another process may have written until a moment ago.
            ledger = node.journal.ledger(stored)
            if ledger.phase is Phase.OPEN and stored.role is Role.GUEST:
                node.journal.finish(stored)
                raise GameError(f'You never got the seat of "{name}". Try again with join.')
            async with self._seated(stored, ledger, settings) as game:
                yield game

    @asynccontextmanager
    async def watch(self, name: str, *, seconds: float = LOOK_S) -> AsyncIterator[WatchedGame]:
        """A game of others, early, late or after its end.

        Args:
            name: ``NAME`` or ``NAME#ID``.
            seconds: how long to look for it.

        Raises:
            UsageError: this names no game, or one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            TransportError: the broker cannot be reached, or refuses us.
        """
        _, found = await self._find(name, seconds)
        async with WatchedGame(found.offer, self._place.connect(None)).opened() as game:
            yield game

    @asynccontextmanager
    async def play_engine(
        self,
        *,
        ruleset: str,
        color: str = "first",
        level: int = 3,
        start: Position | None = None,
        seed: int | None = None,
    ) -> AsyncIterator[EngineGame]:
        """A game against our own engine, without any broker; nothing of it is kept.

        Args:
            ruleset: its id, such as ``reversi/standard``.
            color: our side: ``first``, ``second`` or ``random``.
            level: the engine's, 1 to 10; any legal moves when 0.
            start: a position of the ruleset to begin from; the usual one when None.
            seed: makes the engine's choices repeatable.

        Raises:
            UsageError: there is no such side or level.
            RulesError: there is no such ruleset.
        """
        begin = _beginning(ruleset, start).start
        if color not in ("first", "second", "random"):
            raise UsageError(f"color={color!r}: choose first, second or random.")
        ours = secrets.choice([*Side]) if color == "random" else Side[color.upper()]
        bot = make_bot("random" if level == 0 else f"native:{level}")
        seats = {ours: Seat.HUMAN, ours.opponent: Seat.AUTO}
        yield EngineGame(LocalTable(begin, {ours.opponent: bot}, seats=seats, seed=seed))

    # How

    async def _find(
        self, text: str, seconds: float, *, open_only: bool = False
    ) -> tuple[GameName, FoundGame]:
        words = text.strip().removeprefix("ataxxd join ").removeprefix("ataxxd watch ")
        wanted, broker = split_place(words)
        if broker is not None and not same_place(broker, self._url):
            raise UsageError(
                f"This game is on another broker, {broker}; this node is at {self.broker}. Open "
                "one there."
            )
        async with self._place.connect(None) as transport:
            looking = Lobby(transport, TOPICS)
            return wanted, await looking.find(wanted, seconds=seconds, open_only=open_only)

    def _seated(
        self, stored: StoredGame, ledger: Ledger, settings: Settings
    ) -> AbstractAsyncContextManager[NetworkGame]:
        return NetworkGame(self._place, stored, ledger, settings, at=self._at).opened()


def _beginning(ruleset: str, start: Position | None) -> GameRecord:
    begin = Position.start(ruleset) if start is None else start
    if begin.ruleset != ruleset:
        raise UsageError(f"This position is of {begin.ruleset}, and the game of {ruleset}.")
    if begin.outcome is not None:
        raise UsageError(
            f"In {begin.text!r} the game is over ({begin.outcome.termination}): nobody could move."
        )
    return GameRecord(begin)


def _absolute(path: Path | str | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _as_text(ledger: Ledger, path: Path) -> bytes:
    form = format_of_file(path.name)
    if form is None:
        return dump_record(ledger)
    try:
        return form.write(dated(ledger)).encode()
    except RulesError as error:
        raise StorageError(f"{path} cannot be written: {error}") from None


def _nobody_reads(_: str) -> None:
    """A program hears what matters as events and errors."""
