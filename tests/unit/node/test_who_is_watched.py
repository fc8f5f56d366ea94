"""Whom a spectator is shown at the sides of a game."""

from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd_clients.labels import player_text
from ataxxd_protocol import signed
from tests.conformance.games import HOST_KEY, Pair
from tests.memory_broker import MemoryBroker


async def test_a_spectator_is_shown_no_opponent_of_its_own() -> None:
    pair = Pair.started()
    session = SpectatorSession(Ledger(pair.offer))
    game = WatchedGame(Watcher(session, MemoryBroker().connect()))
    assert [player_text(game, side) for side in Side] == ["", ""]
    for part in state_parts(pair.host.ledger):
        session.receive(signed(part, HOST_KEY))
    assert all(player_text(game, side).startswith("unnamed (") for side in Side)
