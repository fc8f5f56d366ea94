"""Matches: two players, many games, and what the result says about their strength.

    statistics   scores of games and pairs, Elo with its error, the sequential test
    contestants  who plays: our search, our bots, engines of others
    game         one game: its opening, clocks, adjudication, moves
    run          all games, several at a time
    checkpoint   what is played, kept on disk so that a match can go on

It knows nothing of networks and of how a match is shown.
"""
