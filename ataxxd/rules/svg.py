"""Boards as SVG: text alone, without fonts, scripts or anything from elsewhere."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ataxxd.rules import Position

_CELL, _MARGIN = 100, 44


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a board and its pieces; most attributes are colours.

    Attributes:
        frame: the colour around the board.
        label: that of its letters and numbers.
        cells: those of light and dark squares.
        grid: that of the lines between them.
        bodies: those of each side's pieces and of their edges.
        marks: those of the rings, or the eye, on each side's pieces.
        piece: draws a piece around the middle of its square, from its character (as in
            `ataxxd.rules.Position.rows`) and this look.
    """

    frame: str
    label: str
    cells: tuple[str, str]
    grid: str
    bodies: tuple[tuple[str, str], tuple[str, str]]
    marks: tuple[str, str]
    piece: Callable[[str, "Look"], str]


def _disc(sign: str, look: Look, *radii: int) -> str:
    side = "xo".index(sign.lower())
    body, edge = look.bodies[side]
    rings = "".join(
        f'<circle r="{radius}" fill="none" stroke="{look.marks[side]}" stroke-width="3"/>'
        for radius in radii
    )
    shadow = '<circle cy="4" r="39" fill="#000" opacity=".28"/>'
    return f'{shadow}<circle r="39" fill="{body}" stroke="{edge}" stroke-width="4"/>{rings}'


def _flat(sign: str, look: Look) -> str:
    return _disc(sign, look, 30 if sign.lower() == "x" else 33)


def _draughtsman(sign: str, look: Look) -> str:
    drawn = _disc(sign, look, 31, 22)
    if sign.isupper():
        fill, edge = ("#ffcf3f", "#8a6400") if sign == "X" else ("#d99a00", "#6b4700")
        drawn += (
            '<path d="M-20 13L-23 -11L-10 1L0 -17L10 1L23 -11L20 13Z" stroke-width="3" '
            f'stroke-linejoin="round" fill="{fill}" stroke="{edge}"/>'
        )
    return drawn


def _drop(sign: str, look: Look) -> str:
    if sign == "#":
        return '<rect x="-40" y="-40" width="80" height="80" rx="12" fill="#1a202d"/>'
    eye = f'<circle r="12" fill="{look.marks[1]}"/>' if sign == "o" else ""
    return _disc(sign, look) + eye


_WOOD = (("#23262d", "#050608"), ("#f7f5f0", "#b5afa2"))
_RINGS = ("#4a505c", "#d8d2c4")

LOOKS: Mapping[str, Look] = {
    "ataxx": Look(
        *("#2b3447", "#aab4c8", ("#3d4961", "#384359"), "#2b3447"),
        *((("#e5484d", "#a4262c"), ("#4c8dff", "#1f55b5")), ("#a4262c", "#1f55b5"), _drop),
    ),
    "checkers": Look(
        *("#4a3325", "#e8d3b8", ("#ecd9b8", "#9a6a45"), "#8a5d3b"),
        *(_WOOD, _RINGS, _draughtsman),
    ),
    "loa": Look(
        *("#3a3a4d", "#c2c2d6", ("#b7b4c9", "#8f8ca8"), "#7a7794"), *(_WOOD, _RINGS, _flat)
    ),
    "reversi": Look(
        *("#20352b", "#a9c7b6", ("#2f7d57", "#2b7450"), "#1f5b3e"), *(_WOOD, _RINGS, _flat)
    ),
}
"""The look of each game by its name."""

PLAIN = LOOKS["loa"]
"""The look of a game that has none of its own."""


def board(
    position: Position, *, marked: Collection[str] = (), width: int = 480, flipped: bool = False
) -> str:
    """Draw a position as SVG.

    Args:
        position: the position.
        marked: the names of squares to mark, such as those of the last move.
        width: the width of the picture in pixels; the height follows from it.
        flipped: turn the board round.
    """
    look = LOOKS.get(position.game, PLAIN)
    rows, names = position.rows, position.square_names
    numbered = any(name is not None and name.isdigit() for name in names[0])
    if flipped:
        rows = tuple(row[::-1] for row in reversed(rows))
        names = tuple(line[::-1] for line in reversed(names))
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
            if numbered:
                parts.append(_text_path(name, x + 16, y + 14, 12, look.label))
            if rows[row][column] not in ". ":
                shapes = look.piece(rows[row][column], look)
                parts.append(f'<g transform="translate({x + 50} {y + 50})">{shapes}</g>')
    if not numbered:
        parts += _labels(names, look)
    return "".join([*parts, "</svg>\n"])


def _labels(names: tuple[tuple[str | None, ...], ...], look: Look) -> list[str]:
    """Letters below, numbers at the left."""
    bottom = _MARGIN + len(names) * _CELL + _MARGIN / 2
    columns = enumerate(str(name)[0] for name in names[-1])
    ranks = enumerate(str(line[0])[1:] for line in names)
    return [
        *(
            _text_path(text, _MARGIN + (at + 0.5) * _CELL, bottom, 17, look.label)
            for at, text in columns
        ),
        *(
            _text_path(text, _MARGIN / 2, _MARGIN + (at + 0.5) * _CELL, 17, look.label)
            for at, text in ranks
        ),
    ]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# In a box of 10 by 14, drawn with a pen of two.
_STROKES = {
    "0": "M5 0C1.5 0 0 3 0 7C0 11 1.5 14 5 14C8.5 14 10 11 10 7C10 3 8.5 0 5 0Z",
    "1": "M1.5 3L5.5 0V14",
    "2": "M.5 3.5C.5 -1 9.5 -1 9.5 4C9.5 7.5 3 9 0 14H10",
    "3": "M.5 2.5C2 -.8 9.5 -1 9.5 3.5C9.5 6 7 7 4.5 7C7.5 7 10 8 10 10.5C10 15 1.5 15 0 11.5",
    "4": "M7.5 14V0L0 9.5H10",
    "5": "M9 0H1.5L1 6C3 4.5 10 4.5 10 9.5C10 15 2 15 0 12",
    "6": "M8.5 .5C3 1 0 5 0 9.5C0 15.5 10 15.5 10 9.5C10 4 1.5 4 0 9.5",
    "7": "M0 0H10L3.5 14",
    "8": "M5 6.5C0 6.5 0 0 5 0C10 0 10 6.5 5 6.5C-1.2 6.5 -1.2 14 5 14C11.2 14 11.2 6.5 5 6.5Z",
    "9": "M1.5 13.5C7 13 10 9 10 4.5C10 -1.5 0 -1.5 0 4.5C0 10 8.5 10 10 4.5",
    "a": "M1 6C3 3 9 3.5 9 7V14M9 9C5 8.5 0 9 0 11.5C0 15 7 15 9 11",
    "b": "M1 0V14M1 9C1 3 10 3 10 9C10 15.5 1 15.5 1 9",
    "c": "M9.5 6C7 2.5 0 3 0 9C0 15 7 15.5 9.5 12",
    "d": "M9 0V14M9 9C9 3 0 3 0 9C0 15.5 9 15.5 9 9",
    "e": "M0 9H10C10 2 0 2 0 9C0 15.5 7 15.5 9.5 12",
    "f": "M9 .5C6 -.5 4 1 4 4V14M1 5H8",
    "g": "M9 4V14.5C9 19 2 19 1 16.5M9 9C9 3 0 3 0 9C0 15.5 9 15.5 9 9",
    "h": "M1 0V14M1 9C1 3 9 3 9 8V14",
    "i": "M5 5V14M5 0V1",
    "j": "M6 5V15C6 18 2 18 1 16.5M6 0V1",
}
_ADVANCE, _HEIGHT = 14, 14


def _text_path(text: str, x: float, y: float, height: float, colour: str) -> str:
    """Text as a path, its middle at a point; a character that is not known leaves a gap.

    Args:
        text: what is written.
        x: of its middle.
        y: of its middle.
        height: of a digit.
        colour: of the pen.
    """
    scale = height / _HEIGHT
    width = (len(text) * _ADVANCE - (_ADVANCE - 10)) * scale
    strokes = "".join(
        f'<path transform="translate({at * _ADVANCE} 0)" d="{_STROKES[sign]}"/>'
        for at, sign in enumerate(text)
        if sign in _STROKES
    )
    place = f"translate({x - width / 2:g} {y - height / 2:g}) scale({scale:g})"
    return (
        f'<g transform="{place}" fill="none" stroke="{colour}" stroke-width="2" '
        f'stroke-linecap="round" stroke-linejoin="round">{strokes}</g>'
    )
