"""How long a game that is over waits for the opponent to confirm it."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ataxxd.node.journal import Journal
from ataxxd.node.listing import UNCONFIRMED_MS, finish_if_unconfirmed
from ataxxd.node.settings import Settings
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd_protocol import messages as wire
from tests.journals import OLD_VERSIONS, lay_out

ROUND_S, HOUR_S, MINUTE_S = 5 * 86_400, 3_600, 60


@pytest.mark.parametrize(("in_event", "more_s"), [(False, 0), (True, ROUND_S)])
def test_a_game_of_an_event_waits_until_its_round_is_over(
    tmp_path: Path, in_event: bool, more_s: int
) -> None:
    path = lay_out(tmp_path / "home", OLD_VERSIONS[-1], Role.HOST)
    now_s = 0.0
    journal = Journal(path, Clock(wall=lambda: now_s))
    (game, role) = journal.finished()[0]
    over = journal.find(game, role)
    assert over is not None
    ended_s = over.offer.expires_ms / 1000 - ROUND_S
    settings = json.dumps(Settings(in_event=in_event).stored())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE games SET finished = 0, settings = ?", (settings,))
        database.execute("UPDATE messages SET kept_ms = ?", (int(ended_s * 1000),))
    over = journal.find(game, role)
    assert over is not None
    ledger = journal.ledger(over)
    least_s = UNCONFIRMED_MS / 1000 + more_s
    now_s = ended_s + least_s - HOUR_S
    assert not finish_if_unconfirmed(journal, over, ledger)
    now_s = ended_s + least_s + HOUR_S
    assert finish_if_unconfirmed(journal, over, ledger)
    journal.close()


@pytest.mark.parametrize(
    ("limits", "more_s"),
    [
        ({"clock": None, "grace_ms": 900_000}, 900),
        ({"clock": None, "grace_ms": None}, 7 * 86_400),
        ({"clock": wire.Clock(move_ms=3 * 86_400_000, lag_ms=0)}, 3 * 86_400),
        ({"clock": wire.Clock(base_ms=600_000, increment_ms=0, lag_ms=0)}, 900),
    ],
    ids=["a grace", "no limit", "three days a move", "ten minutes a game"],
)
def test_who_may_take_days_for_a_move_may_take_them_to_confirm_the_result(
    tmp_path: Path, limits: dict[str, object], more_s: int
) -> None:
    path = lay_out(tmp_path / "home", OLD_VERSIONS[-1], Role.HOST)
    now_s = time.time()
    journal = Journal(path, Clock(wall=lambda: now_s))
    found = journal.find(*journal.finished()[0])
    assert found is not None
    offer = found.offer.model_copy(update={"grace_ms": 900_000} | limits)
    over, ledger = replace(found, offer=offer), journal.ledger(found)
    least_s = (journal.newest_ms(over) or 0) / 1000 + UNCONFIRMED_MS / 1000 + more_s
    now_s = least_s - MINUTE_S
    assert not finish_if_unconfirmed(journal, over, ledger)
    now_s = least_s + MINUTE_S
    assert finish_if_unconfirmed(journal, over, ledger)
    journal.close()
