"""What several processes of one serving node are worth: the crowd at one and at two, in turn.

Nobody has a core to themselves: where there are two, broker, driver and all processes of the node
share them, and what the driver takes is not left for the node.

Run with ``python -m tests.bench.bench_processes [GAMES [ROUNDS]]``.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.bench_crowd import serving
from tests.brokers import Mosquitto, find_program

# Rounds a second of all games together.
_RATES = (500, 1000, 1500, 2000)


async def main(games: int, rounds: int) -> None:
    """Print how long rounds take at each rate, twice for each number of processes."""
    if find_program("mosquitto") is None:
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    for processes in (1, 2, 1, 2):
        # A broker of its own, with nothing retained.
        with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder)) as broker:
            async with serving(broker, games, processes=processes) as crowd:
                for rate in _RATES:
                    pace = await crowd.play(games / rate, rounds)
                    print(pace.told(), flush=True)
                    if not pace.kept:
                        break


if __name__ == "__main__":
    asyncio.run(
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 500,
            int(sys.argv[2]) if len(sys.argv) > 2 else 8,
        )
    )
