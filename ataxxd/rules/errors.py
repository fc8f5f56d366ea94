"""What can be wrong with a move, a position or a name.

    RulesError (ValueError)
    ├── InvalidMoveError        the text is not a move at all
    ├── IllegalMoveError        a move, but the rules forbid it here
    ├── InvalidPositionError    the text is not a position
    └── UnknownRulesetError     no ruleset or game of that name

The native module raises these; their messages name squares and say what would be
possible. This module knows nothing of any other.
"""


class RulesError(ValueError):
    """Base of everything that the rules refuse."""


class InvalidMoveError(RulesError):
    """The text is not a move of this game; the message shows what a move looks like."""


class IllegalMoveError(RulesError):
    """The rules forbid this move here; the message says why and what is possible."""


class InvalidPositionError(RulesError):
    """The text is not a position of this game; the message names the place."""


class UnknownRulesetError(RulesError):
    """No ruleset or game has this name; the message lists those that exist."""
