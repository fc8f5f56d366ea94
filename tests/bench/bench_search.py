"""The Ataxx search: depth and speed in one second, and nodes to fixed depths, one thread."""

from ataxxd.engines.benchmark import TASKS
from ataxxd.rules import Engine, Position

# Of the positions of `ataxxd bench`.
NAMES = {0: "start", 1: "blocks", 5: "middle game", 7: "endgame"}
TIME_MS = 1_000


def main() -> None:
    """Prints one line a position."""
    task = TASKS["ataxx"]
    nodes_to = f"nodes to depth {task.depth}"
    print(f"{'position':12}{'depth in 1 s':>14}{'speed':>14}{nodes_to:>22}")
    for number, name in NAMES.items():
        position = Position.from_text(task.ruleset, task.positions[number])
        timed = Engine(64).search(position, time_ms=TIME_MS)
        fixed = Engine(64).search(position, depth=task.depth)
        speed = timed.nodes / max(1, timed.elapsed_ms) / 1e3
        print(f"{name:12}{timed.depth:>14}{speed:>9.2f} Mn/s{fixed.nodes:>22,}")


if __name__ == "__main__":
    main()
