"""This node as a program has it: games to host, join, watch and resume."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

from ataxxd.client.challenges import Challenges
from ataxxd.client.seats import Seats, beginning, nobody_reads
from ataxxd.engines.registry import make_bot
from ataxxd.engines.strength import DEFAULT_LEVEL, OURS
from ataxxd.errors import TransportError, UsageError
from ataxxd.node.addresses import public, same_place
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.control import ListedGame, Seat
from ataxxd.node.hosting import check_name
from ataxxd.node.joining import check_found, split_place
from ataxxd.node.listing import listed
from ataxxd.node.lobby import LOOK_S, GameName, Lobby
from ataxxd.node.local_game import LocalGame
from ataxxd.node.messaging.messenger import open_messenger
from ataxxd.node.messaging.outgoing import OutgoingChallenge, find_challenged
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import TOPICS, Node, opened_node
from ataxxd.node.terms import ARGUMENTS, Terms
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Position, Side
from ataxxd.rules import rulesets as all_rulesets
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Card

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
        self.id = node.key.node
        self._node = node
        self._seats = Seats(node, option)
        self.broker = public(self._seats.url)
        self._place = self._seats.place

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {grouped(self.id)} at {self.broker}>"

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
        return [listed(each, self.id, now_ms, self._node.known_hosts) for each in found]

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
            clock: ``5+3`` (minutes, and seconds a move), ``10m``, ``30s/move``, ``3d/move`` or
                ``none``.
            grace: a player who does not answer for so long can be made to lose: ``15m``, or
                ``never``.
            takebacks: whether moves may be taken back.
            guest: keep the seat for the node of this id.
            invited: the `NetworkGame.invitation` is needed to join.
            start: a position of the ruleset to begin from; the usual one when None.
            expires_s: how long a guest may take to come, in seconds.
            transcript: write the game there in the end: the signed record, or the notation that
                the suffix names.

        Raises:
            UsageError: the terms say nothing.
            StorageError: the transcript cannot be written there.
            RulesError: there is no such ruleset.
            NameInUse: this node already plays a game of that name.
            NobodyCame: the offer expired.
            TransportError: the broker cannot be reached, or refuses us.
        """
        terms = Terms.read(
            clock, grace, takebacks=takebacks, guest=guest, invited=invited, written=ARGUMENTS
        )
        begin = beginning(ruleset, start)
        async with self._seats.hosted(
            name, begin, color=color, terms=terms, expires_s=expires_s, transcript=transcript
        ) as game:
            yield game

    @asynccontextmanager
    async def join(
        self,
        invitation: str,
        *,
        new_host: bool = False,
        seconds: float = LOOK_S,
        transcript: Path | str | None = None,
    ) -> AsyncIterator[NetworkGame]:
        """A seat in somebody's game, from its start.

        Leaving the block is as for `host`.

        Args:
            invitation: ``NAME``, ``NAME#ID``, or all that the invitation says. The name of a table
                with several games leads to the open one.
            new_host: join also where others have hosted the name before.
            seconds: how long to look for the game.
            transcript: as for `host`.

        Raises:
            StorageError: as for `host`.
            UsageError: this names no game, or one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            OtherHost: others have hosted the name before; the whole id says which one is meant.
            SeatTaken: somebody else has the seat, or it is kept for somebody else.
            NameInUse: we have the seat already; `resume` goes on.
            HostSilent: the host does not answer; `resume` asks again.
            TransportError: the broker cannot be reached, or refuses us.
        """
        wanted = self._meant(invitation)
        async with self._place.connect(None) as transport:
            looking = Lobby(transport, TOPICS, known_hosts=self._node.journal.known_hosts)
            found = await looking.find_seat(wanted, us=self.id, seconds=seconds)
        check_found(self._node, wanted, found, nobody_reads, new_host=new_host)
        async with self._seats.joined(
            found.offer, secret=wanted.secret, transcript=transcript
        ) as game:
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
        """A game that we host against somebody who is asked to come, from its start.

        Args:
            who: a name or id, as `players` has it, or a group.
            ruleset: as for `host`, and so are those that are not told here.
            name: of the game; made up when None.
            color: as for `host`.
            clock: as for `host`.
            grace: as for `host`.
            takebacks: as for `host`.
            start: as for `host`.
            expires_s: how long the challenge may be taken, in seconds.
            text: what we say to it.
            transcript: as for `host`.

        Raises:
            NoSuchPlayer: nobody is called so, or several are.
            ChallengeDeclined: the other does not play; the text says why.
            NobodyCame: nobody took it in time.
            UsageError: the terms say nothing, or the challenge is too long for a message.
            TransportError: the broker cannot be reached, or refuses us.
        """
        async with open_messenger(self._place.connect, self._node.key) as messenger:
            challenged = await find_challenged(messenger, who)
            if challenged.node == self.id:
                raise UsageError("This is our own node: play_engine plays against the engine.")
            async with self._seats.hosted(
                name or f"challenge-{secrets.token_hex(4)}",
                beginning(ruleset, start),
                color=color,
                terms=Terms.read(
                    clock, grace, takebacks=takebacks, guest=challenged.node, written=ARGUMENTS
                ),
                expires_s=expires_s,
                transcript=transcript,
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
        """The challenges to this node, to be gone through while the block lasts.

        A card tells everybody that we take them; the broker removes it when we are gone.

        Args:
            name: what others call us, as a game's name is written.
            rulesets: those that we take; all that this node knows when None.
            at_once: how many games we play at a time.

        Raises:
            UsageError: nobody can be called so.
            TransportError: the broker cannot be reached, or refuses us.
        """
        check_name(name)
        taken = [info.id for info in all_rulesets()] if rulesets is None else rulesets
        async with open_messenger(self._place.connect, self._node.key, has_card=True) as messenger:
            post = Challenges(
                messenger, self._seats.joined, name=name, rulesets=taken, at_once=at_once
            )
            await post.open()
            try:
                yield post
            finally:
                with suppress(TransportError):
                    await post.close()

    async def players(self, *, seconds: float = 1.5) -> Sequence[Card]:
        """The cards of all who take challenges, or say what they are.

        Args:
            seconds: how long to collect them.

        Raises:
            TransportError: the broker cannot be reached, or refuses us.
        """
        async with open_messenger(self._place.connect, self._node.key) as messenger:
            await messenger.read_cards()
            await asyncio.sleep(seconds)
            return messenger.cards.live()

    def resume(self, name: str) -> AbstractAsyncContextManager[NetworkGame]:
        """A game of this node that is not over, from where it stands.

        Args:
            name: of the game; the newest of several.

        Raises:
            GameError: there is none.
            NameInUse: another process plays it.
            TransportError: the broker cannot be reached, or refuses us.
        """
        return self._seats.resumed(name)

    @asynccontextmanager
    async def watch(self, name: str, *, seconds: float = LOOK_S) -> AsyncIterator[WatchedGame]:
        """A game of others, early, late or after its end.

        Args:
            name: ``NAME`` or ``NAME#ID``; the id is the host's, or at least 8 digits of the game's
                own. The name of a table with several games leads to the newest under way. Of
                several hosts the one that was joined before is meant; `games` tells of another.
            seconds: how long to look for it.

        Raises:
            UsageError: this names no game, or one on another broker.
            NoSuchGame: nobody offers it.
            AmbiguousGame: several hosts do.
            TransportError: the broker cannot be reached, or refuses us.
        """
        wanted = self._meant(name)
        async with self._place.connect(None) as transport:
            looking = Lobby(transport, TOPICS, known_hosts=self._node.journal.known_hosts)
            found = await looking.find_sight(wanted, seconds=seconds)
        async with self._place.connect(None) as transport:
            watcher = Watcher(SpectatorSession(Ledger(found.offer)), transport, TOPICS)
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
        begin = beginning(ruleset, start).start
        if color not in ("first", "second", "random"):
            raise UsageError(f"color={color!r}: choose first, second or random.")
        ours = secrets.choice([*Side]) if color == "random" else Side[color.upper()]
        bot = make_bot(f"{OURS}@{level}")
        seats = {ours: Seat.HUMAN, ours.opponent: Seat.AUTO}
        yield LocalGame(begin, {ours.opponent: bot}, seats=seats, seed=seed)

    # How

    def _meant(self, text: str) -> GameName:
        """The game that a text names; it must be on this node's broker."""
        words = text.strip().removeprefix("ataxxd join ").removeprefix("ataxxd watch ")
        wanted, broker = split_place(words)
        if broker is not None and not same_place(broker, self._seats.url):
            raise UsageError(
                f"This game is on another broker, {broker}; this node is at {self.broker}. Open "
                "one there."
            )
        return wanted


async def _until_begun(game: NetworkGame, challenging: OutgoingChallenge) -> None:
    asking = asyncio.create_task(challenging.run(), name="challenge")
    begun = asyncio.create_task(game.begun(), name="the game begins")
    try:
        await asyncio.wait({asking, begun}, return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            asking.result()
    finally:
        asking.cancel()
        begun.cancel()
        await asyncio.wait({asking, begun})
