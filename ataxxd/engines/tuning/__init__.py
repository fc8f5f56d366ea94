"""Tuning of the search: better numbers for it, found by games.

spsa   the method: where to try next, and what a result says; pure
tuner  the games of a match as iterations of it
"""
