"""What clients can make the embedded broker hold."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """What clients can make the broker hold, whatever they do.

    Where an address has a share, a stranger's machine takes nothing from the others'.

    Attributes:
        packet: bytes of a packet; who announces a longer one is hung up on before it is read.
        topic: bytes of a topic, or of a filter.
        levels: levels of a topic, or of a filter.
        connections: at once, of all addresses.
        connections_of_address: at once, of one.
        connect_s: seconds in which a new connection must have said who it is.
        silence_s: seconds of silence, if the client allows itself more or has no keepalive.
        subscriptions: of all clients.
        subscriptions_of_address: of all clients of one address.
        requests: of a client, that are read and not yet carried out; it is read no further then.
        messages_at_once: of another machine that are read at once, and
        messages_per_s: in the long run; it is read no further until it may have more.
        in_turn: messages of a client that stand in line to be passed on; addresses take turns,
            and so do the clients of each.
        retained: bytes of retained messages. When there are more, the oldest of the address
            with the most makes room.
        retained_least: bytes that each of them counts for at least, which bounds their number.
        waiting: messages that wait for a client; when there are more, each address that sends
            to it has its share only, and the rest is lost to the client.
        waiting_bytes: of such messages; likewise.
        waiting_in_all: bytes of all of them; when there are more a client has its share only.
        share: messages.
        waiting_share: bytes.
        slow_s: seconds in which a client must have taken a message; else it is hung up on.
    """

    packet: int = 20 * 1024
    topic: int = 256
    levels: int = 16
    connections: int = 256
    connections_of_address: int = 64
    connect_s: float = 10.0
    silence_s: int = 300
    subscriptions: int = 16_384
    subscriptions_of_address: int = 4096
    requests: int = 64
    messages_at_once: int = 1000
    messages_per_s: float = 100.0
    in_turn: int = 8
    retained: int = 32 * 2**20
    retained_least: int = 4096
    waiting: int = 1000
    waiting_bytes: int = 16 * 2**20
    waiting_in_all: int = 64 * 2**20
    share: int = 64
    waiting_share: int = 128 * 1024
    slow_s: float = 30.0
