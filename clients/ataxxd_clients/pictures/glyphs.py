"""Digits and letters as lines, so that a picture looks the same where there are no fonts."""

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


def written(text: str, x: float, y: float, height: float, colour: str) -> str:
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
