"""The page on disputes: real records of every kind, judged by the commands that it shows.

```console dispute    `$ command` lines followed by what they print; `...` stands for anything
"""

import doctest
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ataxxd.session.ledger import Ledger
from ataxxd.session.player import Times
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from tests.conformance.games import Pair, craft
from tests.conformance.witnessed import WITNESSES, attested
from tests.docs.pages import ROOT, read_page

PAGE = read_page(ROOT / "docs" / "how-to" / "settle-a-dispute.md")
TAMPERED = "0" * 64


def begun(**terms: Any) -> Pair:
    """A game in which the guest is on turn."""
    pair = Pair.started(grace_ms=60_000, **terms)
    pair.play("g2")
    return pair


def resigned() -> Ledger:
    """The guest has resigned, and the host has scored."""
    ledger = begun().host.ledger.copy()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "resign"))
    ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score"))
    return ledger


def agreed() -> Ledger:
    ledger = resigned()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "score"))
    return ledger


def false_score() -> Ledger:
    ledger = resigned()
    won = craft(ledger, Role.GUEST, "score", score="0-1")
    ledger.accept(Role.GUEST, won)
    return ledger


def illegal() -> Ledger:
    pair = begun()
    move = {"move": "d4", "position": TAMPERED, "elapsed_ms": 1}
    pair.carry(Role.HOST, pair.host.receive(craft(pair.host.ledger, Role.GUEST, "move", **move)))
    return pair.host.ledger


def claimed(**terms: Any) -> Ledger:
    pair = begun(**terms)
    pair.carry(Role.HOST, pair.host.claim("silence", 60_000)[:1])
    answer = pair.guest.receive(pair.host.ledger.log(Role.HOST)[-1], lambda *_: Times(5_000, 7_000))
    pair.carry(Role.GUEST, answer)
    return pair.host.ledger


def witnessed() -> Ledger:
    """Two of three witnesses have heard the guest's answer."""
    return attested(claimed(witnesses=WITNESSES), 6_000, 6_000)


RECORDS: Mapping[str, Callable[[], Ledger]] = {
    "agreed": agreed,
    "false-score": false_score,
    "illegal": illegal,
    "claimed": claimed,
    "witnessed": witnessed,
}


def test_the_judge_says_of_every_record_what_the_page_shows(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    for name, make in RECORDS.items():
        (tmp_path / f"{name}.json").write_bytes(dump_record(make()))
    whole = dump_record(agreed())
    altered = whole.replace(b'"move":"g2"', b'"move":"f1"')
    assert altered != whole
    (tmp_path / "altered.json").write_bytes(altered)
    shown = [block.text for block in PAGE.blocks if "dispute" in block.marks]
    assert len(shown) == len(RECORDS) + 1
    for text in shown:
        command, _, expected = text.removeprefix("$ ").partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(expected, done.stdout, options), (
            f"the page shows\n{expected}\nbut the program said\n{done.stdout}"
        )
