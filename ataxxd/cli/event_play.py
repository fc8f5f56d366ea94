"""``ataxxd event play``: take part in an event, round by round, until all of it is settled."""

import asyncio
import sys
import termios
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ataxxd.cli.announcements import exit_code_of, result_text, standing_text
from ataxxd.cli.commands.tournament import EventPlayOptions
from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.event_show import (
    describe_place,
    explain_error,
    result_line,
    split_event,
    table_lines,
)
from ataxxd.cli.options import SeatOptions, ViewOptions
from ataxxd.cli.output import print_message, print_result
from ataxxd.cli.seat import notifications, open_node, seat_settings, take_seat
from ataxxd.errors import ExitCode, GameError, TransportError, UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import plain_errors, run_beside
from ataxxd.node.errors import NoSuchGame
from ataxxd.node.game_finder import GameFinder, GameName
from ataxxd.node.game_run import GameRun
from ataxxd.node.names import learn_names
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms, describe_event_terms
from ataxxd.node.players import HUMAN, check_player
from ataxxd.node.seats import free_name
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.node.settlement import LAST_WORD_GRACE
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK, format_duration, format_local_time
from ataxxd.tournament.feed import (
    EventFeed,
    EventNotFoundError,
    EventReplacedError,
    InvalidEventError,
    find_plan,
    read_event,
)
from ataxxd.tournament.playing import (
    EventFollower,
    OurGame,
    UnsettledGames,
    contradiction,
    known_game,
    our_game,
    our_games,
    run_during_round,
)
from ataxxd.tournament.tournament import Tournament, is_matching_offer
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import sentence
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import EventPlan

# Seconds before a message says that we are waiting for an event, and before a broker is retried.
_FIRST_S, _RETRY_S = 3.0, 0.5


async def run(options: EventPlayOptions) -> ExitCode:
    """Play this node's games in the event NAME."""
    wanted, url = split_event(options.name, options.broker)
    wait, ways = options.wait, notifications(options.notify)
    view = ViewOptions(
        line=options.line,
        tui=options.tui,
        ascii_only=options.ascii_only,
        display=options.display,
    )
    settings = seat_settings(SeatOptions(player=options.player, view=view))
    settings = replace(settings, broker=url, in_event=True).with_seed()
    async with open_node(options.home, settings) as (node, broker):
        plan = await _find_event(broker.url, wanted, wait)
        while True:
            async with MqttTransport(broker.url) as transport:
                feed = await read_event(transport, plan)
            late, plays = feed.tournament.over, node.id in plan.players
            code, settled = ExitCode.OK, False
            if plays:
                try:
                    code, settled = await _take_part(
                        node, broker, feed, settings, ways, options.name
                    )
                except EventReplacedError as error:
                    print_message(str(error))
                    plan = error.plan
                    continue
            elif not late:
                raise _no_player(plan, node.id)
            if not late or settled:
                return code
            # The event was over before we came, and left us nothing to do: is there another one?
            if not plays:
                print_message(
                    f'The last "{plan.name}" ended {_end_text(feed.tournament)}. This node did not '
                    "play in it."
                )
            following = await _find_next_event(broker.url, wanted, plan, wait)
            if following is None:
                if not plays:
                    raise _no_player(plan, node.id)
                print_message(
                    f'No new "{plan.name}" has begun. Its host plans one with '
                    f"`ataxxd event plan {plan.name} --new`, and publishes it with "
                    f"`ataxxd event run {plan.name}`."
                )
                return code
            plan = following


def _no_player(plan: EventPlan, us: str) -> UsageError:
    look_on = command_line(f"event show {plan.name}#{grouped(plan.host)}")
    return UsageError(
        f'This node, {grouped(us)}, does not play in "{plan.name}". Ask the host for a place, or '
        f"look on: {look_on}"
    )


async def _take_part(
    node: Node,
    broker: ChosenBroker,
    feed: EventFeed,
    settings: Settings,
    ways: Notifications,
    typed: str,
) -> tuple[ExitCode, bool]:
    """Play our games of an event that are not over, and print the result.

    Returns:
        The exit code, and whether there was anything to play or to settle.
    """
    profile, plan, late = node.profile, feed.tournament.plan, feed.tournament.over
    # The broker is named by an option.
    again = command_line(f"event play {typed.partition('@')[0]}")
    check_player(settings.player, plan.ruleset.partition("/")[0])
    us, known = profile.key.node, [plan.host, *plan.players]
    async with MqttTransport(broker.url) as transport:
        await learn_names(profile.names, transport, known, us=us)
        await transport.drain()
    host = profile.names.display_name(plan.host, full_id=True)
    if not late:
        print_message(f'Playing in "{plan.name}" ({plan.ruleset}), hosted by {host}.')
        lasts = f"a round lasts {format_duration(plan.round_ms)} at most"
        print_message(f"Terms: {'; '.join(filter(None, (describe_event_terms(plan), lasts)))}.")
    try:
        async with (
            MqttTransport(broker.url) as transport,
            MqttTransport(broker.url) as named,
            # A restarted broker has lost our nickname, and in a round without a game nothing else
            # would publish it again.
            run_beside(learn_names(profile.names, named, known, us=us, seconds=None), "nicknames"),
        ):
            follower = EventFollower(feed, transport)
            participant = Participant(node, broker, follower, ways)
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    following = group.create_task(follower.run(participant.on_news), name="event")
                    code = await participant.run()
                    following.cancel()
    except asyncio.CancelledError:
        print_message(f"Continue with: {again}")
        raise
    tournament = follower.tournament
    if not tournament.over:
        print_message(f"The event goes on without you. Come back with: {again}")
        return code, participant.active
    with suppress(TransportError):
        async with MqttTransport(broker.url) as transport:
            await learn_names(profile.names, transport, plan.players)
    place = describe_place(tournament, profile.key.node)
    print_message(
        f'This is the result of the last "{plan.name}", which ended {_end_text(tournament)}. '
        f"{place}"
        if late and not participant.active
        else f"The event is over. {place}"
    )
    print_result(*table_lines(tournament, profile.names))
    return code, participant.active


def _end_text(tournament: Tournament) -> str:
    """When an event was over, by its host's clock and in our time zone."""
    return f"{format_local_time(tournament.rounds[-1].created_ms):on %Y-%m-%d at %H:%M}"


async def _find_next_event(
    url: str, wanted: GameName, last: EventPlan, wait: float
) -> EventPlan | None:
    """The next event of a name whose last one is over; None if none comes in time."""
    if wait <= 0:
        return None
    print_message(f'Waiting for a new "{last.name}", {wait:g} seconds at most; Ctrl-C ends it.')
    try:
        async with MqttTransport(url) as transport:
            return await find_plan(transport, wanted, seconds=wait, ignored=last)
    except EventNotFoundError:
        return None


async def _find_event(url: str, wanted: GameName, wait: float) -> EventPlan:
    """Wait for the plan of an event: its host, which may run the broker, may start only later.

    Raises:
        TransportError: the broker cannot be reached in time, or refuses us.
        GameError: there is no such event, or more than one.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait
    seconds, told = min(wait, _FIRST_S), False
    while True:
        try:
            async with MqttTransport(url) as transport:
                return await find_plan(transport, wanted, seconds=seconds)
        except (EventNotFoundError, TransportError) as found:
            error = explain_error(found, wanted)
            left = deadline - loop.time()
            if left <= 0:
                raise error from None
            if not told:
                print_message(f"{error}\nWaiting for it, {wait:g} seconds at most.")
            seconds, told = left, True
            await asyncio.sleep(_RETRY_S)


# Seconds to look for the opponent's offer, and until it is tried again.
_SEARCH_S, _AGAIN_S = 3.0, 1.0
# Seconds before a message says that we are waiting for other players' last messages, or the host.
_SOON_S = 3.0


class _StaleOfferError(GameError):
    """The game of that name is of an earlier event; ours has not been offered yet."""


class Participant:
    """This node as a player in an event.

    Attributes:
        active: whether it has played or settled a game.
    """

    def __init__(
        self, node: Node, broker: ChosenBroker, follower: EventFollower, ways: Notifications
    ) -> None:
        """Begin without games; `ways` notify a person away from the screen of each game."""
        self._ways = ways
        self._node = node
        self._profile = node.profile
        self._broker = broker
        self._follower = follower
        self._played: set[str] = set()
        self._contradicted: set[str] = set()
        # Results from before we came are left to `event show`.
        self._reported_rounds = max(0, len(follower.feed.tournament.rounds) - 1)
        self._has_left = self._is_seated = False
        self._code = ExitCode.OK
        self.active = False

    async def run(self) -> ExitCode:
        """Play all rounds; the exit code says whether somebody cheated or a result is disputed.

        Raises:
            InvalidEventError: the host signed something that does not follow from plan and results.
        """
        fault = None
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                unsettled = UnsettledGames(self._node.place, group, self._print_settled)
                try:
                    await self._play_rounds(unsettled)
                except InvalidEventError as error:
                    fault = error
                await self._settle(unsettled)
        if fault is not None:
            raise fault
        return self._code

    def on_news(self, news: str) -> None:
        """Print news of the connection, unless a game on the screen does so."""
        if not self._is_seated:
            print_message(f"[{sentence(news)}]")

    async def _play_rounds(self, unsettled: UnsettledGames) -> None:
        told = 0
        while not (tournament := self._follower.tournament).over:
            await self._print_results()
            self._check_results()
            self._settle_left_games(unsettled)
            game = our_game(tournament, self._node.id)
            if game is not None and game.name not in self._played:
                await self._play(game)
                if self._has_left:
                    return
                continue
            number = len(tournament.rounds)
            if number > told and number > 0:
                told = number
                others = len(tournament.rounds[-1].pairings) > 1
                if game is None:
                    bye = self._node.id in tournament.rounds[-1].byes
                    what = "you have a bye" if bye else "you do not play"
                    print_message(f"Round {number} of {tournament.plan.rounds}: {what}.")
                elif others:
                    print_message(f"Waiting for the other games of round {number}.")
                else:
                    await self._watch_host()
                    continue
            await self._follower.wait_for_change()
        await self._print_results()
        self._check_results()

    async def _watch_host(self) -> None:
        """Wait until the host continues the event, and say who that is."""
        try:
            async with asyncio.timeout(_SOON_S):
                await self._follower.wait_for_change()
        except TimeoutError:
            host = self._profile.names.display_name(self._follower.tournament.plan.host)
            print_message(f"Waiting for {host}, the host, to go on.")

    async def _print_results(self) -> None:
        """Print, once, the results of each round that is over."""
        names = self._profile.names
        new = [
            board
            for board in self._follower.feed.tournament.boards
            if board.number > self._reported_rounds and board.result is not None
        ]
        if not new:
            return
        self._reported_rounds = new[-1].number
        await self._learn_names(
            [node for board in new for node in (board.pairing.first, board.pairing.second)]
        )
        for board in new:
            print_message(f"{result_line(board, names)}.")

    async def _learn_names(self, nodes: Sequence[str]) -> None:
        """Learn the names of those who may have come only after us."""
        names = self._profile.names
        if unnamed := [node for node in nodes if names.name_of(node) is None]:
            with suppress(TransportError):
                async with self._node.place.connect(None) as transport:
                    await learn_names(names, transport, unnamed)

    async def _play(self, game: OurGame) -> None:
        """Play a game while its round lasts."""
        self.active = True
        number = game.board.number
        work = asyncio.create_task(self._play_game(game), name=game.name)
        await run_during_round(self._follower, number, work, is_over=lambda: self._is_over(game))
        if not work.cancelled():
            work.result()
        elif not self._is_over(game) and self._follower.feed.replaced is None:
            up = SYSTEM_CLOCK.now_ms() >= game.ends_ms
            print_message(
                f"The time of round {number} is up." if up else f"Round {number} is over."
            )
            if self._is_lost(game):
                print_message(
                    f"{game.name}: you had to move, so the game counts as lost. It is resigned."
                )

    async def _settle(self, unsettled: UnsettledGames) -> None:
        """Stay until the other players have our last messages; say in which games they do not."""
        self._settle_left_games(unsettled)
        if left := await unsettled.wait(_SOON_S):
            names = ", ".join(stored.offer.name for stored in left)
            print_message(
                f"Waiting until your opponent confirms {names}: {LAST_WORD_GRACE:g} seconds at "
                "most, or until Ctrl-C."
            )
        for stored in await unsettled.finish():
            name = stored.offer.name
            over = self._profile.journal.ledger(stored).outcome is not None
            what = "your opponent has not confirmed the result" if over else "it is not over"
            again = self._profile.home.resume_command(name)
            print_message(f"{name}: {what}. To try again later: {again}")

    def _settle_left_games(self, unsettled: UnsettledGames) -> None:
        """Take up our games that nobody plays any more, to settle all of them."""
        journal, tournament = self._profile.journal, self._follower.feed.tournament
        number = 0 if tournament.over else len(tournament.rounds)
        for game in our_games(tournament, self._node.id):
            if game.board.number == number and game.name not in self._played:
                continue
            for stored in journal.unfinished(game.name, game.role):
                if not is_matching_offer(tournament.plan, game.board, stored.offer):
                    continue
                if journal.ledger(stored).phase is Phase.OPEN:
                    journal.finish(stored)  # nobody has joined: there is nothing to resume
                else:
                    self.active = True
                    unsettled.settle_later(stored, lost=game.counts_as_lost(stored.offer.digest))

    def _print_settled(self, seat: GameRun) -> None:
        ledger = seat.ledger
        if ledger.outcome is not None:
            standing = standing_text(ledger)
            print_message(
                f"{self._describe_game(ledger.offer.name)}: {result_text(ledger)} {standing}"
            )
        self._code = exit_code_of(seat) or self._code

    def _describe_game(self, name: str) -> str:
        """A game of ours, in words that people know it by."""
        for game in our_games(self._follower.feed.tournament, self._node.id):
            if game.name == name:
                opponent = self._profile.names.display_name(game.opponent)
                return f"Round {game.board.number}, against {opponent}"
        return name

    def _is_over(self, game: OurGame) -> bool:
        ledger = self._ledger(game)
        return ledger is not None and ledger.outcome is not None

    def _is_lost(self, game: OurGame) -> bool:
        """Whether the event counts a game as lost for us, since it was not over in time."""
        tournament = self._follower.feed.tournament
        stored = known_game(self._profile.journal, tournament.plan, game)
        counted = {each.name: each for each in our_games(tournament, self._node.id)}
        return stored is not None and counted[game.name].counts_as_lost(stored.offer.digest) is True

    def _ledger(self, game: OurGame) -> Ledger | None:
        journal = self._profile.journal
        stored = known_game(journal, self._follower.feed.tournament.plan, game)
        return None if stored is None else journal.ledger(stored)

    def _check_results(self) -> None:
        """Report, once, each result of the host that differs from what both players signed."""
        tournament = self._follower.tournament
        for game in our_games(tournament, self._node.id):
            if game.board.result is None or game.name in self._contradicted:
                continue
            ledger = self._ledger(game)
            wrong = (
                None
                if ledger is None
                else contradiction(tournament, game, ledger, self._profile.home.option)
            )
            if wrong is not None:
                self._contradicted.add(game.name)
                self._code = self._code or ExitCode.VERIFICATION_FAILED
                print_message(wrong)

    async def _play_game(self, game: OurGame) -> None:
        """Play a game to its end, in as many attempts as it takes."""
        told, waits = "", False
        while game.name not in self._played and not self._has_left:
            try:
                await self._take_seat(game)
            except NoSuchGame:
                if not waits:
                    waits = True
                    print_message(self._waiting_text(game))
                await asyncio.sleep(_AGAIN_S)
            except (GameError, TransportError) as error:
                if str(error) != told and not isinstance(error, _StaleOfferError):
                    told = str(error)
                    print_message(f"{game.name}: {told}")
                await asyncio.sleep(_AGAIN_S)

    def _waits_for_opponent(self, game: OurGame) -> bool:
        """Whether we offer a game that the other player has not joined yet."""
        ledger = self._ledger(game)
        return game.role is Role.HOST and (ledger is None or ledger.phase is Phase.OPEN)

    def _waiting_text(self, game: OurGame) -> str:
        opponent = self._profile.names.display_name(game.opponent)
        return (
            f"Waiting for {opponent}, who moves first in {game.name} and has not come yet. Round "
            f"{game.board.number} ends {format_local_time(game.ends_ms):on %Y-%m-%d at %H:%M}."
        )

    async def _take_seat(self, game: OurGame) -> None:
        profile = self._profile
        plan = self._follower.tournament.plan
        if not self._is_over(game):
            settings, take = await self._prepare_seat(game)
            await self._learn_names([game.opponent])
            _discard_typed()
            moves = "first" if game.role is Role.HOST else "second"
            print_message(
                f"Round {game.board.number} of {plan.rounds}: {game.name}, you move {moves} "
                f"against {profile.names.display_name(game.opponent)}."
                + (" Waiting until they come …" if self._waits_for_opponent(game) else "")
            )
            seats: list[NetworkGame] = []

            def take_and_remember(player: SeatPlayer) -> NetworkGame:
                seats.append(take(player))
                return seats[0]

            self._is_seated = True
            try:
                code = await take_seat(
                    self._node,
                    self._broker,
                    take_and_remember,
                    plan.ruleset,
                    game.role,
                    settings=settings,
                    in_event=True,
                    notifications=self._ways,
                )
            finally:
                self._is_seated = False
            stored = seats[0].stored
            self._code = code or self._code
            if profile.journal.ledger(stored).outcome is None:
                self._has_left = True
            if not self._is_over(game):
                return  # left, or given up by both: then another one takes its place
        self._played.add(game.name)

    async def _prepare_seat(
        self, game: OurGame
    ) -> tuple[Settings, Callable[[SeatPlayer], NetworkGame]]:
        """The settings of our seat in a game, and the function that takes the seat.

        Raises:
            GameError: the opponent has not offered it yet.
        """
        node, profile, plan = self._node, self._profile, self._follower.tournament.plan
        if (stored := known_game(profile.journal, plan, game)) is not None:
            settings = self._as_begun(game, Settings.restored(stored.settings))
            return settings, partial(node.resume_game, stored, settings)
        if game.role is Role.HOST:
            free_name(profile, game.name, new=True)
            return node.settings, lambda player: node.new_game(
                game.name,
                GameRecord(Position.start(plan.ruleset)),
                color="first",
                terms=replace(Terms.agreed(plan), access=game.opponent),
                lasts_ms=max(1, game.ends_ms - SYSTEM_CLOCK.now_ms()),
                player=player,
            )
        wanted = GameName(game.name, game.board.pairing.first)
        async with node.place.connect(None) as transport:
            found = await GameFinder(transport).find(wanted, seconds=_SEARCH_S, open_only=True)
        if found.offer.created_ms < plan.created_ms:
            raise _StaleOfferError("what is there was offered before this event; waiting")
        if not is_matching_offer(plan, game.board, found.offer):
            raise GameError("what your opponent offers is not the game of this event; waiting")
        known = profile.journal.find(found.offer.digest, Role.GUEST)
        if known is not None and profile.journal.ledger(known).outcome is not None:
            raise GameError("the game was aborted; waiting until your opponent offers it again")
        return node.settings, partial(node.join_game, found.offer, node.settings)

    def _as_begun(self, game: OurGame, begun: Settings) -> Settings:
        """The settings for resuming a game: shown as chosen now, and played by the same player."""
        now = self._node.settings
        if (begun.player, begun.level) != (now.player, now.level):
            who = "you" if begun.player == HUMAN else "the program"
            print_message(
                f"{game.name} is played to its end as it began, by {who}. What you chose now holds "
                "from the next game on."
            )
        view = {name: getattr(now, name) for name in ("text", "tui", "ascii_only", "display")}
        return replace(begun, **view)


def _discard_typed() -> None:
    """Drop what was typed on a terminal since the last game: it was not meant for the next one."""
    with suppress(OSError, ValueError, termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
