"""Why the engine would play a move: each reason where it holds, and where it must not be told."""

import pytest

from ataxxd.rules import IllegalMoveError, Move, Outcome, Position, Side
from ataxxd_clients.analysis import Verdict, hint_text

ATAXX, LOA, REVERSI = "ataxx/cs61b-2022", "loa/cs61b", "reversi/standard"
COURSE, USUAL = "checkers/cs61b-2004", "checkers/acf"

CORNER = "---------O-------XOX-O----XOXO----XOOO----XXOX----X------------- X"

HOLD = [
    # In every game.
    (LOA, "8/8/2xx4/8/2x1o3/8/1o4o1/8 x", "c4-d5", "wins at once by joining all pieces"),
    (ATAXX, "ooooo1x/oooooox/ooooooo/ooooooo/xxxxxxx/xxxxxxx/xxxxxxx x 0 60", "f7", "wins at once"),
    (LOA, "8/1o6/1x6/2x1o3/8/8/8/1x2o3 o 59 60", "b7-c6", "ends the game in a draw"),
    (USUAL, "W:WK3,11,26:B6,21,23,28,K32", "26x19", "is the only move"),
    (COURSE, "W:WK18:BK2,10,16", "18-23", "is one of 2 moves, of 4, that do not lose at once"),
    (
        ATAXX,
        "xoo-1oo/xoo-oxx/xoo-oxx/-------/ooo-ooo/ooo-ooo/ooo-oox x 2 37",
        "g5e7",
        "is the only move that does not lose at once",
    ),
    (
        ATAXX,
        "oo1-xxx/1oo-xxx/ooo-xxx/-------/ooo-ooo/ooo-oox/ooo-oox o 0 24",
        "b5c7",
        "leaves Red without a move",
    ),
    # Ataxx.
    (ATAXX, "x5o/7/7/3o3/2oxo2/7/o5x x 0 9", "c4", "takes 2 and grows by 1"),
    (ATAXX, "x5o/7/7/3o3/2o4/4x2/o5x x 0 9", "e2c4", "takes 2"),
    (ATAXX, "x5o/7/7/7/7/o2x3/o2x3 x 0 4", "d1b2", "takes 2, and Blue can take nothing back"),
    (ATAXX, "x5o/7/7/7/7/6x/oo5 x 0 2", "f2", "grows by 1 where Blue can take nothing"),
    (
        ATAXX,
        "x2x2x/4xxx/ooox3/1o1x1x1/5xx/o1oxxx1/oo2xxx x 2 34",
        "g2",
        "fills a gap that Blue cannot reach now",
    ),
    # Reversi.
    (REVERSI, CORNER, "a1", "takes the corner a1"),
    (
        REVERSI,
        "-------XO--OX--X-OOOXX-X-OXOXXXXOXXOOX-X-X-XOO-XOOOOXOXX--O-OOO- X",
        "b2",
        "keeps White from the corner h8",
    ),
    (
        REVERSI,
        "X--------X-O-----XXO-O----XOXXX--OOXXX--OOXXXOOO-OXX-X--XOO----- X",
        "a7",
        "takes a square of the edge that can never be turned back",
    ),
    (
        REVERSI,
        "OOOOOOOOOXXXXXOOOXOXXOOXOOXXOOOXOXXOXOOXOXO-XOOOOOOXXOOO--O-XOOO X",
        "d8",
        "leaves White only 1 move",
    ),
    # Checkers.
    (USUAL, "W:W8,11,17,26:B6,9,21,28,K32", "8-4", "crowns a man"),
    (
        COURSE,
        "W:W18,K30:B6,K7,8,15,25",
        "18x11x4",
        "jumps 2 and crowns a man, and Black can jump nothing back",
    ),
    (COURSE, "W:W18,K30:B6,K7,8,15,25", "30x21", "jumps 1, and Black can jump 1 back"),
    (
        COURSE,
        "B:W17,18,23,24,27,28,29,30,31,32:B1,2,3,4,6,7,8,9,11,12,21",
        "9-14",
        "forces a jump and takes 2 back",
    ),
    (COURSE, "B:WK2:BK5,K10", "10-6", "forces a jump of 1 and takes 1 back"),
    (
        USUAL,
        "W:W8,11,18,22,27,31:B2,9,14,21,28",
        "18-15",
        "is one of 2 moves, of 8, that do not let Black jump",
    ),
    (
        USUAL,
        "B:W15,19,25,28,29,30,31,32:B1,3,4,5,6,7,8,14",
        "7-11",
        "threatens to jump the piece on 15",
    ),
    # Lines of Action.
    (LOA, "8/1o6/2x5/3o4/4x3/8/2x5/6o1 x 52 60", "c2-b3", "threatens to win at once"),
    (LOA, "8/1o6/1x1o4/8/4x3/8/2x5/6o1 x 54 60", "e4-c6", "joins groups, from 3 to 2"),
    (
        LOA,
        "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x",
        "f1-h3",
        "takes a piece and splits White into 3 groups, from 2",
    ),
    (
        LOA,
        "1x1xxx2/o4o2/x2x2xo/o6o/7o/o2x4/o1o4o/1xx2ox1 o 9 60",
        "a3-d6",
        "takes a piece that could have joined groups",
    ),
    (LOA, "8/1o6/1x6/4o3/8/4x3/8/1x4o1 o 57 60", "e5-e3", "takes a piece"),
]

OPEN = "-------XO--OX--X-OOOXX-X-OXOXXXXOXXOOX-X-X-XOO-XOOOOXOXX--O-OOO- X"

NOT = [
    # A corner that stays open, and an edge that does.
    (REVERSI, OPEN, "c1", "h8"),
    (REVERSI, CORNER, "g4", "corner"),
    (REVERSI, "-------------------X-------XX------XO-----O-----O--------------- O", "c5", "edge"),
    # Blue stands near the gap; a jump grows by nothing.
    (ATAXX, "x2x2x/4xxx/ooox3/1o1x1x1/4oxx/o1oxxx1/oo2xxx x 2 34", "g2", "cannot reach"),
    (ATAXX, "x5o/7/7/3o3/2o4/4x2/o5x x 0 9", "e2c4", "grows"),
    # Something may be jumped back; nothing is forced; what is far away is not threatened.
    (COURSE, "W:W18,K30:B6,K7,8,15,25", "30x21", "nothing back"),
    (COURSE, "B:WK2:BK5,K11", "11-15", "forces"),
    (USUAL, "B:W15,19,25,28,29,30,31,32:B1,3,4,5,6,7,8,14", "5-9", "piece on 15"),
    # As many groups as before; no piece is taken; no win is near.
    (LOA, "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x", "c1-c3", "joins"),
    (LOA, "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x", "b1-b3", "takes"),
    (LOA, "8/1o6/2x5/3o4/4x3/8/2x5/6o1 x 52 60", "c2-d2", "threatens"),
    # Nothing loses at once.
    (ATAXX, Position.start(ATAXX).text, "g1-f2", "lose"),
]


@pytest.mark.parametrize(("ruleset", "text", "move", "said"), HOLD)
def test_a_move_has_the_reason_that_holds(ruleset: str, text: str, move: str, said: str) -> None:
    position = Position(ruleset, text)
    assert position.reason(position.parse_move(move)) == said


@pytest.mark.parametrize(("ruleset", "text", "move", "never"), NOT)
def test_no_reason_is_given_that_does_not_hold(
    ruleset: str, text: str, move: str, never: str
) -> None:
    position = Position(ruleset, text)
    assert never not in (position.reason(position.parse_move(move)) or "")


def test_a_hint_says_why_and_tells_a_win_once() -> None:
    position = Position(REVERSI, CORNER)
    line = (position.parse_move("a1"),)
    said = hint_text(Verdict(120, line=line), position)
    assert said == "The engine would play a1 (Black +1.20), which takes the corner a1."
    said = hint_text(Verdict(0, mate_in=4, line=line), position, "; more")
    assert said == "The engine would play a1, which wins in 4 moves; more."
    said = hint_text(Verdict(0, mate_in=-4, line=line), position)
    assert said == "The engine would play a1 (White wins in 4), which takes the corner a1."


def test_a_move_that_loses_at_once_has_no_reason() -> None:
    rows = "/".join(("ooooo1x", *["ooooooo"] * 4, *["xxxxxxx"] * 2))
    position = Position(ATAXX, f"{rows} x 0 60")
    move = position.parse_move("f7")
    assert position.play(move).outcome == Outcome("no-moves", Side.SECOND)
    assert position.reason(move) is None


def test_only_a_legal_move_has_a_reason() -> None:
    with pytest.raises(IllegalMoveError, match="d4 is not legal"):
        Position.start(ATAXX).reason(Move("ataxx", "d4"))
