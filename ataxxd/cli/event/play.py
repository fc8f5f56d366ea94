"""``ataxxd event play``: take part in an event, round by round."""

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, GameError, TransportError, UsageError

if TYPE_CHECKING:
    from ataxxd.cli.connect import ChosenBroker
    from ataxxd.node.journal import StoredGame
    from ataxxd.node.lobby import GameName
    from ataxxd.node.node import Node
    from ataxxd.node.settings import Settings
    from ataxxd.node.tournament.playing import Follower, OurGame
    from ataxxd.session.ledger import Ledger

# Seconds to look for the opponent's offer, and until it is tried again.
_LOOK_S, _AGAIN_S = 10.0, 1.0


def run(
    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The event.")],
    home: options.Home = None,
    broker: options.Broker = None,
    auto: options.Auto = False,
    player: options.Player = None,
    engine: options.Engine = None,
    engine_protocol: options.EngineProtocol = None,
    level: options.Level = None,
    time: options.Time = None,
    nodes: options.Nodes = None,
    depth: options.Depth = None,
    threads: options.Threads = None,
    hash_mb: options.Hash = None,
    ponder: options.Ponder = False,
    seed: options.Seed = None,
    wait: options.Wait = 3.0,
    line: options.Line = False,
    tui: options.Tui = False,
    ascii_only: options.Ascii = False,
) -> int:
    """Play this node's games in the event NAME.

    You play in this terminal; with --auto the engine does. Each game is offered or joined when
    its round comes; if stopped or killed, run the same command again. A round that does not
    follow from the plan and the results is not played.
    """
    from ataxxd.cli.event.place import split_event
    from ataxxd.cli.screen import check_tui
    from ataxxd.cli.setup import searching_threads
    from ataxxd.node.players import Thinking, chosen_player, read_option
    from ataxxd.node.settings import Settings

    check_tui(tui=tui, line=line)
    wanted, url = split_event(name, broker)
    threads = searching_threads(threads, seed)
    thinking = Thinking(read_option(level), time, nodes, depth, threads, hash_mb, ponder)
    settings = Settings(
        broker=url,
        player=chosen_player(
            player, auto=auto, engine=engine, protocol=engine_protocol, thinking=thinking
        ),
        level=thinking.level,
        seed=seed,
        text=line,
        tui=tui,
        ascii_only=ascii_only,
    )
    return run_until_stopped(_play(wanted, home, settings.with_seed(), wait))


async def _play(
    wanted: "GameName", home: Path | None, settings: "Settings", wait: float
) -> ExitCode:
    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.event.views import table
    from ataxxd.cli.say import say, tell
    from ataxxd.node.groups import plain_errors
    from ataxxd.node.node import TOPICS, opened_node
    from ataxxd.node.players import check_player
    from ataxxd.node.tournament.bulletin import Bulletin, find_plan
    from ataxxd.node.tournament.playing import Follower
    from ataxxd.transport.mqtt import MqttTransport
    from ataxxd_protocol import grouped

    async with opened_node(home) as node, chosen_broker(settings.broker, home=home) as broker:
        async with MqttTransport(broker.url) as transport:
            plan = await find_plan(transport, TOPICS, wanted, seconds=wait)
        if node.key.node not in plan.players:
            raise UsageError(
                f'This node, {grouped(node.key.node)}, does not play in "{plan.name}". Ask the '
                f"host for a place, or look on: ataxxd event show {plan.name}#{grouped(plan.host)}"
            )
        check_player(settings.player, plan.ruleset.partition("/")[0])
        say(f'Playing in "{plan.name}" ({plan.ruleset}), hosted by {grouped(plan.host)}.')
        async with MqttTransport(broker.url) as transport:
            follower = Follower(Bulletin(plan), transport)
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    following = group.create_task(follower.run(), name="event")
                    code = await _Participant(node, broker, settings, follower).run()
                    following.cancel()
        for row in table(follower.course):
            tell(row)
    return code


class _Participant:
    """This node in an event."""

    def __init__(
        self, node: "Node", broker: "ChosenBroker", settings: "Settings", follower: "Follower"
    ) -> None:
        self._node = node
        self._broker = broker
        self._settings = settings
        self._follower = follower
        self._played: dict[str, tuple[OurGame, Ledger]] = {}
        self._contradicted: set[str] = set()
        self._code = ExitCode.OK

    async def run(self) -> ExitCode:
        """Play round after round; the exit code tells of a cheat, or of a contradicted result.

        Raises:
            EventFault: the host broke the rules of the event.
        """
        from ataxxd.cli.say import say
        from ataxxd.node.tournament.playing import our_game, while_it_lasts

        told = 0
        while not (course := self._follower.course).over:
            self._check_results()
            number = len(course.rounds)
            game = our_game(course, self._node.key.node)
            if game is None or game.name in self._played:
                if number > told and game is None:
                    say(f"Round {number}: no game for this node.")
                told = number
                await self._follower.changed()
                continue
            work = asyncio.create_task(self._sit(game), name=game.name)
            await while_it_lasts(self._follower, number, work)
            if work.cancelled():
                say(f"The time of round {number} is up.")
                self._withdraw(game)
        self._check_results()
        return self._code

    def _check_results(self) -> None:
        """Tell, once, what the host says otherwise than both players."""
        from ataxxd.cli.say import say
        from ataxxd.node.tournament.playing import contradiction

        for game, ledger in self._played.values():
            wrong = contradiction(self._follower.course, game, ledger)
            if wrong is not None and game.name not in self._contradicted:
                self._contradicted.add(game.name)
                self._code = self._code or ExitCode.VERIFICATION_FAILED
                say(wrong)

    def _withdraw(self, game: "OurGame") -> None:
        """Forget an offer to which nobody has come: there is nothing to resume."""
        from ataxxd.session.state import Phase

        journal = self._node.journal
        for stored in journal.unfinished(game.name, game.role):
            if journal.ledger(stored).phase is Phase.OPEN:
                journal.finish(stored)

    async def _sit(self, game: "OurGame") -> None:
        """Play a game to its end, however often it takes."""
        from ataxxd.cli.say import say

        told = ""
        while game.name not in self._played:
            try:
                await self._take_seat(game)
            except (GameError, TransportError) as error:
                if str(error) != told:
                    told = str(error)
                    say(f"{game.name}: {told}")
                await asyncio.sleep(_AGAIN_S)

    async def _take_seat(self, game: "OurGame") -> None:
        from ataxxd.cli.say import say
        from ataxxd.cli.seat import take_seat
        from ataxxd.node.settings import Settings
        from ataxxd.node.tournament.playing import known_game

        node = self._node
        plan = self._follower.course.plan
        stored = known_game(node.journal, plan, game)
        if stored is None:
            stored = await self._begun(game)
        if not stored.finished:
            say(f"{game.name}: playing as {game.role.value}.")
            with node.home.lock(stored.offer.digest, game.name):
                code = await take_seat(
                    node,
                    stored,
                    node.journal.ledger(stored),
                    self._broker,
                    Settings.restored(stored.settings),
                    # It would take the place of this game, which others still want to check.
                    rematches=False,
                )
            self._code = code or self._code
        self._played[game.name] = game, node.journal.ledger(stored)

    async def _begun(self, game: "OurGame") -> "StoredGame":
        """The game in the journal: offered by us, or found to be joined.

        Raises:
            GameError: the opponent has not offered it yet.
        """
        from dataclasses import replace

        from ataxxd.node.clock import SYSTEM_CLOCK
        from ataxxd.node.hosting import make_room
        from ataxxd.node.lobby import GameName, Lobby
        from ataxxd.node.node import TOPICS
        from ataxxd.node.tournament.playing import is_of, offer_of
        from ataxxd.session.roles import Role
        from ataxxd.transport.mqtt import MqttTransport

        node, plan = self._node, self._follower.course.plan
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
            raise GameError("what the opponent offers is not the game of this event; waiting")
        return node.journal.begin(found.offer, Role.GUEST, self._settings.stored())
