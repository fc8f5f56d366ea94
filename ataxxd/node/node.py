"""This node on a broker: every seat is taken, and every game watched, through `Node`.

The commands, the lobby, serving nodes and client programs all use it.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ataxxd.engines import DEFAULT_LEVEL, OURS
from ataxxd.engines.registry import make_bot
from ataxxd.errors import GameError, TransportError, UsageError
from ataxxd.node.challenge_inbox import Challenges
from ataxxd.node.command_lines import BROKER_VARIABLE, naming
from ataxxd.node.concurrency import run_beside
from ataxxd.node.game_finder import SEARCH_S, FoundGame, GameFinder, GameName
from ataxxd.node.game_run import GameContext
from ataxxd.node.home import Lock, check_writable
from ataxxd.node.journal import StoredGame
from ataxxd.node.ledger_game import format_game
from ataxxd.node.listing import ListedGame, list_game
from ataxxd.node.local_game import LocalGame
from ataxxd.node.messaging.challenges import OutgoingChallenge, find_challenged
from ataxxd.node.messaging.messenger import open_messenger
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.offers import ARGUMENTS, Terms, new_offer, wire_name
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import open_profile
from ataxxd.node.recovery import recover_game
from ataxxd.node.seats import (
    check_found,
    check_no_seat,
    find_earlier_join,
    free_name,
    parse_name,
    split_broker,
)
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Position, Side, ruleset_named
from ataxxd.rules import rulesets as all_rulesets
from ataxxd.rules.notation import format_of_file
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Seat
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.address import (
    DEFAULT_URL,
    add_user,
    broker_url,
    format_public,
    is_same_broker,
)
from ataxxd.transport.base import Transport, WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Card, Offer


@asynccontextmanager
async def open_node(
    broker: str | None = None, *, home: Path | str | None = None
) -> AsyncIterator["Node"]:
    """A node, while the block lasts; the blocks of its games must end first.

    Args:
        broker: its address, ``mqtt://[USER:PASSWORD@]HOST[:PORT]`` or ``mqtts://``, ``ws://``,
            ``wss://``. If None, ``$ATAXXD_BROKER``, else port 1883 of this machine. The first game
            connects to it.
        home: the folder of its key and its journal, created if it does not exist. If None,
            ``$ATAXXD_HOME``, else the user's. Several programs may share a home, as long as they
            do not play the same game.

    Raises:
        StorageError: the home cannot be used.
    """
    option = broker or os.environ.get(BROKER_VARIABLE) or None
    async with open_profile(None if home is None else Path(home)) as profile:
        url = add_user(broker_url(option or DEFAULT_URL), profile.key.node)

        def connect(will: WillFactory | None) -> MqttTransport:
            return MqttTransport(url, will=will)

        with naming(broker=option):
            yield Node(
                GameContext(profile, connect, _as_text, ignore_note),
                url,
                at=f"@{format_public(url)}" if option else "",
                settings=Settings(broker=option),
            )


class Node:
    """A node at one broker; `open_node` gives one.

    Attributes:
        id: the node's id, 20 letters and digits, by which others know it.
        broker: the broker's address, without secrets.
        place: what its games share.
        profile: its home, its key and its journal.
        at: how invitations name the broker: ``@ADDRESS``, or empty for this machine's own.
        settings: the settings that its games begin with.
    """

    def __init__(
        self, place: GameContext, url: str, *, at: str = "", settings: Settings | None = None
    ) -> None:
        """Create the node of `place` with the broker at `url`, which may contain secrets."""
        self.id = place.profile.key.node
        self.broker = format_public(url)
        self.place = place
        self.at = at
        self.settings = Settings() if settings is None else settings
        self.profile = place.profile
        self._url = url

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {grouped(self.id)} at {self.broker}>"

    # Queries

    async def games(self, *, seconds: float = 1.5) -> Sequence[ListedGame]:
        """The games on the broker, oldest first: open, under way and over.

        Args:
            seconds: how long to wait for the hosts' answers.

        Raises:
            TransportError: the broker cannot be reached, or refuses us.
        """
        async with self.place.connect(None) as transport:
            found = await self._looking(transport).search(seconds=seconds)
        now_ms, known, names = SYSTEM_CLOCK.now_ms(), self.profile.known_hosts, self.profile.names
        return [list_game(each, self.id, now_ms, known, names) for each in found]

    def unfinished(self) -> Sequence[str]:
        """The names of this node's games that can be resumed, newest first."""
        return [stored.offer.name for stored in self.profile.journal.unfinished()]

    # Games

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
        witnesses: Sequence[str] = (),
        start: Position | None = None,
        expires_s: float = 86_400.0,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """Host a game; the block begins when the broker has the offer.

        Leaving the block withdraws an offer that nobody has joined. It leaves a game that is not
        over, which `resume` or ``ataxxd resume`` continues. If the game is over, it waits until
        both players have the whole game and have signed the result, up to some minutes if the
        opponent is away; if it is cancelled, `resume` does the rest.

        Args:
            name: the name that others join: up to 32 letters, digits and dashes. Wherever a game is
                named, ``Foo`` and ``our_game`` stand for ``foo`` and ``our-game``.
            ruleset: its id, such as ``reversi/standard``, or a game for its usual rules.
            color: our side: ``first``, ``second`` or ``random``.
            clock: ``5+3`` (minutes, and seconds a move), ``10m``, ``30s/move``, ``3d/move`` or
                ``none``.
            grace: how long a player may be silent before the opponent may claim the game: ``15m``,
                or ``never``.
            takebacks: whether moves may be taken back.
            guest: keep the seat for the node of this id.
            invited: joining takes the `NetworkGame.invitation`.
            witnesses: the ids of nodes that watch, and say whether a claim is true.
            start: a position of the ruleset to begin from; the usual one if None.
            expires_s: seconds for which the offer is open.
            transcript: a file to write the finished game to: the signed record, or the notation
                that the suffix names.

        Raises:
            UsageError: the terms make no sense.
            StorageError: the transcript cannot be written there.
            RulesError: there is no such ruleset.
            NameInUse: this node already plays a game of that name.
            NobodyCame: the offer expired.
            TransportError: the broker cannot be reached, or refuses us.
        """
        terms = Terms.read(
            clock,
            grace,
            takebacks=takebacks,
            guest=guest,
            invited=invited,
            witnesses=witnesses,
            written=ARGUMENTS,
        )
        begin = opening_position(ruleset, start)
        async with self._hosted(name, begin, color, terms, expires_s, transcript) as game:
            yield game

    @asynccontextmanager
    async def join(
        self,
        invitation: str,
        *,
        new_host: bool = False,
        seconds: float = SEARCH_S,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """Join a game; the block begins when the game does, and ends as for `host`.

        Args:
            invitation: ``NAME``, ``NAME#ID``, or the whole invitation. The name of a table with
                several games leads to the open one.
            new_host: join even if the name had a different host before.
            seconds: how long to look for the game.
            transcript: as for `host`.

        Raises:
            StorageError: as for `host`.
            UsageError: this does not name a game, or names one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            OtherHost: the name had a different host before; give the whole id to join.
            SeatTaken: somebody else has the seat, or it is kept for somebody else.
            NameInUse: we already have the seat; `resume` continues the game.
            HostSilent: the host does not answer; `resume` asks again.
            TransportError: the broker cannot be reached, or refuses us.
        """
        wanted = self._meant(invitation)
        found = await self.find_seat(wanted, seconds=seconds)
        check_found(self.profile, wanted, found, ignore_note, new_host=new_host)
        settings = self._settings(transcript, invitation=wanted.secret)
        with self.join_game(found.offer, settings) as game:
            async with game.opened():
                yield game

    @asynccontextmanager
    async def challenge(
        self,
        who: str,
        *,
        ruleset: str,
        name: str | None = None,
        color: str = "first",
        clock: str = "none",
        grace: str = "15m",
        takebacks: bool = True,
        start: Position | None = None,
        expires_s: float = 600.0,
        text: str | None = None,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """Challenge a player or group to a game that we host; the block begins with the game.

        Args:
            who: a name or id as in `players`, or a group.
            ruleset: as for `host`.
            name: the name of the game; made up if None.
            color: as for `host`.
            clock: as for `host`.
            grace: as for `host`.
            takebacks: as for `host`.
            start: as for `host`.
            expires_s: seconds for which the challenge is open.
            text: our message with it.
            transcript: as for `host`.

        Raises:
            NoSuchPlayer: no player has that name, or several have.
            ChallengeDeclined: the player declined; the text says why.
            NobodyCame: nobody took it in time.
            UsageError: the terms make no sense, or the challenge is too long for a message.
            TransportError: the broker cannot be reached, or refuses us.
        """
        profile = self.profile
        async with open_messenger(
            self.place.connect, profile.key, names=profile.names
        ) as messenger:
            challenged = await find_challenged(messenger, who, names=profile.names)
            if challenged.node == self.id:
                raise UsageError("This is our own node: play_engine plays against the engine.")
            terms = Terms.read(
                clock, grace, takebacks=takebacks, guest=challenged.node, written=ARGUMENTS
            )
            async with self._hosted(
                name or f"challenge-{secrets.token_hex(4)}",
                opening_position(ruleset, start),
                color,
                terms,
                expires_s,
                transcript,
                passing=True,
            ) as game:
                try:
                    challenging = OutgoingChallenge(messenger, challenged, game.offer, text=text)
                except ValueError as error:
                    raise UsageError(f"This challenge cannot be sent: {error}") from None
                await _until_begun(game, challenging)
                yield game

    @asynccontextmanager
    async def challenges(
        self, name: str, *, rulesets: Sequence[str] | None = None, at_once: int = 1
    ) -> AsyncIterator[Challenges]:
        """The challenges to this node, to iterate over while the block lasts.

        A card tells everybody that we take challenges; the broker removes it when we are gone.

        Args:
            name: our name on the card, written like a game's name.
            rulesets: the rulesets we accept, as for `host`; all that this node knows if None.
            at_once: how many games we play at a time.

        Raises:
            UsageError: the name is not valid.
            RulesError: there is no such ruleset.
            TransportError: the broker cannot be reached, or refuses us.
        """
        name = parse_name(name)
        known = [info.id for info in all_rulesets()]
        taken = known if rulesets is None else [ruleset_named(each).id for each in rulesets]
        async with open_messenger(self.place.connect, self.profile.key, has_card=True) as messenger:
            post = Challenges(messenger, self._taken, name=name, rulesets=taken, at_once=at_once)
            await post.open()
            try:
                yield post
            finally:
                with suppress(TransportError):
                    await post.close()

    async def players(self, *, seconds: float = 1.5) -> Sequence[Card]:
        """The cards of all nodes on the broker.

        Args:
            seconds: how long to collect them.

        Raises:
            TransportError: the broker cannot be reached, or refuses us.
        """
        async with open_messenger(self.place.connect, self.profile.key) as messenger:
            return await messenger.collect_cards(seconds)

    @asynccontextmanager
    async def resume(self, name: str) -> AsyncIterator[NetworkGame]:
        """Resume an unfinished game of this node.

        Args:
            name: the name of the game; of several, the newest is meant.

        Raises:
            GameError: there is none.
            NameInUse: another process is playing it.
            TransportError: the broker cannot be reached, or refuses us.
        """
        journal = self.profile.journal
        kept = journal.unfinished(wire_name(name))
        if not kept:
            others = ", ".join(stored.offer.name for stored in journal.unfinished())
            raise GameError(
                f'No unfinished game "{name}" in {self.profile.home.path}. '
                + (f"Unfinished here: {others}." if others else "Open one with host.")
            )
        # Prefer a game that has begun to an offer that nobody has taken.
        stored = min(kept, key=lambda game: journal.ledger(game).phase is Phase.OPEN)
        with self.profile.home.lock(stored.offer.digest, name):
            if stored.restored:
                announcer = Announcer(stored.offer, self.profile.key)
                stored = await recover_game(stored, journal, announcer, self.place.connect)
            if stored.role is Role.GUEST and journal.ledger(stored).phase is Phase.OPEN:
                journal.finish(stored)
                raise GameError(f'You never got the seat in "{name}". Try again with join.')
        with self.resume_game(stored) as game:
            async with game.opened():
                yield game

    @asynccontextmanager
    async def watch(
        self, name: str, *, seconds: float = SEARCH_S, rematches: bool = False
    ) -> AsyncIterator[WatchedGame]:
        """Watch a game, at any time, even after its end.

        Args:
            name: ``NAME`` or ``NAME#ID``; the id is the host's, or at least 8 digits of the game's
                own. The name of a table with several games leads to the newest under way. Of
                several hosts, the one that we joined before is meant; `games` lists all.
            seconds: how long to look for it.
            rematches: continue in `events` with the rematches (`Begun`), until one of the players
                has left.

        Raises:
            UsageError: this does not name a game, or names one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            TransportError: the broker cannot be reached, or refuses us.
        """
        wanted = self._meant(name)
        async with self.place.connect(None) as transport:
            found = await self._looking(transport).find_watchable(wanted, seconds=seconds)
        async with self.place.connect(None) as transport:
            session, names = SpectatorSession(Ledger(found.offer)), self.profile.names
            watcher = Watcher(session, transport, names=names, follow_rematches=rematches)
            async with WatchedGame(watcher).carried() as game:
                yield game

    @asynccontextmanager
    async def play_engine(
        self,
        *,
        ruleset: str,
        color: str = "first",
        level: int = DEFAULT_LEVEL,
        start: Position | None = None,
        seed: int | None = None,
    ) -> AsyncIterator[LocalGame]:
        """Play a game against our own engine, offline; nothing is stored.

        Args:
            ruleset: its id, such as ``reversi/standard``, or a game for its usual rules.
            color: our side: ``first``, ``second`` or ``random``.
            level: the engine's level, 1 to 10; at 0 it plays any legal move.
            start: a position of the ruleset to begin from; the usual one if None.
            seed: makes the engine's moves repeatable.

        Raises:
            UsageError: there is no such side or level.
            RulesError: there is no such ruleset.
        """
        begin = opening_position(ruleset, start).start
        _check_color(color)
        ours = secrets.choice([*Side]) if color == "random" else Side[color.upper()]
        bot = make_bot(f"{OURS}@{level}")
        seats = {ours: Seat.HUMAN, ours.opponent: Seat.AUTO}
        yield LocalGame(begin, {ours.opponent: bot}, seats=seats, seed=seed)

    # Seats, for callers that run the games themselves

    def new_game(
        self,
        name: str,
        first: GameRecord,
        *,
        color: str,
        terms: Terms,
        lasts_ms: int,
        settings: Settings | None = None,
        player: SeatPlayer | None = None,
        record_of: Callable[[Offer], str | None] | None = None,
    ) -> NetworkGame:
        """Our seat in a new game that we offer; it is in the journal, but not sent yet.

        Args:
            name: the name of the game, which must be free.
            first: the start position, and the moves already made.
            color: our side: ``first``, ``second`` or ``random``.
            terms: the other terms.
            lasts_ms: milliseconds for which the offer is open.
            settings: how it is played; the node's own if None. The secrets are chosen here.
            player: who plays; a person if None.
            record_of: decides where the record is written; the settings do if None.

        Raises:
            NameInUse: another process has the game.
            StorageError: the journal cannot be written.
        """
        settings = replace(
            self.settings if settings is None else settings,
            secret=secrets.token_hex(16),
            invitation=secrets.token_hex(8) if terms.access == "invited" else "",
        ).with_seed()
        offer = new_offer(
            self.profile.key,
            name,
            first,
            color=color,
            secret=settings.secret,
            now_ms=SYSTEM_CLOCK.now_ms(),
            lasts_ms=lasts_ms,
            terms=terms,
        )
        if record_of is not None:
            settings = replace(settings, transcript=record_of(offer))
        lock = self.profile.home.lock(offer.digest, offer.name)
        with _unless_taken(lock):
            stored = self.profile.journal.begin(offer, Role.HOST, settings.stored())
            return NetworkGame(
                self.place, stored, Ledger(offer), settings, player, lock=lock, at=self.at
            )

    def join_game(
        self, offer: Offer, settings: Settings | None = None, player: SeatPlayer | None = None
    ) -> NetworkGame:
        """Our seat in a game to join; it is in the journal, but not asked for yet.

        Args:
            offer: the verified offer of the game.
            settings: how it is played; the node's own if None.
            player: who plays; a person if None.

        Raises:
            NameInUse: another process has the game.
            StorageError: the journal cannot be read or written.
        """
        settings = (self.settings if settings is None else settings).with_seed()
        journal = self.profile.journal
        lock = self.profile.home.lock(offer.digest, offer.name)
        with _unless_taken(lock):
            ledger = Ledger(offer)
            stored = find_earlier_join(self.profile, offer)
            if stored is None:
                stored = journal.begin(offer, Role.GUEST, settings.stored())
            else:
                # Repeat the same join: a different one would be double-dealing.
                stored = journal.set_up(stored, settings.stored())
                ledger = journal.ledger(stored)
            return NetworkGame(self.place, stored, ledger, settings, player, lock=lock, at=self.at)

    def resume_game(
        self,
        stored: StoredGame,
        settings: Settings | None = None,
        player: SeatPlayer | None = None,
    ) -> NetworkGame:
        """Our seat in an unfinished game of the journal.

        Args:
            stored: the game.
            settings: how it is played; as before if None.
            player: who plays; a person if None.

        Raises:
            NameInUse: another process has the game.
            StorageError: the journal is inconsistent.
            IncompleteGameError: it came from a backup, and our messages since are not known yet.
        """
        settings = Settings.restored(stored.settings) if settings is None else settings
        lock = self.profile.home.lock(stored.offer.digest, stored.offer.name)
        with _unless_taken(lock):
            # Read under the lock: another process may have written until a moment ago.
            ledger = self.profile.journal.ledger(stored)
            return NetworkGame(self.place, stored, ledger, settings, player, lock=lock, at=self.at)

    async def find_seat(
        self,
        wanted: GameName,
        *,
        seconds: float = SEARCH_S,
        taken: Callable[[FoundGame], None] = lambda _: None,
    ) -> FoundGame:
        """The game to join under a name, as `GameFinder.find_seat` finds it.

        Raises:
            NameInUse: the one that has the name is ours to resume, and no other is open.
        """

        def check_taken(game: FoundGame) -> None:
            check_no_seat(self.profile, wanted, game.offer)
            taken(game)

        async with self.place.connect(None) as transport:
            finder = self._looking(transport)
            return await finder.find_seat(wanted, us=self.id, seconds=seconds, on_taken=check_taken)

    # Helpers

    def _looking(self, transport: Transport) -> GameFinder:
        journal, names = self.profile.journal, self.profile.names
        return GameFinder(transport, names=names, known_hosts=journal.known_hosts)

    def _settings(self, transcript: Path | str | None, *, invitation: str = "") -> Settings:
        path = None if transcript is None else str(check_writable(Path(transcript), "transcript"))
        return replace(self.settings, transcript=path, invitation=invitation)

    @asynccontextmanager
    async def _hosted(
        self,
        name: str,
        first: GameRecord,
        color: str,
        terms: Terms,
        expires_s: float,
        transcript: Path | str | None,
        *,
        passing: bool = False,
    ) -> AsyncIterator[NetworkGame]:
        """A game that we host; with `passing`, an offer that nobody joins cannot be resumed."""
        name = parse_name(name)
        _check_color(color)
        free_name(self.profile, name)
        with self.new_game(
            name,
            first,
            color=color,
            terms=terms,
            lasts_ms=round(expires_s * 1000),
            settings=self._settings(transcript),
        ) as game:
            try:
                async with game.opened():
                    yield game
            finally:
                # Nobody can have seen an offer that no broker has had: there is nothing to resume.
                if game.is_open and (passing or not game.was_offered):
                    self.profile.journal.finish(game.stored)

    @asynccontextmanager
    async def _taken(self, offer: Offer) -> AsyncIterator[NetworkGame]:
        with self.join_game(offer) as game:
            async with game.opened():
                yield game

    def _meant(self, text: str) -> GameName:
        """The game that a text names; it must be on this node's broker."""
        words = text.strip().removeprefix("ataxxd join ").removeprefix("ataxxd watch ")
        wanted, broker = split_broker(words)
        if broker is not None and not is_same_broker(broker, self._url):
            raise UsageError(
                f"This game is on another broker, {broker}; this node is at {self.broker}. Open "
                "one there."
            )
        return wanted


def _check_color(color: str) -> None:
    if color not in ("first", "second", "random"):
        raise UsageError(f"color={color!r}: choose first, second or random.")


async def _until_begun(game: NetworkGame, challenging: OutgoingChallenge) -> None:
    async with (
        run_beside(challenging.run(), "challenge") as asking,
        run_beside(game.begun(), "the game begins") as begun,
    ):
        await asyncio.wait({asking, begun}, return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            asking.result()


@contextmanager
def _unless_taken(lock: Lock) -> Iterator[None]:
    """Release the lock on a game if taking the seat fails."""
    try:
        yield
    except BaseException:
        lock.close()
        raise


def opening_position(ruleset: str, start: Position | None) -> GameRecord:
    """The beginning of a game: from `start`, or from the ruleset's usual position.

    Raises:
        UsageError: the game is over in it, or it belongs to another ruleset.
        RulesError: there is no such ruleset.
    """
    begin = Position.start(ruleset_named(ruleset).id) if start is None else start
    if ruleset not in (begin.ruleset, begin.game):
        raise UsageError(f"This position is of {begin.ruleset}, and the game of {ruleset}.")
    if begin.outcome is not None:
        raise UsageError(
            f"In {begin.text!r} the game is over ({begin.outcome.termination}): nobody could move."
        )
    return GameRecord(begin)


def ignore_note(_: str) -> None:
    """Ignore a note for people: programs get events and errors instead."""


def _as_text(ledger: Ledger, path: Path) -> bytes:
    return format_game(format_of_file(path.name), ledger, path)
