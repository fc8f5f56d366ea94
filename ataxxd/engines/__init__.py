"""Who chooses a move when no person does.

base           what a bot can do; `native`, `alphabeta`, `simple` and `pondering` are ours
registry       bots by name
external       engines of others, as processes
search_thread  one search in the background, for who speaks an engine protocol
stopping       a call in a thread, and how it is ended
tablebases     endgame tables that a user has made
match          many games between two players, and what they say of strength
laboratory     the reversi laboratory: its reference player, and the marking of programs

A bot sees positions and nothing else: no game, no network, no event loop.
"""
