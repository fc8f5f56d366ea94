"""``ataxxd players``: who can be challenged on a broker, and who analyses."""

import json

from ataxxd.cli.commands.people import PlayersOptions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.invitation import address_of
from ataxxd.cli.say import columns, say, tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.node.clock import SYSTEM_CLOCK
from ataxxd.node.home import Home, load_identity
from ataxxd.node.messaging.messenger import messenger_at
from ataxxd.node.names import known_names
from ataxxd.tournament.known_ratings import KnownRatings
from ataxxd_protocol.messages import Card


def run(options: PlayersOptions) -> int:
    """List the players on the broker, and who is free."""
    return run_until_stopped(_players(options))


async def _players(options: PlayersOptions) -> ExitCode:
    here, as_json = Home(options.home), options.as_json
    ratings = (
        KnownRatings.of_home(here, SYSTEM_CLOCK.now_ms(), say)
        if options.ratings
        else KnownRatings()
    )
    async with (
        chosen_broker(options.broker, home=options.home) as broker,
        messenger_at(broker.url, load_identity(here.identity)) as messenger,
    ):
        cards = await messenger.collect_cards(options.wait)
        if not cards and not as_json:
            say(
                f"No players on {address_of(broker)} right now. Be the first: ataxxd challenges "
                "--name NAME. Or open a game: ataxxd host NAME"
            )
    with known_names(options.home) as names:
        shown = {
            card.author: names.shown(card.author, called=card.name, whole=True) for card in cards
        }
    if as_json:
        for card in cards:
            rated = {ruleset: row.rating for ruleset, row in ratings.of(card.author).items()}
            tell(json.dumps(_row(card) | ({"ratings": rated} if rated else {})))
        return ExitCode.OK
    for line in columns([_in_words(card, shown[card.author], ratings) for card in cards]):
        tell(line)
    return ExitCode.OK


def _in_words(card: Card, shown: str, ratings: KnownRatings) -> list[str]:
    takes = ", ".join(card.rulesets or ()) or "takes no challenges"
    parts = [f"{card.free} free, {card.playing} playing", takes]
    if not shown.startswith(f"{card.name} ("):
        # By this name it is challenged.
        parts.insert(0, f'on its card "{card.name}"')
    for ruleset, row in ratings.of(card.author).items():
        parts.append(f"rated {row.rating} in {ruleset}")
    if card.clocks is not None:
        words = {
            "none": "no clock",
            "game": "a clock for the game",
            "move": "a clock for each move",
        }
        parts.append("with " + " or ".join(words[clock] for clock in card.clocks))
    if card.groups:
        parts.append("in " + ", ".join(card.groups))
    if card.nodes is not None:
        parts.append(f"analyses up to {card.nodes:,} positions")
    if card.text:
        parts.append(f'"{card.text}"')
    return [shown, card.kind, "; ".join(parts)]


def _row(card: Card) -> dict[str, object]:
    """What a card says, for programs; without what proves it."""
    fields = card.fields()
    for name in ("type", "key", "sig", "v", "at_ms"):
        del fields[name]
    return {"node": fields.pop("from"), **fields}
