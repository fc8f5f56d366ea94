"""Claims of a silence that was none: the node that is claimed from knows better, and says so."""

import asyncio
import json
from pathlib import Path

from ataxxd.session.state import Role
from ataxxd_protocol.messages import Score
from tests.brokers import Mosquitto
from tests.conformance.games import forge
from tests.conformance.scenarios import decision
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes
from tests.e2e.rogues import rogue_guest
from tests.faults import FaultProxy
from tests.time_limits import DEADLINE


async def test_a_silence_that_never_was_is_contested_though_the_connection_was_lost(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    async with FaultProxy(mosquitto.port) as proxy:
        nodes = Nodes(tmp_path, proxy.url)
        victim = nodes.node("victim")
        try:
            host = await victim.host("ourgame", *AUTO, "--grace", "15m")
            async with asyncio.timeout(2 * DEADLINE), rogue_guest(mosquitto.url) as rogue:
                ledger = rogue.session.ledger
                await rogue.until(lambda: bool(ledger.log(Role.HOST)))
                before = ledger.copy()
                await rogue.until(lambda: rogue.on_turn)
                proxy.cut()
                await host.says("Connected again")
                # As if the host's first move had never come.
                lie = forge(decision(before, Role.GUEST, "silence", 900_000), rogue.key)
                rogue.session.ledger.accept(Role.GUEST, lie)
                await rogue.publish(lie)
                await rogue.until(lambda: any(isinstance(each, Score) for each in rogue.heard))
            await host.ends()
            [proof] = (victim.home / "evidence").iterdir()
            judged = await nodes.node("anybody").run("verify", proof, "--json")
        finally:
            await nodes.close()
    verdict = json.loads(judged.out.lines[0])
    assert (verdict["termination"], verdict["standing"]) == ("abandoned", "contested")
