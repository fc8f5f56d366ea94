"""``ataxxd games``: what is open or under way on a broker."""

import json
import time
from typing import TYPE_CHECKING

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.plural import plural

if TYPE_CHECKING:
    from ataxxd.node.lobby import FoundGame

# In the order in which they are listed.
_STATES = ("open", "playing", "over", "unplayable")


def run(
    broker: options.Broker = None,
    as_json: options.Json = False,
    wait: options.Collect = 1.5,
) -> int:
    """List the games on the broker: open, under way and over."""
    return run_until_stopped(_games(broker, wait, as_json=as_json))


async def _games(broker_url: str | None, wait: float, *, as_json: bool) -> ExitCode:
    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.names import learnt_names
    from ataxxd.cli.say import say
    from ataxxd.node.lobby import Lobby
    from ataxxd.node.node import TOPICS
    from ataxxd.transport.mqtt import MqttTransport

    async with (
        chosen_broker(broker_url) as broker,
        MqttTransport(broker.url) as transport,
        learnt_names() as names,
    ):
        games = await Lobby(transport, TOPICS, names=names).look(seconds=wait)
        # A person looks for one to join.
        games.sort(key=lambda game: _STATES.index(_state(game)))
        hosts = {game.offer.host: names.shown(game.offer.host, whole=True) for game in games}
        if not games and not as_json:
            say(f"No games on {transport.url} right now. Open one: ataxxd host NAME")
    for game in games:
        offer = game.offer
        plies = len(game.watched.ledger.moves) if game.watched else 0
        state = _state(game)
        if as_json:
            row = {
                "name": offer.name,
                "game": offer.digest,
                "host": offer.host,
                "ruleset": offer.ruleset,
                "state": state,
                "plies": plies,
            }
            tell(
                json.dumps(row | {"created_ms": offer.created_ms, "expires_ms": offer.expires_ms}),
            )
        else:
            minutes = max(0, int(time.time() * 1000) - offer.created_ms) // 60_000
            note = f" ({game.misfit})" if game.misfit else ""
            age = f"{plies:4} {plural(plies, 'ply', 'plies'):5}  {minutes:4} min"
            host = hosts[offer.host]
            tell(f"{offer.name:20} {state:8} {offer.ruleset:20} {age}  {host}{note}")
    return ExitCode.OK


def _state(game: "FoundGame") -> str:
    from ataxxd.session.state import IN_PLAY, Phase

    if game.misfit:
        return "unplayable"
    if game.phase in IN_PLAY:
        return "playing"
    return "open" if game.phase in (Phase.OPEN, Phase.JOINED) else "over"
