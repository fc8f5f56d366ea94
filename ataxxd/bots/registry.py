"""The former place of `ataxxd.engines.registry`, which bots of others import."""

from ataxxd.engines.registry import make_bot

__all__ = ["make_bot"]
