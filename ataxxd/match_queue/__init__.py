"""Matches over many machines: games as items of a work queue, which workers take and play.

items       what is sent: a game to play, and what came of it
dispatcher  which games are out, and which results count; pure
server      the NATS server with its streams
match       the match, which hands out games and collects results
worker      whoever plays them
watch       whoever looks on
"""
