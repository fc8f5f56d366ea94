"""Finding games on a broker: offers, hosts and progress.

Every offer is verified before it is shown. Hosts that use the same name are distinguished by their
node ids.
"""

import asyncio
import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ataxxd.errors import RemoteProtocolError, TransportError
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import AmbiguousGame, Incompatible, NoSuchGame
from ataxxd.node.names import Introductions, NameBook
from ataxxd.node.offers import is_at, wire_name
from ataxxd.node.receiving import Incoming, Receiver, Recent
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK, Clock, format_duration
from ataxxd.transport.base import Connected, Transport, subscribe_all
from ataxxd_protocol import TOPICS, encode, grouped
from ataxxd_protocol.messages import Offer, StatePart, Who
from ataxxd_protocol.signing import NODE_ID_LENGTH
from ataxxd_protocol.topics import Address

# Seconds to look for a game; and to keep looking for another of its name once one is found.
SEARCH_S, SETTLE_S = 3.0, 0.4
# Seconds that the broker may take to accept the question.
_BROKER_ANSWER_S = 10.0
# The fewest digits that name a game by its id; fewer could be the beginning of a node's id.
GAME_DIGITS = 8
_NODE_ID = f"[a-z2-7]{{{NODE_ID_LENGTH}}}"
# Seconds before the question is repeated: hosts answer once a second, and an answer may be wiped.
_ASK_PAUSE = 1.1
# Seconds within which the host publishes an offer again that it did not wipe itself.
_WITHDRAWN_S = 3.0
# For `follow`: seconds between two questions, and between two reports of changes.
_FOLLOW_PAUSE, _TELL_PAUSE = 10.0, 0.25
# How many games are kept, and how many offers are checked for them in one look: keys cost
# nothing, so anybody can leave any number of valid offers on a broker.
MAX_GAMES, MAX_CHECKS = 256, 4096


@dataclass(slots=True)
class FoundGame:
    """A game seen on the broker.

    Attributes:
        offer: the signed offer.
        incompatibility: why this node cannot play it, or None.
        session: the game as its retained state tells it; None if it cannot be played here.
        other_hosts: other hosts of the name, which we have not joined before.
        has_live_host: whether its host is present: it has sent the offer since we began to look.
    """

    offer: Offer
    incompatibility: RemoteProtocolError | None = None
    session: SpectatorSession | None = None
    other_hosts: Sequence[str] = ()
    has_live_host: bool = False

    @property
    def phase(self) -> Phase:
        """How far the game has come."""
        return Phase.OPEN if self.session is None else self.session.ledger.phase

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.session is not None and self.session.ledger.outcome is not None


@dataclass(frozen=True, slots=True)
class GameName:
    """``NAME`` or ``NAME#ID`` or ``NAME#ID.SECRET``.

    ID is a node id or its beginning, with or without dashes, or at least the first 8 digits of a
    game's id. SECRET is that of an invitation.

    Attributes:
        name: the name of a game, or of a table with several games.
        prefix: the id, or its beginning.
        secret: the secret of an invitation.
        typed: the name as it was typed.
    """

    name: str
    prefix: str = ""
    secret: str = field(default="", repr=False)
    typed: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> "GameName":
        """Parse a game's name as people write it."""
        name, _, host = text.partition("#")
        host, _, secret = host.partition(".")
        prefix = host.replace("-", "").strip().lower()
        return cls(wire_name(name), prefix, secret.strip(), name.strip())

    @property
    def host(self) -> str | None:
        """The node id, if it is given in full; else None."""
        return self.prefix if re.fullmatch(_NODE_ID, self.prefix) else None

    def matches(self, offer: Offer) -> bool:
        """Whether this name can mean `offer`."""
        return offer.name == self.name and (
            offer.host.startswith(self.prefix) or self.names_game(offer)
        )

    def names_game(self, offer: Offer) -> bool:
        """Whether the id given is that of the game itself."""
        return len(self.prefix) >= GAME_DIGITS and offer.digest.startswith(self.prefix)

    def matches_table(self, offer: Offer) -> bool:
        """Whether `offer` may belong to the table of this name."""
        return is_at(self.name, offer.name) and (
            offer.host.startswith(self.prefix) or self.names_game(offer)
        )


class GameFinder:
    """The known games of one broker, updated as messages arrive."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock = SYSTEM_CLOCK,
        names: NameBook | None = None,
        known_hosts: Callable[[str], Collection[str]] = lambda _: (),
    ) -> None:
        """Look at a broker.

        Args:
            transport: an open connection, which nobody else may read meanwhile.
            clock: decides when offers have expired.
            names: the nicknames known here; it learns those of hosts and guests.
            known_hosts: the hosts of a name that we have joined before; they are preferred.
        """
        self._known_hosts = known_hosts
        self._introductions = None
        self._names = names
        self._since_ms = clock.now_ms()
        # Offers that were wiped, each with the time until which its host may publish it again.
        self._wiped: dict[tuple[str, str], float] = {}
        self._news_of_wiped = asyncio.Event()
        if names is not None:
            self._introductions = Introductions(
                names, transport, None, clock, max_nodes=2 * MAX_GAMES
            )
        self._transport = transport
        self._clock = clock
        self.games: dict[tuple[str, str], FoundGame] = {}
        self._is_wanted: Callable[[Offer], bool] = lambda _: True
        self._checks_left = MAX_CHECKS
        self._dismissed: Recent[str, None] = Recent(MAX_CHECKS)

    def dismiss(self, game: FoundGame) -> None:
        """Drop a game, and ignore its offer from now on, to make room for others."""
        self.games.pop((game.offer.name, game.offer.host), None)
        self._dismissed.put(game.offer.digest, None)

    async def search(
        self,
        name: str | None = None,
        *,
        host: str | None = None,
        seconds: float = SEARCH_S,
        enough: Callable[[FoundGame], bool] | None = None,
    ) -> list[FoundGame]:
        """Ask who hosts what and collect the answers.

        Args:
            name: only games of this name; any when None.
            host: only games of this node; any when None.
            seconds: how long to look at most, counted from when the broker has the question.
            enough: once it holds for a game found, the search ends after a moment, in which a
                second host of the name may answer.

        Returns:
            The games, oldest first, without expired offers.
        """
        # By exact topics where possible: some brokers deliver no retained messages to wildcards.
        place = (name or "+", host or "+")
        patterns = [
            TOPICS.offer(*place),
            TOPICS.state(*place),
            TOPICS.state(*place) + "/+",
        ]
        self._checks_left = MAX_CHECKS
        await subscribe_all(self._transport, *patterns)
        question = TOPICS.who(name) if name else TOPICS.who()
        await self._transport.publish(question, encode(Who()))
        clock = asyncio.get_running_loop().time
        beside: list[asyncio.Task[None]] = []
        if self._introductions is not None:
            beside.append(asyncio.create_task(self._introductions.run(), name="nicknames"))
        try:
            with suppress(TimeoutError):
                # The wait begins when the broker has the question: nobody can answer before.
                async with asyncio.timeout(_BROKER_ANSWER_S + seconds) as limit:

                    def end_at(when: float) -> None:
                        if not limit.expired():
                            limit.reschedule(min(when, limit.when() or when))

                    asking = repeat_question(
                        self._transport, question, lambda: end_at(clock() + seconds)
                    )
                    beside.append(asyncio.create_task(asking, name="who"))
                    async for event in Receiver(self._transport):
                        if not isinstance(event, Incoming):
                            continue
                        self._on_incoming(event)
                        if enough and any(map(enough, self.games.values())):
                            enough = None
                            end_at(clock() + SETTLE_S)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
        await asyncio.gather(*(self._transport.unsubscribe(pattern) for pattern in patterns))
        now = self._clock.now_ms()
        live = [
            game
            for game in self.games.values()
            if game.phase is not Phase.OPEN or game.offer.expires_ms > now
        ]
        return sorted(live, key=lambda game: game.offer.created_ms)

    async def follow(self, on_change: Callable[[bool], None]) -> None:
        """Keep up with the games of all names, for ever.

        Args:
            on_change: called with whether the broker is connected, at most a few times a second,
                when there may be something new.
        """
        patterns = (TOPICS.offer("+", "+"), TOPICS.state("+", "+"))
        await subscribe_all(self._transport, *patterns, patterns[1] + "/+")
        connected, news = True, asyncio.Event()

        async def ask() -> None:
            while True:
                self._checks_left = MAX_CHECKS
                await self._transport.publish(TOPICS.who(), encode(Who()))
                await asyncio.sleep(_FOLLOW_PAUSE)

        async def report() -> None:
            while True:
                await news.wait()
                news.clear()
                on_change(connected)
                await asyncio.sleep(_TELL_PAUSE)

        async with asyncio.TaskGroup() as group:
            group.create_task(self._forget_wiped(news), name="wiped offers")
            group.create_task(ask(), name="who")
            group.create_task(report(), name="news of the games")
            if self._introductions is not None:
                group.create_task(self._introductions.run(), name="nicknames")
            async for event in Receiver(self._transport):
                match event:
                    case Incoming(address=Address(kind="offer") as address, payload=b""):
                        self._on_wiped((address.name, str(address.host)))
                    case Incoming():
                        self._on_incoming(event)
                    case _:
                        connected = isinstance(event, Connected)
                news.set()

    def _on_wiped(self, place: tuple[str, str]) -> None:
        if place in self.games and place not in self._wiped:
            self._wiped[place] = asyncio.get_running_loop().time() + _WITHDRAWN_S
            self._news_of_wiped.set()

    async def _forget_wiped(self, news: asyncio.Event) -> None:
        """Drop wiped offers that their hosts do not publish again; never returns."""
        while True:
            await self._news_of_wiped.wait()
            self._news_of_wiped.clear()
            while self._wiped:
                # One question serves for all offers that were wiped meanwhile.
                await self._transport.publish(TOPICS.who(), encode(Who()))
                await asyncio.sleep(_ASK_PAUSE)
                now = asyncio.get_running_loop().time()
                for place in [place for place, until in self._wiped.items() if until <= now]:
                    del self._wiped[place]
                    self.games.pop(place, None)
                    news.set()

    async def find(
        self, wanted: GameName, *, seconds: float = SEARCH_S, open_only: bool = False
    ) -> FoundGame:
        """The one game that `wanted` means.

        Args:
            wanted: the name to look for.
            seconds: how long to look.
            open_only: of several games, prefer those whose seat is free.

        Raises:
            NoSuchGame: nobody offers it; the text names a similar one.
            AmbiguousGame: several hosts do; the text lists them.
            Incompatible: this node cannot play it.
        """
        self._is_wanted = wanted.matches
        games = await self.search(
            wanted.name,
            host=wanted.host,
            seconds=seconds,
            enough=lambda game: wanted.matches(game.offer),
        )
        fitting = [game for game in games if wanted.matches(game.offer)]
        if not fitting:
            # Look at all games: to suggest a similar name, and as the right one may have been late.
            games = await self.search(seconds=SETTLE_S)
            fitting = [game for game in games if wanted.matches(game.offer)]
        if not fitting:
            raise NoSuchGame(self._no_such_game(wanted, games, seconds))
        fitting = [game for game in fitting if not _has_later_game(game, fitting)]
        if open_only and len(fitting) > 1:
            fitting = [game for game in fitting if game.phase is Phase.OPEN] or fitting
        return self._require_one(fitting, wanted)

    async def find_seat(
        self,
        wanted: GameName,
        *,
        us: str,
        seconds: float = SEARCH_S,
        on_taken: Callable[[FoundGame], None] = lambda _: None,
    ) -> FoundGame:
        """The game to join under the name `wanted`: at a table with several, the open one.

        Args:
            wanted: the name of a game or of a table.
            us: the node that wants the seat.
            seconds: how long to look, and again for another game at the table if the seat in the
                one that has its name is taken.
            on_taken: called with that game if no other is found at once.

        Returns:
            The open game; if there is none, the one that has the name, whose seat is taken.

        Raises:
            NoSuchGame, AmbiguousGame, Incompatible: as for `find`.
        """

        def is_free(game: FoundGame) -> bool:
            return game.phase is Phase.OPEN and game.offer.access in (None, "invited", us)

        async def find_other(lasts: float) -> FoundGame | None:
            # Known hosts of the name keep their claim to it when somebody else uses it.
            known = self._known_hosts(wanted.name)
            free = filter(is_free, await self._at_table(wanted, found, is_free, lasts, known))
            first = _first_of_each_host(free)
            return self._require_one(first, wanted) if first else None

        found = None
        try:
            found = await self.find(wanted, seconds=seconds, open_only=True)
        except NoSuchGame:
            if (other := await find_other(0)) is None:
                raise
            return other
        if found.phase is Phase.OPEN:
            rivals, host = self._rivals(found, wanted), found.offer.host
            # A host that has taken another's nickname may have taken the name of its table, too.
            poses = self._names is not None and self._names.is_new_key(host)
            poses = poses and wanted.host is None and host not in self._known_hosts(wanted.name)

            def is_rival(game: FoundGame) -> bool:
                other = game.offer.host
                return is_free(game) and (other in rivals or (poses and other != host))

            if rivals or poses:
                tables = filter(is_rival, await self._at_table(wanted, None, is_rival, SETTLE_S))
                return self._require_one([found, *_first_of_each_host(tables)], wanted)
            return found
        # If the table has another open game, we find it at once.
        if (other := await find_other(SETTLE_S)) is None:
            on_taken(found)
            other = await find_other(seconds)
        return other or found

    def _rivals(self, found: FoundGame, wanted: GameName) -> set[str]:
        """The other hosts whose table a name may mean, under which a stranger's game was found.

        These are the hosts that we have joined under it, and those that have a game of that name
        now: the open game at their table may have a numbered name.
        """
        known = set(self._known_hosts(wanted.name))
        if wanted.host is not None or wanted.names_game(found.offer) or found.offer.host in known:
            return set()
        seen = {host for name, host in self.games if name == wanted.name}
        return (known | seen) - {found.offer.host}

    async def find_watchable(self, wanted: GameName, *, seconds: float = SEARCH_S) -> FoundGame:
        """The game to watch under the name `wanted`: at a table with several, one under way.

        If none is under way, it is the open one; if all are over, the one that has the name. A
        game's own id leads to that game.

        Raises:
            NoSuchGame, AmbiguousGame, Incompatible: as for `find`.
        """
        found, missing = None, None
        try:
            found = await self.find(wanted, seconds=seconds)
        except NoSuchGame as error:
            missing = error
        if found is not None and (not found.is_over or wanted.names_game(found.offer)):
            return found
        here = await self._at_table(wanted, found, _is_under_way, SETTLE_S if found else 0)
        for fits in (_is_under_way, lambda game: not game.is_over, lambda _: found is None):
            if fitting := [game for game in here if fits(game)]:
                return self._require_one(_newest_of_each_host(fitting), wanted)
        if found is None:
            assert missing is not None
            raise missing
        return found

    async def _at_table(
        self,
        wanted: GameName,
        found: FoundGame | None,
        enough: Callable[[FoundGame], bool],
        seconds: float,
        others: Collection[str] = (),
    ) -> list[FoundGame]:
        """The games at the table `wanted`, except for `found`.

        If its host is known, only games by that host and by `others` are included.
        """
        host = wanted.host if found is None else found.offer.host
        hosts = None if host is None else {host, *others}

        def is_there(game: FoundGame) -> bool:
            offer = game.offer
            return (
                game is not found
                and game.incompatibility is None
                and wanted.matches_table(offer)
                and (hosts is None or offer.host in hosts)
            )

        self._is_wanted = wanted.matches_table
        games = await self.search(
            host=host if hosts is not None and len(hosts) == 1 else None,
            seconds=seconds,
            enough=lambda game: is_there(game) and enough(game),
        )
        return [game for game in games if is_there(game)]

    def _on_incoming(self, incoming: Incoming) -> None:
        address = incoming.address
        if address.kind == "nickname" and self._introductions is not None:
            self._introductions.receive(incoming)
            return
        if address.host is None:
            return
        place = (address.name, address.host)
        known = self.games.get(place)
        if address.kind == "state" and (
            # Usually it belongs to an earlier game of this name: not worth parsing.
            known is None or known.offer.digest.encode() not in incoming.payload
        ):
            return
        match incoming.message:
            case StatePart() as part if known is not None:
                if known.session is not None:
                    known.session.receive(part)
                self._meet_players(known)
            case Offer() as offer:
                self._on_offer(offer, known)
                found = self.games.get(place)
                if found is not None and found.offer.digest == offer.digest:
                    found.has_live_host |= not incoming.retained

    def _on_offer(self, offer: Offer, known: FoundGame | None) -> None:
        if known is not None and known.offer.created_ms >= offer.created_ms:
            if known.offer.digest == offer.digest:
                self._wiped.pop((offer.name, offer.host), None)
            return
        if offer.digest in self._dismissed:
            return
        if self._checks_left <= 0 or (known is None and not self._has_room(offer)):
            return
        self._checks_left -= 1
        found = _check_offer(offer)
        if found is None:
            return
        if known is None and (place := self._find_superfluous(offer)) is not None:
            del self.games[place]
        self.games[offer.name, offer.host] = found
        self._wiped.pop((offer.name, offer.host), None)
        self._meet_players(found)

    def _meet_players(self, game: FoundGame) -> None:
        if self._introductions is None:
            return
        self._introductions.meet(game.offer.host)
        if game.session is not None and game.session.ledger.join is not None:
            self._introductions.meet(game.session.ledger.join.author)

    def _has_room(self, offer: Offer) -> bool:
        return len(self.games) < MAX_GAMES or self._find_superfluous(offer) is not None

    def _find_superfluous(self, offer: Offer) -> tuple[str, str] | None:
        """The game to drop for an offer when there is no room; None to drop none."""
        if len(self.games) < MAX_GAMES or not self._is_wanted(offer):
            return None
        # Others must not crowd out what was asked for.
        unwanted = [place for place, game in self.games.items() if not self._is_wanted(game.offer)]
        if unwanted:
            return unwanted[0]
        # Nor one host the others, nor strangers those whom we know.
        games = Counter(host for _, host in self.games)
        host, most = games.most_common(1)[0]
        if most > games[offer.host] + 1:
            return next(place for place in self.games if place[1] == host)
        if self._is_known(offer.host):
            strangers = (place for place in self.games if not self._is_known(place[1]))
            return next(strangers, None)
        return None

    def _is_known(self, host: str) -> bool:
        return self._names is not None and self._names.was_known(host, self._since_ms)

    def _require_one(self, fitting: Sequence[FoundGame], wanted: GameName) -> FoundGame:
        if len(fitting) > 1:
            known = self._known_hosts(wanted.name)
            before = [game for game in fitting if game.offer.host in known]
            if len(before) == 1:
                others = [game.offer.host for game in fitting if game not in before]
                before[0].other_hosts = list(dict.fromkeys(others))
                fitting = before
        # Games that are over count only if there are no others.
        fitting = [game for game in fitting if not game.is_over] or fitting
        if len(fitting) > 1:
            do = "have played" if fitting[0].is_over else "offer"
            rows = "\n".join(map(self._describe, fitting))
            raise AmbiguousGame(
                f'{len(fitting)} hosts {do} "{wanted.name}". Say which one you mean:\n{rows}'
            )
        if fitting[0].incompatibility is not None:
            raise Incompatible(
                f'"{wanted.name}" cannot be played here: {fitting[0].incompatibility}.'
            )
        return fitting[0]

    def _describe(self, game: FoundGame) -> str:
        host = game.offer.host
        known = self._names is not None and self._names.name_of(host) is not None
        hosted = f", hosted by {self._names.display_name(host)}" if known and self._names else ""
        return f"  {game.offer.name}#{grouped(host)}{hosted}"

    def _no_such_game(self, wanted: GameName, games: Iterable[FoundGame], seconds: float) -> str:
        now = self._clock.now_ms()
        expired = [
            game.offer.expires_ms
            for game in self.games.values()
            if wanted.matches(game.offer)
            and game.phase is Phase.OPEN
            and game.offer.expires_ms <= now
        ]
        if expired:
            late = format_duration(max(1, (now - max(expired)) // 1000) * 1000)
            return (
                f'The offer of "{wanted.name}" expired {late} ago by the clock of this machine. If '
                "its host still waits, one of the two clocks is wrong: compare what `date` says on "
                "both machines. Otherwise it must be opened again: "
                f"{command_line(f'host {wanted.name}')}"
            )
        text = f'No game "{wanted.name}" on {self._transport.url} (looked for {seconds:g} s).'
        names = {game.offer.name: game for game in games}
        if wanted.prefix and wanted.name in names:
            return f"{text} {grouped(names[wanted.name].offer.host)} has it, not {wanted.prefix}."
        similar = difflib.get_close_matches(wanted.name, names, n=1)
        if similar:
            offer = names[similar[0]].offer
            age = format_duration(max(1, (now - offer.created_ms) // 1000) * 1000)
            found = f'"{offer.name}" (host {grouped(offer.host)}, opened {age} ago)'
            return f"{text} Did you mean {found}?"
        host = command_line(f"host {wanted.name}")
        return f"{text} See what there is: `{command_line('games')}`. Or open it: {host}"


async def repeat_question(
    transport: Transport, question: str, on_taken: Callable[[], None] = lambda: None
) -> None:
    """Repeat the question who hosts what, for ever.

    Args:
        transport: an open connection, on which it has been asked once.
        question: the topic of the question.
        on_taken: called when the broker has the first question.
    """
    with suppress(TransportError):
        await transport.drain()
        on_taken()
        while True:
            await asyncio.sleep(_ASK_PAUSE)
            await transport.publish(question, encode(Who()))


def _has_later_game(game: FoundGame, others: Iterable[FoundGame]) -> bool:
    """Whether one of the others is a rematch of a game that its guest hosts."""
    if game.session is None or game.session.ledger.outcome is None:
        return False
    guest = game.session.ledger.node_of(Role.GUEST)
    later = (
        other.offer
        for other in others
        if other.offer.host == guest and other.offer.created_ms > game.offer.created_ms
    )
    # A rematch of a rematch does not name this game, but keeps its seat for this game's host.
    return any(
        offer.rematch_of == game.offer.digest
        or (offer.rematch_of is not None and offer.access == game.offer.host)
        for offer in later
    )


def _first_of_each_host(games: Iterable[FoundGame]) -> list[FoundGame]:
    """One game of each host: of several, the one whose name has the lowest number."""
    by_name = sorted(games, key=lambda game: (len(game.offer.name), game.offer.name), reverse=True)
    return list({game.offer.host: game for game in by_name}.values())


def _newest_of_each_host(games: Iterable[FoundGame]) -> list[FoundGame]:
    by_age = sorted(games, key=lambda game: game.offer.created_ms)
    return list({game.offer.host: game for game in by_age}.values())


def _is_under_way(game: FoundGame) -> bool:
    return game.phase is not Phase.OPEN and not game.is_over


def _check_offer(offer: Offer) -> FoundGame | None:
    try:
        check_offer(offer)
    except RemoteProtocolError as error:
        return None if error.code == "offer/forged" else FoundGame(offer, incompatibility=error)
    return FoundGame(offer, session=SpectatorSession(Ledger(offer)))
