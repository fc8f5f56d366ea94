"""Who chooses a move when no person does.

base           what a bot can do; `native` and `simple` are ours
levels         how strong ours plays
registry       bots by name
external       engines of others, as processes
search_thread  one search in the background, for who speaks an engine protocol; how it is ended
tablebases     memory for tables of positions, and endgame tables that a user has made
match          many games between two players, and what they say of strength
laboratory     the reversi laboratory: its reference player, and the marking of programs

A bot sees positions and nothing else: no game, no network, no event loop.
"""
