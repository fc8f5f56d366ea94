"""See `ataxxd.engines.base`."""

from ataxxd.engines.base import Bot

__all__ = ["Bot"]
