"""Matches over many machines: games as items of a work queue, which workers take and play.

items   games as they are sent; which are out, and which results count; pure
server  the NATS server with its streams
match   the match, which hands out games and collects results; whoever looks on
worker  whoever plays them
"""
