"""How others come to a game over the network: the commands that they type."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a person sends to a friend.

    Attributes:
        name: of the game.
        join: the command that takes the open seat; None when there is none.
        watch: the command that looks on.
        terms: what is agreed to by joining, in words; empty for the usual.
        reaches: whether the broker can be reached from other machines.
        link: what opens the game in a browser; None when there is none.
    """

    name: str
    join: str | None
    watch: str
    terms: str = ""
    reaches: bool = True
    link: str | None = None
