"""Our engine against OpenSpiel's MCTS in Lines of Action; MCTS has 20 times the time a move.

Run with ``python -m tests.bench.bench_mcts [GAMES] [MS] [TIMES] [LEVEL]``; without, 10 games of
level 10 at 20 ms a move. MCTS is OpenSpiel's own in C++, with its usual settings: random
rollouts, wins and losses proved where the tree reaches them. The rules are OpenSpiel's too: no
move limit, and a board that comes again is a draw, of which our engine knows nothing. Openings
are random moves from the start, each played twice with colours changed; the error is 95 %.
"""

import random
import statistics
import sys
import time
from typing import Any

import pyspiel  # type: ignore[import-not-found]

from ataxxd.engines.match.statistics import estimate
from ataxxd.engines.native import NativeBot
from ataxxd.rules import Position

GAME = pyspiel.load_game("lines_of_action")
START = Position.start("loa/cs61b").text + " 0 1000000"
OPENING_PLIES = 6
EXPLORATION = 2.0
MEMORY_MB = 1_000


class Mcts:
    """OpenSpiel's MCTS, bound by time.

    Attributes:
        spent: seconds of each move.
        simulations: of each move.
    """

    title = "OpenSpiel's MCTS"

    def __init__(self, seconds: float) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        uct = pyspiel.ChildSelectionPolicy.UCT
        self._bot = pyspiel.MCTSBot(
            GAME, evaluator, EXPLORATION, 1_000_000_000, MEMORY_MB, True, 1, False, uct, seconds
        )
        self.spent = list[float]()
        self.simulations = list[int]()

    def choose(self, game: "Game") -> int:
        began = time.perf_counter()
        root = self._bot.mcts_search(game.theirs)
        self.spent.append(time.perf_counter() - began)
        self.simulations.append(root.explore_count)
        return int(root.best_child().action)


class Ours:
    """Our engine at a level, bound by time too.

    Attributes:
        spent: seconds of each move.
    """

    def __init__(self, level: int, seconds: float) -> None:
        self.title = f"ataxxd, level {level}"
        self._bot = NativeBot(level)
        self._milliseconds = round(1000 * seconds)
        self.spent = list[float]()

    def choose(self, game: "Game") -> int:
        began = time.perf_counter()
        move = self._bot.choose(game.ours, time_ms=self._milliseconds)
        self.spent.append(time.perf_counter() - began)
        return game.names[game.ours.format_move(move, "pgn")]


class Game:
    """One game in both programs."""

    def __init__(self) -> None:
        self.ours = Position.from_text("loa/cs61b", START)
        self.theirs: Any = GAME.new_initial_state()

    @property
    def names(self) -> dict[str | None, int]:
        """What OpenSpiel calls each legal move."""
        theirs = self.theirs
        return {theirs.action_to_string(action): action for action in theirs.legal_actions()}

    def play(self, action: int) -> None:
        name = self.theirs.action_to_string(action)
        moves = self.ours.legal_moves
        move = next(move for move in moves if self.ours.format_move(move, "pgn") == name)
        self.ours = self.ours.play(move)
        self.theirs.apply_action(action)


def opening(seed: int) -> list[int]:
    """Random moves after which the game goes on."""
    choices = random.Random(seed)
    while True:
        game, actions = Game(), list[int]()
        while len(actions) < OPENING_PLIES and not game.theirs.is_terminal():
            actions.append(choices.choice(game.theirs.legal_actions()))
            game.play(actions[-1])
        if not game.theirs.is_terminal():
            return actions


def half_points(actions: list[int], ours: Ours, mcts: Mcts, side: int) -> int:
    """Plays on after some moves, we as `side`; what we get: 0, 1 or 2."""
    game = Game()
    for action in actions:
        game.play(action)
    while not game.theirs.is_terminal():
        player = ours if game.theirs.current_player() == side else mcts
        game.play(player.choose(game))
    points: list[float] = game.theirs.returns()
    return 1 + round(points[side])


def spent(player: Ours | Mcts) -> str:
    """How long the moves of a player took."""
    mean, most = statistics.fmean(player.spent), max(player.spent)
    return f"{player.title}: {1000 * mean:.0f} ms a move, at most {1000 * most:.0f} ms"


def main(games: int = 10, milliseconds: int = 20, times: int = 20, level: int = 10) -> None:
    """Plays the games in pairs, and prints the result."""
    ours = Ours(level, milliseconds / 1000)
    mcts = Mcts(times * milliseconds / 1000)
    results, pairs = [0, 0, 0], [0] * 5
    for pair in range(games // 2):
        actions = opening(pair)
        points = [half_points(actions, ours, mcts, side) for side in (0, 1)]
        for point in points:
            results[point] += 1
        pairs[sum(points)] += 1
    lost, drawn, won = results
    score = (won + drawn / 2) / sum(results)
    said = estimate(pairs)
    assert said is not None
    print(f"Lines of Action, {sum(results)} games after {OPENING_PLIES} random moves")
    print(spent(ours))
    print(f"{spent(mcts)}, {statistics.fmean(mcts.simulations):.0f} simulations")
    print(f"+{won} ={drawn} -{lost}: {score:.1%}, Elo {said.elo:+.0f} ± {said.error:.0f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
