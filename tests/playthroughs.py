"""Golden games: every position, legal move and notation of a game, written down.

``python -m tests.playthroughs`` writes the files of ``tests/data/playthroughs`` anew; a
difference there is a change of the rules or of the text, and has to be meant. The games
are random, but for a preference that lets them end.
"""

from collections.abc import Iterator
from pathlib import Path

from ataxxd.rules import Move, Position, rulesets

FOLDER = Path(__file__).parent / "data" / "playthroughs"
SEEDS = (1, 2)
NOTATIONS = {
    "ataxx": ["cs61b"],
    "loa": ["pgn"],
    "checkers": ["cs61b", "pdn"],
    "reversi": ["laboratory"],
}


def path_of(ruleset: str, seed: int) -> Path:
    """Where the playthrough of a ruleset and a seed is kept."""
    return FOLDER / f"{ruleset.replace('/', '-')}-{seed}.txt"


def playthrough(ruleset: str, seed: int) -> str:
    """One game, as its file has it."""
    return "\n".join(_lines(ruleset, seed)) + "\n"


def _lines(ruleset: str, seed: int) -> Iterator[str]:
    yield "# Written by `python -m tests.playthroughs`."
    yield f"ruleset: {ruleset}"
    yield f"seed: {seed}"
    position = Position.start(ruleset)
    numbers = _numbers(seed)
    ply = 0
    while True:
        yield ""
        yield f"{ply}: {position.text}"
        yield f"turn: {position.turn.name}, pieces: {position.counts[0]} {position.counts[1]}"
        yield from (f"  |{row}|" for row in position.rows)
        if position.outcome is not None:
            break
        moves = position.legal_moves
        yield f"moves: {' '.join(move.text for move in moves)}"
        move = _choose(position, next(numbers), next(numbers))
        written = [position.format_move(move, name) for name in NOTATIONS[position.game]]
        yield f"plays: {' '.join([move.text, *written])}"
        position = position.play(move)
        ply += 1
    outcome = position.outcome
    yield f"ends: {outcome.termination} {outcome.score}"
    yield f"refuses: {_refusal(position)}"


def _numbers(seed: int) -> Iterator[int]:
    """Random enough, and the same in every version of Python (Knuth's MMIX)."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def _choose(position: Position, first: int, second: int) -> Move:
    one, other = (position.legal_moves[n % len(position.legal_moves)] for n in (first, second))
    if position.game == "loa":  # the more central target, or nobody would ever connect
        return min(one, other, key=_distance_from_the_middle)
    return one


def _distance_from_the_middle(move: Move) -> float:
    if move.text == "-":
        return 0
    return abs(ord(move.text[-2]) - ord("a") - 3.5) + abs(int(move.text[-1]) - 4.5)


def _refusal(position: Position) -> str:
    start = Position.start(position.ruleset)
    try:
        position.play(start.legal_moves[0])
    except ValueError as error:
        return str(error)
    raise AssertionError("a finished game takes no moves")


def main() -> None:
    """Writes all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for info in rulesets():
        for seed in SEEDS:
            path_of(info.id, seed).write_text(playthrough(info.id, seed), encoding="utf-8")


if __name__ == "__main__":
    main()
