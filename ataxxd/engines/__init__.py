"""The programs that choose moves.

base           what a bot can do, and simple ones; `native` is ours
registry       bots by name
external       engines of others, as processes
search_thread  one search in the background, for the engine protocols; how to stop a search
tablebases     memory for tables of positions, and endgame tables that a user has made
match          many games between two players, and what they say about strength
tuning         better numbers for the search, found by a match
laboratory     the reversi laboratory: its reference player, and the marking of programs

A bot sees positions and nothing else: no game, no network, no event loop. Here are the levels of
our engine, from 1 (a beginner) to 10, as numbers and as people write them.
"""

LOWEST_LEVEL = 1
HIGHEST_LEVEL = 10
DEFAULT_LEVEL = 8

OURS = "auto"
"""The name of our engine; ``auto@3`` is its level 3."""


def read_level(text: str, where: str) -> int:
    """Read a level as people write it: ``3`` or ``auto@3``; 0 plays any legal move.

    Args:
        text: the level.
        where: the whole text it is part of, for the error.

    Raises:
        ValueError: there is no such level; the text says which there are.
    """
    word = text.strip().lower().removeprefix(f"{OURS}@")
    if not (word.isascii() and word.isdecimal() and len(word) < 9 and int(word) <= HIGHEST_LEVEL):
        msg = (
            f"{where}: there is no such level. They go from {LOWEST_LEVEL} (a beginner) to "
            f"{HIGHEST_LEVEL}, with {DEFAULT_LEVEL} the default; 0 plays any legal move."
        )
        raise ValueError(msg)
    return int(word)
