"""What stands beside the board of a study: the position, the engine's opinion, other moves."""

from collections.abc import Sequence

from textual.content import Content

from ataxxd.rules import Side
from ataxxd.rules.endings import ending_text
from ataxxd_clients.analysis import in_brief, in_words, share
from ataxxd_clients.labels import move_name
from ataxxd_clients.study import Node, Study
from ataxxd_clients.tui.panel import bar
from ataxxd_clients.tui.pieces import Painter

KEYS = (
    ("PgUp, PgDn", "one move back, one forward"),
    ("Home, End", "the beginning and the end of the line"),
    ("mouse", "click a piece, then where it goes; the graph; the moves"),
    ("arrows, Enter", "move the cursor, choose a square"),
    ("letters, digits", "type a move or a word; Enter sends it"),
    ("Esc", "choose again; back to the board"),
    ("Tab", "to the list of moves and back"),
    ("F1", "this page"),
    ("F2", "evaluate every position of the line, or stop it"),
    ("F4", "play the engine's move"),
    ("F5", "make this variation the main line where it branched off"),
    ("F6", "the engine looks along, or no longer"),
    ("F7", "the other move that stands beside this one"),
    ("F8", "delete this move and all after it"),
    ("Ctrl-Q", "quit"),
)


def summary(study: Study, painter: Painter, width: int) -> Content:
    """Counts, place, opinion, best line and other moves, in at most seven lines.

    Args:
        study: what is studied.
        painter: its pieces.
        width: columns of a line.
    """
    names, node, position = study.language.names, study.tree.cursor, study.position
    ground = painter.set.grounds[0]
    parts: list[str | tuple[str, str]] = []
    for side, sign in zip(Side, "xo", strict=True):
        arrow = ">" if side is position.turn and position.outcome is None else " "
        style = f"bold {painter.set.pieces[side]} on {ground}"
        parts += [
            arrow,
            (f" {painter.piece(sign)} ", style),
            (f" {names[side]:5} {position.counts[side]:2}  ", "bold"),
        ]
    parts.append("\n" + _cut(_place(study, node), width) + "\n")
    if (outcome := study.outcome) is not None:
        parts.append(ending_text(outcome, position) + "\n")
    verdict = study.verdict(node)
    if verdict is not None:
        parts += [*bar(share(verdict), painter), f" {in_words(verdict, names)}\n"]
        if line := study.best_line():
            # Two lines of it are enough to see where it leads.
            parts.append(_cut(f"Best: {' '.join(line)}", 2 * width - 2) + "\n")
    if beside := _beside(node):
        parts.append(_cut(f"Beside: {' '.join(beside)}", width) + "\n")
    if study.progress is not None:
        parts.append(f"Evaluated {study.progress.done} of {study.progress.total}. F2 stops it.\n")
    return Content.assemble(*parts)


def notes(study: Study) -> Sequence[str]:
    """What is said beside each move of the line: its verdict, and ``+2`` for two other moves."""
    names = study.language.names
    said = []
    for node in study.tree.line[1:]:
        verdict = study.verdict(node)
        words = "" if verdict is None else in_brief(verdict, names)
        more = 0 if node.parent is None else len(node.parent.children) - 1
        said.append(f"{words} +{more}".strip() if more else words)
    return said


def _place(study: Study, node: Node) -> str:
    line = study.tree.line
    where = "" if line[-1] is study.tree.main_line[-1] else ", in a variation"
    return f"Move {node.ply} of {len(line) - 1}{where}"


def _beside(node: Node) -> Sequence[str]:
    """The other moves that were played or tried in place of the last one."""
    if node.parent is None:
        return ()
    return [
        move_name(each.move)
        for each in node.parent.children
        if each is not node and each.move is not None
    ]


def _cut(text: str, width: int) -> str:
    """Text of at most so many columns; what is cut off is shown by dots."""
    return text if len(text) <= max(width, 10) else text[: max(width, 10) - 3] + "..."
