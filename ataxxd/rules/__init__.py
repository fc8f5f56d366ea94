"""The rules of the games and the engine that plays them.

Everything here is pure: values go in, values come out. The package knows nothing
of networks, files, clocks on the wall or event loops. ``ataxxd/_engine.pyi``
documents the native part, ``docs/design/rules-api.md`` gives the overview.
"""

from ataxxd._engine import Engine, Move, Position, rulesets
from ataxxd.rules.values import (
    IllegalMoveError,
    InvalidMoveError,
    InvalidPositionError,
    Outcome,
    RulesError,
    RulesetInfo,
    SearchResult,
    Side,
    UnknownRulesetError,
    ruleset_info,
    ruleset_named,
)

__all__ = [
    "Engine",
    "IllegalMoveError",
    "InvalidMoveError",
    "InvalidPositionError",
    "Move",
    "Outcome",
    "Position",
    "RulesError",
    "RulesetInfo",
    "SearchResult",
    "Side",
    "UnknownRulesetError",
    "ruleset_info",
    "ruleset_named",
    "rulesets",
]
