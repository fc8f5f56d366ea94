"""The words of the games and the levels of the engine for the browser's node, as data.

    python -m tools.browser_words

writes clients/browser/src/words.json.
"""

import json
from pathlib import Path
from typing import Any

from ataxxd.engines import DEFAULT_LEVEL
from ataxxd.engines.native import CUTOFF_MS, LEVELS
from ataxxd.node import level_games, local_game
from ataxxd.rules import rulesets
from ataxxd.rules.limits import Limits
from ataxxd.rules.values import BY_PIECES, ENDING_REASONS, ruleset_info
from ataxxd.session.events import WISHES
from ataxxd_clients.analysis import QUICK_SEARCH, THOROUGH_SEARCH, Effort
from ataxxd_clients.text.games import line_language

PATH = Path(__file__).parents[1] / "clients" / "browser" / "src" / "words.json"


def words() -> dict[str, Any]:
    """What a page says about each ruleset and the ends of games, and the levels of the engine."""
    return {
        "rulesets": {info.id: _of(info.id) for info in rulesets()},
        "why": ENDING_REASONS,
        "by_pieces": BY_PIECES,
        "wishes": WISHES,
        "levels": {
            game: {str(level): _limits(limits) for level, limits in levels.items()}
            for game, levels in LEVELS.items()
        },
        "default_level": DEFAULT_LEVEL,
        "ladder": {
            "number": level_games.LADDER,
            "steps": level_games.STEPS,
            "fewest_games": level_games.FEWEST_GAMES,
            "most_games": level_games.MAX_GAMES,
            "prior_level": level_games.PRIOR_LEVEL,
            "prior_deviation": level_games.PRIOR_DEVIATION,
            "grid_step": level_games.GRID_STEP,
            "grid_margin": level_games.GRID_MARGIN,
            "tail": level_games.TAIL,
            "early_moves": local_game.EARLY_MOVES,
        },
        "cutoff_ms": CUTOFF_MS,
        "efforts": {"glance": _effort(QUICK_SEARCH), "look": _effort(THOROUGH_SEARCH)},
    }


def _limits(limits: Limits) -> dict[str, int | None]:
    return {
        "depth": limits.depth,
        "nodes": limits.nodes,
        "temperature": limits.temperature,
        "oversight": limits.oversight,
    }


def _effort(effort: Effort) -> dict[str, int]:
    return {"nodes": effort.nodes, "time_ms": effort.time_ms}


def _of(ruleset: str) -> dict[str, Any]:
    language = line_language(ruleset)
    info = ruleset_info(ruleset)
    return {
        "game": info.game,
        "title": info.title,
        "sides": [*language.names],
        "rules": [*language.lesson()],
        "example": next(iter(language.move_help()))[0],
        "one_square": language.squares_are_moves,
        "draw_offers": info.draw_offers,
        "most_pieces_win": info.most_pieces_win,
    }


def as_text() -> str:
    """The file's content."""
    # Not sorted: the page lists the games in this order, which is that of all lists.
    return json.dumps(words(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text())
