"""The page's engine beside the program's: nodes a second on the same positions, and its size.

The page's runs in Node.js, whose WebAssembly is Chromium's, with one engine for all positions of a
game, as at a table; the searches visit the same positions. Sizes are of what a web server sends
compressed.

Run with ``python -m tests.bench.bench_page_search [NODES]``, after `make peer`.
"""

import gzip
import sys
import time

from ataxxd.engines.benchmark import TASKS
from ataxxd.rules import Engine, Position
from tests.interop.browser_peer import PEER, searches


def main(nodes: int) -> None:
    """Prints one line a game."""
    print(f"{'game':10}{'program':>14}{'page':>14}{'share':>8}{'compressed':>14}")
    for game, task in TASKS.items():
        texts = task.positions
        answers = searches(
            [
                {"ruleset": task.ruleset, "position": text, "limits": {"nodes": nodes}}
                for text in texts
            ]
        )
        page = sum(each["nodes"] for each in answers) / sum(each["tookMs"] for each in answers)
        visited, seconds = 0, 0.0
        for text in texts:
            position, engine = Position.from_text(task.ruleset, text), Engine(16)
            engine.search(position, nodes=20_000)
            began = time.perf_counter()
            engine.clear()
            visited += engine.search(position, nodes=nodes).nodes
            seconds += time.perf_counter() - began
        program = visited / seconds / 1e3
        size = len(gzip.compress((PEER / "build" / f"search-{game}.wasm").read_bytes()))
        print(
            f"{game:10}{program / 1e3:>9.2f} Mn/s{page / 1e3:>9.2f} Mn/s"
            f"{page / program:>8.2f}{size / 1e3:>11.0f} kB"
        )
    peer = sum(
        len(gzip.compress((PEER / "build" / "page" / name).read_bytes()))
        for name in ("engine.wasm.gzip", "worker.js")
    )
    print(f"rules and peer: {peer / 1e3:.0f} kB compressed")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400_000)
