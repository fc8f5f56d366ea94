"""What can stop a game before or while it is played, each with its exit code.

GameError (ataxxd.errors)
├── NoSuchGame        nobody offers it on this broker
├── AmbiguousGame     several hosts offer it
├── SeatTaken         somebody else plays it
├── NobodyCame        an offer expired before anybody joined
├── NameInUse         this node already plays a game of that name
└── Incompatible      the two programs do not fit; says which to upgrade
"""

from ataxxd.errors import ExitCode, GameError


class NoSuchGame(GameError):
    """Nobody offers the game on this broker."""


class AmbiguousGame(GameError):
    """Several hosts offer a game of this name."""


class SeatTaken(GameError):
    """Somebody else has the seat."""

    exit_code = ExitCode.SEAT_TAKEN


class NobodyCame(GameError):
    """An offer expired before anybody joined."""

    exit_code = ExitCode.OPPONENT_GONE


class NameInUse(GameError):
    """This node already has an unfinished game of that name."""

    exit_code = ExitCode.NAME_IN_USE


class Incompatible(GameError):
    """Versions, rulesets or start positions do not fit."""

    exit_code = ExitCode.INCOMPATIBLE
