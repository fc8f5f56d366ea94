"""This program's search behind the protocols by which other programs ask engines for moves.

    server    what the protocols have in common: lines in, lines out, options
    uai       UAI, for Ataxx
    nboard    NBoard 2, for reversi
    hub       Hub 2, for checkers

Each is a conversation over standard input and output that ends with the input.
"""
