"""Events: who plays whom, and how it stands. The same documents give the same to everybody.

Knows records and messages; no files, no clock, no network, no chance.
"""
