"""From files to rated games: every record is verified, and what does not count says why."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ataxxd.errors import VerificationError
from ataxxd.ratings.days import date_of, day_of
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of, verify_record
from ataxxd_protocol import grouped
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
        ruleset: the rules.
        first: node id of who moved first.
        second: node id of the other.
        score: in halves of a point for `first`: 0, 1 or 2.
        created_ms: when it was offered, by the host's clock; Unix milliseconds.
    """

    game: str
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
        games: those that count, in the order of `created_ms`, then of ids, then of players.
        left_out: the others, in the order in which they came.
        repeated: how many records said again what another one had said.
        digest: of the games that count, their players and scores, in the order of `games`: who
            has the same rates the same games. No signature is in it, since whoever signed may
            sign again.
    """

    games: tuple[RatedGame, ...]
    left_out: tuple[LeftOut, ...]
    repeated: int
    digest: str


def gathered(
    records: Iterable[tuple[str, bytes | Ledger]],
    *,
    day: int,
    members: Collection[str] | None = None,
) -> Gathered:
    """Verify records and keep those that count, in whatever order they come.

    A game counts when its record holds, both players signed its result, and there is one. It is
    known by its offer and its players, and not by a record's bytes: a player can sign its last
    message again by itself, with another nonce or, where it answers a claim, with another
    ``had_ms``, and a host can take another guest to an offer that was played. So records with one
    result count once, and another guest's game is another game. Two results that both players
    signed need both of them: neither counts.

    Args:
        records: the name of each file and its bytes, or a game that was verified already.
        day: the last one that counts, in days since 1970-01-01 UTC.
        members: whose games with each other count; None for everybody's.
    """
    told: dict[tuple[str, ...], dict[RatedGame, list[str]]] = {}
    left_out: list[LeftOut] = []
    repeated = 0
    for source, data in records:
        found = _judged(data, day, members)
        if isinstance(found, str):
            left_out.append(LeftOut(source, found))
            continue
        results = told.setdefault((found.game, *sorted((found.first, found.second))), {})
        repeated += found in results
        results.setdefault(found, []).append(source)
    games: list[RatedGame] = []
    for results in told.values():
        if len(results) == 1:
            games += results
        else:
            why = "both players signed another result of the same game, too"
            left_out += [LeftOut(sources[0], why) for sources in results.values()]
    games.sort(key=lambda each: (each.created_ms, each.game, each.first, each.second))
    listed = "".join(f"{each.game} {each.first} {each.second} {each.score}\n" for each in games)
    return Gathered(tuple(games), tuple(left_out), repeated, digest(listed.encode()))


def _judged(record: bytes | Ledger, day: int, members: Collection[str] | None) -> RatedGame | str:
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
    offer = ledger.offer
    if day_of(offer.created_ms) > day:
        return f"it is dated {date_of(day_of(offer.created_ms))}, later than the table"
    for node in (first, second):
        if members is not None and node not in members:
            return f"{grouped(node)} is no member"
    score = 1 if outcome.winner is None else 2 * (outcome.winner is Side.FIRST)
    return RatedGame(ledger.game, offer.ruleset, first, second, score, offer.created_ms)


def _sides(ledger: Ledger) -> tuple[str, str]:
    """The node ids of who moved first and of the other."""
    assert ledger.join is not None
    host, guest = ledger.offer.host, ledger.join.author
    return (host, guest) if ledger.host_side is Side.FIRST else (guest, host)
