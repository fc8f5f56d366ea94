"""Numbers of the search by their names: what there is in a game, and ``NAME=VALUE,...`` as text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from ataxxd.errors import UsageError
from ataxxd.rules import Engine
from ataxxd.wording import did_you_mean

Settings: TypeAlias = Mapping[str, int]
"""Numbers of the search that differ from a game's own, by their names."""

_SETTING: Final = re.compile(r"([a-z_]+)=(-?[0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the search that can be tuned in a game.

    Attributes:
        name: of it.
        value: what the game has.
        least: that it may be.
        most: that it may be.
    """

    name: str
    value: int
    least: int
    most: int


def numbers_of(game: str) -> dict[str, Number]:
    """What can be tuned in a game, by name, in the engine's order."""
    return {name: Number(name, *rest) for name, *rest in Engine.parameters(game)}


def read_settings(text: str, game: str) -> dict[str, int]:
    """Read ``NAME=VALUE,...``.

    Raises:
        UsageError: it is something else, or the search of the game has no such number.
    """
    settings = dict[str, int]()
    for word in text.split(","):
        found = _SETTING.fullmatch(word)
        if found is None or found[1] in settings:
            raise UsageError(
                f'"{word}" sets no number of the search: write each once, as in '
                "aspiration=60,killer=300."
            )
        settings[found[1]] = int(found[2])
    check_settings(settings, game)
    return settings


def check_settings(settings: Settings, game: str) -> None:
    """Check that the search of a game has these numbers, and that they are within their ranges.

    Raises:
        UsageError: it has not, or one is not.
    """
    known = numbers_of(game)
    for name, value in settings.items():
        number = checked_number(name, known, game)
        if not number.least <= value <= number.most:
            raise UsageError(
                f"{name}={value}: {name} must be from {number.least} to {number.most}."
            )


def checked_number(name: str, known: Mapping[str, Number], game: str) -> Number:
    """The number of a name.

    Raises:
        UsageError: the search of the game has none.
    """
    if name not in known:
        raise UsageError(
            f'The search of {game} has no number "{name}".{did_you_mean(name, known)} It has '
            f"{', '.join(known)}."
        )
    return known[name]


def settings_text(settings: Settings) -> str:
    """The text that `read_settings` reads."""
    return ",".join(f"{name}={value}" for name, value in settings.items())
