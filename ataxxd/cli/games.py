"""``ataxxd games``: what is open or under way on a broker."""

import json
import time
from collections.abc import Mapping, Sequence

from ataxxd.cli.commands.watch import GamesOptions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.say import columns, say, tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.home import Home
from ataxxd.node.lobby import FoundGame, Lobby
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.profile import TOPICS, KnownHosts, known_hosts
from ataxxd.session.state import IN_PLAY, Phase
from ataxxd.tournament.known_ratings import KnownRatings
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import plural

# In the order in which they are listed.
_STATES = ("open", "playing", "over", "unplayable")


def run(options: GamesOptions) -> int:
    """List the games on the broker: open, under way and over."""
    return run_until_stopped(_games(options))


async def _games(options: GamesOptions) -> ExitCode:
    ratings = (
        KnownRatings.of_home(Home(), SYSTEM_CLOCK.now_ms(), say)
        if options.ratings
        else KnownRatings()
    )
    with known_names(learns=True) as names:
        async with (
            chosen_broker(options.broker) as broker,
            MqttTransport(broker.url) as transport,
        ):
            with known_hosts(Home()) as known:
                games = await Lobby(transport, TOPICS, names=names).look(seconds=options.wait)
                before = _hosts_before(games, known)
            # A person looks for one to join.
            games.sort(key=lambda game: _STATES.index(_state(game)))
            if not games and not options.as_json:
                say(f"No games on {transport.url} right now. Open one: ataxxd host NAME")
            if options.as_json:
                for game in games:
                    tell(json.dumps(_object(game, before.get(game.offer.digest), ratings)))
            else:
                for line in _listed(games, names, before, ratings):
                    tell(line)
    return ExitCode.OK


def _hosts_before(games: Sequence[FoundGame], known: KnownHosts) -> dict[str, str]:
    """Of each game whose name somebody else had before, by its id: who."""
    before = {}
    for game in games:
        host = known.instead_of(game.offer.name, game.offer.host)
        if host is not None:
            before[game.offer.digest] = host
    return before


def _object(game: FoundGame, instead_of: str | None, ratings: KnownRatings) -> dict[str, object]:
    offer = game.offer
    changed: dict[str, object] = {} if instead_of is None else {"instead_of": instead_of}
    if (row := ratings.row(offer.host, offer.ruleset)) is not None:
        changed["rating"] = row.rating
    return {
        "name": offer.name,
        "game": offer.digest,
        "host": offer.host,
        "ruleset": offer.ruleset,
        "state": _state(game),
        "plies": _plies(game),
        "created_ms": offer.created_ms,
        "expires_ms": offer.expires_ms,
        **changed,
    }


def _listed(
    games: Sequence[FoundGame],
    names: NameBook,
    before: Mapping[str, str],
    ratings: KnownRatings,
) -> list[str]:
    whole, brief, briefer = [], [], []
    for game in games:
        offer, plies = game.offer, _plies(game)
        note = f" ({game.misfit})" if game.misfit else ""
        if offer.digest in before:
            note = f"; not the host you have joined before{note}"
        if (row := ratings.row(offer.host, offer.ruleset)) is not None:
            note = f", rated {row.rating}{note}"
        minutes = max(0, int(time.time() * 1000) - offer.created_ms) // 60_000
        first = [offer.name, _state(game)]
        moved = f"{plies:4} {plural(plies, 'ply', 'plies'):5}"
        host = names.shown(offer.host) + note
        hosted = names.shown(offer.host, whole=True)
        whole.append([*first, offer.ruleset, moved, f"{minutes:4} min", f"{hosted}{note}"])
        brief.append([*first, offer.ruleset, moved, host])
        briefer.append([*first, offer.ruleset.partition("/")[0], host])
    return columns(whole, brief, briefer)


def _plies(game: FoundGame) -> int:
    return len(game.watched.ledger.moves) if game.watched else 0


def _state(game: FoundGame) -> str:
    if game.misfit:
        return "unplayable"
    if game.phase in IN_PLAY:
        return "playing"
    return "open" if game.phase in (Phase.OPEN, Phase.JOINED) else "over"
