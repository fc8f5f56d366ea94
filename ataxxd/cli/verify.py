"""``ataxxd verify``: judge records."""

import json
from pathlib import Path

from ataxxd.cli.commands.records import VerifyOptions
from ataxxd.cli.files import is_name_of_game, no_such_file, record_in
from ataxxd.cli.say import say, tell
from ataxxd.errors import AtaxxdError, ExitCode, StorageError
from ataxxd.node.names import known_names
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_of
from ataxxd.session.roles import Role
from ataxxd.session.witnesses import on_the_claim
from ataxxd.wording import counted
from ataxxd_protocol.messages import Score


def run(options: VerifyOptions) -> int:
    """Check signed records: every move, digest and signature."""
    if len(options.files) == 1:
        return _judge(options.files[0], as_json=options.as_json)
    return max(_judged(file, as_json=options.as_json) for file in options.files)


def _judged(file: Path, *, as_json: bool) -> ExitCode:
    """Judge one of several files; what is wrong with it keeps nobody from the next."""
    try:
        return _judge(file, as_json=as_json, named=True)
    except AtaxxdError as error:
        if as_json:
            tell(json.dumps({"file": str(file), "verified": False, "error": str(error)}))
        else:
            say(f"ataxxd: {error}")
        return error.exit_code


def _judge(file: Path, *, as_json: bool, named: bool = False) -> ExitCode:
    """Judge one file.

    Args:
        file: the file.
        as_json: as an object.
        named: the object says which file it is of.

    Raises:
        StorageError, VerificationError: it cannot be read, or does not hold.
    """
    verdict = record_in(_read(file), str(file))
    ledger, outcome = verdict.ledger, verdict.ledger.outcome
    guest = ledger.join.author if ledger.join else None
    guilty = ledger.fault is not None or ledger.disputed
    count = count_of(ledger)
    code = ExitCode.CHEATING_PROVED if guilty else ExitCode.OK
    if as_json:
        tell(
            json.dumps(
                ({"file": str(file)} if named else {})
                | {
                    "verified": True,
                    "rules_kept": not guilty,
                    "standing": verdict.standing.value,
                    "protocol": ledger.offer.v,
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
                    "counts": None if isinstance(count, str) else count.text,
                    "fault": ledger.fault.text if ledger.fault else None,
                    "fault_by": ledger.fault.role.value if ledger.fault else None,
                    "false_scores": [role.value for role in ledger.false_scores],
                    "claim": ledger.claim.fields() if ledger.claim else None,
                    "witnesses": list(ledger.offer.witnesses or ()),
                    "statements": [
                        {"witness": each.author, "silence_ms": each.silence_ms}
                        for each in on_the_claim(ledger)
                    ],
                    "position": ledger.position.text,
                }
            )
        )
        return code
    result = f"{outcome.score} ({outcome.termination})" if outcome else "not over"
    sides = {
        side: ledger.role_playing(side)
        for side in (ledger.position.turn, ledger.position.turn.opponent)
    }
    tell(f"{file}: {'genuine, and a rule was broken' if guilty else 'every rule holds'}.")
    told = (
        f"{ledger.offer.name}, {ledger.offer.ruleset}, {counted(len(ledger.moves), 'ply', 'plies')}"
    )
    tell(f"  game    {told}, judged by protocol {ledger.offer.v}")
    for side in sorted(sides):
        node = ledger.offer.host if sides[side] is Role.HOST else guest
        if node is not None:
            tell(f"  {side.name.lower():7} {_shown(node)}, {sides[side].value}")
    tell(f"  result  {result}, {verdict.standing.value}")
    if isinstance(count, str):
        tell(f"  counts  for nothing: {count}")
    elif count.why:
        tell(f"  counts  {count.text}: {count.why}")
    if ledger.fault is not None:
        tell(f"  fault   by the {ledger.fault.role.value}: {ledger.fault.text}")
    for role in ledger.false_scores:
        tell(f"  fault   by the {role.value}: it signed another score than the result")
    _tell_claim(ledger)
    return code


def _tell_claim(ledger: Ledger) -> None:
    if ledger.claim is None or ledger.decision is None:
        return
    waited = f"waited {ledger.claim.waited_ms / 1000:g} s"
    tell(f"  claim   by the {ledger.decision.value}: {ledger.claim.reason}, {waited}")
    answer = ledger.log(ledger.decision.other)[-1]
    who = ledger.decision.other.value
    if isinstance(answer, Score) and answer.had_ms is not None:
        tell(f"          the {who} says it had the message for {answer.had_ms / 1000:g} s")
    if isinstance(answer, Score) and answer.since_ms is not None:
        since = f"{answer.since_ms / 1000:g} s after its own"
        tell(f"          the {who} says the claim came {since}")
    for statement in on_the_claim(ledger):
        heard = f"heard that the {who} was silent for {statement.silence_ms / 1000:g} s"
        tell(f"  witness {_shown(statement.author)} {heard}")
    if ledger.offer.witnesses and not on_the_claim(ledger):
        tell("  witness none has said anything in this record")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        if is_name_of_game(file):
            raise StorageError(no_such_file(file)) from None
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from None


def _shown(node: str) -> str:
    """A player with all of its id, and the nickname that this node knows."""
    with known_names() as names:
        return names.shown(node, whole=True)
