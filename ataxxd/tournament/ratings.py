"""What signed records say about the strength of players, the same whoever computes it.

Every record is verified, and what does not count says why. Ratings are by Glicko-2: Mark E.
Glickman, "Example of the Glicko-2 system" (30 November 2013), steps 1 to 8; the names of the
variables are his. The rating periods are days in UTC, counted from 1970-01-01; the calendar is
by Howard Hinnant, "chrono-compatible low-level date algorithms", ``civil_from_days``; it has no
last year, as the times in offers have none.

Knows records and ledgers; no files, no clock, no network.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from ataxxd.errors import VerificationError
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import NOT_OVER, count_points_of_all, find_started
from ataxxd.session.record import verify_record
from ataxxd.session.state import Role
from ataxxd.tournament.club_log import ClubLog
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.signing import digest

_DAY_MS = 86_400_000
# Years that begin in March, in eras of 400: from 0000-03-01 to 1970-01-01, and in an era.
_BEFORE_1970, _DAYS_IN_400_YEARS = 719_468, 146_097


def day_of(unix_ms: int) -> int:
    """The day of a time in Unix milliseconds, counted from 1970-01-01 UTC."""
    return unix_ms // _DAY_MS


def day_end_ms(day: int) -> int:
    """When a day ends and the next begins, in Unix milliseconds."""
    return (day + 1) * _DAY_MS


def format_day(day: int) -> str:
    """A day, counted from 1970-01-01 UTC, as ``2026-11-24``."""
    era, of_era = divmod(day + _BEFORE_1970, _DAYS_IN_400_YEARS)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // (_DAYS_IN_400_YEARS - 1)) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    from_march = (5 * of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    date = of_year - (153 * from_march + 2) // 5 + 1
    return f"{era * 400 + year + (month <= 2):04}-{month:02}-{date:02}"


# Step 1: the values of a player who has not played.
_RATING, _DEVIATION, _VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5
"""The system's constant: how much the volatility may change; that of Glickman's example."""
_SCALE = 173.7178
# Where the iteration of step 5 stops; far below what can be seen in a rating.
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's estimated strength.

    Attributes:
        rating: on the usual scale; 1500 for a newcomer.
        deviation: the 95 % interval is the rating plus or minus twice this; at most 350.
        volatility: how much the strength is expected to change in a rating period.
    """

    rating: float = _RATING
    deviation: float = _DEVIATION
    volatility: float = _VOLATILITY


@dataclass(frozen=True, slots=True)
class Meeting:
    """One game of a rating period.

    Attributes:
        opponent: the other player's rating before the period.
        score: 1 for a win, 0.5 for a draw, 0 for a loss.
    """

    opponent: Rating
    score: float


def updated_rating(player: Rating, meetings: Sequence[Meeting]) -> Rating:
    """A player's rating after a rating period.

    Args:
        player: the rating before the period.
        meetings: the player's games in the period; without any, only the deviation grows.
    """
    if not meetings:
        return rating_after_idle(player, 1)
    mu, phi = (player.rating - _RATING) / _SCALE, player.deviation / _SCALE
    precision = pull = 0.0
    for meeting in meetings:
        mu_j = (meeting.opponent.rating - _RATING) / _SCALE
        g = _g(meeting.opponent.deviation / _SCALE)
        expected = 1 / (1 + math.exp(-g * (mu - mu_j)))
        precision += g * g * expected * (1 - expected)
        pull += g * (meeting.score - expected)
    v = 1 / precision
    sigma = _volatility(player.volatility, phi, v, v * pull)
    phi_star = math.hypot(phi, sigma)
    phi_new = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
    mu_new = mu + phi_new**2 * pull
    return Rating(_SCALE * mu_new + _RATING, min(_SCALE * phi_new, _DEVIATION), sigma)


def rating_after_idle(player: Rating, periods: int) -> Rating:
    """A player's rating after periods without a game: the deviation grows, up to 350."""
    phi = player.deviation / _SCALE
    grown = _SCALE * math.sqrt(phi * phi + periods * player.volatility**2)
    return Rating(player.rating, min(grown, _DEVIATION), player.volatility)


def _g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Step 5: the new volatility, by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        spread = phi * phi + v + e
        return e * (delta * delta - spread) / (2 * spread * spread) - (x - a) / TAU**2

    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        steps = 1
        while f(a - steps * TAU) < 0:
            steps += 1
        high = a - steps * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts.

    Attributes:
        game: the game's id.
        ruleset: the ruleset.
        first: the node id of the player who moved first.
        second: the other player's node id.
        score: the half points of `first`: 0, 1 or 2.
        created_ms: when it was offered, by the host's clock, in Unix milliseconds.
        both_lost: whether it counts as a loss for both; `score` is 0 then.
        witnessed: whether its offer names witnesses.
    """

    game: str
    ruleset: str
    first: str
    second: str
    score: int
    created_ms: int
    both_lost: bool = False
    witnessed: bool = False

    @property
    def second_score(self) -> int:
        """The half points of `second`."""
        return 0 if self.both_lost else 2 - self.score


@dataclass(frozen=True, slots=True)
class LeftOutRecord:
    """A record that does not count.

    Attributes:
        source: the name of its file.
        why: why it does not count, in words.
    """

    source: str
    why: str


@dataclass(frozen=True, slots=True)
class GatheredGames:
    """The games in a set of records: those that count, and the others.

    Attributes:
        games: those that count, ordered by `created_ms`, then by id, then by players.
        left_out: the others, in the order of the records.
        repeated: how many records only repeat another one.
        digest: the digest of the games that count, with their players and scores. Two people with
            the same digest rate the same games. It covers no signatures, since a player can sign
            the same message again.
    """

    games: tuple[RatedGame, ...]
    left_out: tuple[LeftOutRecord, ...]
    repeated: int
    digest: str

    def of_game(self, game: str) -> "GatheredGames":
        """Keep only the games of one kind, such as ``ataxx``; `digest` covers only these."""
        games = tuple(each for each in self.games if each.ruleset.partition("/")[0] == game)
        return replace(self, games=games, digest=_digest_of(games))


def gather_games(
    records: Iterable[tuple[str, bytes | Ledger]],
    *,
    day: int,
    members: Collection[str] | None = None,
    log: ClubLog | None = None,
) -> GatheredGames:
    """Verify records, and collect the games that count; the order of the records does not matter.

    A game is judged by all of its records together, and by `ataxxd.session.points`. It is
    identified by its offer and its players, not by a record's bytes: a player can sign its last
    message again with another nonce or, if it answers a claim, another ``had_ms``; and a host
    can accept another guest for an offer that was played. So records with the same result count
    once, and a game with another guest is another game.

    Args:
        records: the name of each file, with its bytes or the game if already verified.
        day: the last day that counts, in days since 1970-01-01 UTC.
        members: node ids of the players whose games with each other count; None for everybody.
        log: the log of the club whose games count; None to count all games.
    """
    rules = _CountingRules(day, members, log)
    told: dict[tuple[str, ...], list[_RecordOutcome]] = {}
    left_out: list[tuple[int, LeftOutRecord]] = []
    for at, (source, data) in enumerate(records):
        try:
            ledger = _verify(data)
        except VerificationError as error:
            left_out.append((at, LeftOutRecord(source, str(error))))
            continue
        heads = (ledger.head(Role.HOST), ledger.head(Role.GUEST))
        found = _judge([ledger], rules)
        told.setdefault(_players(ledger), []).append(_RecordOutcome(at, source, data, heads, found))
    games: list[RatedGame] = []
    repeated = 0
    for stories in told.values():
        unique = list({each.heads: each for each in reversed(stories)}.values())[::-1]
        found = unique[0].outcome
        if len(unique) > 1:
            found = _judge([_verify(each.data) for each in unique], rules)
        if isinstance(found, str):
            left_out += [(each.at, LeftOutRecord(each.source, found)) for each in unique]
        else:
            games.append(found)
            repeated += len(stories) - 1
    if log is not None:
        unseen, missing = _games_without_record(log, told.keys(), rules)
        games += unseen
        left_out += [(len(told) + len(left_out), each) for each in missing]
    games.sort(key=lambda each: (each.created_ms, each.game, each.first, each.second))
    told_of = tuple(each for _, each in sorted(left_out, key=lambda each: each[0]))
    return GatheredGames(tuple(games), told_of, repeated, _digest_of(games))


def _digest_of(games: Iterable[RatedGame]) -> str:
    listed = "".join(
        f"{each.game} {each.first} {each.second} {each.score}{'-0' * each.both_lost}\n"
        for each in games
    )
    return digest(listed.encode())


@dataclass(frozen=True, slots=True)
class _RecordOutcome:
    """A valid record, and the result by it alone.

    Most games have only one. So a record is kept as given, and replayed again only if there are
    more of its game.
    """

    at: int
    source: str
    data: bytes | Ledger
    heads: tuple[str, str]
    outcome: RatedGame | str


def _verify(record: bytes | Ledger) -> Ledger:
    return record if isinstance(record, Ledger) else verify_record(record).ledger


def _players(ledger: Ledger) -> tuple[str, ...]:
    """What identifies a game: its offer and its players."""
    guest = "" if ledger.join is None else ledger.join.author
    return ledger.game, ledger.offer.host, guest


@dataclass(frozen=True, slots=True)
class _CountingRules:
    """Decides which games count, by the arguments of `gather_games`."""

    day: int
    members: Collection[str] | None
    log: ClubLog | None

    def check(self, game: RatedGame) -> RatedGame | str:
        """The game if its day and its players count; otherwise the reason, in words."""
        day = day_of(game.created_ms)
        if day > self.day:
            return f"it is dated {format_day(day)}, later than the table"
        for node in (game.first, game.second):
            if self.members is not None and node not in self.members:
                return f"{grouped(node)} is not a member"
        return game


def _judge(ledgers: Sequence[Ledger], rules: _CountingRules) -> RatedGame | str:
    """The game, judged by all of its records, or why it does not count."""
    count, ledger, log = count_points_of_all(ledgers), find_started(ledgers)[0], rules.log
    offer = ledger.offer
    if log is not None and ledger.join is not None:
        guest = ledger.join.author
        if not log.is_rated(offer, guest):
            return "the club has not announced it"
        if count == NOT_OVER and log.is_overdue(offer, guest, day_end_ms(rules.day)):
            return rules.check(_lost_for_both(offer, guest))
    if isinstance(count, str):
        return count
    first, second = _sides(ledger)
    both_lost = count.first + count.second == 0
    return rules.check(
        RatedGame(
            ledger.game,
            offer.ruleset,
            first,
            second,
            count.first,
            offer.created_ms,
            both_lost,
            witnessed=bool(offer.witnesses),
        )
    )


def _games_without_record(
    log: ClubLog, known: Collection[tuple[str, ...]], rules: _CountingRules
) -> tuple[list[RatedGame], list[LeftOutRecord]]:
    """The games in a log without a record here.

    Returns:
        The games that are lost for both; and the records that are missing, or do not count.
    """
    games: list[RatedGame] = []
    left_out: list[LeftOutRecord] = []
    for game in log.rated_games():
        if (game.id, game.host, game.guest) in known:
            continue
        where = f"{game.name} ({game.id[:12]})"
        if game.has_record:
            left_out.append(
                LeftOutRecord(where, "its record, which the club's log names, is not here")
            )
        # Not in an else branch: naming a record that nobody can show must not save a lost game.
        if game.offer is not None and log.is_overdue(game.offer, game.guest, day_end_ms(rules.day)):
            found = rules.check(_lost_for_both(game.offer, game.guest))
            if isinstance(found, str):
                left_out.append(LeftOutRecord(where, found))
            else:
                games.append(found)
    return games, left_out


def _lost_for_both(offer: Offer, guest: str) -> RatedGame:
    """A game whose deadline has passed; the same whatever records of it exist."""
    first, second = (offer.host, guest) if offer.color != "second" else (guest, offer.host)
    return RatedGame(
        offer.digest,
        offer.ruleset,
        first,
        second,
        0,
        offer.created_ms,
        both_lost=True,
        witnessed=bool(offer.witnesses),
    )


def _sides(ledger: Ledger) -> tuple[str, str]:
    """The node ids of who moved first and of the other."""
    assert ledger.join is not None
    host, guest = ledger.offer.host, ledger.join.author
    return (host, guest) if ledger.host_side is Side.FIRST else (guest, host)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A player's row in a table.

    Attributes:
        node: the player's node id.
        rating: the rating on the table's day, rounded.
        deviation: the deviation, rounded; the 95 % interval is the rating plus or minus twice this.
        won: games won.
        drawn: games drawn.
        lost: games lost.
        last_day: the day of the player's newest game, in days since 1970-01-01 UTC.
    """

    node: str
    rating: int
    deviation: int
    won: int
    drawn: int
    lost: int
    last_day: int

    @property
    def games(self) -> int:
        """How many games the player played."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class RatingTable:
    """The ratings under one ruleset.

    Attributes:
        ruleset: the ruleset.
        games: how many games the ratings are computed from.
        day: the ratings are those at the end of this day, in days since 1970-01-01 UTC.
        rows: one for each player, the best first.
    """

    ruleset: str
    games: int
    day: int
    rows: tuple[RatingRow, ...]


@dataclass(slots=True)
class _Player:
    rating: Rating = field(default_factory=Rating)
    rated_day: int = 0
    results: list[int] = field(default_factory=lambda: [0, 0, 0])

    def at(self, day: int) -> Rating:
        """The rating at the beginning of a day."""
        return (
            rating_after_idle(self.rating, day - self.rated_day - 1)
            if any(self.results)
            else self.rating
        )


def rating_tables(games: Iterable[RatedGame], day: int) -> list[RatingTable]:
    """The rating tables of all rulesets that were played, ordered by name.

    A rating period of Glicko-2 is a day in UTC, and a game belongs to the day of its offer. So
    the order of games within a day does not matter. The caller chooses the day of the tables; if
    it were the newest game's, two players could make everybody else's rating less certain.

    Args:
        games: each game once, in any order; none later than `day`.
        day: compute the ratings at the end of this day, in days since 1970-01-01 UTC.
    """
    by_ruleset: dict[str, list[RatedGame]] = {}
    # The order of additions is fixed, so that the last bit of a sum is the same everywhere.
    for game in sorted(games, key=lambda each: (each.created_ms, each.game)):
        by_ruleset.setdefault(game.ruleset, []).append(game)
    return [_table(ruleset, by_ruleset[ruleset], day) for ruleset in sorted(by_ruleset)]


def _table(ruleset: str, games: list[RatedGame], last: int) -> RatingTable:
    players: dict[str, _Player] = {}
    for day, played in groupby(games, lambda game: day_of(game.created_ms)):
        _rate(players, day, list(played))
    # A node that played on the last day is rated at its end, any other has been idle since.
    rows = [_row(node, player, last) for node, player in players.items()]
    rows.sort(key=lambda row: (-row.rating, row.deviation, row.node))
    return RatingTable(ruleset, len(games), last, tuple(rows))


def _rate(players: dict[str, _Player], day: int, games: list[RatedGame]) -> None:
    """Update the ratings by a day's games."""
    present = {node for game in games for node in (game.first, game.second)}
    before = {node: players.setdefault(node, _Player()).at(day) for node in sorted(present)}
    for node, rating in before.items():
        meetings = []
        for opponent, score in _games_of(node, games):
            meetings.append(Meeting(before[opponent], score / 2))
            players[node].results[score] += 1
        players[node].rating = updated_rating(rating, meetings)
        players[node].rated_day = day


def _games_of(node: str, games: Iterable[RatedGame]) -> Iterator[tuple[str, int]]:
    """The opponent and the score in halves of a point of each game of `node`."""
    for game in games:
        if node == game.first:
            yield game.second, game.score
        if node == game.second:
            yield game.first, game.second_score


def _row(node: str, player: _Player, last: int) -> RatingRow:
    rating = player.at(last + 1)
    lost, drawn, won = player.results
    return RatingRow(
        node, round(rating.rating), round(rating.deviation), won, drawn, lost, player.rated_day
    )
