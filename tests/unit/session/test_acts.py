"""What a player can do is what its session says it can: no more, and no less."""

import copy
import random
from collections.abc import Sequence

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.session.events import PLAYERS_ACTS, Act, Effect
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from tests.conformance.games import SHORT_ENDGAME, Pair

CHECKERS = {
    "ruleset": "checkers/cs61b-2004",
    "start": "B:W29,30:B1,2",
}
# Long enough for either claim.
WAITED_MS = 3_600_000


def attempt(session: PlayerSession, act: Act) -> Sequence[Effect]:
    """Do something in the plainest way."""
    match act:
        case "move":
            ledger = session.ledger
            return session.play((ledger.position.legal_moves or ledger.start.legal_moves)[0], 1)
        case "resign":
            return session.resign()
        case "keep_playing":
            return session.keep_playing()
        case "offer_draw":
            return session.offer_draw()
        case "answer_draw":
            return session.answer_draw(accept=False)
        case "say":
            return session.say("hello", 1)
        case "takeback" | "abort":
            return session.ask(act)
        case "agree":
            return session.agree()
        case "refuse":
            return session.refuse(1)
        case "claim":
            return session.claim("silence", WAITED_MS)


def trial_of(session: PlayerSession) -> PlayerSession:
    """The same session once more, to try something in."""
    trial = copy.copy(session)
    trial.ledger = session.ledger.copy()
    trial._refusals = {**session._refusals}
    return trial


@pytest.mark.parametrize("seed", range(24))
def test_an_act_is_refused_exactly_when_the_session_says_so(seed: int) -> None:
    fate = random.Random(seed)
    changes = CHECKERS if seed % 2 else {"start": SHORT_ENDGAME}
    claims = {} if seed % 3 else {"grace_ms": 60_000}
    pair = Pair.make(**changes, **claims)
    seen: set[Act] = set()
    for step in range(40):
        for session in pair.players.values():
            for act in PLAYERS_ACTS:
                refusal = session.refusal(act, waited_ms=WAITED_MS)
                if refusal is None:
                    assert attempt(trial_of(session), act)
                    seen.add(act)
                    continue
                with pytest.raises(LocalProtocolError) as raised:
                    attempt(session, act)
                assert (raised.value.code, str(raised.value)) == (refusal.code, str(refusal))
        if step == 0:
            pair.carry(Role.GUEST, pair.guest.ask_to_join("0a" * 16, "ataxxd-tests/1"))
            continue
        role = fate.choice([*Role])
        session = pair.players[role]
        can: list[Act] = [
            act for act in PLAYERS_ACTS if session.refusal(act, waited_ms=WAITED_MS) is None
        ]
        # What ends the game comes late, so that there is a game.
        last: set[Act] = {"claim", "resign", "abort"} if step < 30 else set()
        can = [act for act in can if act not in last]
        if can:
            pair.carry(role, [*attempt(session, fate.choice(can))])
    assert {"move", "say", "takeback", "resign", "abort"} <= seen
