"""Events with fixed keys for tests and vectors: plans, and rounds with results from a list.

Deterministic, as `tests.conformance.games` is.
"""

from collections.abc import Sequence
from typing import Any

from ataxxd.errors import RemoteProtocolError
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import SigningKey, encode, signed
from ataxxd_protocol.messages import EventPlan, EventRound, Result
from tests.conformance.games import AGENT, HOST_KEY, OTHER_KEY, RULESET, forge, version

NODES = [SigningKey(bytes([number]) * 32).node for number in range(1, 65)]
NOW_MS = 1_700_000_000_000
SCORES = ("1-0", "1/2-1/2", "0-1", "1-0", "0-1", "*", "1-0")


def make_plan(count: int = 4, /, *, key: SigningKey = HOST_KEY, **changes: Any) -> EventPlan:
    """A signed plan for so many players; `changes` are fields that differ from the usual ones."""
    fields: dict[str, Any] = {
        "v": version(),
        "name": "open",
        "host": key.node,
        "key": key.public_key,
        "system": "swiss",
        "rounds": 3,
        "ruleset": RULESET,
        "round_ms": 60_000,
        "players": NODES[:count],
        "seed": 0,
        "agent": AGENT,
        "created_ms": NOW_MS,
    }
    return signed(EventPlan.model_validate(fields | changes), key)


def results(tournament: Tournament, scores: Sequence[str]) -> list[Result]:
    """Results for the newest round of a tournament, without records; the scores in turn."""
    games = len(tournament.rounds[-1].pairings) if tournament.rounds else 0
    return [
        Result.model_validate({"score": scores[number % len(scores)]}) for number in range(games)
    ]


def one_more(
    tournament: Tournament,
    scores: Sequence[str] = SCORES,
    *,
    withdrawn: Sequence[str] = (),
    key: SigningKey = HOST_KEY,
) -> EventRound:
    """The next round of a tournament, signed and taken in."""
    made = tournament.next_round(
        results(tournament, scores), created_ms=NOW_MS + len(tournament.rounds), withdrawn=withdrawn
    )
    following = signed(made, key)
    tournament.accept_round(following)
    return following


def table_of(tournament: Tournament) -> list[dict[str, Any]]:
    """The table, as the vectors have it."""
    return [
        {
            "player": node,
            "points": line.points,
            "buchholz": line.buchholz,
            "sonneborn_berger": line.sonneborn_berger,
            "direct": line.direct,
        }
        for node, line in tournament.standings()
    ]


def _whole(name: str, plan: EventPlan, withdrawn: dict[int, str] | None = None) -> dict[str, Any]:
    """An event to its end, and its table."""
    tournament = Tournament(plan)
    for number in range(1, plan.rounds + 2):
        gone = (withdrawn or {}).get(number)
        # Other results in every round.
        scores = [SCORES[(number + index) % len(SCORES)] for index in range(len(SCORES))]
        one_more(tournament, scores, withdrawn=[] if gone is None else [gone])
    return {
        "name": name,
        "plan": encode(plan).decode(),
        "rounds": [encode(each).decode() for each in tournament.rounds],
        "table": table_of(tournament),
    }


def wrong_rounds() -> list[tuple[str, Tournament, EventRound]]:
    """Rounds that do not follow, each with the tournament that it does not follow from."""
    tournament = Tournament(make_plan(5))
    one_more(tournament)
    right = signed(
        tournament.next_round(results(tournament, SCORES), created_ms=NOW_MS + 9), HOST_KEY
    )
    pairing = right.fields()["pairings"]
    first, second = pairing
    turned = {"first": first["second"], "second": first["first"]}
    cases: list[tuple[str, dict[str, Any]]] = [
        ("another event", {"event": "0" * 64}),
        ("a round too far", {"number": 3}),
        ("another round before it", {"prev": "0" * 64}),
        ("earlier than the round before it", {"created_ms": NOW_MS - 1}),
        ("a result missing", {"results": right.fields()["results"][:1]}),
        ("a stranger withdrawn", {"withdrawn": [NODES[40]]}),
        ("a player withdrawn twice", {"withdrawn": [NODES[4], NODES[4]]}),
        ("sides changed", {"pairings": [turned, second]}),
        ("boards changed", {"pairings": [second, first]}),
        ("a pairing left out", {"pairings": [first]}),
        ("a pairing too many", {"pairings": [first, second, turned]}),
        ("nobody free", {"byes": []}),
        ("by another host", {"from": OTHER_KEY.node}),
    ]
    made = [(reason, tournament, forge(right, HOST_KEY, **changes)) for reason, changes in cases]
    return [
        *made,
        ("signed by somebody else", tournament, signed(right, OTHER_KEY)),
        ("another result than the pairings rest on", tournament, _with_another_result(right)),
    ]


def _with_another_result(right: EventRound) -> EventRound:
    changed = [{"score": "0-1"}, *right.fields()["results"][1:]]
    return forge(right, HOST_KEY, results=changed)


def tournaments() -> dict[str, Any]:
    """Whole events with their pairings and tables, and rounds that do not follow."""
    wrong = []
    for reason, tournament, following in wrong_rounds():
        try:
            tournament.accept_round(following)
        except RemoteProtocolError as error:
            wrong.append(
                {
                    "reason": reason,
                    "plan": encode(tournament.plan).decode(),
                    "rounds": [encode(each).decode() for each in tournament.rounds],
                    "round": encode(following).decode(),
                    "code": error.code,
                }
            )
    return {
        "valid": [
            _whole("a round robin", make_plan(6, system="round-robin", rounds=5)),
            _whole(
                "a round robin twice, odd, with a withdrawal and an odd seed",
                make_plan(5, system="round-robin", rounds=10, seed=7),
                {4: NODES[1]},
            ),
            _whole("a Swiss system", make_plan(10, rounds=5)),
            _whole(
                "a Swiss system with byes, a withdrawal and an odd seed",
                make_plan(9, rounds=6, seed=1),
                {3: NODES[8], 4: NODES[0]},
            ),
            _whole("a Swiss system that is too long", make_plan(4, rounds=5)),
        ],
        "wrong": wrong,
    }
