"""What the boards and pieces of each game look like, in squares of 100 by 100; as on the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A board and its pieces.

    Attributes:
        frame: the colour around the board.
        label: of its letters and numbers.
        cells: of light and dark squares.
        grid: of the lines between them.
        bodies: of the pieces of both sides, each with that of its edge.
        marks: of the rings, or the eye, on each side's pieces.
        piece: the shapes of a piece around the middle of its square, from its sign (as of
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
"""That of a game which has none of its own."""
