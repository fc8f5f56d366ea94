"""The players and games on one broker, and the games that this node has open there.

An error in one open game is reported, and ends only that game.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from ataxxd.engines import read_level
from ataxxd.engines.base import Bot
from ataxxd.errors import AtaxxdError, GameError, StorageError, TransportError, UsageError
from ataxxd.node.errors import OtherHost
from ataxxd.node.game_finder import FoundGame, GameFinder, GameName
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.ledger_game import format_player, make_dated_record
from ataxxd.node.level_games import LevelGames
from ataxxd.node.listing import (
    FinishedGame,
    KeptGame,
    ListedChallenge,
    ListedGame,
    ListedPlayer,
    PlayerList,
    finish_unconfirmed_games,
    list_game,
    result_of,
)
from ataxxd.node.messaging.messenger import open_messenger
from ataxxd.node.names import NameBook, RatingLookup
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.offers import FORM, Terms, TermsError, default_witnesses
from ataxxd.node.open_game import (
    GameWatcher,
    OpenChallenge,
    OpenGame,
    OpenLocalGame,
    OpenSeat,
    OpenStudy,
    OpenView,
    without_notices,
)
from ataxxd.node.players import AUTO, HUMAN, bot_for
from ataxxd.node.recovery import require_complete
from ataxxd.node.seats import check_found, free_name, parse_name, split_broker
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.rules import Position, RulesError, Side, rulesets
from ataxxd.rules.ataxx import with_blocks
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Challenge

MAX_OPEN = 16
"""Games open at a time; each has a connection of its own."""
_LASTS_MS = 24 * 3_600_000
# How long a challenge waits to be accepted.
_CHALLENGE_LASTS_MS = 15 * 60_000
# How many of our finished games are shown.
_MAX_FINISHED = 12

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fields of a new game, as people write them.

    Attributes:
        name: the name of the game.
        ruleset: its id.
        color: the host's side: ``first``, ``second`` or ``random``.
        clock: such as ``5+3``, or ``none``.
        grace: such as ``15m``, or ``never``.
        takebacks: whether moves may be taken back.
        access: ``anyone``, ``invited``, or the id of the node that the seat is kept for.
        blocks: the blocked squares in Ataxx; empty for none.
        position: the position to begin from; empty for the usual one.
        auto: whether the engine plays this node's side.
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
    """A request that cannot be carried out; nothing has changed.

    Attributes:
        field: the field of `Proposal` or argument of the method that is at fault; empty for none.
        question: what to ask a person, whose yes makes the request possible; None for nothing.
    """

    def __init__(self, field: str, text: str, *, question: str | None = None) -> None:
        super().__init__(text)
        self.field = field
        self.question = question


class OpenGames:
    """What a node sees and has open at one broker; `run` must run beside it.

    Attributes:
        node: this node's id, with dashes.
        broker: the broker's address, without secrets.
        connected: whether the broker is connected.
        serves_network: whether our broker, which commands do not name, serves the local network.
    """

    def __init__(
        self,
        node: Node,
        *,
        broker: str,
        present: bool = False,
        notices: GameWatcher = without_notices,
        read_ratings: Callable[[], RatingLookup] | None = None,
        levels: LevelGames | None = None,
        serves_network: bool = False,
    ) -> None:
        """Begin with nothing open.

        `kept` has only the games that were begun with the same broker, as the user named it.

        Args:
            node: this node.
            broker: the broker's address for people, without secrets.
            present: whether a person is here, whom others see and can challenge.
            notices: notifies a person who is not at the page about one of our games.
            read_ratings: called in a thread, at first and after each of our games.
            levels: stores the results against our engine's levels.
            serves_network: whether the broker, if the user did not name it, serves the local
                network, where others find it by themselves.
        """
        self.node = grouped(node.id)
        self.broker = broker
        self.connected = False
        self.serves_network = serves_network
        self._node = node
        self._place = node.place
        # The settings of our games, so that resuming one elsewhere sets up its broker as here.
        self._settings = node.settings
        self._present = present
        self._notices = notices
        self._read_ratings = read_ratings
        self._levels = levels
        self._ratings_stale = asyncio.Event()
        self._finder: GameFinder | None = None
        self._listing: PlayerList | None = None
        self._open_games: dict[str, OpenGame] = {}
        self._opened = 0
        self._news = asyncio.Event()
        self._errors: list[str] = []
        # Read again only when a game was opened or left: reading checks every message of a game.
        self._kept: list[KeptGame] | None = None
        # The newest finished games by their ids; each is read, and checked, once.
        self._finished: dict[str, tuple[StoredGame, Ledger, int]] = {}
        self._finished_stale = True
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Follow the broker's games and run those that are open, for ever.

        Raises:
            TransportError: the broker cannot be reached, or refuses us.
        """
        profile = self._place.profile
        async with (
            self._place.connect(None) as transport,
            open_messenger(
                self._place.connect, profile.key, has_card=self._present, names=profile.names
            ) as messenger,
            asyncio.TaskGroup() as group,
        ):
            self._finder = GameFinder(transport, names=profile.names)
            self._listing = PlayerList(
                profile,
                messenger,
                self._find_game,
                present=self._present,
                on_change=self._news.set,
            )
            self._group = group
            self._publish_card()
            group.create_task(self._listing.run(), name="callers")
            if self._read_ratings is not None:
                group.create_task(self._keep_ratings_current(self._read_ratings), name="ratings")
            await self._finder.follow(self._on_lobby_change)

    def _find_game(self, name: str, host: str) -> FoundGame | None:
        return None if self._finder is None else self._finder.games.get((name, host))

    async def _keep_ratings_current(self, read: Callable[[], RatingLookup]) -> None:
        while True:
            self._ratings_stale.clear()
            try:
                self._place.profile.names.find_rating = await asyncio.to_thread(read)
            except AtaxxdError as error:
                self._report_error(str(error))
            self._news.set()
            await self._ratings_stale.wait()

    def _publish_card(self) -> None:
        if self._listing is not None:
            taken = len(self._open_games)
            self._listing.publish_card(playing=taken, free=MAX_OPEN - taken)

    def _on_lobby_change(self, connected: bool) -> None:
        self.connected = connected
        self._news.set()

    # Queries

    @property
    def games(self) -> Sequence[ListedGame]:
        """The games on the broker, oldest first: open, under way or just ended."""
        if self._finder is None:
            return ()
        now_ms, us = SYSTEM_CLOCK.now_ms(), self._place.profile.key.node
        listing = self._listing
        live = [
            found
            for found in self._finder.games.values()
            if found.phase is not Phase.OPEN
            or (
                found.offer.expires_ms > now_ms
                and not (listing and listing.has_challenge(found.offer))
            )
        ]
        names, known = self._place.profile.names, self._place.profile.known_hosts
        live.sort(key=lambda found: found.offer.created_ms)
        return [list_game(found, us, now_ms, known, names) for found in live]

    @property
    def nickname(self) -> str:
        """This node's nickname; empty without one."""
        return self._place.profile.names.name_of(self._place.profile.key.node) or ""

    def set_nickname(self, nickname: str) -> None:
        """Give this node a nickname, which others see.

        Raises:
            RequestError: it is not a valid nickname.
        """
        profile = self._place.profile
        _translate_errors("nickname", lambda: profile.names.set_nickname(profile.key, nickname))
        if self._listing is not None and self._listing.messenger.introductions is not None:
            self._listing.messenger.introductions.on_connected()
        self._publish_card()

    @property
    def players(self) -> Sequence[ListedPlayer]:
        """The other players."""
        return () if self._listing is None else self._listing.players

    @property
    def challenges(self) -> Sequence[ListedChallenge]:
        """The open challenges to this node, oldest first."""
        return () if self._listing is None else self._listing.challenges

    @property
    def finished(self) -> Sequence[FinishedGame]:
        """This node's latest finished games, newest first."""
        now_ms, names = SYSTEM_CLOCK.now_ms(), self._place.profile.names
        return [
            FinishedGame(
                game,
                stored.offer.ruleset,
                _player_names(ledger, stored.role, names),
                result_of(ledger),
                max(0, now_ms - ended_ms) // 1000,
            )
            for game, (stored, ledger, ended_ms) in self._read_finished().items()
        ]

    @property
    def kept(self) -> Sequence[KeptGame]:
        """This node's games that can be resumed here, newest first."""
        if self._kept is None:
            self._kept = self._read_kept()
        return self._kept

    @property
    def open(self) -> Sequence[OpenGame]:
        """The open games, oldest first."""
        return tuple(self._open_games.values())

    async def wait_for_change(self) -> str | None:
        """Wait until something above has changed.

        Returns:
            A sentence for people if something went wrong, else None.
        """
        if not self._errors:
            await self._news.wait()
            self._news.clear()
        return self._errors.pop(0) if self._errors else None

    # Actions

    def host(self, terms: Proposal) -> OpenGame:
        """Host a game.

        Raises:
            RequestError: the terms are invalid, or this node cannot offer the game.
        """
        profile = self._place.profile
        name = _translate_errors("name", lambda: parse_name(terms.name))
        first = self._opening_record(terms)
        guest = None if terms.access in ("anyone", "invited") else terms.access
        us = profile.key.node
        agreed = _read_terms(terms, _translate_errors("name", lambda: default_witnesses(us, guest)))
        _check_color(terms.color)
        self._require_room()
        _translate_errors("name", lambda: free_name(profile, name))
        settings = replace(self._settings, player=AUTO if terms.auto else HUMAN)
        take = partial(
            self._node.new_game, name, first, color=terms.color, terms=agreed,
            lasts_ms=_LASTS_MS, settings=settings,
        )  # fmt: skip
        return self._take_seat(
            "name", lambda player: take(player=player), bot_for(settings.player, None)
        )

    def challenge(self, terms: Proposal) -> OpenGame:
        """Challenge a player.

        Args:
            terms: those of the game, without a name; `access` is the player's id.

        Raises:
            RequestError: the terms are invalid, or there is no such player.
        """
        _check_color(terms.color)
        known = None if self._listing is None else self._listing.player(terms.access)
        witnesses: tuple[str, ...] = ()
        if known is not None and not known.is_bot:
            us = self._place.profile.key.node
            witnesses = _translate_errors("", lambda: default_witnesses(us, terms.access))
        agreed = _read_terms(replace(terms, access="anyone"), witnesses)
        return self._challenge(terms.access, self._opening_record(terms), terms.color, agreed)

    def _challenge(self, node: str, first: GameRecord, color: str, terms: Terms) -> OpenGame:
        challenged = None if self._listing is None else self._listing.player(node)
        if self._listing is None or challenged is None:
            raise RequestError("", "This player is no longer there.")
        if first.start.ruleset not in (challenged.cards[0].rulesets or ()):
            raise RequestError("ruleset", "This player takes no challenges to this game.")
        self._require_room()
        messenger, name = self._listing.messenger, self._name_for(node)

        def take(player: SeatPlayer) -> NetworkGame:
            return self._node.new_game(
                name, first, color=color, terms=replace(terms, access=node),
                lasts_ms=_CHALLENGE_LASTS_MS, player=player,
            )  # fmt: skip

        def open_challenge() -> OpenChallenge:
            return OpenChallenge(
                self._next_number(), self._node, take, messenger, challenged,
                on_change=self._on_game_ended, notices=self._notices,
            )  # fmt: skip

        return self._open(_translate_errors("", open_challenge))

    def _name_for(self, node: str) -> str:
        """A name for a game against somebody, which no other game of ours has."""
        names = self._place.profile.names
        called = (names.name_of(each) or each[:4] for each in (self._place.profile.key.node, node))
        return "-".join([*(name[:12].rstrip("-") for name in called), secrets.token_hex(2)])

    def accept(self, challenge: str) -> OpenGame:
        """Accept a challenge, and take the seat.

        Raises:
            RequestError: it is no longer open.
        """
        self._require_room()
        taken = self._pop_challenge(challenge)
        return self._take_seat("", lambda player: self._node.join_game(taken.offer, player=player))

    async def decline(self, challenge: str) -> None:
        """Decline a challenge.

        Raises:
            RequestError: it is no longer open, or the decline cannot be sent.
        """
        taken = self._pop_challenge(challenge)
        assert self._listing is not None, "it has the challenge"
        try:
            await self._listing.decline(taken)
        except TransportError as error:
            raise RequestError("", str(error)) from None

    def _pop_challenge(self, challenge: str) -> Challenge:
        taken = None if self._listing is None else self._listing.pop_challenge(challenge)
        if taken is None:
            raise RequestError("", "This challenge is no longer open: it expired or was withdrawn.")
        return taken

    def rematch(self, game: str) -> OpenGame:
        """Challenge the opponent of a finished game to another one, with sides swapped.

        Raises:
            RequestError: there is no such game.
        """
        stored, ledger = self._finished_game(game)
        offer, ours = stored.offer, ledger.side_of(stored.role)
        peer = ledger.node_of(stored.role.other)
        if peer is None or ours is None:
            raise RequestError("", "This game was never begun.")
        side = "second" if ours is Side.FIRST else "first"
        return self._challenge(peer, GameRecord(ledger.start), side, Terms.agreed(offer))

    def study(self, game: str) -> OpenGame:
        """Study a finished game of this node.

        Raises:
            RequestError: there is no such game.
        """
        stored, ledger = self._finished_game(game)
        self._require_room()
        return self._open(
            OpenStudy(self._next_number(), stored.offer.name, make_dated_record(ledger))
        )

    def _finished_game(self, game: str) -> tuple[StoredGame, Ledger]:
        found = self._read_finished().get(game)
        if found is None:
            raise RequestError("", "There is no such finished game here.")
        return found[:2]

    async def join(self, invitation: str, *, new_host: bool = False) -> OpenGame:
        """Take a free seat.

        Args:
            invitation: ``NAME``, ``NAME#ID``, or a whole invitation.
            new_host: join even if the name had a different host before.

        Raises:
            RequestError: there is no such game, or no seat in it for us; or the name had a
                different host before, with the question to ask.
        """
        profile = self._place.profile
        text = invitation.strip().removeprefix("ataxxd join ").strip()
        wanted, broker = _translate_errors("invitation", lambda: split_broker(text))
        if broker is not None and f"@{broker}" != self._node.at:
            raise RequestError(
                "invitation",
                f"This game is on another broker, {broker}. Open a lobby there: ataxxd lobby "
                f"--broker {broker}",
            )
        self._require_room()
        try:
            found = await self._node.find_seat(wanted)
        except (GameError, TransportError) as error:
            raise RequestError("invitation", str(error)) from None
        _translate_errors(
            "invitation",
            lambda: check_found(profile, wanted, found, self._report_error, new_host=new_host),
        )
        settings = replace(self._settings, invitation=wanted.secret)
        return self._take_seat(
            "invitation", lambda player: self._node.join_game(found.offer, settings, player)
        )

    async def watch(self, name: str, host: str) -> OpenGame:
        """Watch a game.

        Raises:
            RequestError: there is no such game.
        """
        self._require_room()
        wanted = GameName(name, host)
        try:
            async with self._place.connect(None) as transport:
                known = self._place.profile.journal.known_hosts
                found = await GameFinder(transport, known_hosts=known).find(wanted)
        except (GameError, TransportError) as error:
            raise RequestError("", str(error)) from None
        return self._open(OpenView(self._next_number(), self._node, found.offer))

    def resume(self, game: str) -> OpenGame:
        """Resume one of the `kept` games.

        Raises:
            RequestError: it cannot be resumed here.
        """
        profile = self._place.profile
        stored = next(
            (each for each in profile.journal.unfinished() if each.offer.digest == game), None
        )
        if stored is None:
            raise RequestError("game", "This game is over, or is not one of this node's.")
        _translate_errors("game", lambda: require_complete(stored, profile.home))
        self._require_room()
        settings = _translate_errors("game", lambda: Settings.restored(stored.settings))
        # A page plays it from now on, even if it began as one of several games elsewhere.
        settings = replace(settings, games=1)
        kind = stored.offer.ruleset.partition("/")[0]
        bot = bot_for(settings.player, settings.level, kind)
        return self._take_seat(
            "game", lambda player: self._node.resume_game(stored, settings, player), bot
        )

    def play(self, ruleset: str, color: str, level: str) -> OpenGame:
        """Play against this node's engine.

        Raises:
            RequestError: there is no such ruleset, side or level.
        """
        _check_ruleset(ruleset)
        _check_color(color)
        try:
            chosen = read_level(level, f'"{level}"')
        except ValueError as error:
            raise RequestError("level", str(error)) from None
        self._require_room()
        side = secrets.choice([*Side]) if color == "random" else Side[color.upper()]
        bot = bot_for(AUTO, chosen)
        assert bot is not None
        return self._open(OpenLocalGame(self._next_number(), ruleset, side, bot, self._levels))

    # Helpers

    def _opening_record(self, terms: Proposal) -> GameRecord:
        _check_ruleset(terms.ruleset)
        start = Position.start(terms.ruleset)
        if text := terms.position.strip():
            start = _translate_errors("position", lambda: Position.from_text(terms.ruleset, text))
        if blocks := terms.blocks.strip():
            start = _translate_errors("blocks", lambda: with_blocks(start, blocks))
        if start.outcome is not None:
            why = start.outcome.termination
            raise RequestError(
                "position", f"In this position the game is over ({why}): nobody could move."
            )
        return GameRecord(start)

    def _read_finished(self) -> dict[str, tuple[StoredGame, Ledger, int]]:
        if self._finished_stale:
            journal, known = self._place.profile.journal, self._finished
            self._finished = {}
            self._finished_stale = False
            for game, role in reversed(journal.finished()):
                if len(self._finished) >= _MAX_FINISHED:
                    break
                stored = journal.find(game, role)
                if game in known:
                    self._finished[game] = known[game]
                elif (
                    stored is not None
                    and (read := _read_finished_game(journal, stored)) is not None
                ):
                    self._finished[game] = read
        return self._finished

    def _read_kept(self) -> list[KeptGame]:
        journal = self._place.profile.journal
        if finish_unconfirmed_games(self._place.profile):
            self._finished_stale = True
        open_here = {opened.game_id for opened in self._open_games.values()}
        kept = []
        for stored in journal.unfinished():
            settings = Settings.restored(stored.settings)
            # A serving node resumes its own games; a page must not.
            elsewhere = settings.broker != self._settings.broker or settings.served
            if elsewhere or stored.offer.digest in open_here:
                continue
            ledger = journal.ledger(stored)
            if ledger.phase is not Phase.OPEN or stored.role is Role.HOST:
                offer = stored.offer
                hosted = stored.role is Role.HOST
                players = _known_player_names(ledger, stored.role, self._place.profile.names)
                plies = len(ledger.moves)
                waits_s = None if ledger.outcome is None else journal.age_ms(stored) // 1000
                kept.append(
                    KeptGame(
                        offer.digest, offer.name, offer.ruleset, hosted, plies, players, waits_s
                    )
                )
        return kept

    def _require_room(self) -> None:
        if len(self._open_games) >= MAX_OPEN:
            raise RequestError("", f"{MAX_OPEN} games are open: leave one of them first.")
        if self._group is None:
            raise RequestError("", "The lobby is not connected to the broker yet.")

    def _next_number(self) -> int:
        self._opened += 1
        return self._opened

    def _open(self, opened: OpenGame) -> OpenGame:
        assert self._group is not None
        self._open_games[opened.id] = opened
        self._kept = None
        self._publish_card()
        self._group.create_task(self._run(opened), name=f"open game {opened.id}")
        self._group.create_task(self._report_begun(opened), name=f"open game {opened.id} begins")
        self._news.set()
        return opened

    async def _run(self, opened: OpenGame) -> None:
        try:
            await opened.run()
        except AtaxxdError as error:
            opened.ended_by = str(error)
            self._report_error(f"{opened.title or 'A game'}: {error}")
        finally:
            del self._open_games[opened.id]
            self._publish_card()
            self._on_game_ended()

    def _on_game_ended(self) -> None:
        """Note that a game has ended, or was left."""
        self._kept, self._finished_stale = None, True
        self._ratings_stale.set()
        self._news.set()

    def _take_seat(
        self, field: str, take: Callable[[SeatPlayer], NetworkGame], bot: Bot | None = None
    ) -> OpenGame:
        """Take a seat in a game; errors are reported for `field` of the request."""
        return self._open(
            _translate_errors(
                field,
                lambda: OpenSeat(
                    self._next_number(),
                    self._node,
                    take,
                    bot,
                    on_change=self._on_game_ended,
                    notices=self._notices,
                ),
            )
        )

    async def _report_begun(self, opened: OpenGame) -> None:
        await opened.begun()
        self._news.set()

    def _report_error(self, trouble: str) -> None:
        self._errors.append(trouble)
        self._news.set()


def _player_names(ledger: Ledger, role: Role, names: NameBook) -> tuple[str, str]:
    """The players of a game of ours, the first to move first."""
    first, second = (
        "you" if ledger.role_playing(side) is role else format_player(ledger, side, names)
        for side in Side
    )
    return first, second


def _known_player_names(ledger: Ledger, role: Role, names: NameBook) -> tuple[str, ...]:
    """The players of a game of ours, as far as they and their sides are known."""
    if ledger.host_side is not None:
        return _player_names(ledger, role, names)
    other = ledger.node_of(role.other)
    return ("you",) if other is None else ("you", names.display_name(other))


def _read_finished_game(
    journal: Journal, stored: StoredGame
) -> tuple[StoredGame, Ledger, int] | None:
    """A finished game that was played, with when it ended; None for one that was not."""
    try:
        ledger = journal.ledger(stored)
    except (GameError, StorageError):
        return None
    if ledger.host_side is None or ledger.outcome is None:
        return None
    return stored, ledger, journal.newest_ms(stored) or stored.offer.created_ms


def _check_ruleset(wanted: str) -> None:
    if all(info.id != wanted for info in rulesets()):
        raise RequestError("ruleset", f"There is no ruleset {wanted!r} here.")


def _check_color(color: str) -> None:
    if color not in ("first", "second", "random"):
        raise RequestError("color", "Choose the side that you take.")


def _read_terms(proposal: Proposal, witnesses: Sequence[str] = ()) -> Terms:
    invited = proposal.access == "invited"
    try:
        return Terms.read(
            proposal.clock.strip() or "none",
            proposal.grace.strip() or "never",
            takebacks=proposal.takebacks,
            guest=None if proposal.access in ("anyone", "invited") else proposal.access,
            invited=invited,
            witnesses=witnesses,
            written=FORM,
        )
    except TermsError as error:
        raise RequestError(error.field, str(error)) from None


def _translate_errors(field: str, work: Callable[[], T]) -> T:
    """The result of `work`; its errors become a `RequestError` for `field`."""
    try:
        return work()
    except OtherHost as error:
        raise RequestError(field, str(error), question=error.question) from None
    except (UsageError, GameError, StorageError, RulesError) as error:
        raise RequestError(field, str(error)) from None
