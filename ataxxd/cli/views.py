"""How a watched game is shown: as lines of JSON, as lines of text, or as a live board."""

import json
import sys
from typing import Any, Protocol, TypeAlias

from ataxxd.cli.say import say, tell
from ataxxd.node.control import Moved, Seat
from ataxxd.node.events import RuntimeEvent
from ataxxd.node.presence import Presence
from ataxxd.node.talk import Talked
from ataxxd.rules import Position, Side
from ataxxd.session.effects import (
    Closed,
    DrawOffered,
    DrawRejected,
    Ended,
    Played,
    Said,
    SetAside,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.grid import Brush, draw
from ataxxd_clients.text.language import side_names
from ataxxd_clients.text.terminal import Terminal
from ataxxd_protocol import grouped

Shown: TypeAlias = RuntimeEvent | Talked


class View(Protocol):
    """Shows the events of one game, in order."""

    def show(self, event: Shown, ledger: Ledger) -> None:
        """Show `event`; `ledger` is the game after it."""
        ...


class JsonView:
    """One JSON object a line; docs/reference/watch-json.md describes them."""

    def show(self, event: Shown, ledger: Ledger) -> None:
        """See `View.show`."""
        tell(json.dumps(_as_object(event, ledger)))


class TextView:
    """One line a move, and the board at the end."""

    def show(self, event: Shown, ledger: Ledger) -> None:
        """See `View.show`."""
        match event:
            case Played(_, side, move, before, _, ply):
                name = side_names(before.ruleset)[side]
                counts = _counts(before.play(move))
                tell(f"{ply:4}. {name:5} {move!s:6} {counts}")
            case Ended():
                tell("\n".join(_board(ledger.position)))
                tell(_result(ledger))
            case _:
                _tell(event, ledger)


class LiveView:
    """The board on a terminal, drawn again after every move.

    Args:
        ascii_only: use no signs beyond ASCII, whatever the terminal could show.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        self._ascii = ascii_only

    def show(self, event: Shown, ledger: Ledger) -> None:
        """See `View.show`."""
        match event:
            case Played(_, side, move, before, _, ply):
                self._draw(Moved(side, move, before, Seat.REMOTE, ply))
            case Ended():
                tell(_result(ledger))
            case _:
                _tell(event, ledger)

    def _draw(self, event: Moved) -> None:
        position = event.before.play(event.move)
        language = line_language(position.ruleset)
        left, reached = language.squares(event)
        board = draw(
            position,
            Brush(Terminal.of(sys.stdout, ascii_only=self._ascii), language.names),
            left=left,
            reached=reached,
            row_one_on_top=language.row_one_on_top,
            numbered=language.squares_are_numbers,
        )
        # Colours of our own making: `tell` would not let them through.
        sys.stdout.write("\x1b[H\x1b[2J" + "".join(f"{line}\n" for line in board))
        move = language.move_name(event)
        said = "passed" if move is None else f"played {move}"
        tell(f"\n{event.ply}. {language.names[event.side]} {said}.   {_counts(position)}")


def _tell(event: Shown, ledger: Ledger) -> None:
    match event:
        case Started(guest, side):
            first, second = ledger.offer.host, guest
            if side is Side.SECOND:
                first, second = second, first
            red, blue = side_names(ledger.offer.ruleset)
            say(f"{red} is {grouped(first)}, {blue} is {grouped(second)}.")
        case DrawOffered(role):
            say(f"The {role.value} offers a draw.")
        case TakenBack(_, moves) | SetAside(_, moves):
            say(f"Taken back: {', '.join(move.text for move in moves)}.")
        case Said(role, text):
            say(f"The {role.value}: {text}")
        case DrawRejected(role):
            say(f"The {role.value} rejects the draw.")
        case Closed(standing):
            agreed = standing is Standing.AGREED
            say("Both players have signed this result." if agreed else f"Result: {standing.value}.")
        case Talked(node, text):
            say(f"{grouped(node)}: {text}")
        case Presence(text):
            say(f"[{text}]")
        case _:
            pass


def _board(position: Position) -> list[str]:
    return list(line_language(position.ruleset).board(position))


def _counts(position: Position) -> str:
    names = side_names(position.ruleset)
    return ", ".join(f"{name} {count}" for name, count in zip(names, position.counts, strict=True))


def _result(ledger: Ledger) -> str:
    outcome = ledger.outcome
    assert outcome is not None
    why = f"{outcome.termination}: {ledger.fault.text}" if ledger.fault else outcome.termination
    if outcome.winner is None:
        return f"Draw ({why})."
    return f"{side_names(ledger.offer.ruleset)[outcome.winner]} wins ({why})."


def _as_object(event: Shown, ledger: Ledger) -> dict[str, Any]:
    match event:
        case Started(guest, side):
            offer = ledger.offer
            opening = [move.text for move in ledger.opening]
            return {
                "event": "start",
                "name": offer.name,
                "ruleset": offer.ruleset,
                "host": offer.host,
                "guest": guest,
                "host_side": side.name.lower(),
                "position": ledger.start.text,
            } | ({"opening": opening} if opening else {})
        case Played(role, side, move, before, elapsed_ms):
            return {
                "event": "move",
                "side": side.name.lower(),
                "by": role.value,
                "move": move.text,
                "elapsed_ms": elapsed_ms,
                "position": before.play(move).text,
            }
        case Ended(outcome, fault):
            ended = {"event": "end", "score": outcome.score, "termination": outcome.termination}
            return ended | ({"fault": fault.text, "fault_by": fault.role.value} if fault else {})
        case DrawOffered(role):
            return {"event": "draw", "by": role.value}
        case TakenBack(role, moves):
            return {"event": "takeback", "by": role.value, "plies": len(moves)}
        case SetAside(role, moves):
            return {"event": "set-aside", "by": role.value, "plies": len(moves)}
        case Said(role, text):
            return {"event": "chat", "by": role.value, "text": text}
        case DrawRejected(role):
            return {"event": "draw-rejected", "by": role.value}
        case Closed(standing):
            return {"event": "closed", "standing": standing.value}
        case Talked(node, text):
            return {"event": "talk", "node": node, "text": text}
        case Presence(text):
            return {"event": "notice", "text": text}
        case _:
            return {"event": type(event).__name__.lower()}
