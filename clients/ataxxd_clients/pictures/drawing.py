"""A position as SVG: text alone, without fonts, scripts or anything from elsewhere."""

from collections.abc import Collection

from ataxxd.node.control import Moved, Seat
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.pictures.glyphs import written
from ataxxd_clients.pictures.sets import LOOKS, PLAIN, Look
from ataxxd_clients.text.games import line_language

_CELL, _MARGIN = 100, 44


def draw(
    position: Position, *, marked: Collection[str] = (), width: int = 480, flipped: bool = False
) -> str:
    """The SVG of a position.

    Args:
        position: what is drawn.
        marked: squares to mark, such as those of the last move, by their names.
        width: of the picture, in pixels; its height follows.
        flipped: turn the board round.
    """
    language = line_language(position.ruleset)
    look = LOOKS.get(position.game, PLAIN)
    rows, names = position.rows, language.square_names(position)
    if flipped:
        rows = tuple(row[::-1] for row in reversed(rows))
        names = [line[::-1] for line in reversed(names)]
    across, down = len(rows[0]) * _CELL + 2 * _MARGIN, len(rows) * _CELL + 2 * _MARGIN
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" '
            f'width="{width}" height="{round(width * down / across)}">'
        ),
        f"<title>{position.game}: {_escaped(position.text)}</title>",
        f'<rect width="{across}" height="{down}" rx="20" fill="{look.frame}"/>',
    ]
    for row, line in enumerate(names):
        for column, name in enumerate(line):
            x, y = _MARGIN + column * _CELL, _MARGIN + row * _CELL
            dark = (row + column) % 2 == 1
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" '
                f'fill="{look.cells[dark]}" stroke="{look.grid}" stroke-width="3"/>'
            )
            if name is None:
                continue
            if name in marked:
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" '
                    'fill="#ffd75e" opacity=".35"/>'
                )
            if language.squares_are_numbers:
                parts.append(written(name, x + 16, y + 14, 12, look.label))
            if rows[row][column] not in ". ":
                shapes = look.piece(rows[row][column], look)
                parts.append(f'<g transform="translate({x + 50} {y + 50})">{shapes}</g>')
    if not language.squares_are_numbers:
        parts += _labels(names, look)
    return "".join([*parts, "</svg>\n"])


def scenes(game: GameRecord) -> list[tuple[Position, tuple[str, ...]]]:
    """The positions of a game from its start, each with the squares of the move that led to it."""
    language = line_language(game.start.ruleset)
    found: list[tuple[Position, tuple[str, ...]]] = [(game.start, ())]
    for ply, (move, after) in enumerate(zip(game.moves, game.positions[1:], strict=True), 1):
        before = found[-1][0]
        event = Moved(before.turn, move, before, Seat.HUMAN, ply)
        squares = tuple(each for each in language.squares(event) if each is not None)
        found.append((after, squares))
    return found


def _labels(names: list[list[str | None]], look: Look) -> list[str]:
    """Letters below, numbers at the left."""
    bottom = _MARGIN + len(names) * _CELL + _MARGIN / 2
    columns = enumerate(str(name)[0] for name in names[-1])
    ranks = enumerate(str(line[0])[1:] for line in names)
    return [
        *(
            written(text, _MARGIN + (at + 0.5) * _CELL, bottom, 17, look.label)
            for at, text in columns
        ),
        *(
            written(text, _MARGIN / 2, _MARGIN + (at + 0.5) * _CELL, 17, look.label)
            for at, text in ranks
        ),
    ]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
