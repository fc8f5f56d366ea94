"""What a table tells is told once and at once, whoever else looks at it."""

import asyncio
from pathlib import Path

from ataxxd.node.control import Notice, PeerTable
from ataxxd.transport.memory import MemoryBroker
from tests.unit.node.seated import two


async def test_what_happened_is_told_although_somebody_looked_at_the_table_first(
    tmp_path: Path,
) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, _):
        told = asyncio.create_task(host.reads("just now"))
        await asyncio.sleep(0)
        host.table._runtime._notice("just now")
        # In Python 3.11 this reads every property of the table, `idle` among them.
        assert isinstance(host.table, PeerTable)
        async with asyncio.timeout(10):
            await told
        assert host.heard[-1] == Notice("just now")
