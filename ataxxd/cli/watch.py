"""``ataxxd watch``: look on, late, early or after the end."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode

if TYPE_CHECKING:
    from ataxxd.node.lobby import GameName


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
    from ataxxd.cli.records import check_transcript

    place, named_broker = split_place(name)
    target = check_transcript(transcript)
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
    from ataxxd.cli.notations import kept_text
    from ataxxd.cli.say import say
    from ataxxd.cli.seat import TOPICS
    from ataxxd.cli.views import JsonView, LiveView, TextView, View
    from ataxxd.node.home import write_atomically
    from ataxxd.node.lobby import Lobby
    from ataxxd.node.watching import Watcher
    from ataxxd.session.ledger import Ledger
    from ataxxd.session.spectator import SpectatorSession
    from ataxxd.session.state import Phase
    from ataxxd.transport.mqtt import MqttTransport

    async with chosen_broker(broker_url) as broker, MqttTransport(broker.url) as transport:
        offer = (await Lobby(transport, TOPICS).find(wanted, seconds=wait)).offer
        watcher = Watcher(SpectatorSession(Ledger(offer)), transport, TOPICS)
        view: View = LiveView() if sys.stdout.isatty() else TextView()
        if as_json:
            view = JsonView()
        else:
            say(f'Watching "{offer.name}" ({offer.ruleset}). Leave with Ctrl-C.')
        try:
            async for event in watcher.events():
                view.show(event, watcher.session.ledger)
        finally:
            ledger = watcher.session.ledger
            if transcript is not None and ledger.phase not in (Phase.OPEN, Phase.JOINED):
                write_atomically(transcript, kept_text(ledger, transcript))
    return ExitCode.CHEATING_PROVED if ledger.fault else ExitCode.OK
