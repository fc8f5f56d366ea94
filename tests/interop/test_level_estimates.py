"""The page estimates a person's strength as the program does."""

import random
from collections.abc import Sequence

from ataxxd.node.level_games import (
    FEWEST_GAMES,
    MAX_GAMES,
    STEPS,
    Result,
    describe_estimate,
    estimate,
)
from tests.interop.browser_peer import answers_in_node, needs_browser_peer

pytestmark = needs_browser_peer

CASES = 400


def sentences(played: Sequence[tuple[str, Sequence[Result]]]) -> list[str | None]:
    """The page's estimates, in Node.js: see `clients/browser/test/strength.ts`."""
    asked = [
        {
            "game": game,
            "results": [{"level": each.level, "halves": each.halves} for each in results],
        }
        for game, results in played
    ]
    return answers_in_node("strength", asked)


def test_the_page_and_the_program_estimate_the_same() -> None:
    chance = random.Random(26)
    played = []
    for _ in range(CASES):
        game = chance.choice([*STEPS, "chess"])
        about, wins = chance.randint(1, 10), chance.random()
        played.append(
            (
                game,
                [
                    Result(
                        min(max(about + chance.randint(-1, 1), 1), 10),
                        chance.choices((0, 1, 2), (1 - wins, 0.2, wins))[0],
                    )
                    for _ in range(chance.randint(FEWEST_GAMES - 1, MAX_GAMES + 5))
                ],
            )
        )
    expected = [
        None if (found := estimate(game, results)) is None else describe_estimate(found)
        for game, results in played
    ]
    assert sentences(played) == expected
    # The cases reach every kind of sentence.
    for words in (
        "below level 1",
        "above level 10",
        "about level",
        "between",
        "at least",
        "at most",
    ):
        assert any(words in (each or "") for each in expected), words
    assert None in expected
