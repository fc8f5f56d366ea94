"""From files to rated games: every record is verified, and what does not count says why."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ataxxd.errors import VerificationError
from ataxxd.rules import Side
from ataxxd.session.counting import NOT_OVER, count_of_all
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import verify_record
from ataxxd.session.roles import Role
from ataxxd.tournament.club_log import ClubLog
from ataxxd.tournament.ratings.days import date_of, day_of, end_of
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.signing import digest


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
        both_lost: it counts as a loss for both; `score` is 0.
    """

    game: str
    ruleset: str
    first: str
    second: str
    score: int
    created_ms: int
    both_lost: bool = False

    @property
    def second_score(self) -> int:
        """In halves of a point for `second`."""
        return 0 if self.both_lost else 2 - self.score


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
        digest: of the games that count, their players and scores, in the order of `games`: whoever
            has the same rates the same games. No signature is in it, since whoever signed may
            sign again.
    """

    games: tuple[RatedGame, ...]
    left_out: tuple[LeftOut, ...]
    repeated: int
    digest: str

    def of_game(self, game: str) -> "Gathered":
        """The same with the games of one kind alone, such as ``ataxx``, and their digest."""
        games = tuple(each for each in self.games if each.ruleset.partition("/")[0] == game)
        return replace(self, games=games, digest=_digest_of(games))


def gathered(
    records: Iterable[tuple[str, bytes | Ledger]],
    *,
    day: int,
    members: Collection[str] | None = None,
    log: ClubLog | None = None,
) -> Gathered:
    """Verify records and keep those that count, in whatever order they come.

    What a game counts as say `ataxxd.session.counting` and all records of it together. It is
    known by its offer and its players, and not by a record's bytes: a player can sign its last
    message again by itself, with another nonce or, where it answers a claim, with another
    ``had_ms``, and a host can take another guest to an offer that was played. So records with one
    result count once, and another guest's game is another game.

    Args:
        records: the name of each file and its bytes, or a game that was verified already.
        day: the last one that counts, in days since 1970-01-01 UTC.
        members: whose games with each other count; None for everybody's.
        log: of the club whose games count; None for all games.
    """
    rules = _Rules(day, members, log)
    told: dict[tuple[str, ...], list[_Told]] = {}
    left_out: list[tuple[int, LeftOut]] = []
    for at, (source, data) in enumerate(records):
        try:
            ledger = _verified(data)
        except VerificationError as error:
            left_out.append((at, LeftOut(source, str(error))))
            continue
        heads = (ledger.head(Role.HOST), ledger.head(Role.GUEST))
        found = _judged([ledger], rules)
        told.setdefault(_players(ledger), []).append(_Told(at, source, data, heads, found))
    games: list[RatedGame] = []
    repeated = 0
    for stories in told.values():
        unique = list({each.heads: each for each in reversed(stories)}.values())[::-1]
        found = unique[0].found
        if len(unique) > 1:
            found = _judged([_verified(each.data) for each in unique], rules)
        if isinstance(found, str):
            left_out += [(each.at, LeftOut(each.source, found)) for each in unique]
        else:
            games.append(found)
            repeated += len(stories) - 1
    if log is not None:
        unseen, missing = _without_record(log, told.keys(), rules)
        games += unseen
        left_out += [(len(told) + len(left_out), each) for each in missing]
    games.sort(key=lambda each: (each.created_ms, each.game, each.first, each.second))
    told_of = tuple(each for _, each in sorted(left_out, key=lambda each: each[0]))
    return Gathered(tuple(games), told_of, repeated, _digest_of(games))


def _digest_of(games: Iterable[RatedGame]) -> str:
    listed = "".join(
        f"{each.game} {each.first} {each.second} {each.score}{'-0' * each.both_lost}\n"
        for each in games
    )
    return digest(listed.encode())


@dataclass(frozen=True, slots=True)
class _Told:
    """A record that holds, and what it alone comes to.

    Of most games there is one. So a record is kept as it came, and replayed again for the others.
    """

    at: int
    source: str
    data: bytes | Ledger
    heads: tuple[str, str]
    found: RatedGame | str


def _verified(record: bytes | Ledger) -> Ledger:
    return record if isinstance(record, Ledger) else verify_record(record).ledger


def _players(ledger: Ledger) -> tuple[str, ...]:
    """What tells a game from others: its offer and who plays it."""
    guest = "" if ledger.join is None else ledger.join.author
    return ledger.game, ledger.offer.host, guest


@dataclass(frozen=True, slots=True)
class _Rules:
    """Which games count; see `gathered`."""

    day: int
    members: Collection[str] | None
    log: ClubLog | None

    def counted(self, game: RatedGame) -> RatedGame | str:
        """A game that counts, but for its day and its players; or why it does not."""
        day = day_of(game.created_ms)
        if day > self.day:
            return f"it is dated {date_of(day)}, later than the table"
        for node in (game.first, game.second):
            if self.members is not None and node not in self.members:
                return f"{grouped(node)} is no member"
        return game


def _judged(stories: Sequence[Ledger], rules: _Rules) -> RatedGame | str:
    """The game of all records of it, or why it does not count."""
    count, ledger, log = count_of_all(stories), stories[0], rules.log
    offer = ledger.offer
    if log is not None and ledger.join is not None:
        guest = ledger.join.author
        if not log.rates(offer, guest):
            return "the club has not announced it"
        if count == NOT_OVER and log.overdue(offer, guest, end_of(rules.day)):
            return rules.counted(_lost_for_both(offer, guest))
    if isinstance(count, str):
        return count
    first, second = _sides(ledger)
    both_lost = count.first + count.second == 0
    return rules.counted(
        RatedGame(
            ledger.game, offer.ruleset, first, second, count.first, offer.created_ms, both_lost
        )
    )


def _without_record(
    log: ClubLog, known: Collection[tuple[str, ...]], rules: _Rules
) -> tuple[list[RatedGame], list[LeftOut]]:
    """Games of a log of which there is no record here.

    Returns:
        Those that are lost for both; and what is missing, or does not count.
    """
    games: list[RatedGame] = []
    left_out: list[LeftOut] = []
    for game in log.rated():
        if (game.id, game.host, game.guest) in known:
            continue
        where = f"{game.name} ({game.id[:12]})"
        if game.has_record:
            left_out.append(LeftOut(where, "its record, which the club's log names, is not here"))
        # Nor does anybody gain by naming a record that there is not.
        if game.offer is not None and log.overdue(game.offer, game.guest, end_of(rules.day)):
            found = rules.counted(_lost_for_both(game.offer, game.guest))
            if isinstance(found, str):
                left_out.append(LeftOut(where, found))
            else:
                games.append(found)
    return games, left_out


def _lost_for_both(offer: Offer, guest: str) -> RatedGame:
    """A game that its deadline has passed; the same whatever records of it there are."""
    first, second = (offer.host, guest) if offer.color != "second" else (guest, offer.host)
    return RatedGame(
        offer.digest, offer.ruleset, first, second, 0, offer.created_ms, both_lost=True
    )


def _sides(ledger: Ledger) -> tuple[str, str]:
    """The node ids of who moved first and of the other."""
    assert ledger.join is not None
    host, guest = ledger.offer.host, ledger.join.author
    return (host, guest) if ledger.host_side is Side.FIRST else (guest, host)
