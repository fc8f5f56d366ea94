"""Who chooses a move: the native search, simple agents, engines of others.

A bot sees positions and nothing else: no table, no network, no event loop.
"""
