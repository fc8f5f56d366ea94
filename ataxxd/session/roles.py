"""The two players of a game by role, and how roles, sides and the wire's names relate."""

from enum import StrEnum

from ataxxd.rules import Side


class Role(StrEnum):
    """A player by how it came to the game; the value is the wire's name."""

    HOST = "host"
    GUEST = "guest"

    @property
    def other(self) -> "Role":
        """The opponent."""
        return Role.GUEST if self is Role.HOST else Role.HOST


SIDE_BY_NAME = {"first": Side.FIRST, "second": Side.SECOND}
