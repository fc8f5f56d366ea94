"""Words that are counted: ``1 ply``, ``2 plies``."""


def plural(number: int, one: str, many: str | None = None) -> str:
    """The word for so many of a thing; `many` where it is not `one` with an s."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its word; see `plural`."""
    return f"{number} {plural(number, one, many)}"
