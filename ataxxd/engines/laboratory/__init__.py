"""The reversi laboratory of COMP24011: its reference player, and the marking of programs beside it.

Values, moves and marks are those of the laboratory's sheet; how a marked program is asked is ours,
and described in docs/how-to/mark-a-reversi-program.md.
"""
