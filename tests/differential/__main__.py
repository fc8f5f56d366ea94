"""Compare the two implementations: ``python -m tests.differential [--games N] [--seed S]``.

Each game has a seed of its own, from S on. One in which they differ is printed and stops the run;
``--replay SEED`` plays it again and tells all. ``--messages N`` lets both codecs read N messages
instead, made by Hypothesis and mutated.
"""

import argparse
import secrets
import sys
import time
from collections import Counter

from tests.differential.game import DifferError, Game
from tests.differential.messages import payloads, read_here
from tests.interop.browser_peer import peer_program

# Messages that are asked for at once.
_BATCH = 4_000


def compare_codecs(first: int, count: int) -> int:
    """Let both read messages that are made and mutated; 1 when they differ."""
    began, readable = time.monotonic(), 0
    different: set[int] = set()
    with peer_program("judge") as judge:
        for start in range(first, first + count, _BATCH):
            made = payloads(start, min(_BATCH, first + count - start))
            there = judge.ask(payloads=[payload.hex() for payload in made])
            for payload, theirs in zip(made, there, strict=True):
                ours = read_here(payload)
                readable += ours is not None
                different.add(hash(payload))
                if ours != theirs:
                    print(f"seed {start}: {payload!r} is read as {ours} here, as {theirs} there")
                    return 1
    print(
        f"{count} messages from seed {first} in {time.monotonic() - began:.0f} s, no difference: "
        f"{len(different)} different ones, {readable} could be read"
    )
    return 0


def main() -> int:
    """Run from the command line; 1 when they differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--games", type=int, default=10_000, metavar="N")
    parser.add_argument("--messages", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--replay", type=int, default=None, metavar="SEED")
    options = parser.parse_args()
    first = secrets.randbelow(10**9) if options.seed is None else options.seed
    if options.messages:
        return compare_codecs(first, options.messages)
    seeds = range(first, first + options.games) if options.replay is None else [options.replay]
    print(f"{len(seeds)} games, from seed {seeds[0]} on", flush=True)
    began = time.monotonic()
    ends: Counter[str] = Counter()
    with peer_program("session") as other:
        for seed in seeds:
            game = Game(seed, other)
            try:
                game.play()
            except DifferError as error:
                print("\n".join(game.trace if options.replay is not None else game.trace[-5:]))
                print(f"seed {seed}: {error}")
                print(f"  replay: python -m tests.differential --replay {seed}")
                return 1
            ends[game.ends] += 1
    told = ", ".join(f"{count} {end}" for end, count in ends.most_common())
    print(f"{len(seeds)} games in {time.monotonic() - began:.0f} s, no difference: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
