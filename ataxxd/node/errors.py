"""What can stop a game before or while it is played, each with its exit code.

GameError (ataxxd.errors)
├── NoSuchGame        nobody offers it on this broker
├── AmbiguousGame     several hosts offer it
├── OtherHost         others have hosted it before
├── SeatTaken         somebody else plays it
├── NobodyCame        an offer expired before anybody joined
├── HostSilent        a host did not answer a join; it may yet
├── NoSuchPlayer      nobody of that name, or several, can be challenged
├── ChallengeDeclined the challenged node does not play
├── NobodyAnswers     no member of a group answered a question
├── NameInUse         this node already plays a game of that name
└── Incompatible      the two programs do not fit; says which to upgrade
"""

from ataxxd.errors import ExitCode, GameError
from ataxxd.node.command_lines import command_line
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer


class NoSuchGame(GameError):
    """Nobody offers the game on this broker."""


class AmbiguousGame(GameError):
    """Several hosts offer a game of this name."""


def host_changed(name: str, *, before: str, now: str) -> str:
    """Say that a name has a different host than before; both as people read them."""
    return f'"{name}" was hosted by {before} before; now by {now}.'


class OtherHost(GameError):
    """A game of a known name is hosted by somebody who has not hosted it before.

    Attributes:
        question: what to ask a person instead.
    """

    exit_code = ExitCode.OTHER_HOST

    def __init__(self, name: str, *, before: str, now: str, host: str) -> None:
        """Name both hosts as people read them; `host` is the id of the one `now`."""
        changed = host_changed(name, before=before, now=now)
        super().__init__(
            f"{changed} Anybody can take a name: ask your friend for the whole id. If this is the "
            f"host you mean: {name}#{grouped(host)}"
        )
        self.question = f"{changed} Join anyway?"


class SeatTaken(GameError):
    """Somebody else has the seat."""

    exit_code = ExitCode.SEAT_TAKEN


class NobodyCame(GameError):
    """An offer expired before anybody joined."""

    exit_code = ExitCode.OPPONENT_GONE


class HostSilent(GameError):
    """The host did not answer our join; the game can be resumed in case it still does."""

    exit_code = ExitCode.OPPONENT_GONE


class NoSuchPlayer(GameError):
    """A name fits no player on this broker, or more than one."""


class ChallengeDeclined(GameError):
    """The challenged node declined."""

    exit_code = ExitCode.OPPONENT_GONE


class NobodyAnswers(GameError):
    """No member of a group answered a request for analysis."""

    exit_code = ExitCode.OPPONENT_GONE


class NameInUse(GameError):
    """This node has an unfinished game of that name, or has left that player a challenge."""

    exit_code = ExitCode.NAME_IN_USE


class Incompatible(GameError):
    """Versions, rulesets or start positions do not fit."""

    exit_code = ExitCode.INCOMPATIBLE


def rejection(offer: Offer, code: str, reason: str) -> GameError:
    """The error for a join that the host rejected."""
    if code == "seat/taken":
        watch = command_line(f"watch {offer.name}#{grouped(offer.host)}")
        return SeatTaken(f"{offer.name}: {reason}: {watch}")
    if code.startswith("seat/"):
        return SeatTaken(f"{offer.name}: the host refused: {reason}.")
    if code.startswith("handshake/"):
        return Incompatible(f"{offer.name}: the host refused: {reason}.")
    return GameError(f"{offer.name}: the host refused ({code}): {reason}.")
