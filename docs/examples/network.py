"""A network that learns reversi by playing itself, and then plays over a broker.

python network.py train weights.npz 300
python network.py join weights.npz ourgame
"""

import asyncio
import random
import sys
from collections import deque
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from ataxxd.client import open_node
from ataxxd.errors import AtaxxdError
from ataxxd.rules import Move, Position, Side

Array = npt.NDArray[np.float64]
RULESET = "reversi/standard"
HIDDEN, RATE, CURIOSITY = 64, 0.1, 0.3
MEMORY, BATCH, STEPS = 10_000, 64, 10  # positions, positions, and steps after every game
# The board as each side sees it: 1 for its own discs, -1 for the other's.
EYES = ({"x": 1, "o": -1, ".": 0}, {"x": -1, "o": 1, ".": 0})


def seen(position: Position) -> list[int]:
    """The board by the eyes of whoever is on turn, as 64 numbers."""
    eyes = EYES[position.turn]
    return [eyes[sign] for row in position.rows for sign in row]


class Network:
    """One hidden layer. It says by how much whoever is on turn will win, from -1 to 1."""

    def __init__(self, hidden: Array, output: Array) -> None:
        self.hidden, self.output = hidden, output

    @classmethod
    def new(cls, seed: int) -> Self:
        chance = np.random.default_rng(seed)
        return cls(chance.normal(0, 0.1, (64, HIDDEN)), chance.normal(0, 0.1, HIDDEN))

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path) as kept:
            return cls(kept["hidden"], kept["output"])

    def save(self, path: Path) -> None:
        np.savez(path, hidden=self.hidden, output=self.output)

    def choose(self, position: Position) -> Move:
        """The move after which the other side is worst off."""
        moves = position.legal_moves
        boards = np.array([seen(position.play(move)) for move in moves], dtype=float)
        theirs = np.tanh(np.tanh(boards @ self.hidden) @ self.output)
        return moves[int(np.argmin(theirs))]

    def learn(self, boards: Array, results: Array) -> None:
        """One step of gradient descent on the squared error."""
        inner = np.tanh(boards @ self.hidden)
        said = np.tanh(inner @ self.output)
        slope = (said - results) * (1 - said**2) / len(boards)
        back = np.outer(slope, self.output) * (1 - inner**2)
        self.output -= RATE * (slope @ inner)
        self.hidden -= RATE * (boards.T @ back)


def train(games: int, seed: int = 1) -> Network:
    """Play against itself, now and then at random, and learn how the games ended."""
    network, chance = Network.new(seed), random.Random(seed)
    known: deque[tuple[list[int], int]] = deque(maxlen=MEMORY)
    for _ in range(games):
        position, boards = Position.start(RULESET), []
        while position.outcome is None:
            boards.append((position.turn, seen(position)))
            curious = chance.random() < CURIOSITY
            move = chance.choice(position.legal_moves) if curious else network.choose(position)
            position = position.play(move)
        first, second = position.counts
        won = (first > second) - (first < second)
        known += [(board, won if turn is Side.FIRST else -won) for turn, board in boards]
        for _ in range(STEPS):
            lesson = chance.sample(known, min(BATCH, len(known)))
            network.learn(
                np.array([board for board, _ in lesson], dtype=float),
                np.array([result for _, result in lesson], dtype=float),
            )
    return network


async def join(network: Network, name: str) -> None:
    async with open_node() as node, node.join(name) as game:
        async for position in game.my_turns():
            await game.play(network.choose(position))
        print(game.side, game.outcome)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train", weights, games]:
            train(int(games)).save(Path(weights))
        case ["join", weights, name]:
            try:
                asyncio.run(join(Network.load(Path(weights)), name))
            except AtaxxdError as error:
                sys.exit(str(error))
        case _:
            sys.exit(__doc__)
