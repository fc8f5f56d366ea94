"""A bot of Ataxx that speaks UAI: it takes the move that leaves it the most pieces."""

import sys

from ataxxd.rules import Move, Position

START = Position.start("ataxx/uai")


def best(position: Position) -> Move:
    us = position.turn
    return max(position.legal_moves, key=lambda move: position.play(move).counts[us])


def read_position(words: list[str]) -> Position:
    """`startpos` or `fen …`, and perhaps `moves …` from there."""
    at = words.index("moves") if "moves" in words else len(words)
    position = START
    if words[0] == "fen":
        position = Position.from_text(START.ruleset, " ".join(words[1:at]))
    for move in words[at + 1 :]:
        position = position.play(position.parse_move(move))
    return position


def main() -> None:
    position = START
    for line in sys.stdin:
        match line.split():
            case ["uai"]:
                print("id name Greedy\nid author me\nuaiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", *words]:
                position = read_position(words)
            case ["go", *_]:
                print(f"bestmove {best(position)}", flush=True)
            case ["quit"]:
                break


if __name__ == "__main__":
    main()
