"""Keep or check the log of a club, by which its games are rated."""
