"""ataxxd: a peer-to-peer play daemon for Ataxx, reversi, English checkers and Lines of Action."""

__version__ = "0.1.0"
