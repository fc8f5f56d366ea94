"""``ataxxd games`` and ``ataxxd players``: what is on a broker, and who can be challenged."""

import sys
from collections.abc import Mapping, Sequence

from ataxxd.cli.commands.people import PlayersOptions
from ataxxd.cli.commands.play import GamesOptions
from ataxxd.cli.connect import address_of, choose_broker
from ataxxd.cli.output import columns, print_json, print_message, print_result
from ataxxd.errors import ExitCode, TransportError
from ataxxd.node.command_lines import command_line
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.home import Home, load_identity
from ataxxd.node.listing import (
    OwnGame,
    by_urgency,
    describe_signatures,
    finish_unconfirmed_games,
    read_waiting_messages,
    unfinished_games,
)
from ataxxd.node.messaging.messenger import messenger_at
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.profile import KnownHosts, Profile, known_hosts, open_profile
from ataxxd.node.settings import Settings
from ataxxd.session.state import IN_PLAY, Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.known_ratings import KnownRatings
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.wording import plural
from ataxxd_protocol.messages import Card, Offer

# In the order in which they are listed.
_STATES = ("open", "playing", "over", "unplayable")


async def run_games(options: GamesOptions) -> ExitCode:
    """List the games on the broker: open, under way and over."""
    return await (_mine(options) if options.mine else _games(options))


async def _games(options: GamesOptions) -> ExitCode:
    here = Home(options.home)
    ratings = _ratings(here, wanted=options.ratings)
    with known_names(options.home, store_new=True) as names:
        async with (
            choose_broker(options.broker, home=options.home) as broker,
            MqttTransport(broker.url) as transport,
        ):
            _print_wait("games", transport.url, options.wait)
            with known_hosts(here) as known:
                games = await GameFinder(transport, names=names).search(seconds=options.wait)
                before = _hosts_before(games, known)
            # Open games first: a person is looking for one to join.
            games.sort(key=lambda game: _STATES.index(_state(game)))
            if not games and not options.as_json:
                print_message(
                    f"No games on {transport.url} right now. Open one: {command_line('host NAME')}"
                )
            if options.as_json:
                for game in games:
                    print_json(_object(game, before.get(game.offer.digest), ratings))
            else:
                print_result(*_listed(games, names, before, ratings))
    return ExitCode.OK


def settle_stale_games(profile: Profile) -> None:
    """Settle the games that have waited too long for the opponent to confirm them, and name them.

    Raises:
        StorageError: the journal cannot be used.
    """
    for stored, ledger in finish_unconfirmed_games(profile):
        name = Settings.restored(stored.settings).shown_name(stored.offer.name)
        print_message(
            f'"{name}" is over, and waits no longer for your opponent to confirm it: '
            f"{describe_signatures(ledger)}. Find its record with: "
            f"{command_line(f'archive {name}', profile.home.option)}"
        )


async def _mine(options: GamesOptions) -> ExitCode:
    async with open_profile(options.home) as profile:
        settle_stale_games(profile)
        games = unfinished_games(profile.journal)
        by_broker: dict[str | None, list[OwnGame]] = {}
        for game in games:
            broker = options.broker or Settings.restored(game.stored.settings).broker
            by_broker.setdefault(broker, []).append(game)
        for url, there in by_broker.items():
            try:
                async with (
                    choose_broker(url, home=options.home) as chosen,
                    MqttTransport(chosen.url) as transport,
                ):
                    await read_waiting_messages(there, transport, options.wait)
            except TransportError as error:
                names = ", ".join(dict.fromkeys(map(_typed, there)))
                print_message(f"{error}\nShown as you left them: {names}.")
        games = by_urgency(games)
        if options.as_json:
            for game in games:
                print_json(_own_object(game))
            return ExitCode.OK
        if not games:
            print_message(f"You have no unfinished games. Open one: {command_line('host NAME')}")
        print_result(*_own_listed(games, profile.names))
        if games and games[0].is_our_turn:
            again = profile.home.resume_command(_typed(games[0]))
            print_message(f"Continue with: {again}")
    return ExitCode.OK


def _typed(game: OwnGame) -> str:
    return Settings.restored(game.stored.settings).shown_name(game.stored.offer.name)


def _own_state(game: OwnGame) -> str:
    if game.unconfirmed_text:
        return game.unconfirmed_text
    if game.is_declined:
        return "declined"
    if game.is_expired:
        return "expired"
    if game.is_our_turn:
        return "your turn"
    return "open" if game.ledger.phase is Phase.OPEN else "their turn"


def _own_object(game: OwnGame) -> dict[str, object]:
    ledger = game.ledger
    over, begun = ledger.outcome is not None, ledger.phase in IN_PLAY
    state = "over" if over else "playing" if begun else "open"
    return {
        **_fields(game.stored.offer, state, len(ledger.moves)),
        "role": game.stored.role.value,
        **({} if game.opponent is None else {"opponent": game.opponent}),
        **({"declined": True} if game.is_declined else {}),
        **({"expired": True} if game.is_expired else {}),
        "your_turn": game.is_our_turn,
        **({"unconfirmed_since_ms": game.newest_ms} if over else {}),
    }


def _own_listed(games: Sequence[OwnGame], names: NameBook) -> list[str]:
    whole, brief = [], []
    for game in games:
        plies = len(game.ledger.moves)
        first = [_typed(game), _own_state(game), game.stored.offer.ruleset]
        moved = f"{plies:4} {plural(plies, 'ply', 'plies'):5}"
        who = game.opponent
        whole.append([*first, moved, "" if who is None else names.display_name(who, full_id=True)])
        brief.append([*first, "" if who is None else names.display_name(who)])
    return columns(whole, brief)


def _ratings(home: Home, *, wanted: bool) -> KnownRatings:
    """The ratings that this node knows, or none."""
    return (
        KnownRatings.read_home(home, SYSTEM_CLOCK.now_ms(), print_message)
        if wanted
        else KnownRatings()
    )


def _print_wait(what: str, place: str, seconds: float) -> None:
    """Tell a person at a terminal what we are waiting for, and how long."""
    if sys.stderr.isatty():
        print_message(f"Looking for {what} on {place} for {seconds:g} s …")


def _hosts_before(games: Sequence[FoundGame], known: KnownHosts) -> dict[str, str]:
    """The earlier host of each game whose name another node had before, by the game's id."""
    before = {}
    for game in games:
        host = known.instead_of(game.offer.name, game.offer.host)
        if host is not None:
            before[game.offer.digest] = host
    return before


def _object(game: FoundGame, instead_of: str | None, ratings: KnownRatings) -> dict[str, object]:
    offer = game.offer
    fields = _fields(offer, _state(game), _plies(game))
    if instead_of is not None:
        fields["instead_of"] = instead_of
    if (row := ratings.row(offer.host, offer.ruleset)) is not None:
        fields["rating"] = row.rating
    return fields


def _fields(offer: Offer, state: str, plies: int) -> dict[str, object]:
    """The JSON fields of any game."""
    return {
        "name": offer.name,
        "game": offer.digest,
        "host": offer.host,
        "ruleset": offer.ruleset,
        "state": state,
        "plies": plies,
        "created_ms": offer.created_ms,
        "expires_ms": offer.expires_ms,
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
        note = f" ({game.incompatibility})" if game.incompatibility else ""
        if offer.digest in before:
            note = f"; not the host you have joined before{note}"
        if (row := ratings.row(offer.host, offer.ruleset)) is not None:
            note = f", rated {row.rating}{note}"
        minutes = max(0, SYSTEM_CLOCK.now_ms() - offer.created_ms) // 60_000
        first = [offer.name, _state(game)]
        moved = f"{plies:4} {plural(plies, 'ply', 'plies'):5}"
        host = names.display_name(offer.host) + note
        hosted = names.display_name(offer.host, full_id=True)
        whole.append([*first, offer.ruleset, moved, f"{minutes:4} min ago", f"{hosted}{note}"])
        brief.append([*first, offer.ruleset, moved, host])
        briefer.append([*first, offer.ruleset.partition("/")[0], host])
    return columns(whole, brief, briefer)


def _plies(game: FoundGame) -> int:
    return len(game.session.ledger.moves) if game.session else 0


def _state(game: FoundGame) -> str:
    if game.incompatibility:
        return "unplayable"
    if game.phase in IN_PLAY:
        return "playing"
    return "open" if game.phase in (Phase.OPEN, Phase.JOINED) else "over"


async def run_players(options: PlayersOptions) -> ExitCode:
    """List the players on the broker, and who is free."""
    here, as_json = Home(options.home), options.as_json
    ratings = _ratings(here, wanted=options.ratings)
    async with (
        choose_broker(options.broker, home=options.home) as broker,
        messenger_at(broker.url, load_identity(here.identity)) as messenger,
    ):
        _print_wait("players", address_of(broker), options.wait)
        cards = await messenger.collect_cards(options.wait)
        if not cards and not as_json:
            print_message(
                f"No players on {address_of(broker)} right now. Be the first: "
                f"`{command_line('challenges --name NAME')}`. Or open a game: "
                f"{command_line('host NAME')}"
            )
    with known_names(options.home) as names:
        shown = {
            card.author: names.display_name(card.author, card_name=card.name, full_id=True)
            for card in cards
        }
    if as_json:
        for card in cards:
            rated = {
                ruleset: row.rating for ruleset, row in ratings.by_ruleset(card.author).items()
            }
            print_json(_card(card) | ({"ratings": rated} if rated else {}))
        return ExitCode.OK
    print_result(*columns([_card_in_words(card, shown[card.author], ratings) for card in cards]))
    return ExitCode.OK


def _card_in_words(card: Card, shown: str, ratings: KnownRatings) -> list[str]:
    takes = ", ".join(card.rulesets or ()) or "takes no challenges"
    parts = [f"{card.free} free, {card.playing} playing", takes]
    if not shown.startswith(f"{card.name} ("):
        # The name to use in a challenge.
        parts.insert(0, f'challenged as "{card.name}"')
    for ruleset, row in ratings.by_ruleset(card.author).items():
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


def _card(card: Card) -> dict[str, object]:
    """A card as a JSON object, without its proofs."""
    fields = card.fields()
    for name in ("type", "key", "sig", "v", "at_ms"):
        del fields[name]
    return {"node": fields.pop("from"), **fields}
