"""What a hint gives as its reason is true: each claim is checked here in another way."""

import itertools
import re
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from ataxxd.rules import Engine, Move, Position, Side, ruleset_info, rulesets

# Endings, in which there is something to win, to crown and to join.
LATE = {
    "loa": [
        "8/8/8/8/8/2x5/3xx3/o6o o 4 60 set",
        "8/2o5/2x5/3o4/4x3/8/1x6/6o1 x 50 60",
        "3x4/8/o6x/8/8/3o4/8/x6o o 0 8",
        "8/8/2xx4/8/2x1o3/8/1o4o1/8 x 0 60",
    ],
    "checkers": [
        "W:WK22,K30:BK5,K9,14",
        "B:WK7,K8,K14,K15:BK5,K9,K10",
        "W:W18,K30:B6,K7,8,15,25",
        "W:W8,11,18,22,27,31:B2,9,14,21,28",
    ],
    "reversi": [
        "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O",
        "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    ],
    "ataxx": [
        "xxxxxxx/xxxxxx1/xxxxx2/xxxx2o/xxx2oo/xx3oo/x5o x 0 1",
        "xxx-ooo/xx1-1oo/x2-2o/-------/o2-2x/oo1-1xx/ooo-xxx o 0 1",
    ],
}
Board = dict[tuple[int, int], str]
Claim = Callable[[Position, Move, Position, "re.Match[str]"], bool]


@st.composite
def decisions(draw: st.DrawFn) -> tuple[Position, Move]:
    """A position that random play reaches, and a move there."""
    ruleset = draw(st.sampled_from([info.id for info in rulesets()]))
    starts = [Position.start(ruleset).text, *LATE[ruleset.partition("/")[0]]]
    position = Position.from_text(ruleset, draw(st.sampled_from(starts)))
    for choice in draw(st.lists(st.integers(0, 255), max_size=60)):
        moves = position.legal_moves
        after = position.play(moves[choice % len(moves)])
        if after.outcome is not None:
            break
        position = after
    return position, draw(st.sampled_from(position.legal_moves))


def board_of(position: Position) -> Board:
    return {
        (row, column): square
        for row, squares in enumerate(position.rows)
        for column, square in enumerate(squares)
        if square != " "
    }


def pieces(position: Position, side: Side) -> set[tuple[int, int]]:
    return {at for at, square in board_of(position).items() if square.lower() == "xo"[side]}


def taken(before: Position, after: Position) -> int:
    """How many pieces the side that moved has taken, or turned."""
    other = before.turn.opponent
    return before.counts[other] - after.counts[other]


def most_taken(position: Position) -> int:
    return max((taken(position, position.play(each)) for each in position.legal_moves), default=0)


def replies(position: Position) -> list[Position]:
    return [position.play(each) for each in position.legal_moves]


def can_win(position: Position) -> bool:
    ends = [each.outcome for each in replies(position)]
    return any(end is not None and end.winner is position.turn for end in ends)


def square(position: Position, name: str) -> tuple[int, int]:
    names = position.square_names
    return next((row, each.index(name)) for row, each in enumerate(names) if name in each)


def turned(board: Board, at: tuple[int, int], own: str) -> set[tuple[int, int]]:
    """What a piece of reversi turns on an empty square, by walking from it."""
    found = set()
    for step in [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]:
        run, next_ = [], (at[0] + step[0], at[1] + step[1])
        while board.get(next_, ".") not in (own, "."):
            run.append(next_)
            next_ = next_[0] + step[0], next_[1] + step[1]
        if board.get(next_) == own:
            found |= {*run}
    return found


def open_to(position: Position, side: Side) -> set[str]:
    """The squares that a side of reversi could take, whoever is on turn."""
    board = board_of(position)
    return {
        str(position.square_names[row][column])
        for (row, column), square in board.items()
        if square == "." and turned(board, (row, column), "xo"[side])
    }


def groups(position: Position, side: Side) -> int:
    """How many groups, by merging names."""
    name = {at: number for number, at in enumerate(pieces(position, side))}
    for a, b in itertools.combinations(name, 2):
        if max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1:
            old, new = name[a], name[b]
            name |= {at: new for at, each in name.items() if each == old}
    return len({*name.values()})


def loses(position: Position, move: Move) -> bool:
    after = position.play(move)
    if after.outcome is not None:
        return after.outcome.winner is position.turn.opponent
    return can_win(after)


def one_of(
    claim: "re.Match[str]", position: Position, move: Move, good: Callable[[Move], bool]
) -> bool:
    those = [each for each in position.legal_moves if good(each)]
    many, of = claim["many"], claim["of"]
    counted = (1, len(position.legal_moves)) if many is None else (int(many), int(of))
    return move in those and counted == (len(those), len(position.legal_moves))


def numbers(claim: "re.Match[str]") -> tuple[int, int]:
    return int(claim["was"]), int(claim["now"])


def passed(position: Position) -> Position:
    """The same board, with the other side on turn."""
    if position.game == "checkers":
        board = ":".join(position.text.split(":")[1:3])
        text = f"{'BW'[position.turn.opponent]}:{board}"
    else:
        head, turn, *rest = re.split(" ", position.text)
        text = " ".join([head, {"x": "o", "o": "x", "X": "O", "O": "X"}[turn], *rest])
    return Position.from_text(position.ruleset, text)


def settled(after: Position, move: Move) -> bool:
    """Whether no play whatever turns an edge piece: by trying all fillings of its edge."""
    at = square(after, str(move.to_square))
    own, other = ("xo"[s] for s in (after.turn.opponent, after.turn))
    edges = []
    if at[0] in (0, 7):
        edges.append(([after.rows[at[0]][c] for c in range(8)], at[1]))
    if at[1] in (0, 7):
        edges.append(([after.rows[r][at[1]] for r in range(8)], at[0]))

    def stays(edge: Sequence[str], place: int) -> bool:
        seen, todo = set(), ["".join(edge)]
        while todo:
            each = todo.pop()
            if each in seen:
                continue
            seen.add(each)
            if each[place] != own:
                return False
            line: Board = {(0, column): piece for column, piece in enumerate(each)}
            for column in range(8):
                # On an edge a piece may come to any empty square, for what it turns elsewhere.
                for mover in (own, other) if each[column] == "." else ():
                    change = {*turned(line, (0, column), mover), (0, column)}
                    todo.append("".join(mover if (0, c) in change else each[c] for c in range(8)))
        return True

    return any(stays(edge, place) for edge, place in edges)


def near(board: Board, at: tuple[int, int], distance: int) -> set[str]:
    return {
        piece
        for (row, column), piece in board.items()
        if 0 < max(abs(row - at[0]), abs(column - at[1])) <= distance
    }


BACK = r"and {} can jump (?P<back>nothing|\d+) back"
FEW = r"is (?:the only move|one of (?P<many>\d+) moves, of (?P<of>\d+),) that do(?:es)? "
WAS, NOW = r"(?P<was>\d+)", r"(?P<now>\d+)"
NAME = r"(?P<name>[A-Z][a-z]+)"
CLAIMS: dict[str, Claim] = {
    "wins at once": lambda p, m, a, c: a.outcome is not None and a.outcome.winner is p.turn,
    "wins at once by joining all pieces": lambda p, m, a, c: groups(a, p.turn) == 1,
    "ends the game in a draw": lambda p, m, a, c: (
        a.outcome is not None and a.outcome.winner is None
    ),
    "is the only move": lambda p, m, a, c: p.legal_moves == (m,),
    FEW + "not lose at once": lambda p, m, a, c: one_of(c, p, m, lambda each: not loses(p, each)),
    f"leaves {NAME} without a move": lambda p, m, a, c: (
        not any(each.squares for each in a.legal_moves)
    ),
    r"takes (?P<n>\d+)(?P<grows> and grows by 1)?": lambda p, m, a, c: (
        taken(p, a) == int(c["n"])
        and (c["grows"] is None or a.counts[p.turn] == p.counts[p.turn] + int(c["n"]) + 1)
    ),
    rf"takes (?P<n>\d+)(?: and grows by 1)?, and {NAME} can take nothing back": lambda p, m, a, c: (
        taken(p, a) == int(c["n"]) and most_taken(a) == 0
    ),
    r"grows by 1": lambda p, m, a, c: (
        len(pieces(a, p.turn) - pieces(p, p.turn)) == 1 + taken(p, a)
        and pieces(a, p.turn) > pieces(p, p.turn)
    ),
    rf"grows by 1 where {NAME} can take nothing": lambda p, m, a, c: most_taken(a) == 0,
    rf"fills a gap that {NAME} cannot reach now": lambda p, m, a, c: (
        "xo"[a.turn] not in near(board_of(p), square(p, str(m.to_square)), 2)
        and "." not in near(board_of(p), square(p, str(m.to_square)), 1)
        and str(m.to_square) not in {each.to_square for each in passed(p).legal_moves}
    ),
    r"takes the corner (?P<at>[ah][18])": lambda p, m, a, c: (
        square(p, c["at"]) in pieces(a, p.turn) - pieces(p, p.turn)
    ),
    rf"keeps {NAME} from the corners? (?P<at>[ah][18](?: and [ah][18])*)": lambda p, m, a, c: (
        {*c["at"].split(" and ")} <= open_to(p, a.turn) - open_to(a, a.turn)
    ),
    "takes a square of the edge that can never be turned back": lambda p, m, a, c: settled(a, m),
    rf"leaves {NAME} only (?P<n>\d+) moves?": lambda p, m, a, c: (
        2 * len(open_to(a, a.turn)) == 2 * int(c["n"]) <= len(open_to(p, a.turn))
    ),
    rf"leaves {NAME} {NOW} moves? instead of {WAS}": lambda p, m, a, c: (
        numbers(c) == (len(open_to(p, a.turn)), len(open_to(a, a.turn)))
        and len(open_to(a, a.turn)) < len(open_to(p, a.turn))
    ),
    r"turns (?P<n>\d+) pieces?": lambda p, m, a, c: taken(p, a) == int(c["n"]),
    rf"jumps (?P<n>\d+)(?P<crowns> and crowns a man)?, {BACK.format(NAME)}": lambda p, m, a, c: (
        taken(p, a) == int(c["n"])
        and (c["crowns"] is None or kings(a, p.turn) == kings(p, p.turn) + 1)
        and most_taken(a) == int(c["back"].replace("nothing", "0"))
    ),
    "crowns a man": lambda p, m, a, c: kings(a, p.turn) == kings(p, p.turn) + 1,
    r"forces a jump(?: of (?P<lost>\d+))? and takes (?P<n>\d+) back": lambda p, m, a, c: (
        all(taken(a, each) > 0 for each in replies(a))
        and min(most_taken(each) for each in replies(a)) == int(c["n"])
        and (
            {taken(a, each) for each in replies(a)} == {int(c["lost"])}
            if c["lost"]
            else max(taken(a, each) for each in replies(a)) < int(c["n"])
        )
    ),
    FEW + f"not let {NAME} jump": lambda p, m, a, c: one_of(
        c, p, m, lambda each: most_taken(p.play(each)) == 0
    ),
    r"threatens to jump the piece on (?P<at>\d+)": lambda p, m, a, c: (
        {at for each in replies(passed(a)) for at in pieces(a, a.turn) - pieces(each, a.turn)}
        == {square(a, c["at"])}
    ),
    r"threatens to jump (?P<n>\d+)": lambda p, m, a, c: most_taken(passed(a)) == int(c["n"]),
    "threatens to win at once": lambda p, m, a, c: can_win(passed(a)),
    rf"joins groups, from {WAS} to {NOW}": lambda p, m, a, c: (
        numbers(c) == (groups(p, p.turn), groups(a, p.turn))
        and groups(p, p.turn) > groups(a, p.turn)
    ),
    rf"joins groups, from {WAS} to {NOW}, and takes a piece": lambda p, m, a, c: (
        numbers(c) == (groups(p, p.turn), groups(a, p.turn)) and taken(p, a) == 1
    ),
    rf"takes a piece and splits {NAME} into {NOW} groups, from {WAS}": lambda p, m, a, c: (
        numbers(c) == (groups(p, a.turn), groups(a, a.turn))
        and groups(p, a.turn) < groups(a, a.turn)
        and taken(p, a) == 1
    ),
    "takes a piece that could have joined groups": lambda p, m, a, c: (
        taken(p, a) == 1
        and any(
            groups(after, a.turn) < groups(p, a.turn)
            for after in replies(passed(p))
            if square(p, str(m.to_square)) not in pieces(after, a.turn)
        )
    ),
    "takes a piece": lambda p, m, a, c: taken(p, a) == 1,
}


def kings(position: Position, side: Side) -> int:
    return "".join(position.rows).count("XO"[side])


def check(position: Position, move: Move, said: str) -> None:
    after = position.play(move)
    found = [(claim, each) for text, claim in CLAIMS.items() if (each := re.fullmatch(text, said))]
    assert found, said
    for claim, match in found:
        assert claim(position, move, after, match), (position.text, str(move), said)
        name = match.groupdict().get("name")
        assert name in (None, ruleset_info(position.ruleset).side_names[after.turn])


@given(decisions())
def test_a_reason_for_a_move_is_true(decision: tuple[Position, Move]) -> None:
    position, move = decision
    said = position.reason(move)
    if said is not None:
        check(position, move, said)


@settings(max_examples=50)
@given(decisions())
def test_a_win_is_told_only_where_the_search_has_proved_it(decision: tuple[Position, Move]) -> None:
    position, _ = decision
    result = Engine(1).search(position, nodes=2000)
    said = position.reason(result.move, result.mate_in)
    if said is not None and (match := re.fullmatch(r"wins in (\d+) moves?", said)):
        assert result.mate_in == int(match[1])
    elif said is not None:
        check(position, result.move, said)
