"""NBoard, as the program of that name expects it."""

from collections.abc import Iterator

import pytest

from ataxxd.rules import Position
from ataxxd_clients.engines.nboard import NBoardServer
from tests.unit.engines.talking import Talk, talking_to

# The session of the protocol's own page.
GAME = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
MOVES = ["f5", "f6", "d3", "c5", "e6", "f7", "e7", "f4"]


@pytest.fixture
def talk() -> Iterator[Talk]:
    with talking_to(NBoardServer) as talk:
        yield talk


def after(moves: list[str]) -> Position:
    position = Position.start("reversi/standard")
    for text in moves:
        position = position.play(position.parse_move(text))
    return position


def test_the_session_of_the_protocols_page(talk: Talk) -> None:
    talk.tell("nboard 2", f"set game {GAME}", "set depth 6", "ping 1", "go")
    said = talk.until("===")
    assert said[:2] == ["set myname ataxxd 1.2.3", "pong 1"]
    assert said[2].startswith("status ")
    searches = [line.split() for line in said if line.startswith("search ")]
    assert [words[4] for words in searches] == ["1", "2", "3", "4", "5", "6", "6"]
    assert all(words[3] == "0" for words in searches)
    move, score, seconds = said[-1].removeprefix("=== ").split("/")
    after(MOVES).parse_move(move)
    assert searches[-1][1].startswith(move)
    assert searches[-1][2] == score
    float(seconds)
    assert talk.until("status") == ["status"]


def test_a_move_goes_on_from_the_game(talk: Talk) -> None:
    talk.tell("nboard 2", "set depth 1", f"set game {GAME}", "move C4/12.5/1.00", "go")
    move = talk.until("===")[-1].split()[1].split("/")[0]
    after([*MOVES, "c4"]).parse_move(move)


def test_a_hint_is_no_move_and_a_ping_ends_it(talk: Talk) -> None:
    talk.tell("nboard 2", "set depth 60", f"set game {GAME}", "hint 1")
    talk.until("search")
    talk.tell("ping 7")
    said = talk.until("pong")
    assert said[-1] == "pong 7"
    assert not any(line.startswith("===") for line in said)


def test_a_hint_of_several_moves_tells_each_the_best_one_first(talk: Talk) -> None:
    talk.tell(f"set game {GAME}", "set depth 6", "hint 3")
    talk.until("status")
    said = talk.until("status")
    told = [line.split() for line in said if line.startswith("search ")][-3:]
    moves = [words[1][:2] for words in told]
    assert len(set(moves)) == 3
    for move in moves:
        after(MOVES).parse_move(move)
    assert [words[3:] for words in told] == [["0", "6"]] * 3
    worth = [float(words[2]) for words in told]
    assert worth[1] >= worth[2]


def test_more_hints_than_there_are_moves_are_all_of_them(talk: Talk) -> None:
    # The side to move has three moves, which end the game or come shortly before that.
    squares = "XXXXXXXXXXXXXXXXX-XOOOXOOXXOOXOO-OXOXOOO-OOXOOOO-OOOO-X--OOOOOOO O"
    position = Position.from_text("reversi/standard", squares)
    talk.tell(f"set game (;GM[Othello]TY[8]BO[8 {squares.replace('X', '*')}];)", "hint 99")
    talk.until("status")
    said = talk.until("status")
    told = {line.split()[1][:2] for line in said if line.startswith("search ")}
    assert told == {"PA" if str(m) == "--" else str(m).upper() for m in position.legal_moves}


def test_a_ping_ends_a_hint_of_many_moves(talk: Talk) -> None:
    talk.tell(f"set game {GAME}", "set depth 14", "hint 20")
    talk.until("search")
    talk.tell("ping 7")
    assert talk.until("pong")[-1] == "pong 7"
    talk.tell("set depth 1", "hint 1")
    assert talk.until("search")


def test_go_keeps_to_what_is_left_of_the_game(talk: Talk) -> None:
    # One of fifteen seconds is left; sixty plies deep it would think for days.
    game = GAME.replace("TI[15:00]", "TI[0:15]").replace("B[F5]", "B[F5/0.0/14]")
    talk.tell("nboard 2", "set depth 60", f"set game {game}", "go")
    assert talk.until("===")


def test_a_pass_is_told_and_heard(talk: Talk) -> None:
    # White has no move in the corner position, and Black has one.
    game = "(;GM[Othello]TY[8]BO[8 " + "*O" + "-" * 62 + " O];)"
    talk.tell("nboard 2", "set depth 3", f"set game {game}", "go")
    assert talk.until("===")[-1].startswith("=== PA")
    talk.tell("move PA", "go")
    assert talk.until("===")[-1].startswith("=== C1")


@pytest.mark.parametrize(("line", "answers"), [("go", ["=== PA"]), ("hint 2", [])])
def test_a_finished_game_has_no_move_and_its_search_an_end(
    talk: Talk, line: str, answers: list[str]
) -> None:
    game = "(;GM[Othello]TY[8]BO[8 " + 64 * "*" + " O];)"
    talk.tell(f"set game {game}", line, "ping 1")
    assert talk.until("pong") == [
        "status ataxxd is thinking",
        "status The game is over in this position; there is no move to find.",
        *answers,
        "pong 1",
    ]


@pytest.mark.parametrize(
    ("squares", "depth", "worth", "told"),
    [
        (
            "X-XXXXXXXXXXXOX-XXXXOXXXXXXXOOOOXXXOOOO-XXOXOOXX-XXOOXXX-XO-OO-X O",
            60, "-4.00", "100%",
        ),
        (
            "OXXXXXX-OOOOOOOOXOOOOOO--XOOOOOO-XOOOOOXXXXXXOXXOX-XXXXX--XXXXXX O",
            60, "0.00", "100%",
        ),
        (
            "OOOOOOOOXOOOOOOO-OOOOOXXXXOOOXOOXXOOOOOO-XOOOOOOOOX-OOO--O-XOO-X O",
            60, "20.00", "100%",
        ),
        # Every disc of the other can be taken; nobody has counted whether more can be won.
        (
            "-----------O-------OXX-----OXX-----OXO-----OOOO--------O-------- O",
            3, "2.00", "100%W",
        ),
    ],
)  # fmt: skip
def test_a_decided_game_is_worth_its_discs_or_won(
    talk: Talk, squares: str, depth: int, worth: str, told: str
) -> None:
    game = f"(;GM[Othello]TY[8]BO[8 {squares.replace('X', '*')}];)"
    talk.tell(f"set game {game}", f"set depth {depth}", "go")
    said = talk.until("===")
    assert [line for line in said if line.startswith("search ")][-1].split()[2:] == [
        worth, "0", told
    ]  # fmt: skip
    assert said[-1].split("/")[1] == worth


def test_learn_is_answered_and_unknown_settings_are_left_alone(talk: Talk) -> None:
    talk.tell("set contempt 50", "set colour blue", "learn")
    assert talk.until("learned") == ["learned"]


@pytest.mark.parametrize(
    "line",
    ["sing", "set depth deep", "hint many", "analyze"],
)
def test_a_bad_line_is_explained_and_changes_nothing(talk: Talk, line: str) -> None:
    talk.tell(f"set game {GAME}", "set depth 1")
    assert talk.answer(line, "status Not understood: ")
    talk.tell("go")
    move = talk.until("===")[-1].split()[1].split("/")[0]
    after(MOVES).parse_move(move)


@pytest.mark.parametrize("line", ["set game nonsense", "move A1"])
@pytest.mark.parametrize("then", ["go", "hint 1", "move C4"])
def test_after_a_position_that_is_refused_nothing_is_known(
    talk: Talk, line: str, then: str
) -> None:
    talk.tell(f"set game {GAME}", "set depth 1")
    assert talk.answer(line, "status Not understood: ")
    talk.tell(then, "ping 1")
    said = talk.until("pong")
    assert "not known" in said[-2]
    assert not any(each.startswith(("===", "search")) for each in said)
    talk.tell(f"set game {GAME}", "go")
    assert talk.until("===")
