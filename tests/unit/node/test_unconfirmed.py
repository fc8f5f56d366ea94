"""How long a game that is over waits for the opponent to confirm it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.node.journal import Journal
from ataxxd.node.listing import UNCONFIRMED_MS, give_up
from ataxxd.node.settings import Settings
from ataxxd.session.state import Role
from ataxxd.times import Clock
from tests.journals import OLD_VERSIONS, lay_out

ROUND_S, MINUTE_S = 5 * 86_400, 60


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
    now_s = ended_s + least_s - MINUTE_S
    assert not give_up(journal, over, ledger)
    now_s = ended_s + least_s + MINUTE_S
    assert give_up(journal, over, ledger)
    journal.close()
