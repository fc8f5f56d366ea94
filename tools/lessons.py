"""How each game is played, in pictures: positions that the engine has checked, as data for pages.

    python -m tools.lessons

writes clients/ataxxd_clients/web/static/lessons.js. A page draws them on its own board.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ataxxd.rules import Position
from ataxxd_clients.text.games import line_language
from ataxxd_clients.web.scene import legal_moves

PATH = Path(__file__).parents[1] / "clients" / "ataxxd_clients" / "web" / "static" / "lessons.js"


@dataclass(frozen=True)
class Step:
    """One picture.

    Attributes:
        text: the caption.
        start: the position; empty for the start of the game.
        move: the move that is made in it, and shown.
        chosen: the piece whose targets are marked; empty marks every square for a new piece.
    """

    text: str
    start: str = ""
    move: str = ""
    chosen: str | None = None


LESSONS: dict[str, tuple[Step, ...]] = {
    "ataxx/cs61b-2022": (
        Step(
            "Choose one of your pieces. It can step to any empty square next to it, or jump to one "
            "two squares away.",
            "7/7/2o4/3x3/5o1/7/7 x 0 1",
            chosen="d4",
        ),
        Step(
            "One step: a new piece grows there, and the old one stays.",
            "7/7/6o/3x3/7/7/o6 x 0 1",
            "d4-e5",
        ),
        Step(
            "Two steps: the piece jumps, and leaves its square empty.",
            "7/7/6o/3x3/7/7/o6 x 0 1",
            "d4-d2",
        ),
        Step(
            "All of your opponent's pieces next to the square where you land become yours.",
            "7/4oo1/5o1/3x3/7/7/o5o x 0 1",
            "d4-e5",
        ),
        Step(
            "When nobody can move, whoever has more pieces wins. If only your opponent can move, "
            "you pass.",
            "xxxxxxx/xxxxooo/xxxxooo/xxxxooo/xxxxxoo/xxxxxoo/xxxxxxo x 0 1",
        ),
    ),
    "reversi/standard": (
        Step("The dots show where you can put a new piece.", chosen=""),
        Step(
            "Your piece must enclose your opponent's in a straight line, with another of yours at "
            "the far end. All enclosed pieces become yours.",
            move="d3",
        ),
        Step(
            "One piece can enclose pieces in several lines at once, in any direction.",
            "------------------OXO-----XXXX-----XO--------------------------- O",
            "c5",
        ),
        Step(
            "If you cannot move, you pass. When nobody can move, whoever has more pieces wins.",
            "X" * 35 + "O" * 29 + " X",
        ),
    ),
    "checkers/acf": (
        Step("A man moves one step forward, diagonally, on the dark squares.", chosen="11"),
        Step(
            "Jump over an opponent's piece next to yours to take it. If you can jump, you must.",
            "B:W18,32:B14,1",
            "14-23",
        ),
        Step(
            "Keep jumping with the same piece as long as you can: it is all one move.",
            "B:W15,23,32:B11,1",
            "11-18-27",
        ),
        Step(
            "A man that reaches the last row becomes a king. Kings can also move and jump "
            "backward.",
            "B:W21:B26,1",
            "26-30",
        ),
        Step(
            "Whoever cannot move loses. Here it is White's turn, and both of its men are blocked.",
            "W:W5,29:B1,25,22",
        ),
    ),
    "loa/cs61b": (
        Step(
            "A piece moves in a straight line, in any direction, exactly as many squares as there "
            "are pieces on that line, counting both sides.",
            chosen="c1",
        ),
        Step(
            "It may pass over your own pieces, but not over your opponent's.",
            move="b1-h1",
        ),
        Step("It may land on one of your opponent's pieces, which it takes.", move="c1-a3"),
        Step(
            "Get all your pieces into one group to win. Pieces that touch at a corner count as "
            "joined.",
            "8/o7/2x5/3xo3/2x5/4x2o/8/8 x",
            "c4-d4",
        ),
    ),
}


def lessons() -> dict[str, list[dict[str, Any]]]:
    """The pictures of each game: its board, what is marked, and the words below it."""
    return {
        ruleset.partition("/")[0]: [_picture(ruleset, step) for step in steps]
        for ruleset, steps in LESSONS.items()
    }


def _picture(ruleset: str, step: Step) -> dict[str, Any]:
    position = Position.from_text(ruleset, step.start) if step.start else Position.start(ruleset)
    squares = [[*row] for row in position.square_names]
    marks: dict[str, Any] = {}
    if step.chosen is not None:
        reached = {
            path[-1]: move.kind
            for move in legal_moves(position, line_language(ruleset))
            for path in move.paths
            if step.chosen in ("", path[0])
        }
        marks = {"path": [step.chosen] if step.chosen else [], "targets": reached}
    if step.move:
        move = position.parse_move(step.move)
        path, after = line_language(ruleset).paths(move, position)[0], position.play(move)
        changed = [
            name
            for names, old, new in zip(squares, position.rows, after.rows, strict=True)
            for name, before, now in zip(names, old, new, strict=True)
            if name is not None and before != now and name not in path
        ]
        marks, position = {"last": [*path], "changed": changed}, after
    return {"squares": squares, "board": [*position.rows], **marks, "text": step.text}


def as_text() -> str:
    """The file's content."""
    return (
        "// How each game is played; tools.lessons has made it.\n"
        f"export const LESSONS = {json.dumps(lessons(), separators=(',', ':'))};\n"
    )


if __name__ == "__main__":
    PATH.write_text(as_text())
