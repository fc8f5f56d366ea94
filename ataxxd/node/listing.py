"""The games, players and challenges on a broker, as clients list them.

Also this node's unfinished games, with what the opponents have sent since.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from ataxxd.errors import RemoteProtocolError
from ataxxd.nicknames import UNNAMED
from ataxxd.node.errors import NameInUse
from ataxxd.node.game_finder import FoundGame
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.messaging.challenges import Challenged, IncomingChallenges, make_decline
from ataxxd.node.messaging.letters import UNWANTED, Refusal, RetainedChallenge
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.names import NameBook
from ataxxd.node.offers import describe_terms
from ataxxd.node.profile import KnownHosts, Profile
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.node.settings import Settings
from ataxxd.rules import Side, rulesets
from ataxxd.rules.values import ending_text
from ataxxd.session.handshake import check_join
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK, format_age
from ataxxd.transport.base import Transport, subscribe_all
from ataxxd_protocol import TOPICS, MalformedMessage, decode, signature_holds
from ataxxd_protocol.messages import AnyLogMessage, Card, Challenge, Join, Offer, StatePart, Unread
from ataxxd_protocol.version import is_known_version


class Progress(StrEnum):
    """Whether a game is open, under way or over."""

    OPEN = "open"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game on the broker.

    Attributes:
        name: its name.
        host: the host's node id.
        ruleset: the id of its rules.
        progress: whether it is open, under way or over.
        plies: moves made so far.
        age_s: seconds since it was offered.
        terms: the terms in words; empty for the usual ones.
        invited: joining takes the invitation.
        obstacle: why this node cannot take the seat; None when it can.
        watchable: whether this node can watch it.
        players: their names as people read them, each with a rating where there is one, the
            first to move first; the host alone while nobody has joined.
        result: how it ended, in words; empty while it goes on.
        ours: whether this node plays in it.
        instead_of: the host that this node joined under this name before, as people read it, if
            that was a different one; else None.
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
    players: tuple[str, ...]
    result: str
    ours: bool
    instead_of: str | None


@dataclass(frozen=True, slots=True)
class KeptGame:
    """An unfinished game of this node that nobody here is playing now.

    Attributes:
        id: the game id.
        name: its name.
        ruleset: the id of its rules.
        hosted: whether this node is the host.
        plies: moves made so far.
        players: their names as people read them, the first to move first where that is known;
            ``you`` is this node, alone while nobody has joined.
        unconfirmed_s: seconds since it ended, if the opponent has not confirmed the result, or that
            they have our signature; else None.
    """

    id: str
    name: str
    ruleset: str
    hosted: bool
    plies: int
    players: tuple[str, ...]
    unconfirmed_s: int | None

    @property
    def opponent(self) -> str:
        """The other player, as people read them; empty while nobody has joined."""
        return next((player for player in self.players if player != "you"), "")


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game of this node that is over.

    Attributes:
        id: the game id.
        ruleset: the id of its rules.
        players: their names as people read them, the first to move first; ``you`` is this node.
        result: how it ended, in words.
        age_s: seconds since it ended.
    """

    id: str
    ruleset: str
    players: tuple[str, str]
    result: str
    age_s: int


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """A player on the broker, by its card.

    Attributes:
        node: the node id.
        name: as people read it.
        bot: whether a program plays.
        rulesets: the rulesets it takes challenges in; empty if it takes none.
        free: whether it takes another game now.
        playing: how many games it is playing.
        text: what it says about itself.
        ratings: its ratings by ruleset, as far as they are known here.
    """

    node: str
    name: str
    bot: bool
    rulesets: tuple[str, ...]
    free: bool
    playing: int
    text: str
    ratings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge to this node.

    Attributes:
        id: its id on this node.
        name: the challenger, as people read it.
        ruleset: the id of its rules.
        side: our side: ``first``, ``second`` or ``random``.
        terms: the terms in words; empty for the usual ones.
        text: the challenger's message.
    """

    id: str
    name: str
    ruleset: str
    side: str
    terms: str
    text: str


_PROGRESS = {
    Phase.OPEN: Progress.OPEN,
    Phase.JOINED: Progress.OPEN,
    Phase.PLAYING: Progress.PLAYING,
    Phase.ASKED: Progress.PLAYING,
}


def list_game(
    found: FoundGame,
    us: str,
    now_ms: int,
    known: KnownHosts,
    names: NameBook,
) -> ListedGame:
    """Describe a game for a client.

    Args:
        found: the game.
        us: this node's id.
        now_ms: the time now, in Unix milliseconds.
        known: the hosts that this node has joined.
        names: the nicknames and ratings known here.
    """
    offer = found.offer
    before = known.instead_of(offer.name, offer.host)
    return ListedGame(
        offer.name,
        offer.host,
        offer.ruleset,
        _PROGRESS.get(found.phase, Progress.OVER),
        0 if found.session is None else len(found.session.ledger.moves),
        max(0, now_ms - offer.created_ms) // 1000,
        open_terms(offer),
        invited=offer.access == "invited",
        obstacle=_obstacle(found, us, names),
        watchable=found.incompatibility is None,
        players=_players(found, names),
        result="" if found.session is None else result_of(found.session.ledger),
        ours=_ours(found, us),
        instead_of=None if before is None else names.display_name(before),
    )


def _players(found: FoundGame, names: NameBook) -> tuple[str, ...]:
    ledger = None if found.session is None else found.session.ledger
    if ledger is None or ledger.host_side is None:
        nodes = [found.offer.host]
    else:
        nodes = [str(ledger.node_of(ledger.role_playing(side))) for side in Side]
    return tuple(names.name_with_rating(node, found.offer.ruleset) for node in nodes)


def result_of(ledger: Ledger) -> str:
    """How a game ended, in words; empty while it goes on."""
    outcome = ledger.outcome
    return "" if outcome is None else ending_text(outcome, ledger.position).removesuffix(".")


def open_terms(offer: Offer) -> str:
    """The terms of an offer in words, without saying whom the seat is kept for."""
    named = offer.access not in (None, "invited")
    return describe_terms(offer.model_copy(update={"access": None}) if named else offer)


def _ours(found: FoundGame, us: str) -> bool:
    ledger = None if found.session is None else found.session.ledger
    return found.offer.host == us or (ledger is not None and ledger.role_of(us) is not None)


def _obstacle(found: FoundGame, us: str, names: NameBook) -> str | None:
    offer = found.offer
    if found.incompatibility is not None:
        return str(found.incompatibility)
    if offer.host == us:
        return "your own game"
    if found.phase is not Phase.OPEN:
        return "the seat is taken"
    if offer.access not in (None, "invited", us):
        return f"the seat is kept for {names.display_name(str(offer.access))}"
    return None


# More than a person answers; further challengers may try again later.
MAX_CHALLENGES = 32
_OURS = {"first": "second", "second": "first", "random": "random"}


class PlayerList:
    """The players of a broker and their challenges to this node.

    Args:
        node: this node.
        messenger: this node's, which must be running.
        found: looks up a game on the broker; a challenge whose offer is gone is no longer open.
        present: whether we publish a card and take challenges.
        news: called when something has changed.
    """

    def __init__(
        self,
        profile: Profile,
        messenger: Messenger,
        find_game: Callable[[str, str], FoundGame | None],
        *,
        present: bool,
        on_change: Callable[[], None],
    ) -> None:
        self.messenger = messenger
        self._profile = profile
        self._find_game = find_game
        self._present = present
        self._on_change = on_change
        self._open: OrderedDict[str, Challenge] = OrderedDict()
        self._listed: set[str] = set()

    async def run(self) -> None:
        """Follow cards and challenges, for ever."""
        messenger = self.messenger
        await messenger.read_cards()
        if self._present:
            await IncomingChallenges(
                messenger, lambda _: None, self._on_challenge, is_known=self._is_ignored
            ).open()
            await messenger.read_retained_challenges()
            messenger.spawn(messenger.clear_old_declines(), "declines that were left")
        while True:
            await messenger.wait_for_change()
            if messenger.introductions is not None:
                for card in messenger.cards.live():
                    messenger.introductions.meet(card.author)
            self._on_change()

    def publish_card(self, *, playing: int, free: int) -> None:
        """Publish our card, with how many games we are playing and how many more we take."""
        if self._present:
            self.messenger.card.publish(
                name=self._profile.names.name_of(self._profile.key.node) or UNNAMED,
                kind="person",
                rulesets=[info.id for info in rulesets()],
                free=free,
                playing=playing,
            )

    @property
    def players(self) -> list[ListedPlayer]:
        """The other players."""
        us = self._profile.key.node
        return [
            self._listed_player(card) for card in self.messenger.cards.live() if card.author != us
        ]

    def player(self, node: str) -> Challenged | None:
        """A player to challenge, by node id; None if there is no such card."""
        card = next((card for card in self.messenger.cards.live() if card.author == node), None)
        if card is None:
            return None
        shown = self._profile.names.display_name(node, card_name=card.name, full_id=True)
        return Challenged(node, None, (card,), shown)

    @property
    def challenges(self) -> list[ListedChallenge]:
        """The open challenges to us, oldest first."""
        self._forget_old()
        return [
            ListedChallenge(
                digest,
                self._profile.names.name_with_rating(each.author, each.offer.ruleset),
                each.offer.ruleset,
                _OURS[each.offer.color],
                open_terms(each.offer),
                each.text or "",
            )
            for digest, each in self._open.items()
        ]

    def has_challenge(self, offer: Offer) -> bool:
        """Whether there is an open challenge to this game."""
        return any(each.offer.digest == offer.digest for each in self._open.values())

    def pop_challenge(self, challenge: str) -> Challenge | None:
        """Remove and return an open challenge, to answer it; None if it is no longer open."""
        self._forget_old()
        return self._open.pop(challenge, None)

    async def decline(self, challenge: Challenge) -> None:
        """Decline a challenge.

        Raises:
            TransportError: the decline cannot be sent.
        """
        refusal = Refusal(UNWANTED, "The player does not want this game.")
        await self.messenger.decline(make_decline(self.messenger, challenge, refusal))

    def _listed_player(self, card: Card) -> ListedPlayer:
        return ListedPlayer(
            card.author,
            self._profile.names.display_name(card.author, card_name=card.name),
            card.kind == "bot",
            card.rulesets or (),
            card.free > 0,
            card.playing,
            card.text or "",
            {
                ruleset: rating
                for ruleset in card.rulesets or ()
                if (rating := self._profile.names.find_rating(card.author, ruleset)) is not None
            },
        )

    def _is_ignored(self, game: str) -> bool:
        full = len(self._open) >= MAX_CHALLENGES
        return full or self._profile.journal.find(game) is not None

    def _on_challenge(self, challenge: Challenge) -> None:
        self._open[challenge.digest] = challenge
        self._on_change()

    def _forget_old(self) -> None:
        now_ms = self.messenger.clock.now_ms()
        for digest, each in [*self._open.items()]:
            found = self._find_game(each.offer.name, each.offer.host)
            there = found is not None and found.offer.digest == each.offer.digest
            taken = there and found is not None and found.phase is not Phase.OPEN
            withdrawn = not there and digest in self._listed
            if each.offer.expires_ms <= now_ms or taken or withdrawn:
                del self._open[digest]
                self._listed.discard(digest)
            elif there:
                self._listed.add(digest)


UNCONFIRMED_MS = 24 * 3_600_000
"""How long an opponent may take to confirm how a game ended, beside the time for a move."""
_UNTIMED_MS = 7 * UNCONFIRMED_MS


@dataclass(slots=True)
class OwnGame:
    """An unfinished game of this node.

    Attributes:
        stored: the game as the journal has it.
        session: the game as the journal and the broker have it.
        newest_ms: when its newest message was kept, in Unix milliseconds; a finished game has
            waited to be confirmed since then.
        has_join: whether the player whom the seat is kept for has left a join.
        is_declined: whether that player has left a decline.
    """

    stored: StoredGame
    session: SpectatorSession
    newest_ms: int = 0
    has_join: bool = field(default=False, init=False)
    is_declined: bool = field(default=False, init=False)
    challenge: RetainedChallenge | None = field(init=False)

    def __post_init__(self) -> None:
        offer, waits = self.stored.offer, self.ledger.phase is Phase.OPEN
        left = waits and self.stored.role is Role.HOST and self.opponent is not None
        self.challenge = (
            RetainedChallenge(offer, str(self.opponent), SYSTEM_CLOCK.monotonic) if left else None
        )

    @property
    def ledger(self) -> Ledger:
        """The game so far."""
        return self.session.ledger

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None while the seat is open to anybody."""
        offer, join = self.stored.offer, self.ledger.join
        if self.stored.role is Role.GUEST:
            return offer.host
        if join is not None:
            return join.author
        return None if offer.access == "invited" else offer.access

    @property
    def is_expired(self) -> bool:
        """Whether the offer expired before anybody joined."""
        waits = self.ledger.phase is Phase.OPEN and not self.has_join
        return waits and self.stored.offer.expires_ms <= SYSTEM_CLOCK.now_ms()

    @property
    def unconfirmed_text(self) -> str:
        """In words, that it is over and what is missing; empty if it is not over."""
        if self.ledger.outcome is None:
            return ""
        if self.ledger.phase is Phase.CLOSED:
            return "over, signed by both"
        waits = format_age(self.newest_ms, SYSTEM_CLOCK.now_ms())
        return f"over, unconfirmed for {waits}"

    @property
    def is_our_turn(self) -> bool:
        """Whether the game waits for this node: for a move, an answer, its start, or its end."""
        if self.ledger.phase is Phase.OPEN:
            return self.has_join or self.is_declined or self.is_expired
        return self.ledger.outcome is None and self.ledger.on_turn is self.stored.role

    def receive(self, incoming: Incoming) -> None:
        """Take in a retained message about this game."""
        if self.challenge is not None and incoming.address.kind in ("challenge", "decline"):
            self.is_declined = self.is_declined or self.challenge.receive(incoming) is not None
            return
        try:
            message = decode(incoming.payload)
        except MalformedMessage:
            return
        if isinstance(message, StatePart):
            self.session.receive(message)
        elif isinstance(message, Unread) and message.author == self.opponent:
            key = self.ledger.key_of(self.stored.role.other) or self._read_key(message.messages[0])
            if key is not None and signature_holds(message, key):
                self.has_join = self.ledger.phase is Phase.OPEN
                for each in message.messages:
                    self.session.receive(each)

    def _read_key(self, join: AnyLogMessage) -> str | None:
        """The key in a join to our offer; None if it is not a valid join."""
        if not isinstance(join, Join) or self.stored.role is Role.GUEST:
            return None
        try:
            check_join(self.stored.offer, join)
        except RemoteProtocolError:
            return None
        return join.key


def unfinished_games(journal: Journal) -> list[OwnGame]:
    """The unfinished games of a journal, except those of other protocol versions."""
    games = (game for game in journal.unfinished() if is_known_version(game.offer.v))
    return [
        OwnGame(game, SpectatorSession(journal.ledger(game)), journal.newest_ms(game) or 0)
        for game in games
    ]


def finish_if_unconfirmed(journal: Journal, stored: StoredGame, ledger: Ledger) -> bool:
    """Finish a game that is over, if the opponent has not confirmed it for a day.

    Where a move may take days, that time is added. A game of an event waits until a day after its
    round, whose end is when its offer expires.

    Returns:
        Whether it is finished now.

    Raises:
        StorageError: the journal, or the game's settings in it, cannot be used.
    """
    waited_ms = journal.age_ms(stored) - _longest_absence_ms(stored.offer)
    if ledger.outcome is None or waited_ms < UNCONFIRMED_MS:
        return False
    if Settings.restored(stored.settings).in_event:
        round_goes_on_ms = stored.offer.expires_ms - (journal.newest_ms(stored) or 0)
        if journal.age_ms(stored) - round_goes_on_ms < UNCONFIRMED_MS:
            return False
    journal.finish(stored)
    return True


def _longest_absence_ms(offer: Offer) -> int:
    """How long a player may be away in a game, in milliseconds: by its clock, or until a claim."""
    if offer.clock is None:
        return _UNTIMED_MS if offer.grace_ms is None else offer.grace_ms
    return max(offer.clock.move_ms or offer.clock.base_ms or 0, offer.grace_ms or 0)


def finish_unconfirmed_games(profile: Profile) -> list[tuple[StoredGame, Ledger]]:
    """Finish the games that `finish_if_unconfirmed` finishes and nobody plays, and return them.

    Raises:
        StorageError: the journal cannot be used.
    """
    aside = []
    for stored in profile.journal.unfinished():
        if is_known_version(stored.offer.v) and profile.journal.age_ms(stored) >= UNCONFIRMED_MS:
            ledger = profile.journal.ledger(stored)
            with suppress(NameInUse), profile.home.lock(stored.offer.digest, stored.offer.name):
                if finish_if_unconfirmed(profile.journal, stored, ledger):
                    aside.append((stored, ledger))
    return aside


def describe_signatures(ledger: Ledger) -> str:
    """A clause that says who has signed the result of a game finished without confirmation."""
    if ledger.phase is Phase.CLOSED:
        return "both players have signed the result"
    return "your opponent has not signed the result"


async def read_waiting_messages(
    games: Sequence[OwnGame], transport: Transport, seconds: float
) -> None:
    """Read what opponents and hosts have left at a broker about our unfinished games.

    Nothing is stored, sent or cleared; `resume` does that.

    Args:
        games: updated by what is read.
        transport: an open connection, read by nobody else.
        seconds: how long to read.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    by_place: dict[tuple[str, str], list[OwnGame]] = {}
    patterns: list[str] = []
    for game in games:
        name, host = game.stored.offer.name, game.stored.offer.host
        by_place.setdefault((name, host), []).append(game)
        if game.stored.role is Role.GUEST:
            patterns += [TOPICS.state(name, host), TOPICS.state(name, host) + "/+"]
        if game.challenge is not None:
            patterns += game.challenge.patterns
        if game.opponent is not None:
            # By its exact topic: some brokers deliver no retained messages to wildcards.
            patterns.append(TOPICS.unread(name, host, game.opponent))
    await subscribe_all(transport, *dict.fromkeys(patterns))
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for event in Receiver(transport):
                if isinstance(event, Incoming):
                    place = (event.address.name, event.address.host or "")
                    # The topics of challenges and declines name no host and may concern any game.
                    for game in by_place.get(place, () if event.address.host else games):
                        game.receive(event)


def by_urgency(games: Iterable[OwnGame]) -> list[OwnGame]:
    """Sort games so that those waiting for this node come first."""
    return sorted(games, key=lambda game: not game.is_our_turn)
