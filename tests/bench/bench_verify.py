"""Verifying a record: how long it takes for each entry, of records of several lengths side by side.

The time for an entry must be the same at every length. The longest game there can be is one in
which moves are taken back again and again.

Run with ``python -m tests.bench.bench_verify [ENTRIES…]``, 1,500 and 6,000 if not said.
"""

import sys
import time

from ataxxd.session.record import dump_record, verify_record
from ataxxd_protocol import signed
from ataxxd_protocol.messages import Consent
from tests.conformance.games import KEYS, Pair, craft

_PLIES = 4


def long_record(entries: int) -> bytes:
    """A game with a clock that goes back to its beginning after every few plies."""
    clock = {"base_ms": 10**9, "increment_ms": 1, "lag_ms": 0}
    ledger = Pair.started(clock=clock).host.ledger.copy()
    while len(ledger.entries) < entries:
        role = ledger.on_turn
        assert role is not None
        if len(ledger.moves) < _PLIES:
            move = ledger.position.legal_moves[0].text
            ledger.accept(role, craft(ledger, role, "move", move=move, elapsed_ms=1))
        else:
            key = KEYS[role.other]
            wish = {"game": ledger.game, "from": key.node, "what": "takeback", "to": 1}
            consent = signed(Consent.model_validate({**wish, "tip": ledger.tip}), key)
            ledger.accept(role, craft(ledger, role, "takeback", to=1, consent=consent.fields()))
    return dump_record(ledger)


def main(lengths: list[int]) -> None:
    """One row a length."""
    print("| entries | bytes | seconds | µs an entry |\n|---:|---:|---:|---:|")
    for entries in lengths:
        record = long_record(entries)
        begun = time.perf_counter()
        verify_record(record)
        took = time.perf_counter() - begun
        print(f"| {entries:,} | {len(record):,} | {took:.2f} | {took / entries * 1e6:.0f} |")


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [1_500, 6_000])
