"""One whole simulated game, from a seed to a verdict."""

import asyncio
import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ataxxd.rules import Position
from ataxxd.session.events import Effect, Send
from ataxxd.session.handshake import make_commitment
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd_protocol import PROTOCOL_VERSION, SigningKey, encode, position_digest, signed
from ataxxd_protocol.messages import Offer
from tests.chaos.cheats import Cheat
from tests.chaos.faults import DELIVERING, Storm
from tests.chaos.laws import judge
from tests.chaos.loop import NothingLeftToDoError, VirtualLoop, run_virtually
from tests.chaos.network import SimBroker
from tests.chaos.players import AGENT, Node, Onlooker, Player
from tests.chaos.scenario import Scenario
from tests.chaos.world import DAWN_S, TOPICS, World

# Virtual seconds in which a game must end once nothing goes wrong any more.
PATIENCE_S = 900.0
# And spectators must have seen it, when the players are done.
ONLOOKERS_S = 400.0


@dataclass(frozen=True)
class Report:
    """What became of one game.

    Attributes:
        seed: plays it again.
        scenario: what it was.
        broken: the laws that it broke.
        ends: how it ended for each honest player.
        trace: what happened, with times.
        virtual_s: seconds it took by its own clock.
        messages: how many the broker carried.
    """

    seed: int
    scenario: Scenario
    broken: tuple[str, ...]
    ends: tuple[str, ...]
    trace: tuple[str, ...]
    virtual_s: float
    messages: int


def be_quiet() -> None:
    """Leave out what nodes log: networks fail here all the time, and laws tell what matters."""
    logging.getLogger("ataxxd").setLevel(logging.ERROR)


def simulate(seed: int) -> Report:
    """Play the game of a seed to its end and judge it."""
    fate = random.Random(seed)
    scenario = Scenario.of(fate)
    loop = VirtualLoop()
    world = World(loop, fate, SimBroker(fate))
    ends: list[str] = []
    try:
        ends = run_virtually(_play(world, scenario), loop)
    except NothingLeftToDoError as error:
        world.breach(f"everything waits for ever: {error}")
    return Report(
        seed,
        scenario,
        tuple(world.broken),
        tuple(ends),
        tuple(world.trace),
        loop.now,
        world.broker.carried,
    )


async def _play(world: World, scenario: Scenario) -> list[str]:
    players, onlookers = _nodes(world, scenario)
    honest = [player for player in players if not isinstance(player, Cheat)]
    storm = Storm(world, [*honest, *onlookers], scenario.faults)
    storm.every_s = scenario.every_s
    world.peaceful = DELIVERING.issuperset(scenario.faults)
    if "replay" in scenario.faults:
        storm.remember(_yesterday(players[0], players[1]))
    start = world.loop.create_task
    raging = start(storm.rage(scenario.storm_s), name="storm")
    lives = {node: start(_come(world, node), name=node.name) for node in (*players, *onlookers)}
    await asyncio.wait([lives[node] for node in honest], timeout=scenario.storm_s + PATIENCE_S)
    if onlookers:
        await asyncio.wait([lives[node] for node in onlookers], timeout=ONLOOKERS_S)
    ends = judge(world, players, onlookers)
    tasks = [raging, *lives.values()]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    return ends


async def _come(world: World, node: Node) -> None:
    if not (isinstance(node, Player) and node.role is Role.HOST):
        await world.sleep(world.fate.choice([0.5, 5.0]))
    await node.exist()


def _nodes(world: World, scenario: Scenario) -> tuple[Sequence[Player], Sequence[Onlooker]]:
    fate = world.fate
    host_key = SigningKey(fate.randbytes(32))
    secret = fate.randbytes(16).hex()
    offer = make_offer(scenario.start, scenario.color, host_key, secret, **scenario.terms)
    players: list[Player] = []
    seats = [("host", Role.HOST, host_key), ("guest", Role.GUEST, SigningKey(fate.randbytes(32)))]
    if scenario.rival:
        seats.append(("rival", Role.GUEST, SigningKey(fate.randbytes(32))))
    for name, role, key in seats:
        if name == scenario.cheat:
            cheat = Cheat(world, name, key, offer, role)
            cheat.kind, cheat.behaviour = scenario.kind, scenario.behaviour
            cheat.turns_left = scenario.turns
            cheat.cheated = scenario.kind == "false-score"
            player: Player = cheat
        else:
            player = Player(world, name, key, offer, role)
        player.secret = secret if role is Role.HOST else ""
        player.pace_s, player.patience = scenario.pace_s, scenario.patience
        player.disk.sync_s = scenario.sync_s
        player.sociable = scenario.sociable
        players.append(player)
    onlookers = [Onlooker(world, f"onlooker{i + 1}", offer) for i in range(scenario.onlookers)]
    _whisper(world, players)
    return players, onlookers


def _whisper(world: World, players: Sequence[Player]) -> None:
    """A broker in league with a cheat keeps one of its two stories from its opponent."""
    cheat = next((player for player in players if isinstance(player, Cheat)), None)
    if cheat is not None and cheat.kind == "whisper":
        opponents = {player.name for player in players if player.role is cheat.role.other}
        world.broker.route = lambda payload, client: (
            payload != cheat.whispered or client not in opponents
        )


def _yesterday(host: Player, guest: Player) -> list[tuple[str, bytes]]:
    """What was said in another game of the same name, by the same players."""
    start = Position.start("reversi/standard")
    offer = make_offer(start, "first", host.key, host.secret, created_s=DAWN_S - 86_400)
    sessions = {
        Role.HOST: PlayerSession(Ledger(offer), Role.HOST, host.key, host.secret),
        Role.GUEST: PlayerSession(Ledger(offer), Role.GUEST, guest.key),
    }
    keys = {Role.HOST: host.key, Role.GUEST: guest.key}
    said: list[tuple[str, bytes]] = []

    def say(role: Role, effects: Sequence[Effect]) -> None:
        topic = TOPICS.out(offer.name, offer.host, keys[role].node)
        for effect in effects:
            if isinstance(effect, Send):
                said.append((topic, encode(effect.message)))
                say(role.other, sessions[role.other].receive(effect.message))

    say(Role.GUEST, sessions[Role.GUEST].ask_to_join("0a" * 16, AGENT))
    for role in (Role.HOST, Role.GUEST) * 2:
        say(role, sessions[role].play(sessions[role].ledger.position.legal_moves[0], 1))
    say(Role.HOST, sessions[Role.HOST].on_connected())
    for part in state_parts(sessions[Role.HOST].ledger):
        state = encode(signed(part, host.key))
        said.append((TOPICS.state(offer.name, offer.host, part.part), state))
    return [(TOPICS.offer(offer.name, offer.host), encode(offer)), *said]


def make_offer(
    start: Position,
    color: str,
    key: SigningKey,
    secret: str,
    *,
    created_s: float = DAWN_S,
    **terms: Any,
) -> Offer:
    """A signed offer; that of the simulated game is made when the simulation begins."""
    now = int(created_s * 1000)
    fields = {
        "v": PROTOCOL_VERSION,
        "name": "ourgame",
        "host": key.node,
        "key": key.public_key,
        "ruleset": start.ruleset,
        "start": start.text,
        "start_hash": position_digest(start.ruleset, start.text),
        "color": color,
        "commit": make_commitment(secret),
        "agent": AGENT,
        "created_ms": now,
        "expires_ms": now + 86_400_000,
    }
    return signed(Offer.model_validate(fields | terms), key)
