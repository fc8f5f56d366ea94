"""Offers: a game's name and terms, new offers from them, and rematch offers.

On a broker, a host has one game under a name. So the games of a table, including finished ones that
can still be watched, are called NAME, NAME-2, NAME-3 and so on, and the table's name leads to all
of them.
"""

import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from ataxxd import __version__
from ataxxd.errors import UsageError
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.handshake import make_commitment
from ataxxd.session.ledger import Ledger
from ataxxd.times import format_duration, parse_clock, parse_duration_ms
from ataxxd_protocol import PROTOCOL_VERSION, SigningKey, grouped, position_digest, signed
from ataxxd_protocol.messages import MAX_WITNESSES, NODE_PATTERN, EventPlan, Offer
from ataxxd_protocol.version import free_first_ms

T = TypeVar("T")

# The length of the longest valid name; see ataxxd_protocol.messages.NAME_PATTERN.
_LONGEST_NAME = 32
_NUMBER = re.compile(r"-([1-9][0-9]*)$")


def numbered_name(table: str, number: int) -> str:
    """The name of a table's game by its number; number 1 has the name of the table."""
    if number == 1:
        return table
    end = f"-{number}"
    return table[: _LONGEST_NAME - len(end)] + end


def names_at(table: str) -> Iterator[str]:
    """All names that a table's games may have, the table's own first."""
    return (numbered_name(table, number) for number in itertools.count(1))


def is_at(table: str, name: str) -> bool:
    """Whether a game of this name may belong to the table."""
    found = _NUMBER.search(name)
    return name == table or (found is not None and numbered_name(table, int(found[1])) == name)


def wire_name(typed: str) -> str:
    """The name that a typed one stands for: lower-case, with ``_``, ``.`` and spaces as dashes.

    Mailbox names in the old checkers program contain all of these: ``Foo`` and ``our_game`` stand
    for ``foo`` and ``our-game``. The result of an invalid name is invalid too.
    """
    return re.sub("[_. ]", "-", typed.strip(" ").lower())


def shown_name(typed: str, name: str) -> str:
    """The name as it was typed, if that stands for the game's name; else the name."""
    return typed if wire_name(typed) == name else name


class TermsError(UsageError):
    """The terms of a game are invalid as written.

    Attributes:
        field: which term: ``clock``, ``grace``, ``access`` or ``witnesses``.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True, slots=True)
class TermLabels:
    """The names of the terms where they are written, such as options, for error messages.

    Attributes:
        clock: such as ``--clock``.
        grace: such as ``--grace``.
        guest: such as ``--guest``.
        witness: such as ``--witness``.
    """

    clock: str
    grace: str
    guest: str
    witness: str


WITNESSES_VARIABLE = "ATAXXD_WITNESSES"
OPTIONS = TermLabels("--clock", "--grace", "--guest", "--witness")
ARGUMENTS = TermLabels("clock", "grace", "guest", "witnesses")
FORM = TermLabels("The clock", "The grace", "The guest's id", "The witness")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players agree on besides the rules and the start position.

    Attributes:
        clock: as in an offer; None for no clock.
        grace_ms: how long a player may be silent before the opponent may claim, in milliseconds;
            None for no limit.
        takebacks: ``never``, or None if moves may be taken back.
        access: ``invited``, or the id of the node that the seat is kept for; None for anyone.
        witnesses: the ids of the nodes that decide what a claim is worth; None for none.
    """

    clock: Mapping[str, int] | None = None
    grace_ms: int | None = None
    takebacks: str | None = None
    access: str | None = None
    witnesses: tuple[str, ...] | None = None

    @classmethod
    def read(
        cls,
        clock: str,
        grace: str,
        *,
        takebacks: bool,
        guest: str | None = None,
        invited: bool = False,
        witnesses: Sequence[str] = (),
        written: TermLabels = OPTIONS,
    ) -> "Terms":
        """Read terms as people write them.

        Args:
            clock: such as ``5+3``, or ``none``.
            grace: such as ``15m``, or ``never``.
            takebacks: whether moves may be taken back.
            guest: the id of the node that the seat is kept for.
            invited: joining takes the invitation.
            witnesses: the ids of the nodes that decide what a claim is worth.
            written: the names of the terms, for errors.

        Raises:
            TermsError: one of them is invalid, or they contradict each other.
        """
        return cls(
            _of("clock", lambda: parse_clock(clock, written.clock)),
            _of(
                "grace",
                lambda: None if grace == "never" else parse_duration_ms(grace, written.grace),
            ),
            None if takebacks else "never",
            _of("access", lambda: access_field(guest, invited=invited, option=written.guest)),
            _of("witnesses", lambda: witnesses_field(witnesses, guest, written.witness)),
        )

    @classmethod
    def agreed(cls, document: Offer | EventPlan) -> "Terms":
        """The terms of an offer or of an event's games, except for who may join."""
        fields = document.fields()
        witnesses = document.witnesses if isinstance(document, Offer) else None
        return cls(
            fields.get("clock"),
            fields.get("grace_ms"),
            fields.get("takebacks"),
            witnesses=witnesses,
        )

    def fields(self) -> dict[str, Any]:
        """The terms as fields of an offer."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def _of(field: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except UsageError as error:
        raise TermsError(field, str(error)) from None


def access_field(guest: str | None, *, invited: bool, option: str = "--guest") -> str | None:
    """The ``access`` field of an offer; None for anyone.

    Raises:
        UsageError: the options contradict each other, or `guest` is not a node id.
    """
    if guest is None:
        return "invited" if invited else None
    if invited:
        raise UsageError("--guest already keeps the seat for one node: leave out --invited.")
    return _node(guest, option)


def default_witnesses(*but: str | None) -> tuple[str, ...]:
    """The witnesses for every game by default, from ``$ATAXXD_WITNESSES``.

    Args:
        but: the ids of the players, who cannot be witnesses.

    Raises:
        UsageError: one of them is not a node id.
    """
    words = os.environ.get(WITNESSES_VARIABLE, "").split()
    players = {each.replace("-", "").lower() for each in but if each is not None}
    wanted = [_node(each, WITNESSES_VARIABLE) for each in words]
    return tuple(each for each in wanted if each not in players)


def witnesses_field(
    witnesses: Sequence[str], guest: str | None, option: str = "--witness"
) -> tuple[str, ...] | None:
    """The ``witnesses`` field of an offer; None for none.

    Raises:
        UsageError: there are too many; or one is named twice, has the seat or is not a node id.
    """
    nodes = [_node(each, option) for each in witnesses]
    if len(nodes) > MAX_WITNESSES:
        raise UsageError(f"{option}: a game has {MAX_WITNESSES} witnesses at most.")
    if len(set(nodes)) < len(nodes):
        raise UsageError(f"{option}: one witness is named twice.")
    if guest is not None and _node(guest, option) in nodes:
        raise UsageError(f"{option}: the seat is kept for this node, so it cannot be a witness.")
    return tuple(nodes) or None


def _node(written: str, option: str) -> str:
    node = written.replace("-", "").lower()
    if not re.fullmatch(NODE_PATTERN, node):
        raise UsageError(
            f"{option} {written!r} is not a node id: an id has 20 letters and digits, and each "
            "player sees their own with: ataxxd id"
        )
    return node


def describe_terms(offer: Offer, *, taken: bool = False, us: str | None = None) -> str:
    """The terms of an offer in words; empty if there are none.

    Args:
        offer: the offer.
        taken: both seats are taken, so leave out who may join.
        us: the id of the reader's node.
    """
    said = _agreed(offer)
    if taken:
        pass
    elif offer.access == "invited":
        said.append("by invitation only")
    elif offer.access is not None:
        who = "you" if offer.access == us else grouped(offer.access)
        said.append(f"the seat is kept for {who}")
    return "; ".join(said)


def describe_event_terms(plan: EventPlan) -> str:
    """The terms of an event's games in words; empty if there are none."""
    return "; ".join(_agreed(plan))


def _agreed(document: Offer | EventPlan) -> list[str]:
    said = []
    clock = document.clock
    if clock is not None and clock.move_ms is not None:
        said.append(f"{format_duration(clock.move_ms)} for each move")
    elif clock is not None and clock.base_ms is not None:
        added = f" and {format_duration(clock.increment_ms)} a move" if clock.increment_ms else ""
        said.append(f"{format_duration(clock.base_ms)} each{added}")
    if clock is not None and (free := free_first_ms(document.v)):
        said.append(
            f"each clock starts with its player's first move, or after {format_duration(free)}"
        )
    if document.grace_ms is not None:
        said.append(f"a player who is silent for {format_duration(document.grace_ms)} may lose")
    if document.takebacks == "never":
        said.append("no takebacks")
    if isinstance(document, Offer) and document.witnesses:
        said.append(f"witnesses of claims: {', '.join(map(grouped, document.witnesses))}")
    return said


AGENT = f"ataxxd/{__version__}"
"""What this program calls itself in offers and joins."""
REMATCH_MS = 120_000
"""How long the other player has to come to a rematch."""

# The fields that a rematch takes over from the offer before it.
_TERMS = (
    "name", "ruleset", "start", "opening", "start_hash", "clock", "grace_ms", "takebacks",
    "witnesses",
)  # fmt: skip


def new_offer(
    key: SigningKey,
    name: str,
    first: GameRecord,
    *,
    color: str,
    secret: str,
    now_ms: int,
    lasts_ms: int,
    terms: Terms,
) -> Offer:
    """Make and sign an offer.

    Args:
        key: the host's key.
        name: the name of the game.
        first: the start position, and the moves already made.
        color: the host's side: ``first``, ``second`` or ``random``.
        secret: what the offer commits to.
        now_ms: the time now, in Unix milliseconds.
        lasts_ms: milliseconds for which the offer is open.
        terms: the other terms.

    Raises:
        TermsError: the host is named as a witness.
    """
    if key.node in (terms.witnesses or ()):
        raise TermsError("witnesses", "The host of a game cannot be a witness of it.")
    opening = {"opening": [move.text for move in first.moves]} if first.moves else {}
    return _signed(
        key,
        {
            "name": name,
            "ruleset": first.start.ruleset,
            "start": first.start.text,
            **opening,
            **terms.fields(),
            "start_hash": position_digest(first.start.ruleset, first.position.text),
            "color": color,
        },
        secret,
        now_ms,
        lasts_ms,
    )


def rematch_offer(key: SigningKey, ended: Ledger, *, secret: str, now_ms: int) -> Offer:
    """The offer of a rematch: colours swapped, and the seat kept for the same opponent."""
    terms = ended.offer.fields()
    return _signed(
        key,
        {
            **{name: terms[name] for name in _TERMS if name in terms},
            "color": _color(ended, key.node),
            "access": next(each for each in _players(ended) if each != key.node),
            "rematch_of": ended.game,
        },
        secret,
        now_ms,
        REMATCH_MS,
    )


def is_rematch(offer: Offer, ended: Ledger, guest: str) -> bool:
    """Whether an offer to `guest` is a rematch on the same terms as the last game."""
    terms, known = offer.fields(), ended.offer.fields()
    return (
        offer.rematch_of == ended.game
        and offer.host in _players(ended)
        and offer.host != guest
        and offer.access in (None, guest)
        and offer.color == _color(ended, offer.host)
        and all(terms.get(name) == known.get(name) for name in _TERMS)
    )


def _signed(
    key: SigningKey, fields: dict[str, Any], secret: str, now_ms: int, lasts_ms: int
) -> Offer:
    offer = Offer.model_validate(
        {
            **fields,
            "v": PROTOCOL_VERSION,
            "host": key.node,
            "key": key.public_key,
            "commit": make_commitment(secret),
            "agent": AGENT,
            "created_ms": now_ms,
            "expires_ms": now_ms + lasts_ms,
        }
    )
    return signed(offer, key)


def _players(ended: Ledger) -> tuple[str, str]:
    assert ended.join is not None  # it has been played
    return ended.offer.host, ended.join.author


def _color(ended: Ledger, host: str) -> str:
    """The side that `host` did not have in the game that ended."""
    assert ended.host_side is not None
    side = ended.host_side if host == ended.offer.host else ended.host_side.opponent
    return side.opponent.name.lower()
