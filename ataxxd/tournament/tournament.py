"""An event as its documents tell it, and how it stands.

The plan, and each round checked against those before it; points, and what decides between players
who have the same. Also its games: by which terms they are played, what their records say, and
whether the results of the event are those, as far as there are records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby, pairwise

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.rules import Position, Side, rulesets
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import LOSS, count_points, has_unsettled_claim
from ataxxd.session.record import Standing as RecordStanding
from ataxxd.session.record import Verdict, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd.tournament.pairing import (
    FIRST,
    SECOND,
    Encounter,
    Entrant,
    PairedRound,
    round_robin,
    swiss,
)
from ataxxd.wording import format_count
from ataxxd_protocol import PROTOCOL_VERSION, grouped, node_id, signature_holds
from ataxxd_protocol.messages import Abort, EventPlan, EventRound, Offer, Pairing, Result
from ataxxd_protocol.signing import digest
from ataxxd_protocol.version import is_abort_a_loss, is_known_version


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row in the table; all points but `sonneborn_berger` are half points.

    Attributes:
        seat: the player's place in the plan, from 0.
        points: its total.
        buchholz: the sum of its opponents' points.
        sonneborn_berger: the points of the opponents it beat, and half of those it drew with; in
            quarter points.
        direct: its points against those level with it on all of these, if they all met.
        won: pairings won; byes do not count.
        drawn: pairings drawn.
        lost: pairings lost.
        byes: how many byes it had.
    """

    seat: int
    points: int
    buchholz: int
    sonneborn_berger: int
    direct: int
    won: int
    drawn: int
    lost: int
    byes: int

    @property
    def rank_key(self) -> tuple[int, int, int]:
        """The sort key, without the direct encounter."""
        return (-self.points, -self.buchholz, -self.sonneborn_berger)

    def is_level_with(self, other: "Standing") -> bool:
        """Whether only the places in the plan, the seeding, order the two."""
        return (self.rank_key, self.direct) == (other.rank_key, other.direct)


def standings(entrants: Sequence[Entrant]) -> list[Standing]:
    """The table, the best first.

    The order is by points, Buchholz, Sonneborn-Berger, direct encounter and place in the plan.

    Args:
        entrants: all players, including those who have withdrawn.
    """
    by_seat = {each.seat: each for each in entrants}
    lines = sorted((_line(each, by_seat) for each in entrants), key=_order)
    ordered: list[Standing] = []
    for _, alike in groupby(lines, key=lambda line: line.rank_key):
        tied = list(alike)
        direct = _with_direct(tied, by_seat)
        ordered += sorted(direct, key=lambda line: (-line.direct, line.seat))
    return ordered


def _order(line: Standing) -> tuple[tuple[int, int, int], int]:
    return line.rank_key, line.seat


def _line(entrant: Entrant, by_seat: Mapping[int, Entrant]) -> Standing:
    results = [each.points for each in entrant.encounters]
    return Standing(
        seat=entrant.seat,
        points=entrant.points,
        buchholz=sum(by_seat[each.opponent].points for each in entrant.encounters),
        sonneborn_berger=sum(
            each.points * by_seat[each.opponent].points for each in entrant.encounters
        ),
        direct=0,
        won=results.count(2),
        drawn=results.count(1),
        lost=results.count(0),
        byes=entrant.byes,
    )


def _with_direct(tied: Sequence[Standing], by_seat: Mapping[int, Entrant]) -> list[Standing]:
    """Tied players with their points against each other, if all of them have met."""
    seats = {line.seat for line in tied}
    among = {
        seat: [each for each in by_seat[seat].encounters if each.opponent in seats]
        for seat in seats
    }
    if any({each.opponent for each in among[seat]} != seats - {seat} for seat in seats):
        return [*tied]
    return [replace(line, direct=sum(each.points for each in among[line.seat])) for line in tied]


_WIN = 2
_HALVES = {"1-0": (_WIN, 0), "0-1": (0, _WIN), "1/2-1/2": (1, 1), "*": (0, 0)}


@dataclass(frozen=True, slots=True)
class Board:
    """One pairing of a round, with its result if that is known.

    Attributes:
        number: the number of the round, from 1.
        board: the number of the board, from 1.
        name: the name of its game.
        pairing: the two players.
        result: the result; None while the round is being played.
    """

    number: int
    board: int
    name: str
    pairing: Pairing
    result: Result | None


def game_name(plan: EventPlan, number: int, board: int) -> str:
    """The name of the game at a board in a round."""
    return f"{plan.name}-r{number}-b{board}"


def check_plan(plan: EventPlan) -> None:
    """Check a plan as far as it can be checked on its own.

    Raises:
        RemoteProtocolError: the signature is not valid (``event/forged``), or this node does not
            know the version (``event/version``) or the ruleset (``event/ruleset``).
    """
    if node_id(plan.key) != plan.host:
        raise RemoteProtocolError("event/forged", "the plan's key does not give its host's id")
    if not signature_holds(plan, plan.key):
        raise RemoteProtocolError("event/forged", "the signature of the plan does not hold")
    if not is_known_version(plan.v):
        raise RemoteProtocolError(
            "event/version",
            f"the event is of protocol {plan.v} and this node speaks {PROTOCOL_VERSION}: upgrade "
            "the one with the lower number",
        )
    if all(info.id != plan.ruleset for info in rulesets()):
        raise RemoteProtocolError(
            "event/ruleset", f"the event is of {plan.ruleset}, which this node does not know"
        )


class Tournament:
    """The state of an event, from its plan and its rounds so far.

    Attributes:
        plan: the event's plan.
        rounds: the rounds so far, each checked against those before it.
    """

    def __init__(self, plan: EventPlan) -> None:
        """Begin with a plan.

        Raises:
            RemoteProtocolError: as for `check_plan`.
        """
        check_plan(plan)
        self.plan = plan
        self.rounds: list[EventRound] = []

    @property
    def over(self) -> bool:
        """Whether the event is over, with all results."""
        return len(self.rounds) > self.plan.rounds

    @property
    def withdrawn(self) -> frozenset[str]:
        """The node ids of the players who have withdrawn."""
        return frozenset(node for each in self.rounds for node in each.withdrawn)

    @property
    def boards(self) -> list[Board]:
        """All pairings so far, in order."""
        made = []
        for index, each in enumerate(self.rounds):
            known = self.rounds[index + 1].results if index + 1 < len(self.rounds) else None
            for board, pairing in enumerate(each.pairings, 1):
                name = game_name(self.plan, each.number, board)
                result = None if known is None else known[board - 1]
                made.append(Board(each.number, board, name, pairing, result))
        return made

    def standings(self) -> list[tuple[str, Standing]]:
        """The node ids and rows of all players by the results so far, the best first."""
        table = standings(self._entrants(self.rounds))
        return [(self.plan.players[line.seat], line) for line in table]

    def level_places(self) -> list[range]:
        """The places in the table, from 1, of players whom only the seeding orders."""
        table = [line for _, line in self.standings()]
        begins = [
            place
            for place, line in enumerate(table, 1)
            if place == 1 or not line.is_level_with(table[place - 2])
        ]
        groups = (range(*each) for each in pairwise([*begins, len(table) + 1]))
        return [places for places in groups if len(places) > 1]

    def next_round(
        self, results: Sequence[Result], *, created_ms: int, withdrawn: Sequence[str] = ()
    ) -> EventRound:
        """The next round, unsigned; it has no pairings if all rounds have been played.

        Args:
            results: the results of the newest round's pairings, in their order.
            created_ms: the time, in Unix milliseconds.
            withdrawn: the players who withdraw now.
        """
        last = self.rounds[-1] if self.rounds else None
        made = EventRound(
            event=self.plan.digest,
            author=self.plan.host,
            number=len(self.rounds) + 1,
            prev=self.plan.digest if last is None else last.digest,
            results=tuple(results),
            withdrawn=tuple(withdrawn),
            pairings=(),
            byes=(),
            created_ms=created_ms,
        )
        pairings, byes = self._expected_draw(made)
        return made.model_copy(update={"pairings": pairings, "byes": byes})

    def is_signed_by_host(self, event_round: EventRound) -> bool:
        """Whether a round belongs to this event and is signed by its host."""
        plan = self.plan
        ours = (event_round.author, event_round.event) == (plan.host, plan.digest)
        return ours and signature_holds(event_round, plan.key)

    def accept_round(self, event_round: EventRound) -> None:
        """Accept the next round.

        Raises:
            RemoteProtocolError: it is not the host's (``round/forged``) or not the next one
                (``round/order``); or the host signed something that does not follow from the
                plan and the results (``round/chain``, ``round/result``, ``round/withdrawn``,
                ``round/pairing``). Nothing has changed.
        """
        plan, number = self.plan, len(self.rounds) + 1
        if not self.is_signed_by_host(event_round):
            raise RemoteProtocolError("round/forged", "the host has not signed it")
        where = f"round {event_round.number}"
        if event_round.number != number or self.over:
            raise RemoteProtocolError("round/order", f"{where} is not the one that comes next")
        if event_round.prev != (self.rounds[-1].digest if self.rounds else plan.digest):
            raise RemoteProtocolError(
                "round/chain", f"{where} rests on another round {number - 1} than the host's own"
            )
        if self.rounds and event_round.created_ms < self.rounds[-1].created_ms:
            raise RemoteProtocolError("round/chain", f"{where} is older than the one before it")
        played = len(self.rounds[-1].pairings) if self.rounds else 0
        if len(event_round.results) != played:
            results, games = (
                format_count(len(event_round.results), "result"),
                format_count(played, "game"),
            )
            raise RemoteProtocolError("round/result", f"{where} has {results} for {games}")
        gone = event_round.withdrawn
        if len(set(gone)) != len(gone) or not set(gone) <= {*plan.players} - self.withdrawn:
            raise RemoteProtocolError(
                "round/withdrawn",
                f"{where} withdraws a player who does not play in it",
            )
        self._check_draw(event_round)
        self.rounds.append(event_round)

    def _check_draw(self, event_round: EventRound) -> None:
        pairings, byes = self._expected_draw(event_round)
        where = f"round {event_round.number}"
        for index in range(max(len(pairings), len(event_round.pairings))):
            right = pairings[index] if index < len(pairings) else None
            said = event_round.pairings[index] if index < len(event_round.pairings) else None
            if right != said:
                raise RemoteProtocolError(
                    "round/pairing",
                    f"{where}, board {index + 1}: {_words(said)}, but the rules of the event "
                    f"give {_words(right)}",
                )
        if byes != event_round.byes:
            free = ", ".join(grouped(node)[:9] for node in byes) or "nobody"
            raise RemoteProtocolError(
                "round/pairing", f"{where}: by the rules of the event {free} has the bye"
            )

    def _expected_draw(
        self, event_round: EventRound
    ) -> tuple[tuple[Pairing, ...], tuple[str, ...]]:
        """The pairings and byes that a round must have."""
        plan = self.plan
        if event_round.number > plan.rounds:
            return (), ()
        gone = self.withdrawn.union(event_round.withdrawn)
        entrants = self._entrants([*self.rounds, event_round])
        active = [each for each in entrants if plan.players[each.seat] not in gone]
        if plan.system == "swiss":
            paired = swiss(active, plan.seed)
        else:
            paired = _drop_withdrawn(
                round_robin(len(plan.players), event_round.number, plan.seed),
                {each.seat for each in active},
            )
        players = plan.players
        return (
            tuple(Pairing(first=players[one], second=players[two]) for one, two in paired.pairings),
            tuple(players[seat] for seat in paired.byes),
        )

    def _entrants(self, rounds: Sequence[EventRound]) -> list[Entrant]:
        """The players by every round with results."""
        seats = {node: seat for seat, node in enumerate(self.plan.players)}
        met: dict[int, list[Encounter]] = {seat: [] for seat in seats.values()}
        byes = dict.fromkeys(met, 0)
        bye_points = dict.fromkeys(met, 0)
        for each, after in pairwise(rounds):
            for node in each.byes:
                byes[seats[node]] += 1
                bye_points[seats[node]] += self._bye_points(seats[node], each.number)
            for pairing, result in zip(each.pairings, after.results, strict=True):
                first, second = seats[pairing.first], seats[pairing.second]
                ours, theirs = _HALVES[result.score]
                met[first].append(Encounter(second, FIRST, ours))
                met[second].append(Encounter(first, SECOND, theirs))
        return [
            Entrant(seat, tuple(met[seat]), byes[seat], bye_points[seat]) for seat in sorted(met)
        ]

    def _bye_points(self, seat: int, number: int) -> int:
        """What a bye counts, in halves of a point.

        In a Swiss system the player who is left over gets what a win is worth (FIDE Handbook,
        C.04.1). In a round robin everybody is free equally often, and gets nothing for it; but a
        player whose opponent has withdrawn wins.
        """
        plan = self.plan
        if plan.system == "swiss":
            return _WIN
        free = round_robin(len(plan.players), number, plan.seed).byes
        return 0 if seat in free else _WIN


def _drop_withdrawn(paired: PairedRound, active: set[int]) -> PairedRound:
    """A round of the table without players who have withdrawn; their opponents are free."""
    pairings = tuple(pair for pair in paired.pairings if active.issuperset(pair))
    playing = {seat for pair in pairings for seat in pair}
    return PairedRound(pairings, tuple(sorted(active - playing)))


def _words(pairing: Pairing | None) -> str:
    if pairing is None:
        return "nobody"
    return f"{grouped(pairing.first)[:9]} against {grouped(pairing.second)[:9]}"


_TERMS = ("ruleset", "clock", "grace_ms", "takebacks")


def check_offer_fits(plan: EventPlan, board: Board, offer: Offer) -> None:
    """Check that an offer matches a pairing and the plan.

    Raises:
        RemoteProtocolError: it differs (``event/game``); the text says where.
    """
    wanted = {
        "name": board.name,
        "host": board.pairing.first,
        "access": board.pairing.second,
        "color": "first",
        "start": Position.start(plan.ruleset).text,
        "opening": None,
        "rematch_of": None,
        "witnesses": None,
        **{term: getattr(plan, term) for term in _TERMS},
    }
    for field, value in wanted.items():
        if getattr(offer, field) != value:
            raise RemoteProtocolError(
                "event/game", f"the offer's {field} is not what the event demands"
            )
    if offer.created_ms < plan.created_ms:
        raise RemoteProtocolError("event/game", "the game was offered before there was the event")


def is_matching_offer(plan: EventPlan, board: Board, offer: Offer) -> bool:
    """Whether an offer matches a pairing and the plan."""
    try:
        check_offer_fits(plan, board, offer)
    except RemoteProtocolError:
        return False
    return True


def has_begun(ledger: Ledger) -> bool:
    """Whether both players have joined and the game has begun."""
    return ledger.phase not in (Phase.OPEN, Phase.JOINED)


def result_of(ledger: Ledger, loser: Role | None = None) -> Result:
    """The result that a game counts as if it ends now; it must have begun.

    Args:
        ledger: the game.
        loser: the player whom the event's host has seen to be wrong about a disputed claim.

    If the round ends before the game, the player who had to act loses. So does a player who
    aborted the game alone, who could otherwise take a rival's point by not playing.
    """
    if loser is None or not has_unsettled_claim(ledger):
        loser = _find_lone_aborter(ledger)
    if loser is not None:
        score = "1-0" if ledger.side_of(loser) is Side.SECOND else "0-1"
    elif ledger.outcome is not None:
        count = count_points(ledger)
        both_lost = isinstance(count, str) or (count.first, count.second) == (LOSS, LOSS)
        score = "*" if both_lost else ledger.outcome.score
    else:
        assert ledger.on_turn is not None
        winner = ledger.on_turn.other
        score = "1-0" if ledger.side_of(winner) is Side.FIRST else "0-1"
    return Result.model_validate(
        {"score": score, "game": ledger.game, "record": digest(dump_record(ledger))}
    )


def is_voided(ledger: Ledger) -> bool:
    """Whether a game was aborted, and may be played anew."""
    ended = ledger.outcome is not None and ledger.outcome.termination == "aborted"
    return ended and _find_lone_aborter(ledger) is None


def _find_lone_aborter(ledger: Ledger) -> Role | None:
    """Who aborted a game without the other's consent, and loses it by that; None for nobody."""
    outcome = ledger.outcome
    if outcome is None or outcome.termination != "aborted" or not is_abort_a_loss(ledger.offer.v):
        return None
    by, abort = next(each for each in reversed(ledger.line) if isinstance(each[1], Abort))
    return by if isinstance(abort, Abort) and abort.consent is None else None


def forfeit_result(*, offered: bool) -> Result:
    """The result of a pairing whose game has not begun when the round ends.

    Args:
        offered: whether the player who moves first has offered the game; then the other loses.
    """
    return Result(score="1-0" if offered else "0-1")


class Finding(Enum):
    """How far a result is confirmed.

    Its record confirms it; there is no record here; the players' own record of the game says
    otherwise, so that the host must show the one it used; or the record that it names does.
    """

    HOLDS = "holds"
    UNSEEN = "unseen"
    DISPUTED = "disputed"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CheckedResult:
    """A result, and how far it is confirmed.

    Attributes:
        board: the pairing and its result.
        finding: how far the result is confirmed.
        why: the reason in words; empty if its record alone confirms it.
    """

    board: Board
    finding: Finding
    why: str


def audit_results(tournament: Tournament, records: Mapping[str, bytes]) -> list[CheckedResult]:
    """Check all results of an event so far.

    Args:
        tournament: the event.
        records: the record files by the names of the games; missing ones are reported.
    """
    checked = []
    for board in tournament.boards:
        if board.result is not None:
            finding, why = _judge_result(tournament, board, board.result, records.get(board.name))
            checked.append(CheckedResult(board, finding, why))
    return checked


def _judge_result(
    tournament: Tournament, board: Board, result: Result, record: bytes | None
) -> tuple[Finding, str]:
    if record is None:
        what = "no game began, the host says" if result.record is None else "there is no record"
        return Finding.UNSEEN, what
    try:
        verdict = verify_record(record)
        check_offer_fits(tournament.plan, board, verdict.ledger.offer)
    except (VerificationError, RemoteProtocolError) as error:
        return Finding.UNSEEN, f"the record at hand says nothing of it: {error}"
    return _compare_result(result, verdict)


def _compare_result(result: Result, verdict: Verdict) -> tuple[Finding, str]:
    """A result and a record of the pairing's own game."""
    ledger = verdict.ledger
    if not has_begun(ledger):
        return Finding.UNSEEN, "the record at hand ends before the game began"
    shown = result_of(ledger)
    if result == shown:
        return Finding.HOLDS, ""
    if result in (result_of(ledger, role) for role in Role):
        return Finding.HOLDS, "the host decided about the claim, by what it has seen"
    if result.record == shown.record:
        return Finding.WRONG, f"its own record gives {shown.score}, the host says {result.score}"
    over = ledger.outcome is not None
    if over and result.game == ledger.game and result.score == shown.score:
        # The players signed the result after the host had last looked.
        return Finding.HOLDS, ""
    if verdict.standing is RecordStanding.AGREED:
        # The host may be right: the game may have ended only after the time of the round.
        return Finding.DISPUTED, f"both players signed {shown.score}, the host says {result.score}"
    return Finding.UNSEEN, "the record at hand is not the one that the result rests on"
