"""See `ataxxd.engines.registry`."""

from ataxxd.engines.registry import make_bot

__all__ = ["make_bot"]
