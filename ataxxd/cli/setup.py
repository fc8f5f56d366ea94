"""The start position that a command's options describe."""

from ataxxd.errors import UsageError
from ataxxd.rules import Position, RulesError, RulesetInfo, rulesets
from ataxxd.rules.ataxx import with_blocks


def chosen_ruleset(game: str, ruleset: str | None) -> RulesetInfo:
    """The ruleset named, or the usual one of a game.

    Raises:
        UsageError: there is none; lists what there is.
    """
    known = rulesets()
    for info in known:
        if info.id == ruleset or (ruleset is None and info.game == game):
            return info
    games = ", ".join(dict.fromkeys(info.game for info in known))
    ids = ", ".join(info.id for info in known)
    if ruleset is not None:
        raise UsageError(f"There is no ruleset {ruleset!r}; this node knows {ids}.")
    raise UsageError(f"There is no game {game!r}; this node plays {games}.")


def start_position(
    game: str, ruleset: str | None, position: str | None, blocks: str | None
) -> Position:
    """The position that ``--game``, ``--ruleset``, ``--position`` and ``--blocks`` describe.

    Raises:
        UsageError: they describe none; says where it goes wrong.
    """
    info = chosen_ruleset(game, ruleset)
    try:
        start = (
            Position.start(info.id) if position is None else Position.from_text(info.id, position)
        )
        return start if blocks is None else with_blocks(start, blocks)
    except RulesError as error:
        raise UsageError(str(error)) from None
