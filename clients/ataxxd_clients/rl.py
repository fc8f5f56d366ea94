"""The games as PettingZoo environments, for those who train players; needs ``ataxxd[rl]``.

>>> from ataxxd_clients.rl import env
>>> board = env("ataxx")
>>> board.reset(seed=1)
>>> observation, reward, termination, truncation, info = board.last()
>>> board.step(int(observation["action_mask"].argmax()))

A move is a path of squares. Two squares in a row are one step, which is one action; a move of
one square (a new piece) is the step from the square to itself. A jump of several captures is
several steps of one player. So every game has some hundred actions, whatever its moves.

Source of the interface: https://pettingzoo.farama.org/api/aec/; as in its classic games,
observations are dictionaries with ``observation`` and ``action_mask``.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ataxxd.rules import Move, Position, Side, rulesets
from ataxxd_clients.text.games import line_language

Step = tuple[str, str]

# Whether a step can exist at all, by the columns and rows between its two squares.
_REACH: dict[str, Callable[[int, int], bool]] = {
    "ataxx": lambda across, down: max(across, down) in (0, 2),
    "reversi": lambda across, down: across == down == 0,
    "checkers": lambda across, down: across == down and across in (1, 2),
    "loa": lambda across, down: max(across, down) > 0 and (across == down or 0 in (across, down)),
}


def _anywhere(_across: int, _down: int) -> bool:
    """The reach in a game that `_REACH` does not have: any square."""
    return True


@dataclass(frozen=True, slots=True)
class Pending:
    """A legal move and the steps it takes; none for a pass."""

    move: Move
    steps: tuple[Step, ...]


class Actions:
    """The actions of a game: a number for every step that a board of this size allows.

    Args:
        start: any position of the game, for the names of its squares.

    Attributes:
        steps: the step of each action; the next number is the pass.
    """

    def __init__(self, start: Position) -> None:
        names = start.square_names
        places = [
            (name, column, row)
            for row, line in enumerate(names)
            for column, name in enumerate(line)
            if name is not None
        ]
        reaches = _REACH.get(start.game, _anywhere)
        self.steps: tuple[Step, ...] = tuple(
            (one, other)
            for one, column, row in places
            for other, to_column, to_row in places
            if reaches(abs(to_column - column), abs(to_row - row))
        )
        self._numbers = {step: number for number, step in enumerate(self.steps)}

    def __len__(self) -> int:
        """How many there are."""
        return len(self.steps) + 1

    @property
    def passing(self) -> int:
        """The number of the action that passes."""
        return len(self.steps)

    def pending(self, position: Position) -> tuple[Pending, ...]:
        """The legal moves of a position with their steps."""
        return tuple(Pending(move, self._path(move)) for move in position.legal_moves)

    def numbers(self, moves: Iterable[Pending], made: int) -> frozenset[int]:
        """The actions that continue one of `moves` after `made` steps."""
        return frozenset(
            self._numbers[each.steps[made]] if each.steps else self.passing for each in moves
        )

    def continuations(
        self, moves: Sequence[Pending], made: int, action: int
    ) -> tuple[Pending, ...]:
        """Those of `moves` that the action continues after `made` steps."""
        return tuple(
            each
            for each in moves
            if (self._numbers[each.steps[made]] if each.steps else self.passing) == action
        )

    def _path(self, move: Move) -> tuple[Step, ...]:
        squares = move.squares
        if len(squares) == 1:
            return ((squares[0], squares[0]),)
        return tuple(pairwise(squares))


Observation = dict[str, NDArray[np.int8]]

_AGENTS = ("player_0", "player_1")
PLANES = ("own men", "own kings", "other men", "other kings", "blocked", "path")
"""What each plane of an observation has ones for; `path` is a piece in the middle of a jump."""


def env(game: str, **options: Any) -> AECEnv[str, Observation, int]:
    """The environment of a game, with PettingZoo's usual checks around it.

    Args:
        game: a game's name, such as ``reversi``.
        options: as for `GameEnv`.
    """
    checked = wrappers.TerminateIllegalWrapper(GameEnv(game, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class GameEnv(AECEnv[str, Observation, int], EzPickle):
    """A game between the agents ``player_0``, who moves first in the game, and ``player_1``.

    Observations are from the side of the agent: ``observation`` has shape (rows, columns, 6) of
    ones and zeros, see `PLANES`; ``action_mask`` one entry for each action, see
    `ataxxd_clients.rl`. The board is never turned round. The winner gets 1, the loser -1.

    Args:
        game: the game's name.
        ruleset: its ruleset; the usual one if None.
        position: the position text to begin from; the ruleset's own start if None.
        max_plies: the number of moves after which the game is truncated without a reward.
        render_mode: ``ansi`` makes `render` return the board as text.

    Raises:
        ValueError: there is no such game or ruleset.
        InvalidPositionError: the position is invalid.
    """

    metadata = {  # noqa: RUF012 -- as its base has it
        "name": "ataxxd_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str,
        *,
        ruleset: str | None = None,
        position: str | None = None,
        max_plies: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            game,
            ruleset=ruleset,
            position=position,
            max_plies=max_plies,
            render_mode=render_mode,
        )
        super().__init__()
        known = [info.id for info in rulesets() if info.game == game]
        if ruleset is None and known:
            ruleset = known[0]
        if ruleset not in known:
            games = ", ".join(dict.fromkeys(info.id for info in rulesets()))
            raise ValueError(
                f"There are no rules {ruleset or game!r} of {game}; there are {games}."
            )
        assert ruleset is not None
        self._start = (
            Position.start(ruleset) if position is None else Position.from_text(ruleset, position)
        )
        self._max_plies = max_plies
        self.render_mode = render_mode
        self._actions = Actions(self._start)
        self._moves: tuple[Pending, ...] = ()
        rows = self._start.rows
        self.possible_agents = [*_AGENTS]
        board = spaces.Box(0, 1, (len(rows), len(rows[0]), len(PLANES)), np.int8)
        mask = spaces.Box(0, 1, (len(self._actions),), np.int8)
        self._observation_space = spaces.Dict({"observation": board, "action_mask": mask})
        self._spaces = {
            agent: (
                self._observation_space,
                spaces.Discrete(len(self._actions)),
            )
            for agent in _AGENTS
        }
        self._place(self._start)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `observe`: a dictionary of ``observation`` and ``action_mask``."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the action numbers."""
        return self._spaces[agent][1]

    @property
    def position(self) -> Position:
        """The position, before any move that is only partly made."""
        return self._position

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game; nothing is random, so the seed has no effect."""
        self._place(self._start)
        self.agents = [*_AGENTS]
        self.rewards = dict.fromkeys(_AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(_AGENTS, 0)
        over = self._position.outcome is not None
        self.terminations = dict.fromkeys(_AGENTS, over)
        self.truncations = dict.fromkeys(_AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in _AGENTS}
        self.agent_selection = self._agent(self._position.turn)

    def observe(self, agent: str) -> Observation:
        """The board from the side of an agent; its mask is empty if it is not its turn."""
        rows = self._position.rows
        own, other = ("xX", "oO") if agent == _AGENTS[Side.FIRST] else ("oO", "xX")
        planes = np.zeros((len(rows), len(rows[0]), len(PLANES)), np.int8)
        for plane, sign in enumerate((*own, *other, "#")):
            planes[:, :, plane] = [[each == sign for each in row] for row in rows]
        if self._made:
            here = self._moves[0].steps[self._made - 1][1]
            planes[:, :, -1] = [[name == here for name in line] for line in self._names]
        mask = np.zeros(len(self._actions), np.int8)
        on_turn = agent == self._agent(self._position.turn)
        if on_turn and not any(self.terminations.values()):
            mask[[*self._actions.numbers(self._moves, self._made)]] = 1
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make a step for the selected agent: an action number, or None if the game is over.

        Raises:
            ValueError: the action is not in the mask.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        going_on = (
            () if action is None else self._actions.continuations(self._moves, self._made, action)
        )
        if not going_on:
            raise ValueError(f"Action {action} is not legal here: it is not in the action mask.")
        self._made += 1
        self._moves = going_on
        if len(going_on[0].steps) <= self._made:
            self._complete(going_on[0])
        self.agent_selection = self._agent(self._position.turn)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, if `render_mode` is ``ansi``."""
        if self.render_mode is None:
            return None
        return "\n".join(line_language(self._start.ruleset).board(self._position))

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _complete(self, pending: Pending) -> None:
        self._place(self._position.play(pending.move), plies=self._plies + 1)
        outcome = self._position.outcome
        if outcome is not None:
            for side, agent in zip(Side, _AGENTS, strict=True):
                drawn = outcome.winner is None
                self.rewards[agent] = 0 if drawn else 1 if outcome.winner == side else -1
            self.terminations = dict.fromkeys(_AGENTS, True)
        elif self._plies >= self._max_plies:
            self.truncations = dict.fromkeys(_AGENTS, True)

    def _place(self, position: Position, plies: int = 0) -> None:
        self._position = position
        self._plies = plies
        self._made = 0
        self._moves = self._actions.pending(position)
        self._names = position.square_names

    @staticmethod
    def _agent(side: Side) -> str:
        return _AGENTS[side]
