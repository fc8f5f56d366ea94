"""Events of many games: who plays whom, how it stands, and what a node does in one.

tournament   an event as its signed documents tell it, how it stands, the terms of its games, and
             whether the results are those that their records say
pairing      who plays whom in a round
ratings      what signed records say of strength
club_log     which games of a club count, as it announced them beforehand
feed         the documents as a broker has them
hosting      runs an event: puts up its documents, watches its games, and the silences in them
playing      takes part in one, and finishes games that were left
club_keeper  the log of the club that this node is, or of one compared with our own games
folder       an event in files, and the records of its games from the broker

The first four know only records and messages: no files, no clock, no network, no randomness. So
everybody gets the same results from the same documents.
"""
