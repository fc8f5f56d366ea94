"""What signed records say about the strength of players, the same whoever computes it.

Knows records and ledgers; no files, no clock, no network.
"""
