"""Matches: two players, many games, and what the result says about their strength.

    statistics   scores of games and pairs, Elo with its error, the sequential test
    openings     where the games begin
    contestants  who plays: our search, our bots, engines of others
    control      how long they may think, and when a game is ended for them
    game         one game between two contestants
    checkpoint   what is played, kept on disk so that a match can go on
    run          all games, several at a time

It knows nothing of networks and of how a match is shown.
"""
