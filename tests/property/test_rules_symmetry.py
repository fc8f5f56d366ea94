"""The rules look the same from every side of the board."""

from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import Move, Outcome, Position

MIRROR = str.maketrans("abcdefgh", "hgfedcba")


def swapped_winner(outcome: Outcome | None) -> Outcome | None:
    if outcome is None or outcome.winner is None:
        return outcome
    return Outcome(outcome.termination, outcome.winner.opponent)


def squares(alphabet: str) -> st.SearchStrategy[list[str]]:
    """Eight rows of eight characters, most of them never reached in play."""
    return st.lists(st.text(alphabet, min_size=8, max_size=8), min_size=8, max_size=8)


def texts(position: Position) -> set[str]:
    return {move.text for move in position.legal_moves}


def loa(rows: list[str], turn: str) -> Position:
    board = "/".join(rows).replace(".", "1")
    return Position.from_text("loa/cs61b", f"{board} {turn}")


@given(squares("xo......"), st.sampled_from("xo"))
def test_lines_of_action_can_be_mirrored_and_turned(rows: list[str], turn: str) -> None:
    position = loa(rows, turn)
    mirrored = loa([row[::-1] for row in rows], turn)
    assert texts(mirrored) == {text.translate(MIRROR) for text in texts(position)}
    assert mirrored.outcome == position.outcome
    turned = loa(["".join(column) for column in zip(*rows, strict=True)], turn)

    def transposed(text: str) -> str:
        # The first row of the text is row 8: squares change along the diagonal from a8 to h1.
        columns = "abcdefgh"
        return columns[8 - int(text[1])] + str(8 - columns.index(text[0]))

    expected = {
        "-".join(transposed(square) for square in text.split("-")) if len(text) > 1 else text
        for text in texts(position)
    }
    assert texts(turned) == expected
    assert turned.outcome == position.outcome


@given(squares("xo......"), st.sampled_from("xo"))
def test_lines_of_action_is_the_same_with_colours_swapped(rows: list[str], turn: str) -> None:
    swap = str.maketrans("xo", "ox")
    position = loa(rows, turn)
    swapped = loa([row.translate(swap) for row in rows], turn.translate(swap))
    assert swapped.legal_moves == position.legal_moves
    assert swapped.outcome == swapped_winner(position.outcome)


def reversi(rows: list[str], turn: str) -> Position:
    return Position.from_text("reversi/standard", "".join(rows) + f" {turn}")


@given(squares("XO-") | squares("XO-----"), st.sampled_from("XO"))
def test_reversi_can_be_mirrored_turned_and_swapped(rows: list[str], turn: str) -> None:
    position = reversi(rows, turn)
    mirrored = reversi([row[::-1] for row in rows], turn)
    assert texts(mirrored) == {text.translate(MIRROR) for text in texts(position)}
    turned = reversi(["".join(column) for column in zip(*rows, strict=True)], turn)
    columns = "abcdefgh"
    assert texts(turned) == {
        columns[int(text[1]) - 1] + str(columns.index(text[0]) + 1) if text != "--" else text
        for text in texts(position)
    }
    swap = str.maketrans("XO", "OX")
    swapped = reversi([row.translate(swap) for row in rows], turn.translate(swap))
    assert swapped.legal_moves == position.legal_moves
    assert swapped.outcome == swapped_winner(position.outcome)


@st.composite
def checkers_boards(draw: st.DrawFn) -> tuple[dict[int, str], str]:
    """Squares with `b`, `B`, `w` or `W`, capital for kings, and the side to move."""
    numbers = draw(st.lists(st.integers(1, 32), unique=True, max_size=12))
    board = {}
    for number in numbers:
        piece = draw(st.sampled_from("bBwW"))
        crowned = (number < 5 and piece == "w") or (number > 28 and piece == "b")
        board[number] = piece.upper() if crowned else piece
    return board, draw(st.sampled_from("BW"))


def checkers(board: dict[int, str], turn: str) -> Position:
    def pieces(side: str) -> str:
        own = sorted(number for number, piece in board.items() if piece.upper() == side)
        return ",".join(f"K{number}" if board[number].isupper() else str(number) for number in own)

    return Position.from_text("checkers/acf", f"{turn}:W{pieces('W')}:B{pieces('B')}")


@given(checkers_boards())
def test_checkers_is_the_same_seen_from_the_other_side(case: tuple[dict[int, str], str]) -> None:
    board, turn = case
    swap = str.maketrans("bBwW", "wWbB")
    position = checkers(board, turn)
    turned = checkers(
        {33 - number: piece.translate(swap) for number, piece in board.items()},
        turn.translate(swap),
    )

    def other_end(move: Move) -> str:
        sign = "x" if "x" in move.text else "-"
        return sign.join(str(33 - int(number)) for number in move.text.split(sign))

    assert texts(turned) == {other_end(move) for move in position.legal_moves}
    assert turned.outcome == swapped_winner(position.outcome)
