"""The table of a ruleset: who has played, how often with what result, and how they are rated."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ataxxd.tournament.ratings.days import day_of
from ataxxd.tournament.ratings.gathering import RatedGame
from ataxxd.tournament.ratings.glicko2 import Meeting, Rating, idle, updated


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line of a table.

    Attributes:
        node: the player.
        rating: rounded; as of the day of the table.
        deviation: rounded; the 95 % interval is twice this to either side.
        won: games won.
        drawn: games drawn.
        lost: games lost.
        last_day: of the player's newest game, in days since 1970-01-01 UTC.
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
        """How many it played."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class Table:
    """The players of one ruleset.

    Attributes:
        ruleset: the rules.
        games: how many games it rests on.
        day: the ratings are as of its end, in days since 1970-01-01 UTC.
        rows: the players, the best first.
    """

    ruleset: str
    games: int
    day: int
    rows: tuple[Row, ...]


@dataclass(slots=True)
class _Player:
    rating: Rating = field(default_factory=Rating)
    rated_day: int = 0
    results: list[int] = field(default_factory=lambda: [0, 0, 0])

    def at(self, day: int) -> Rating:
        """The rating at the beginning of a day."""
        return idle(self.rating, day - self.rated_day - 1) if any(self.results) else self.rating


def tables(games: Iterable[RatedGame], day: int) -> list[Table]:
    """The tables of all rulesets that were played, by name.

    A rating period of Glicko-2 is a day in UTC, and a game belongs to the day of its offer. So
    the order within a day says nothing. The day of the tables is the caller's and not that of the
    newest game, by which its two players would make everybody else's rating less certain.

    Args:
        games: in any order, each once, none later than `day`.
        day: whose end the ratings are as of, in days since 1970-01-01 UTC.
    """
    by_ruleset: dict[str, list[RatedGame]] = {}
    # The order of additions is fixed, so that the last bit of a sum is the same everywhere.
    for game in sorted(games, key=lambda each: (each.created_ms, each.game)):
        by_ruleset.setdefault(game.ruleset, []).append(game)
    return [_table(ruleset, by_ruleset[ruleset], day) for ruleset in sorted(by_ruleset)]


def _table(ruleset: str, games: list[RatedGame], last: int) -> Table:
    players: dict[str, _Player] = {}
    for day, played in groupby(games, lambda game: day_of(game.created_ms)):
        _rate(players, day, list(played))
    # A node that played on the last day is rated at its end, any other has been idle since.
    rows = [_row(node, player, last) for node, player in players.items()]
    rows.sort(key=lambda row: (-row.rating, row.deviation, row.node))
    return Table(ruleset, len(games), last, tuple(rows))


def _rate(players: dict[str, _Player], day: int, games: list[RatedGame]) -> None:
    """Take a day's games into the ratings."""
    present = {node for game in games for node in (game.first, game.second)}
    before = {node: players.setdefault(node, _Player()).at(day) for node in sorted(present)}
    for node, rating in before.items():
        meetings = []
        for opponent, score in _games_of(node, games):
            meetings.append(Meeting(before[opponent], score / 2))
            players[node].results[score] += 1
        players[node].rating = updated(rating, meetings)
        players[node].rated_day = day


def _games_of(node: str, games: Iterable[RatedGame]) -> Iterator[tuple[str, int]]:
    """The opponent and the score in halves of a point of each game of `node`."""
    for game in games:
        if node == game.first:
            yield game.second, game.score
        if node == game.second:
            yield game.first, game.second_score


def _row(node: str, player: _Player, last: int) -> Row:
    rating = player.at(last + 1)
    lost, drawn, won = player.results
    return Row(
        node, round(rating.rating), round(rating.deviation), won, drawn, lost, player.rated_day
    )
