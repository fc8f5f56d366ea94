"""Programs of others that choose moves, spoken to over their own protocols.

command    what a user writes to name one: the words of its command, and settings
process    the program as a process: lines in and out, each with a deadline
watchdog   keeps hold of that process, so that it never outlives us
dialects   the protocols: how a position is asked about, and what an answer is
engine     one such program as a player
"""
