"""From files to rated games: every record is verified, and what does not count says why."""

from collections.abc import Iterable
from dataclasses import dataclass

from ataxxd.errors import VerificationError
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd_protocol.signing import digest

_WHY = {
    Standing.DISPUTED: "its result is disputed",
    Standing.CONTESTED: "its claim is contested",
    Standing.UNCONFIRMED: "a player has not signed the result",
    Standing.UNFINISHED: "the game is not over",
}


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts.

    Attributes:
        game: its id.
        record: digest of its record file.
        name: what it was offered as.
        ruleset: the rules.
        first: node id of who moved first.
        second: node id of the other.
        score: in halves of a point for `first`: 0, 1 or 2.
        created_ms: when it was offered, by the host's clock; Unix milliseconds.
    """

    game: str
    record: str
    name: str
    ruleset: str
    first: str
    second: str
    score: int
    created_ms: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that does not count.

    Attributes:
        source: the file.
        why: in words.
    """

    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a set of records comes to.

    Attributes:
        games: those that count, in the order of `created_ms` and then of their ids.
        left_out: the others, in the order in which they came.
        repeated: how many records were copies of one that is counted.
        digest: of the digests of all records that count, in the order of `games`: who has the
            same rates the same games.
    """

    games: tuple[RatedGame, ...]
    left_out: tuple[LeftOut, ...]
    repeated: int
    digest: str


def gathered(records: Iterable[tuple[str, bytes | Ledger]]) -> Gathered:
    """Verify records and keep those that count, in whatever order they come.

    A game counts when its record holds, both players signed its result, and there is one. Two
    records of a game that differ, each with both signatures, are two stories told by the same
    players: neither counts.

    Args:
        records: the name of each file and its bytes, or a game that was verified already.
    """
    counted: dict[str, list[RatedGame]] = {}
    sources: dict[str, list[str]] = {}
    left_out: list[LeftOut] = []
    repeated = 0
    for source, data in records:
        found = _judged(data)
        if isinstance(found, str):
            left_out.append(LeftOut(source, found))
            continue
        known = counted.setdefault(found.game, [])
        if found in known:
            repeated += 1
            continue
        known.append(found)
        sources.setdefault(found.game, []).append(source)
    games: list[RatedGame] = []
    for game, stories in counted.items():
        if len(stories) == 1:
            games += stories
        else:
            why = "its players signed another record of the same game"
            left_out += [LeftOut(source, why) for source in sources[game]]
    games.sort(key=lambda each: (each.created_ms, each.game))
    listed = "".join(f"{each.record}\n" for each in games)
    return Gathered(tuple(games), tuple(left_out), repeated, digest(listed.encode()))


def _judged(record: bytes | Ledger) -> RatedGame | str:
    """The game of a record, or why it does not count."""
    try:
        ledger = record if isinstance(record, Ledger) else verify_record(record).ledger
    except VerificationError as error:
        return str(error)
    standing, outcome = standing_of(ledger), ledger.outcome
    if standing is not Standing.AGREED:
        return _WHY[standing]
    assert outcome is not None
    assert ledger.join is not None
    if outcome.score == "*":
        return f"it has no result ({outcome.termination})"
    first, second = _sides(ledger)
    score = 1 if outcome.winner is None else 2 * (outcome.winner is Side.FIRST)
    offer = ledger.offer
    data = dump_record(ledger) if isinstance(record, Ledger) else record
    return RatedGame(
        ledger.game, digest(data), offer.name, offer.ruleset, first, second, score, offer.created_ms
    )


def _sides(ledger: Ledger) -> tuple[str, str]:
    """The node ids of who moved first and of the other."""
    assert ledger.join is not None
    host, guest = ledger.offer.host, ledger.join.author
    return (host, guest) if ledger.host_side is Side.FIRST else (guest, host)
