"""Many players, a series of rounds: plan an event, run it, play in it, look on, check it."""
