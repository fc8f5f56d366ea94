"""``ataxxd verify``: judge a record."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.errors import ExitCode, StorageError


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A record, as --transcript writes it.")
    ],
    as_json: options.Json = False,
) -> int:
    """Judge a record: replay every move, check every digest and signature.

    Exits with 0 only when every rule holds; else the first fault is named.
    """
    from ataxxd.session.record import verify_record
    from ataxxd.session.roles import Role
    from ataxxd_protocol import grouped

    try:
        data = file.read_bytes()
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from None
    verdict = verify_record(data)
    ledger, outcome = verdict.ledger, verdict.ledger.outcome
    guest = ledger.join.author if ledger.join else None
    if as_json:
        print(
            json.dumps(
                {
                    "verified": True,
                    "standing": verdict.standing.value,
                    "name": ledger.offer.name,
                    "ruleset": ledger.offer.ruleset,
                    "host": ledger.offer.host,
                    "guest": guest,
                    "host_side": None
                    if ledger.host_side is None
                    else ledger.host_side.name.lower(),
                    "plies": len(ledger.moves),
                    "score": outcome.score if outcome else None,
                    "termination": outcome.termination if outcome else None,
                    "fault": ledger.fault.text if ledger.fault else None,
                    "position": ledger.position.text,
                }
            )
        )
        return ExitCode.OK
    result = f"{outcome.score} ({outcome.termination})" if outcome else "not over"
    sides = {
        side: ledger.role_playing(side)
        for side in (ledger.position.turn, ledger.position.turn.opponent)
    }
    print(f"{file}: every rule holds.")
    print(f"  game    {ledger.offer.name}, {ledger.offer.ruleset}, {len(ledger.moves)} plies")
    for side in sorted(sides):
        node = ledger.offer.host if sides[side] is Role.HOST else guest
        if node is not None:
            print(f"  {side.name.lower():7} {grouped(node)} ({sides[side].value})")
    print(f"  result  {result}, {verdict.standing.value}")
    if ledger.fault is not None:
        print(f"  fault   by the {ledger.fault.role.value}: {ledger.fault.text}")
    return ExitCode.OK
