"""Clients of a node: they know the rules, the protocol, games and what happens in them only."""
