"""Hub, as programs for draughts expect it."""

from collections.abc import Iterator

import pytest

from ataxxd.rules import Position
from ataxxd.rules.notation.engine_protocols import read_hub_move, read_hub_position
from ataxxd_clients.engines.hub import RULESET, HubServer
from tests.unit.engines.talking import Talk, talking_to

START = "B" + 12 * "b" + 8 * "e" + 12 * "w"
# Black must capture with 12: there is one move alone.
FORCED = "B" + 11 * "e" + "b" + 3 * "e" + "w" + 16 * "e"


@pytest.fixture
def talk() -> Iterator[Talk]:
    with talking_to(HubServer) as talk:
        yield talk


def test_it_introduces_itself_and_waits_for_its_parameters(talk: Talk) -> None:
    talk.tell("hub")
    said = talk.until("wait")
    assert said[0].startswith("id name=ataxxd version=1.2.3 ")
    assert all(line.startswith("param name=") for line in said[1:-1])
    talk.tell("set-param name=hash value=2", "set-param name=variant value=english", "init")
    assert talk.until("ready") == ["ready"]


def test_a_search_of_a_depth_tells_each_iteration_and_a_legal_move(talk: Talk) -> None:
    talk.tell(f"pos pos={START}", "level depth=4", "go think")
    said = talk.until("done")
    assert [line.split()[1] for line in said[:-1]] == [f"depth={n}" for n in (1, 2, 3, 4, 4)]
    position = Position.start(RULESET)
    words = dict(word.split("=") for word in said[-1].split()[1:])
    line = said[-2].split('pv="')[1].rstrip('"').split()
    assert [words["move"], words["ponder"]] == line[:2]
    for text in line:
        position = position.play(read_hub_move(position, text))


def test_moves_after_the_position_are_played(talk: Talk) -> None:
    talk.tell(f'pos pos={START} moves="11-15 22-18 15x22x18"', "level nodes=200", "go think")
    answer = talk.until("done")[-1].split("move=")[1].split()[0]
    # White takes back: 25x18 or 26x17, over 22.
    assert answer in ("25x18x22", "26x17x22")


@pytest.mark.parametrize(
    "level",
    [
        "move-time=0.02",
        "time=1.5",
        "time=0 inc=0.05",
        "time=-0.02 inc=0.1",
        "move-time=-1",
        "time=-9e99",
        "nodes=1 time=9e99",
        "depth=1 move-time=inf",
        "moves=3 time=0.3",
        "nodes=1",
        "depth=1",
    ],
)
def test_every_limit_ends_in_a_move(talk: Talk, level: str) -> None:
    talk.tell(f"pos pos={START}", f"level {level}", "go think")
    assert talk.until("done")


@pytest.mark.parametrize("level", ["", "deph=4", "depth=0", "depth=99999999999", "time=soon"])
def test_after_limits_that_are_refused_a_search_has_an_end(talk: Talk, level: str) -> None:
    talk.tell(f"pos pos={START}", f"level {level}", "go think")
    said = talk.until("done")
    assert said[0].startswith("error message=")
    assert said[-1].startswith("done move=")


def test_analysis_ends_when_it_is_told_to(talk: Talk) -> None:
    talk.tell(f"pos pos={FORCED}", "level infinite", "go analyze", "ping")
    assert not any(line.startswith("done") for line in talk.until("pong"))
    talk.tell("stop")
    assert talk.until("done")[-1] == "done move=12x19x16"


def test_a_finished_game_has_no_move_and_its_search_an_answer(talk: Talk) -> None:
    talk.tell("pos pos=W" + "b" + 31 * "e", "level depth=3", "go think")
    assert talk.until("done") == [
        'error message="The game is over in this position; there is no move to find."', "done"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("position", "score"),
    [
        ("B" + 11 * "e" + "b" + 3 * "e" + "w" + 16 * "e", "99.99"),
        # White has two moves, and so has Black after them.
        ("W" + 13 * "e" + "BBeeeB" + 5 * "e" + "w" + 7 * "e", "-99.96"),
    ],
)
def test_a_win_is_told_by_its_distance(talk: Talk, position: str, score: str) -> None:
    talk.tell(f"pos pos={position}", "level depth=9", "go think")
    assert f" score={score} " in talk.until("done")[-2]


def test_pondering_waits_for_the_hit(talk: Talk) -> None:
    talk.tell(f"pos pos={START}", "level time=0.5 inc=0.01", "go ponder", "ping")
    assert not any(line.startswith("done") for line in talk.until("pong"))
    talk.tell("ponder-hit")
    assert talk.until("done")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("sing", "There is no command sing"),
        ("pos", "pos takes pos=POSITION"),
        ("pos pos=Wxyz", "is not a checkers position"),
        (f'pos pos={START} moves="9-25"', "9-25 is not legal"),
        (f'pos pos={START} moves="king"', "is not a move"),
        ("level depth=deep", "depth takes a whole number"),
        ("level time=soon", "time takes seconds"),
        ("level move-time=nan", "move-time takes seconds"),
        ("go", "go takes think"),
        ("set-param name=variant value=frisian", "only variant here is english"),
        (
            "set-param name=book value=true",
            "There is no option book; options are variant, hash, threads, level and seed.",
        ),
        ("set-param name=hash", "hash takes a whole number from 1 to 65536, not nothing"),
    ],
)
def test_a_bad_line_is_explained(talk: Talk, line: str, told: str) -> None:
    said = talk.answer(line, "error message=")
    assert told in said
    assert said.count('"') == 2


def test_after_a_position_that_is_refused_nothing_is_known(talk: Talk) -> None:
    talk.tell(f'pos pos={START} moves="9-25"', "level depth=2", "go think")
    said = talk.until("done")
    assert said[1].startswith('error message="The position is not known')
    assert said[2:] == ["done"]
    talk.tell(f"pos pos={START}", "level depth=2", "go think")
    assert talk.until("done")[-1].startswith("done move=")


def test_positions_and_moves_are_told_as_the_protocol_has_them() -> None:
    position = read_hub_position("W" + "eeebeeWeeebBeeeeeeeewbeeeeeeeeee", RULESET)
    assert position.text.startswith("W:WK7,21:B4,11,K12,22")
