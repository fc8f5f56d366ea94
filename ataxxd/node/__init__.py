"""The node: identity, journal, runtime, and the tables that clients sit at."""
