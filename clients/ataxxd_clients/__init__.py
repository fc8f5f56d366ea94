"""Clients of a node: they know the rules, the protocol and the control interface only."""
