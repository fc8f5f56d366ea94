"""Both implementations side by side: the same bytes in, the same answers.

There are some thousand messages here, made and mutated, and games in which both players cheat.
"""

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ataxxd.nicknames import lookalike_key, parse_nickname, player_name
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, standing_of
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import encode
from ataxxd_protocol.links import Link, LinkError
from tests.conformance.games import SHORT_ENDGAME
from tests.conformance.judge import judge
from tests.conformance.tournaments import SCORES, make_plan, one_more, table_of
from tests.differential.messages import MESSAGES, payloads, read_here
from tests.interop.browser_peer import (
    VECTORS,
    PeerProgram,
    needs_browser_peer,
    peer_program,
)
from tests.property.test_session_judgement import a_game, anything

pytestmark = needs_browser_peer

_LINKS = json.loads((VECTORS / "links.json").read_bytes())
LINKS: list[str] = [
    *(case["fragment"] for case in _LINKS["valid"]),
    *_LINKS["version"],
]


@pytest.fixture(scope="module")
def other() -> Iterator[PeerProgram]:
    with peer_program("judge") as judge:
        yield judge


@pytest.mark.requirement("MP-NICK-2")
def test_both_show_the_same_of_nicknames_and_take_the_same_for_alike(other: PeerProgram) -> None:
    draw, node = random.Random(5), "k7fq3xa2mw2jpiknabcd"
    names = ["Ana", " bob ", "b0b", "host", "-a", "", "é", "a_b", "a" * 33, "vvicl-rn", "1i5280"]
    names += ["".join(draw.choices("01i528-rnvwcldb", k=draw.randint(1, 8))) for _ in range(2000)]
    there = other.ask(names=names, node=node)
    here = [
        [parse_nickname(each), lookalike_key(each), player_name(node, each, new_key=True)]
        for each in names
    ]
    assert there == here


@pytest.mark.requirement("MP-CODEC-1", "MP-CODEC-3", "MP-CODEC-4", "MP-CODEC-5")
def test_both_codecs_read_the_same_of_made_and_mutated_messages(other: PeerProgram) -> None:
    made = payloads(0, 4000) + [each.encode() for each in MESSAGES]
    here = [read_here(payload) for payload in made]
    there = other.ask(payloads=[payload.hex() for payload in made])
    differing = [made[at] for at, one in enumerate(here) if one != there[at]]
    assert differing == []
    # Every message as it was made, and some that were changed.
    read = sum(one is not None for one in here)
    assert 400 + len(MESSAGES) < read < len(made)


def says_here(fragment: str) -> dict[str, str] | str:
    try:
        return Link.read(fragment).model_dump(exclude_none=True)
    except LinkError as error:
        return error.reason


def mutated_link(seed: int) -> str:
    """A fragment of the vectors with some characters changed, added, doubled or left out."""
    draw = random.Random(seed)
    made = list(draw.choice(LINKS))
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(len(made) + 1)
        match draw.randrange(5):
            case 0:
                made[at : at + 1] = draw.choice("~.:/%!#?@[]-_aA09 \n\u00e9\U0001f3b2\ud800")
            case 1:
                made[at : at + 1] = f"%{draw.randrange(256):02x}"
            case 2:
                del made[at : at + draw.randrange(8)]
            case 3:
                made[at:at] = made[at : at + 40]
            case _:
                made[at : at + 1] = [
                    f"%{ord(one):02X}" for each in made[at : at + 1] for one in each
                ]
    return "".join(made)


@pytest.mark.requirement("MP-LINK-1", "MP-LINK-2", "MP-LINK-3", "MP-LINK-4")
def test_both_read_the_same_of_mutated_links(other: PeerProgram) -> None:
    links = [mutated_link(seed) for seed in range(6000)]
    here = [says_here(link) for link in links]
    there = other.ask(links=links)
    differing = [links[at] for at, one in enumerate(here) if one != there[at]]
    assert differing == []
    reasons = {one for one in here if isinstance(one, str)}
    assert reasons == {"broken", "version"}
    assert 500 < sum(isinstance(one, dict) for one in here) < 5500


@pytest.mark.requirement("MP-EVENT-4", "MP-EVENT-5", "MP-EVENT-6", "MP-EVENT-7", "MP-EVENT-10")
@given(
    st.integers(2, 17),
    st.integers(1, 9),
    st.sampled_from(["swiss", "round-robin"]),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_both_pair_the_same_players_and_come_to_one_table(
    other: PeerProgram, count: int, rounds: int, system: str, seed: int, random: random.Random
) -> None:
    plan = make_plan(count, system=system, rounds=rounds, seed=seed)
    tournament = Tournament(plan)
    while not tournament.over:
        scores = random.choices(SCORES, k=count)
        there = [node for node in plan.players if node not in tournament.withdrawn]
        leaves = len(there) > 2 and tournament.rounds and random.random() < 0.2
        one_more(tournament, scores, withdrawn=[random.choice(there)] if leaves else [])
    played = [encode(each).decode() for each in tournament.rounds]
    assert other.ask(plan=encode(plan).decode(), rounds=played) == table_of(tournament)


@pytest.mark.requirement("MP-LOG-6", "MP-LOG-7", "MP-FAULT-1", "MP-REC-2")
@given(
    st.integers(0, 2**32),
    st.integers(0, 6),
    st.booleans(),
    st.lists(st.sampled_from(Role), min_size=1, max_size=3),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_both_judges_come_to_one_verdict_on_whatever_players_sign(
    other: PeerProgram,
    seed: int,
    plies: int,
    short: bool,
    cheats: list[Role],
    data: st.DataObject,
) -> None:
    pair = a_game(seed, plies, **({"start": SHORT_ENDGAME} if short else {}))
    payloads = [encode(message).decode() for message in pair.wire]
    ledger = Ledger(pair.offer)
    states = [judge(ledger, payload) for payload in payloads]
    for cheat in cheats:
        payloads.append(encode(anything(data, ledger.copy(), cheat)).decode())
        states.append(judge(ledger, payloads[-1]))
    for state in states:
        if state["became"] == "refused":
            del state["code"]  # a hint
    answer = other.ask(offer=encode(pair.offer).decode(), payloads=payloads)
    assert answer["states"] == states
    assert answer["standing"] == standing_of(ledger).value
    assert answer["record"] == dump_record(ledger).decode()
