"""Studying games: a tree of moves, and the engine's opinion of its positions.

`tree` is the game with its variations, `verdicts` what the engine thinks and how that is said,
`adviser` asks it, `evaluator` asks about many positions in the background, `naming` writes lines
of moves, `export` writes games, and `study` puts these together. Nothing here draws anything:
the terminal UI and the page do.
"""
