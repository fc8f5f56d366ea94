"""Moves as UAI, the Universal Ataxx Interface, writes them."""

from ataxxd.rules import Move, Position

# Engines do not agree on how a pass is written; all of them take the first.
_PASSES = ("0000", "pass", "null")


def read_uai_move(position: Position, text: str) -> Move:
    """The move that UAI's word for it means: ``g2``, ``a7b5``, and ``0000``, ``pass`` or ``null``.

    Raises:
        ValueError: it is no move, or not a legal one.
    """
    return position.parse_move(_PASSES[0] if text.lower() in _PASSES else text)
