"""Everything that goes wrong around a game: weather, cuts, crashes, and a stranger with a grudge.

Each game has its own mixture: a few kinds of fault, often. All kinds at once would hide each
other (Groce and others, "Swarm Testing", ISSTA 2012).
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from ataxxd_protocol import MalformedMessage, SigningKey, decode, encode, signed
from ataxxd_protocol.messages import SignedMessage, Who
from ataxxd_protocol.signing import canonical_json
from tests.chaos.network import SimLink, Weather
from tests.chaos.players import Node
from tests.chaos.world import TOPICS, World

# What the stranger remembers, to say it again.
_MEMORY = 400
# Messages of all floods of one game together, so that one game does not take a minute.
_FLOOD_BOUND = 5_000
_NOISE = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\x00\xff\xfe",
    b'{"type":"move"}',
    b'{"type":"who"}',
    b"[" * 3_000,
    b"x" * 17_000,
)
Fault: TypeAlias = Callable[["Storm"], None]


class Storm:
    """The faults of one game, until `calm`.

    Attributes:
        world: where.
        nodes: the honest nodes.
        kinds: which faults there are.
        every_s: mean seconds between two faults.
        over: whether nothing goes wrong any more.
        flooded: messages of floods so far.
    """

    def __init__(self, world: World, nodes: Sequence[Node], kinds: Iterable[str]) -> None:
        self.world = world
        self.nodes = nodes
        self.kinds = sorted(kinds)
        self.every_s = 1.0
        self.over = False
        self.flooded = 0
        self._key = SigningKey(world.fate.randbytes(32))
        self._said: list[tuple[str, bytes, bool]] = []
        world.broker.heard.append(self._listen)

    async def rage(self, until_s: float) -> None:
        """Go on until this time."""
        events = [kind for kind in self.kinds if kind in FAULTS]
        for kind in self.kinds:
            if kind in WEATHERS:
                WEATHERS[kind](self.world.broker.weather, self.world.fate)
        while events and self.world.loop.now < until_s:
            await self.world.sleep(self.every_s)
            kind = self.world.fate.choice(events)
            self.world.note(f"fault: {kind}")
            FAULTS[kind](self)
        self.calm()

    def calm(self) -> None:
        """The sun comes out: everything works from now on, and who was killed comes back soon."""
        self.over = True
        self.world.note("calm")
        self.world.calm.set()
        self.world.calm_at = self.world.loop.now
        broker = self.world.broker
        broker.weather = Weather()
        broker.start()
        for node in self.nodes:
            node.machine.online = True
            node.process.steps_left = None

    @property
    def fate(self) -> random.Random:
        """The dice."""
        return self.world.fate

    def later(self, mean_s: float, undo: Callable[[], None]) -> None:
        """Do something after a while, unless the storm is over by then, which does it too."""
        delay = self.fate.expovariate(1 / mean_s)
        self.world.loop.call_later(delay, lambda: None if self.over else undo())

    def link(self) -> SimLink | None:
        """Some connection."""
        links = [link for link in self.world.broker.links if link.open]
        return self.fate.choice(links) if links else None

    def node(self) -> Node:
        """Some honest node."""
        return self.fate.choice(self.nodes)

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """The stranger publishes something."""
        if self.world.broker.up:
            self.world.broker.publish("stranger", topic, payload, retain=retain)

    def overheard(self) -> tuple[str, bytes, bool] | None:
        """Something that somebody has said: topic, payload, whether it is of a retained topic."""
        return self.fate.choice(self._said) if self._said else None

    @property
    def key(self) -> SigningKey:
        """The stranger's own."""
        return self._key

    def remember(self, said: Iterable[tuple[str, bytes]]) -> None:
        """What the stranger has from before this game."""
        self._said += [(topic, payload, _is_retained(topic)) for topic, payload in said]

    def _listen(self, client: str, topic: str, payload: bytes) -> None:
        if client == "stranger" or not payload:
            return
        kept = _is_retained(topic)
        if len(self._said) < _MEMORY:
            self._said.append((topic, payload, kept))
        else:
            self._said[self.fate.randrange(_MEMORY)] = (topic, payload, kept)


def _is_retained(topic: str) -> bool:
    return topic.endswith("/offer") or "/state" in topic


# The weather


def _slow(weather: Weather, fate: random.Random) -> None:
    weather.delay_s = (0.05, fate.choice([0.5, 2.0, 8.0]))


def _repeat(weather: Weather, fate: random.Random) -> None:
    weather.repeat = fate.choice([0.1, 0.5, 1.0])


def _reorder(weather: Weather, fate: random.Random) -> None:
    weather.reorder_s = fate.choice([0.1, 1.0, 5.0])


def _drop(weather: Weather, fate: random.Random) -> None:
    weather.drop = fate.choice([0.05, 0.2, 0.5])


WEATHERS: dict[str, Callable[[Weather, random.Random], None]] = {
    "slow": _slow,
    "repeat": _repeat,
    "reorder": _reorder,
    "drop": _drop,
}


# What happens to connections and machines


def _on_link(act: Callable[[SimLink], None]) -> Fault:
    def fault(storm: Storm) -> None:
        link = storm.link()
        if link is not None:
            act(link)

    return fault


def _unplug(storm: Storm) -> None:
    node = storm.node()
    node.machine.online = False
    for link in node.process.links:
        storm.fate.choice([SimLink.cut, SimLink.half_open, SimLink.cut_here])(link)

    def plug() -> None:
        node.machine.online = True

    storm.later(storm.fate.choice([1.0, 20.0, 200.0]), plug)


def _broker_restart(storm: Storm, *, forget: bool) -> None:
    broker = storm.world.broker
    broker.stop(forget=forget)
    storm.later(storm.fate.choice([0.1, 3.0, 60.0]), broker.start)


def _kill(storm: Storm) -> None:
    _kill_one(storm, storm.node())


def _kill_one(storm: Storm, node: Node) -> None:
    node.away_s = storm.fate.choice([0.05, 1.0, 10.0, 120.0, 3600.0])
    # Now, or in the middle of what it does next.
    if storm.fate.random() < 0.3:
        node.process.die()
    else:
        node.process.steps_left = storm.fate.randrange(8)


def _power_cut(storm: Storm) -> None:
    node = storm.node()
    _kill_one(storm, node)
    node.process.killed.add_done_callback(lambda _: node.lose_power())


def _blackout(storm: Storm) -> None:
    for node in storm.nodes:
        node.away_s = storm.fate.choice([0.05, 10.0, 120.0])
        node.process.die()
        node.lose_power()
    _broker_restart(storm, forget=True)


def _skew(storm: Storm) -> None:
    storm.node().skew_s = storm.fate.choice([-86_400.0, -5.0, 5.0])


# What a stranger does


def _wipe(storm: Storm) -> None:
    for topic in [*storm.world.broker.retained]:
        if storm.fate.random() < 0.7:
            storm.say(topic, b"", retain=True)


def _stale(storm: Storm) -> None:
    heard = storm.overheard()
    if heard is not None:
        topic, payload, kept = heard
        storm.say(topic, payload, retain=kept)


def _garbage(storm: Storm) -> None:
    heard = storm.overheard()
    if heard is not None:
        topic, payload, kept = heard
        noise = storm.fate.choice((*_NOISE, payload[:-1] + b" ", payload[: len(payload) // 2]))
        storm.say(topic, noise, retain=kept)


def _replay(storm: Storm) -> None:
    for _ in range(storm.fate.choice([1, 5, 40])):
        heard, elsewhere = storm.overheard(), storm.overheard()
        if heard is not None and elsewhere is not None:
            storm.say(storm.fate.choice([heard[0], heard[0], elsewhere[0]]), heard[1])


def _forge(storm: Storm) -> None:
    heard = storm.overheard()
    if heard is None:
        return
    topic, payload, kept = heard
    try:
        message = decode(payload)
    except MalformedMessage:
        return
    if not isinstance(message, SignedMessage):
        return
    for forged in _forgeries(storm, message):
        storm.say(topic, forged, retain=kept and storm.fate.random() < 0.3)


def _forgeries(storm: Storm, message: SignedMessage) -> list[bytes]:
    """With another content under its old signature, under a stranger's name, and signed by it."""
    fields = message.fields()
    name = storm.fate.choice([name for name in fields if name not in ("type", "sig")])
    value = fields[name]
    if isinstance(value, int):
        fields[name] = value + 1
    elif isinstance(value, str) and value:
        fields[name] = value[:-1] + ("b" if value[-1] == "a" else "a")
    altered = canonical_json(fields)
    theirs = canonical_json(fields | {"from": storm.key.node})
    return [altered, theirs, encode(signed(message, storm.key))]


def _who(storm: Storm) -> None:
    storm.say(TOPICS.who(), encode(Who()))


def _flood(storm: Storm) -> None:
    heard = storm.overheard()
    if heard is not None and storm.flooded < _FLOOD_BOUND:
        count = storm.fate.choice([30, 200])
        storm.flooded += count
        for number in range(count):
            storm.say(heard[0], heard[1] if number % 2 else b"%d" % number)


DELIVERING = frozenset(
    {"forge", "garbage", "reorder", "repeat", "replay", "skew", "stale", "who", "wipe"}
)
"""Faults under which every message arrives all the same."""

FAULTS: dict[str, Fault] = {
    "cut": _on_link(SimLink.cut),
    "cut-here": _on_link(SimLink.cut_here),
    "cut-there": _on_link(SimLink.cut_there),
    "half-open": _on_link(SimLink.half_open),
    "unplug": _unplug,
    "broker-restart": lambda storm: _broker_restart(storm, forget=False),
    "broker-forgets": lambda storm: _broker_restart(storm, forget=True),
    "kill": _kill,
    "power-cut": _power_cut,
    "blackout": _blackout,
    "skew": _skew,
    "wipe": _wipe,
    "stale": _stale,
    "garbage": _garbage,
    "replay": _replay,
    "forge": _forge,
    "who": _who,
    "flood": _flood,
}
