"""What a game costs its broker: messages and bytes a move, and what it keeps retained.

Games of the engine against itself, signed and encoded as on the wire; nothing is sent, so the
figures are the same on every machine. Bytes are those of MQTT 3.1.1 at QoS 1 from the nodes to
the broker: headers, topics and acknowledgements included, TCP and TLS not.

Run with ``python -m tests.bench.bench_traffic``.
"""

import statistics
from dataclasses import dataclass

from ataxxd.rules import Engine, Position, rulesets
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd_protocol import Topics, encode, position_digest, signed
from ataxxd_protocol.messages import Message
from tests.conformance.games import HOST_KEY, KEYS, Pair

_TOPICS = Topics()
_GAMES = ("ataxx/cs61b-2022", "reversi/standard", "checkers/acf", "loa/cs61b")
# Fixed and variable header of a PUBLISH without its topic, and the PUBACK that answers it.
_HEADER, _ANSWER = 7, 4


@dataclass(frozen=True)
class Cost:
    """What one game came to.

    Attributes:
        plies: its moves.
        mailbox: bytes of both mailboxes.
        states: bytes of the retained state, published after every move.
        retained: bytes that stay on the broker at the end, payloads and topics.
        topics: how many topics those are.
    """

    plies: int
    mailbox: int
    states: int
    retained: int
    topics: int


def published(topic: str, message: Message) -> int:
    """The bytes of a message on the wire, with its acknowledgement."""
    return _HEADER + len(topic) + len(encode(message)) + _ANSWER


def play(ruleset: str, seed: int) -> Cost:
    """Play a game of the engine against itself and count."""
    start = Position.start(ruleset)
    pair = Pair.started(
        ruleset=ruleset,
        start=start.text,
        start_hash=position_digest(ruleset, start.text),
    )
    name, host = pair.offer.name, pair.offer.host
    engine = Engine(1)
    told: dict[int, str] = {}
    states = 0
    ledger = pair.host.ledger
    while (role := ledger.on_turn) is not None and ledger.position.outcome is None:
        move = engine.search(ledger.position, depth=2, seed=seed + len(ledger.moves)).move
        pair.carry(role, pair.players[role].play(move, 4000))
        for part in state_parts(ledger):
            if told.get(part.part) != part.digest:
                told[part.part] = part.digest
                states += published(_TOPICS.state(name, host, part.part), signed(part, HOST_KEY))
    mailbox = sum(
        published(_TOPICS.out(name, host, KEYS[author].node), message)
        for author in Role
        for message in ledger.log(author)
    )
    offer = _TOPICS.offer(name, host)
    parts = state_parts(ledger)
    retained = len(offer) + len(encode(pair.offer))
    for part in parts:
        topic = _TOPICS.state(name, host, part.part)
        retained += len(topic) + len(encode(signed(part, HOST_KEY)))
    return Cost(len(ledger.moves), mailbox, states, retained, 1 + len(parts))


def main() -> None:
    """Print a line a game."""
    known = {info.id for info in rulesets()}
    print("game                   plies   mailbox    state  retained  topics")
    print("                             bytes/ply bytes/ply    bytes")
    for ruleset in _GAMES:
        assert ruleset in known
        costs = [play(ruleset, seed) for seed in range(1, 6)]
        plies = sum(cost.plies for cost in costs)
        print(
            f"{ruleset:20} {statistics.median(cost.plies for cost in costs):7.0f}"
            f" {sum(cost.mailbox for cost in costs) / plies:9.0f}"
            f" {sum(cost.states for cost in costs) / plies:8.0f}"
            f" {statistics.median(cost.retained for cost in costs):9.0f}"
            f" {statistics.median(cost.topics for cost in costs):7.0f}"
        )


if __name__ == "__main__":
    main()
