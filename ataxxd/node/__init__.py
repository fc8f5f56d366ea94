"""The node: identity, journal, runtime, and the games that clients use."""
