"""What may have been meant by an option that a command does not have."""

from collections.abc import Collection
from difflib import get_close_matches

# Other words for options: of these a command is offered the first that it has.
_SENSE = {
    "auto": ("--player1 auto",),
    "black": ("--color", "--player1"),
    "blue": ("--color", "--player2"),
    "browser": ("--display",),
    "color": ("--white",),
    "colour": ("--color", "--white"),
    "cores": ("--concurrency", "--threads"),
    "difficulty": ("--level", "--player2 auto@LEVEL"),
    "fen": ("--position",),
    "gui": ("--display", "--tui"),
    "level": ("--player2 auto@LEVEL",),
    "movetime": ("--move-time", "--time"),
    "nickname": ("--name",),
    "opponent": ("--guest", "--player2"),
    "out": ("--output", "--transcript"),
    "output": ("--transcript",),
    "player": ("--with",),
    "red": ("--color", "--player1"),
    "rounds": ("--games",),
    "server": ("--broker",),
    "side": ("--color", "--white"),
    "skill": ("--level", "--player2 auto@LEVEL"),
    "strength": ("--level", "--player2 auto@LEVEL"),
    "tc": ("--clock",),
    "time": ("--move-time", "--clock"),
    "time-control": ("--clock",),
    "variant": ("--ruleset",),
    "web": ("--display",),
    "white": ("--color",),
}
# Less is likeness of the odd letter: "player" and "display", "red" and "seed".
_LIKENESS = 0.7


def options_meant(wrong: str, known: Collection[str]) -> list[str]:
    """The options that may have been meant, the likeliest first; none where none is near.

    Args:
        wrong: as it was typed: ``--leve``.
        known: the options that the command has: ``--level``.
    """
    name = wrong.lstrip("-").lower()
    for option in _SENSE.get(name, ()):
        if option.partition(" ")[0] in known:
            return [option]
    names = {option.lstrip("-"): option for option in known if option.startswith("--")}
    return [names[like] for like in get_close_matches(name, names, cutoff=_LIKENESS)]
