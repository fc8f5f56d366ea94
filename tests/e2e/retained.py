"""What a broker retains of a game, waited for."""

from ataxxd.node.home import load_identity
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics, decode
from ataxxd_protocol.messages import StatePart
from tests.e2e.nodes import Node, Nodes


async def retains(nodes: Nodes, host: Node, name: str, plies: int) -> None:
    """Wait until the broker retains a game so far; its host sends it a moment after each move."""
    node = load_identity(host.home / "identity.key").node
    async with MqttTransport(nodes.broker or "") as transport:
        await transport.subscribe(Topics().state(name, node))
        async for event in transport:
            if isinstance(event, Received):
                part = decode(event.payload)
                assert isinstance(part, StatePart)
                # The join and the start are entries, too.
                if len(part.entries) == plies + 2:
                    return
