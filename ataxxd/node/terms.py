"""The terms of a game: read once, from wherever people write them, and told in words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from ataxxd.errors import UsageError
from ataxxd.times import clock_fields, duration_ms, length
from ataxxd_protocol import grouped
from ataxxd_protocol.fields import NODE_PATTERN
from ataxxd_protocol.messages import EventPlan, Offer
from ataxxd_protocol.version import free_first_ms

T = TypeVar("T")


class TermsError(UsageError):
    """What somebody has written as the terms of a game says nothing.

    Attributes:
        field: which of them: ``clock``, ``grace`` or ``access``.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True, slots=True)
class Written:
    """What the terms are called where they are written, for errors.

    Attributes:
        clock: such as ``--clock``.
        grace: such as ``--grace``.
        guest: such as ``--guest``.
    """

    clock: str
    grace: str
    guest: str


OPTIONS = Written("--clock", "--grace", "--guest")
ARGUMENTS = Written("clock", "grace", "guest")
FORM = Written("The clock", "The grace", "The guest's id")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players of a game agree on, besides its rules and where it begins.

    Attributes:
        clock: as in an offer; None for none.
        grace_ms: how long a player may be silent before it may lose; None for as long as it likes.
        takebacks: ``never``, or None where moves may be taken back.
        access: ``invited``, or the id of the node that the seat is kept for; None for anyone.
    """

    clock: Mapping[str, int] | None = None
    grace_ms: int | None = None
    takebacks: str | None = None
    access: str | None = None

    @classmethod
    def read(
        cls,
        clock: str,
        grace: str,
        *,
        takebacks: bool,
        guest: str | None = None,
        invited: bool = False,
        written: Written = OPTIONS,
    ) -> "Terms":
        """The terms as people write them.

        Args:
            clock: such as ``5+3``, or ``none``.
            grace: such as ``15m``, or ``never``.
            takebacks: whether moves may be taken back.
            guest: the id of the node that the seat is kept for.
            invited: only who has the invitation may join.
            written: where they are written.

        Raises:
            TermsError: one of them says nothing, or they contradict each other.
        """
        return cls(
            _of("clock", lambda: clock_fields(clock, written.clock)),
            _of("grace", lambda: None if grace == "never" else duration_ms(grace, written.grace)),
            None if takebacks else "never",
            _of("access", lambda: access_field(guest, invited=invited, option=written.guest)),
        )

    @classmethod
    def agreed(cls, document: Offer | EventPlan) -> "Terms":
        """What an offer or an event says of its games, but for who may join."""
        fields = document.fields()
        return cls(fields.get("clock"), fields.get("grace_ms"), fields.get("takebacks"))

    def fields(self) -> dict[str, Any]:
        """As fields of an offer."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def _of(field: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except UsageError as error:
        raise TermsError(field, str(error)) from None


def access_field(guest: str | None, *, invited: bool, option: str = "--guest") -> str | None:
    """Who may join, for an offer; None for anyone.

    Raises:
        UsageError: the options contradict each other, or `guest` is no node id.
    """
    if guest is None:
        return "invited" if invited else None
    if invited:
        raise UsageError("--guest keeps the seat for one node already: leave out --invited.")
    node = guest.replace("-", "").lower()
    if not re.fullmatch(NODE_PATTERN, node):
        raise UsageError(
            f"{option} {guest!r} is no node id: it has 20 letters and digits, and the guest sees "
            "it with: ataxxd id"
        )
    return node


def as_text(offer: Offer, *, taken: bool = False, us: str | None = None) -> str:
    """The terms of an offer in words; empty when there are none.

    Args:
        offer: the game's.
        taken: both seats are, so that nobody needs to know who may join.
        us: the id of the node whose player reads it.
    """
    said = []
    clock = offer.clock
    if clock is not None and clock.move_ms is not None:
        said.append(f"{length(clock.move_ms)} for each move")
    elif clock is not None and clock.base_ms is not None:
        added = f" and {length(clock.increment_ms)} a move" if clock.increment_ms else ""
        said.append(f"{length(clock.base_ms)} each{added}")
    if clock is not None and (free := free_first_ms(offer.v)):
        said.append(f"each clock starts with its player's first move, or after {length(free)}")
    if offer.grace_ms is not None:
        said.append(f"a player who is silent for {length(offer.grace_ms)} may lose")
    if offer.takebacks == "never":
        said.append("no takebacks")
    if taken:
        pass
    elif offer.access == "invited":
        said.append("by invitation only")
    elif offer.access is not None:
        who = "you" if offer.access == us else grouped(offer.access)
        said.append(f"the seat is kept for {who}")
    return "; ".join(said)
