"""The former place of `ataxxd.engines.base.Bot`, which bots of others import."""

from ataxxd.engines.base import Bot

__all__ = ["Bot"]
