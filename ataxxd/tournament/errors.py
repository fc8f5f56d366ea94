"""What can be wrong with an event, each with its exit code."""

from ataxxd.errors import AtaxxdError, ExitCode, GameError


class NoSuchEvent(GameError):
    """Nobody has published the event on this broker."""


class EventFault(AtaxxdError):
    """The host of an event signed what does not follow from the plan and the results."""

    exit_code = ExitCode.CHEATING_PROVED
