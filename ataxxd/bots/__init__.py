"""Who chooses a move: the native search, simple agents, later external engines.

A bot sees positions and nothing else: no table, no network, no event loop.
"""
