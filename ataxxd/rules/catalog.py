"""Looking rulesets up by their id."""

from functools import cache

from ataxxd._engine import rulesets
from ataxxd.rules.errors import UnknownRulesetError
from ataxxd.rules.values import RulesetInfo


@cache
def ruleset_info(ruleset: str) -> RulesetInfo:
    """What is known of a ruleset.

    Raises:
        UnknownRulesetError: there is none of this id; lists what there is.
    """
    for info in rulesets():
        if info.id == ruleset:
            return info
    known = ", ".join(info.id for info in rulesets())
    msg = f"There is no ruleset {ruleset!r}; this node knows {known}."
    raise UnknownRulesetError(msg)
