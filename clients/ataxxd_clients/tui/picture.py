"""What each square of the board shows: pieces, the last move, what may be chosen next.

Pure: positions and choices in, looks out. It knows no widgets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ataxxd.rules import Position
from ataxxd_clients.tui.pieces import Look
from ataxxd_clients.ways import Board, Way, changed, going_on


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and all that is to be pointed out in it.

    Attributes:
        position: what is on the board.
        board: how its squares are named.
        left: the square that the last move left, if any.
        reached: the squares that it reached or passed.
        turned: the squares whose pieces it turned or took.
        ways: what a person here may play now; empty when nobody here is to move.
        chosen: the squares pointed at so far.
        cursor: the square under the cursor.
        hint: the squares of the move that the engine would play.
    """

    position: Position
    board: Board
    left: str | None = None
    reached: tuple[str, ...] = ()
    turned: frozenset[str] = frozenset()
    ways: tuple[Way, ...] = ()
    chosen: tuple[str, ...] = ()
    cursor: str | None = None
    hint: tuple[str, ...] = field(default=())


def picture(scene: Scene) -> dict[str, Look]:
    """The look of every square that has a name."""
    looks = _pieces(scene)
    for square in scene.turned:
        _change(looks, square, edges="~~", ground="last")
    if scene.left is not None:
        _change(looks, scene.left, edges="()", ground="last")
    for square in scene.reached:
        _change(looks, square, edges="[]", ground="last")
    _point_out_what_may_be_chosen(looks, scene)
    for square in scene.chosen:
        _change(looks, square, edges="{}", ground="chosen")
    for square in scene.hint:
        _change(looks, square, ground="hint")
    for square in preview(scene):
        _change(looks, square, edges="~~", ground="turned")
    if scene.cursor is not None:
        _change(looks, scene.cursor, edges="><")
    return looks


def _point_out_what_may_be_chosen(looks: dict[str, Look], scene: Scene) -> None:
    following = going_on(scene.ways, scene.chosen)
    if not scene.chosen and any(len(way.squares) > 1 for way in following):
        if all(way.takes for way in following):
            for way in following:  # what is forced is ringed
                _change(looks, way.squares[0], edges="**")
        return
    for way in following:
        if len(way.squares) > len(scene.chosen):
            square = way.squares[len(scene.chosen)]
            sign = _sign(scene, way, square)
            _change(looks, square, sign=sign, pointed_out=True, ground="target")
            if way.takes:
                _change(looks, square, edges="**")


def preview(scene: Scene) -> set[str]:
    """The squares that would be turned or taken by the move that the cursor would finish."""
    if scene.cursor is None:
        return set()
    squares = (*scene.chosen, scene.cursor)
    for way in going_on(scene.ways, squares):
        if way.squares == squares or len(going_on(scene.ways, squares)) == 1:
            after = scene.position.play(way.move)
            return changed(scene.position, after, scene.board, way.squares)
    return set()


def _pieces(scene: Scene) -> dict[str, Look]:
    looks = {}
    for row, names in zip(scene.position.rows, scene.board.names, strict=True):
        for content, name in zip(row, names, strict=True):
            if name is not None:
                sign = name if scene.board.numbered and content == "." else ""
                looks[name] = Look(content, sign=sign)
    return looks


def _sign(scene: Scene, way: Way, square: str) -> str:
    """What a target says: how far it is; in reversi how many it turns."""
    if not scene.chosen:
        after = scene.position.play(way.move)
        return str(len(changed(scene.position, after, scene.board, way.squares)))
    if scene.board.numbered:
        return "x" if way.takes else "+"
    return str(scene.board.distance(scene.chosen[-1], square))


def _change(looks: dict[str, Look], square: str, **changes: object) -> None:
    if square in looks:
        looks[square] = replace(looks[square], **changes)  # type: ignore[arg-type]


def last_move(
    before: Position, after: Position, squares: Sequence[str], board: Board
) -> tuple[str | None, tuple[str, ...], frozenset[str]]:
    """What of a move is pointed out: the square left, those reached, those turned.

    Args:
        before: the position it was played in.
        after: the position it led to.
        squares: what its canonical text names.
        board: how squares are named.
    """
    turned = frozenset(changed(before, after, board, squares))
    if len(squares) < 2:
        return None, tuple(squares), turned
    return squares[0], tuple(squares[1:]), turned
