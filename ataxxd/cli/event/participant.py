"""One node's part in an event: its games round after round, each until it is settled."""

import asyncio
import secrets
from dataclasses import replace

from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.endings import result_text, standing_text
from ataxxd.cli.notations import kept_text
from ataxxd.cli.say import say
from ataxxd.cli.seat import code_of, take_seat
from ataxxd.errors import ExitCode, GameError, TransportError
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.closing import LAST_WORD_GRACE
from ataxxd.node.game_run import GameRun, Place
from ataxxd.node.groups import plain_errors
from ataxxd.node.hosting import make_room
from ataxxd.node.introducing import learn
from ataxxd.node.journal import StoredGame
from ataxxd.node.lobby import GameName, Lobby
from ataxxd.node.node import TOPICS, Node
from ataxxd.node.settings import Settings
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd.tournament.closing import Unsettled
from ataxxd.tournament.errors import EventFault
from ataxxd.tournament.playing import (
    Follower,
    OurGame,
    contradiction,
    is_of,
    known_game,
    offer_of,
    our_game,
    our_games,
    while_it_lasts,
)
from ataxxd.transport.mqtt import MqttTransport

# Seconds to look for the opponent's offer, and until it is tried again.
_LOOK_S, _AGAIN_S = 10.0, 1.0
# Seconds for the other players' last words until it is said that we wait for them.
_SOON_S = 3.0


class Participant:
    """This node in an event."""

    def __init__(
        self, node: Node, broker: ChosenBroker, settings: Settings, follower: Follower
    ) -> None:
        self._node = node
        self._broker = broker
        self._settings = settings
        self._follower = follower
        self._place = Place(node, lambda will: MqttTransport(broker.url, will=will), kept_text, say)
        self._played: set[str] = set()
        self._contradicted: set[str] = set()
        self._left = False
        self._code = ExitCode.OK

    async def run(self) -> ExitCode:
        """Play round after round; the exit code tells of a cheat, or of a contradicted result.

        Raises:
            EventFault: the host broke the rules of the event.
        """
        fault = None
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                unsettled = Unsettled(self._place, group, self._tell_settled)
                try:
                    await self._play_rounds(unsettled)
                except EventFault as error:
                    fault = error
                await self._settle(unsettled)
        if fault is not None:
            raise fault
        return self._code

    async def _play_rounds(self, unsettled: Unsettled) -> None:
        told = 0
        while not (tournament := self._follower.tournament).over:
            self._check_results()
            self._take_up(unsettled)
            game = our_game(tournament, self._node.key.node)
            if game is not None and game.name not in self._played:
                await self._play(game)
                if self._left:
                    return
                continue
            number = len(tournament.rounds)
            if number > told and number > 0:
                told = number
                others = len(tournament.rounds[-1].pairings) > 1
                if game is None:
                    bye = self._node.key.node in tournament.rounds[-1].byes
                    what = "you have a bye" if bye else "you do not play"
                    say(f"Round {number} of {tournament.plan.rounds}: {what}.")
                elif others:
                    say(f"Waiting for the other games of round {number}.")
            await self._follower.changed()
        self._check_results()

    async def _play(self, game: OurGame) -> None:
        """Play a game while its round lasts."""
        number = game.board.number
        work = asyncio.create_task(self._sit(game), name=game.name)
        await while_it_lasts(self._follower, number, work, over=lambda: self._is_over(game))
        if not work.cancelled():
            work.result()
        elif not self._is_over(game):
            up = SYSTEM_CLOCK.now_ms() >= game.ends_ms
            say(f"The time of round {number} is up." if up else f"Round {number} is over.")
            if self._is_lost(game):
                say(f"{game.name}: you had to move, so the game counts as lost. It is resigned.")

    async def _settle(self, unsettled: Unsettled) -> None:
        """Do not go before the other players have what we said last; say where that was in vain."""
        self._take_up(unsettled)
        if left := await unsettled.wait(_SOON_S):
            names = ", ".join(stored.offer.name for stored in left)
            say(
                f"Waiting until your opponent confirms {names}: {LAST_WORD_GRACE:g} seconds at "
                "most, or until Ctrl-C."
            )
        for stored in await unsettled.finish():
            name = stored.offer.name
            over = self._node.journal.ledger(stored).outcome is not None
            what = "your opponent has not confirmed the result" if over else "it is not over"
            say(f"{name}: {what}. To try again later: ataxxd resume {name}")

    def _take_up(self, unsettled: Unsettled) -> None:
        """See to the games of ours that nobody sits at any more: all of them are to be settled."""
        journal, tournament = self._node.journal, self._follower.feed.tournament
        number = 0 if tournament.over else len(tournament.rounds)
        for game in our_games(tournament, self._node.key.node):
            if game.board.number == number and game.name not in self._played:
                continue
            for stored in journal.unfinished(game.name, game.role):
                if not is_of(tournament.plan, game, stored.offer):
                    continue
                if journal.ledger(stored).phase is Phase.OPEN:
                    journal.finish(stored)  # nobody has come: there is nothing to go on with
                else:
                    unsettled.take(stored, lost=game.lost(stored.offer.digest))

    def _tell_settled(self, seat: GameRun) -> None:
        ledger = seat.ledger
        if ledger.outcome is not None:
            standing = standing_text(standing_of(ledger))
            say(f"{ledger.offer.name}: {result_text(ledger)} {standing}")
        self._code = code_of(seat) or self._code

    def _is_over(self, game: OurGame) -> bool:
        ledger = self._ledger(game)
        return ledger is not None and ledger.outcome is not None

    def _is_lost(self, game: OurGame) -> bool:
        """Whether the event counts a game as lost for us, which was not over in time."""
        tournament = self._follower.feed.tournament
        stored = known_game(self._node.journal, tournament.plan, game)
        counted = {each.name: each for each in our_games(tournament, self._node.key.node)}
        return stored is not None and counted[game.name].lost(stored.offer.digest) is True

    def _ledger(self, game: OurGame) -> Ledger | None:
        journal = self._node.journal
        stored = known_game(journal, self._follower.feed.tournament.plan, game)
        return None if stored is None else journal.ledger(stored)

    def _check_results(self) -> None:
        """Tell, once, what the host says otherwise than both players."""
        tournament = self._follower.tournament
        for game in our_games(tournament, self._node.key.node):
            if game.board.result is None or game.name in self._contradicted:
                continue
            ledger = self._ledger(game)
            wrong = None if ledger is None else contradiction(tournament, game, ledger)
            if wrong is not None:
                self._contradicted.add(game.name)
                self._code = self._code or ExitCode.VERIFICATION_FAILED
                say(wrong)

    async def _sit(self, game: OurGame) -> None:
        """Play a game to its end, however often it takes."""
        told = ""
        while game.name not in self._played and not self._left:
            try:
                await self._take_seat(game)
            except (GameError, TransportError) as error:
                if str(error) != told:
                    told = str(error)
                    say(f"{game.name}: {told}")
                await asyncio.sleep(_AGAIN_S)

    async def _take_seat(self, game: OurGame) -> None:
        node = self._node
        plan = self._follower.tournament.plan
        if not self._is_over(game):
            stored = known_game(node.journal, plan, game)
            if stored is None:
                stored = await self._begun(game)
            if node.names.name_of(game.opponent) is None:
                # It may have come only after us.
                async with MqttTransport(self._broker.url) as transport:
                    await learn(node.names, transport, TOPICS, [game.opponent])
            moves = "first" if game.role is Role.HOST else "second"
            say(
                f"Round {game.board.number} of {plan.rounds}: {game.name}, you move {moves} "
                f"against {node.names.shown(game.opponent)}."
            )
            with node.home.lock(stored.offer.digest, game.name):
                code = await take_seat(
                    node,
                    stored,
                    node.journal.ledger(stored),
                    self._broker,
                    Settings.restored(stored.settings),
                    in_event=True,
                )
            self._code = code or self._code
            if node.journal.ledger(stored).outcome is None:
                self._left = True
            if not self._is_over(game):
                return  # left, or given up by both: then another one takes its place
        self._played.add(game.name)

    async def _begun(self, game: OurGame) -> StoredGame:
        """The game in the journal: offered by us, or found to be joined.

        Raises:
            GameError: the opponent has not offered it yet.
        """
        node, plan = self._node, self._follower.tournament.plan
        if game.role is Role.HOST:
            make_room(node, game.name, new=True)
            settings = replace(self._settings, secret=secrets.token_hex(16))
            offer = offer_of(
                plan, game, node.key, secret=settings.secret, now_ms=SYSTEM_CLOCK.now_ms()
            )
            return node.journal.begin(offer, Role.HOST, settings.stored())
        wanted = GameName(game.name, game.board.pairing.first)
        async with MqttTransport(self._broker.url) as transport:
            found = await Lobby(transport, TOPICS).find(wanted, seconds=_LOOK_S, open_only=True)
        if not is_of(plan, game, found.offer):
            raise GameError("what your opponent offers is not the game of this event; waiting")
        known = node.journal.find(found.offer.digest, Role.GUEST)
        if known is not None and node.journal.ledger(known).outcome is not None:
            raise GameError("the game was aborted; waiting until your opponent offers it again")
        return node.journal.begin(found.offer, Role.GUEST, self._settings.stored())
