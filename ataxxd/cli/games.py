"""``ataxxd games``: what is open or under way on a broker."""

import json
import time
from typing import TYPE_CHECKING

from ataxxd.cli import options
from ataxxd.cli.columns import columns
from ataxxd.cli.say import tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ataxxd.node.lobby import FoundGame
    from ataxxd.node.names import NameBook

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
        if not games and not as_json:
            say(f"No games on {transport.url} right now. Open one: ataxxd host NAME")
        if as_json:
            for game in games:
                tell(json.dumps(_object(game)))
        else:
            for line in _listed(games, names):
                tell(line)
    return ExitCode.OK


def _object(game: "FoundGame") -> dict[str, object]:
    offer = game.offer
    return {
        "name": offer.name,
        "game": offer.digest,
        "host": offer.host,
        "ruleset": offer.ruleset,
        "state": _state(game),
        "plies": _plies(game),
        "created_ms": offer.created_ms,
        "expires_ms": offer.expires_ms,
    }


def _listed(games: "Sequence[FoundGame]", names: "NameBook") -> list[str]:
    whole, brief, briefer = [], [], []
    for game in games:
        offer, plies = game.offer, _plies(game)
        note = f" ({game.misfit})" if game.misfit else ""
        minutes = max(0, int(time.time() * 1000) - offer.created_ms) // 60_000
        first = [offer.name, _state(game)]
        moved = f"{plies:4} {plural(plies, 'ply', 'plies'):5}"
        host = names.shown(offer.host) + note
        hosted = names.shown(offer.host, whole=True)
        whole.append([*first, offer.ruleset, moved, f"{minutes:4} min", f"{hosted}{note}"])
        brief.append([*first, offer.ruleset, moved, host])
        briefer.append([*first, offer.ruleset.partition("/")[0], host])
    return columns(whole, brief, briefer)


def _plies(game: "FoundGame") -> int:
    return len(game.watched.ledger.moves) if game.watched else 0


def _state(game: "FoundGame") -> str:
    from ataxxd.session.state import IN_PLAY, Phase

    if game.misfit:
        return "unplayable"
    if game.phase in IN_PLAY:
        return "playing"
    return "open" if game.phase in (Phase.OPEN, Phase.JOINED) else "over"
