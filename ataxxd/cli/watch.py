"""``ataxxd watch``: look on, late, early or after the end."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode

if TYPE_CHECKING:
    from ataxxd.node.lobby import GameName
    from ataxxd.node.runtime import RuntimeEvent
    from ataxxd.session.ledger import Ledger


def run(
    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The game.")],
    broker: options.Broker = None,
    as_json: options.Json = False,
    transcript: options.Transcript = None,
    wait: Annotated[
        float, typer.Option("--wait", min=0.1, metavar="SECONDS", help="Look for it this long.")
    ] = 3.0,
) -> int:
    """Watch the game NAME and verify all of it.

    On a terminal the board is drawn after every move; elsewhere every event is a line, with
    --json a JSON object. Ends when both players have written the score.
    """
    from ataxxd.cli.connect import split_place

    place, named_broker = split_place(name)
    target = transcript.absolute() if transcript else None
    return run_until_stopped(_watch(place, named_broker or broker, wait, target, as_json=as_json))


async def _watch(
    wanted: "GameName",
    broker_url: str | None,
    wait: float,
    transcript: Path | None,
    *,
    as_json: bool,
) -> ExitCode:
    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.say import say
    from ataxxd.cli.screen import show_board
    from ataxxd.cli.seat import TOPICS
    from ataxxd.node.home import write_atomically
    from ataxxd.node.lobby import Lobby
    from ataxxd.node.watching import Watcher
    from ataxxd.session.effects import Played
    from ataxxd.session.ledger import Ledger, Phase
    from ataxxd.session.record import dump_record
    from ataxxd.session.spectator import SpectatorSession
    from ataxxd.transport.mqtt import MqttTransport

    async with chosen_broker(broker_url) as broker, MqttTransport(broker.url) as transport:
        offer = (await Lobby(transport, TOPICS).find(wanted, seconds=wait)).offer
        watcher = Watcher(SpectatorSession(Ledger(offer)), transport, TOPICS)
        if not as_json:
            say(f'Watching "{offer.name}" ({offer.ruleset}). Leave with Ctrl-C.')
        try:
            async for event in watcher.events():
                ledger = watcher.session.ledger
                line = _line(event, ledger)
                if as_json:
                    print(json.dumps(line), flush=True)
                elif isinstance(event, Played) and sys.stdout.isatty():
                    show_board(event.before.play(event.move), event.move)
                else:
                    print(_words(line), flush=True)
        finally:
            ledger = watcher.session.ledger
            if transcript is not None and ledger.phase not in (Phase.OPEN, Phase.JOINED):
                write_atomically(transcript, dump_record(ledger))
    return ExitCode.CHEATING_PROVED if ledger.fault else ExitCode.OK


def _line(event: "RuntimeEvent", ledger: "Ledger") -> dict[str, Any]:
    from ataxxd.node.runtime import Presence
    from ataxxd.session.effects import Closed, Ended, Played, Started

    match event:
        case Started(guest, side):
            offer = ledger.offer
            return {
                "event": "start",
                "name": offer.name,
                "ruleset": offer.ruleset,
                "host": offer.host,
                "guest": guest,
                "host_side": side.name.lower(),
                "position": ledger.start.text,
            }
        case Played(role, side, move, before, elapsed_ms):
            after = before.play(move)
            return {
                "event": "move",
                "side": side.name.lower(),
                "by": role.value,
                "move": move.text,
                "elapsed_ms": elapsed_ms,
                "position": after.text,
            }
        case Ended(outcome, fault):
            ended = {"event": "end", "score": outcome.score, "termination": outcome.termination}
            return ended | ({"fault": fault.text, "fault_by": fault.role.value} if fault else {})
        case Closed(standing):
            return {"event": "closed", "standing": standing.value}
        case Presence(text):
            return {"event": "notice", "text": text}
        case _:
            return {"event": type(event).__name__.lower()}


def _words(line: dict[str, Any]) -> str:
    match line["event"]:
        case "start":
            host = f"host {line['host']} ({line['host_side']})"
            return f"start {line['ruleset']} {host} guest {line['guest']}"
        case "move":
            return f"{line['side']} {line['move']}"
        case "end":
            return f"end {line['score']} {line['termination']}" + (
                f": {line['fault']}" if "fault" in line else ""
            )
        case "closed":
            return f"closed {line['standing']}"
        case _:
            return str(line.get("text", line["event"]))
