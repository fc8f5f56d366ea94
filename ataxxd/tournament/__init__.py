"""Events of many games: who plays whom, how it stands, and what a node does in one.

tournament   an event as its signed documents tell it; `pairing`, `round_robin`, `swiss` and
             `matching` say who plays whom, `standings` how it stands
games        what an event's games are called, their terms, and what their records say
audit        whether the results are those of the games
ratings      what signed records say of strength
club_log     which games of a club count, as it announced them beforehand
feed         the documents as a broker tells them; `publisher` puts up the host's
hosting      runs an event; `boards` watches its games, `witness` their silences
playing      takes part in one; `closing` finishes games that were left
club_keeper  the log of the club that this node is; `club_member` compares one with our own games
folder       an event in files; `records` gets the records of its games from the broker

The first five know records and messages: no files, no clock, no network, no chance. So the same
documents give the same to everybody.
"""
