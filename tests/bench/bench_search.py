"""The Ataxx search: depth and speed in one second, and nodes to fixed depths, one thread."""

from ataxxd.rules import Engine, Position

POSITIONS = {
    "start": "x5o/7/7/7/7/7/o5x x 0 1",
    "blocks": "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "middle game": "1xx2oo/xxx1ooo/xx2oo1/3x3/1oo1xx1/ooo1xxx/oo2xx1 o 0 16",
    "endgame": "2ooo2/1oxxxo1/oxxxxxo/1xx1xx1/oxxxxxo/1oxxxo1/2ooo2 x 1 22",
}
TIME_MS = 1_000
DEPTH = 10


def main() -> None:
    """Prints one line a position."""
    print(f"{'position':12}{'depth in 1 s':>14}{'speed':>14}{f'nodes to depth {DEPTH}':>22}")
    for name, text in POSITIONS.items():
        position = Position.from_text("ataxx/cs61b-2022", text)
        timed = Engine(64).search(position, time_ms=TIME_MS)
        fixed = Engine(64).search(position, depth=DEPTH)
        speed = timed.nodes / max(1, timed.elapsed_ms) / 1e3
        print(f"{name:12}{timed.depth:>14}{speed:>9.2f} Mn/s{fixed.nodes:>22,}")


if __name__ == "__main__":
    main()
