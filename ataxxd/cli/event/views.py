"""Events as commands find, name and show them."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.say import say
from ataxxd.errors import UsageError
from ataxxd.node.lobby import GameName
from ataxxd.node.names import NameBook
from ataxxd.node.profile import TOPICS
from ataxxd.node.seats import split_place
from ataxxd.node.timeouts import LAST_WORD_GRACE
from ataxxd.times import length
from ataxxd.tournament.feed import Feed, find_plan, read_event
from ataxxd.tournament.games import game_name
from ataxxd.tournament.tournament import Board, Tournament
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.shared import SharedConnection
from ataxxd.wording import counted
from ataxxd_protocol.messages import EventPlan


def split_event(text: str, broker: str | None) -> tuple[GameName, str | None]:
    """``NAME[#ID][@BROKER]`` as the event and its broker.

    Raises:
        UsageError: it is not of this form.
    """
    wanted, named = split_place(text)
    return wanted, named or broker


@asynccontextmanager
async def connected(
    broker_url: str | None, home: Path | None, *, may_start: bool = False
) -> AsyncIterator[Callable[[], Transport]]:
    """One connection to a broker; gives what makes lines on it.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    async with chosen_broker(broker_url, home=home, may_start=may_start) as broker:
        async with SharedConnection(MqttTransport(broker.url)) as shared:
            yield shared.line
        # Players still tell each other how the last games ended.
        if not await broker.linger():
            say("The broker stays up until the players have gone; Ctrl-C stops it.")
            await broker.linger(LAST_WORD_GRACE)


async def read(wanted: GameName, line: Callable[[], Transport], seconds: float) -> Feed:
    """The event that a name means, as the broker has it.

    Raises:
        GameError: there is none, or more than one.
    """
    async with line() as transport:
        plan = await find_plan(transport, TOPICS, wanted, seconds=seconds)
    async with line() as transport:
        return await read_event(transport, TOPICS, plan, seconds=seconds)


_SYSTEMS = {"round-robin": "round robin", "swiss": "Swiss system"}


def described(tournament: Tournament, names: NameBook) -> Iterator[str]:
    """The plan, the rounds and the table, line by line, with the players as `names` knows them."""
    plan = tournament.plan
    yield (
        f"{plan.name}, {plan.ruleset}: {_SYSTEMS[plan.system]}, {counted(plan.rounds, 'round')}, "
        f"{counted(len(plan.players), 'player')}, {length(plan.round_ms)} a round, hosted by "
        f"{names.shown(plan.host)}"
    )
    for each in tournament.rounds:
        if each.withdrawn:
            yield f"withdrawn: {', '.join(names.shown(node) for node in each.withdrawn)}"
        if each.number <= plan.rounds:
            yield f"round {each.number}"
            for board in tournament.boards:
                if board.number == each.number:
                    yield f"  {_line(tournament, board, names)}"
            if each.byes:
                yield f"  bye: {', '.join(names.shown(node) for node in each.byes)}"
    yield from table(tournament, names)


def table(tournament: Tournament, names: NameBook) -> Iterator[str]:
    """The table, the best first, with the players as `names` knows them."""
    played = max(0, len(tournament.rounds) - 1)
    width = max(len(names.shown(node)) for node in tournament.plan.players)
    yield f"table after {played} of {tournament.plan.rounds} rounds"
    for place, (node, line) in enumerate(tournament.standings(), 1):
        byes = f"  {counted(line.byes, 'bye')}" if line.byes else ""
        gone = "  withdrawn" if node in tournament.withdrawn else ""
        yield (
            f"{place:4}  {names.shown(node):{width}}  {line.points / 2:4g}  "
            f"Buchholz {line.buchholz / 2:g}  Sonneborn-Berger {line.sonneborn_berger / 4:g}  "
            f"+{line.won} ={line.drawn} -{line.lost}{byes}{gone}"
        )


def player_meant(who: str, plan: EventPlan, names: NameBook) -> str:
    """The player of an event whom a nickname, an id or the beginning of one means.

    Raises:
        UsageError: nobody, or several.
    """
    prefix = who.replace("-", "").lower()
    found = [node for node in plan.players if node == prefix]
    found = found or [node for node in plan.players if names.name_of(node) == who.lower()]
    found = found or [node for node in plan.players if prefix and node.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    players = ", ".join(names.shown(node, whole=True) for node in found or plan.players)
    if found:
        raise UsageError(f"{who} may mean {players}. Name one by its id.")
    raise UsageError(f"{who!r} is not a player of {plan.name}. There are {players}.")


def placed(tournament: Tournament, node: str) -> str:
    """Where a player stands in the table, as a sentence to it."""
    for place, (each, line) in enumerate(tournament.standings(), 1):
        if each == node:
            points = f"{line.points / 2:g} {'point' if line.points == 2 else 'points'}"
            return f"You are {_ordinal(place)} of {len(tournament.plan.players)} with {points}."
    raise AssertionError("whoever plays in an event is in its table")


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def as_object(tournament: Tournament) -> dict[str, Any]:
    """The same for programs; points in halves and Sonneborn-Berger in quarters, as documents do."""
    plan = tournament.plan
    return {
        "plan": plan.fields(),
        "over": tournament.over,
        "withdrawn": sorted(tournament.withdrawn),
        "rounds": [
            {
                "number": each.number,
                "byes": list(each.byes),
                "boards": [
                    {
                        "game": game_name(plan, board.number, board.board),
                        "first": board.pairing.first,
                        "second": board.pairing.second,
                        "score": None if board.result is None else board.result.score,
                        "record": None if board.result is None else board.result.record,
                    }
                    for board in tournament.boards
                    if board.number == each.number
                ],
            }
            for each in tournament.rounds
            if each.number <= plan.rounds
        ],
        "table": [
            {
                "node": node,
                "points": line.points,
                "buchholz": line.buchholz,
                "sonneborn_berger": line.sonneborn_berger,
                "direct": line.direct,
                "won": line.won,
                "drawn": line.drawn,
                "lost": line.lost,
                "byes": line.byes,
            }
            for node, line in tournament.standings()
        ],
    }


def _line(tournament: Tournament, board: Board, names: NameBook) -> str:
    # As wide as the last game's.
    plan = tournament.plan
    width = len(game_name(plan, plan.rounds, len(plan.players) // 2))
    name = game_name(plan, board.number, board.board)
    score, forfeit = "", ""
    if board.result is not None:
        score = board.result.score
        forfeit = "" if board.result.record is not None else "  forfeited"
    widest = max(len(names.shown(node)) for node in plan.players)
    first, second = (names.shown(each) for each in (board.pairing.first, board.pairing.second))
    return f"{name:{width}}  {first:{widest}}  {second:{widest}}  {score}{forfeit}".rstrip()
