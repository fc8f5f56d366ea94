"""Some of the games between the two implementations: `make differential` plays more of them."""

import pytest

from tests.differential.game import Game
from tests.interop.browser_peer import needs_browser_peer, peer_program

pytestmark = needs_browser_peer

_GAMES_EACH = 40
_MAX_WITHOUT_A_CLAIM = 400


@pytest.mark.gate("0")
@pytest.mark.requirement("MP-SYNC-1", "MP-SYNC-2", "MP-STATE-3", "MP-STATE-5", "MP-SCORE-2")
@pytest.mark.parametrize("part", range(4))
def test_both_come_to_the_same_game_whatever_the_network_does(part: int) -> None:
    ends = set()
    with peer_program("session") as other:
        for seed in range(part * 1_000, part * 1_000 + _GAMES_EACH):
            game = Game(seed, other)
            game.play()
            ends.add(game.ends)
    # Else it would be no wonder that they agree.
    assert len(ends) > 3


@pytest.mark.requirement("MP-WITNESS-4", "MP-WITNESS-5")
def test_both_keep_the_same_of_what_witnesses_and_others_say() -> None:
    with peer_program("session") as other:
        # Of the games with witnesses few are claimed.
        for seed in range(_MAX_WITHOUT_A_CLAIM):
            game = Game(seed, other)
            game.play()
            if game.statements:
                return
    pytest.fail("no game was claimed before witnesses")
