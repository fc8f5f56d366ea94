"""Fixtures of the end-to-end tests: nodes and other programs, all real processes."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.brokers import BrokerProcess, Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.programs import Programs
from tests.e2e.spawned import Spawn


@pytest.fixture
async def nodes(mosquitto: Mosquitto, tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that use a Mosquitto of their own."""
    made = Nodes(tmp_path, mosquitto.url)
    yield made
    await made.close()


@pytest.fixture
async def programs(mosquitto: Mosquitto, tmp_path: Path) -> AsyncIterator[Programs]:
    """Programs with the asyncio client, at a Mosquitto of their own."""
    async with AsyncExitStack() as stack:
        yield Programs(stack, tmp_path, mosquitto.url)


@pytest.fixture
async def everywhere(broker: BrokerProcess, tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that use each kind of broker in turn, which other tests have used before."""
    made = Nodes(tmp_path, broker.url)
    yield made
    await made.close()


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Spawn]:
    """Starts programs that are no nodes."""
    with Spawn(tmp_path) as started:
        yield started
