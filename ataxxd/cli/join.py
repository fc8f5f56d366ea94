"""``ataxxd join``: take the free seat of a game."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ataxxd import __version__
from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode

if TYPE_CHECKING:
    from ataxxd.cli.seat import Node, Settings
    from ataxxd.node.lobby import FoundGame, GameName

# How long to wait for the next of several games.
_REMATCH_S = 60.0


def run(
    name: Annotated[
        str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The game, as the invitation says.")
    ],
    home: options.Home = None,
    broker: options.Broker = None,
    auto: options.Auto = False,
    player: options.Player = None,
    engine: options.Engine = None,
    engine_protocol: options.EngineProtocol = None,
    level: options.Level = None,
    seed: options.Seed = None,
    transcript: options.Transcript = None,
    wait: Annotated[
        float, typer.Option("--wait", min=0.1, metavar="SECONDS", help="Look for it this long.")
    ] = 3.0,
    games: Annotated[
        int, typer.Option("--games", min=1, metavar="N", help="Games in a row, colours swapped.")
    ] = 1,
    talk: options.Talk = False,
    text: options.Text = False,
    tui: options.Tui = False,
    strict: options.Strict = False,
    display: options.Display = False,
) -> int:
    """Join the game NAME and play it in this terminal, or with --auto let the engine play.

    Where several hosts use one name, or for certainty, give the host's id: NAME#ID.
    Without a broker on this machine the local network is searched for one.
    """
    from ataxxd.cli.connect import split_place
    from ataxxd.cli.display import require_display
    from ataxxd.cli.players import chosen_player
    from ataxxd.cli.records import check_transcript
    from ataxxd.cli.screen import check_tui
    from ataxxd.cli.seat import Settings

    require_display(wanted=display)
    check_tui(tui=tui, text=text, display=display)
    place, named_broker = split_place(name)
    settings = Settings(
        broker=named_broker or broker,
        player=chosen_player(player, auto=auto, engine=engine, protocol=engine_protocol),
        level=level,
        seed=seed,
        transcript=str(target) if (target := check_transcript(transcript)) else None,
        text=text,
        tui=tui,
        strict=strict,
        invitation=place.secret,
        games=games,
        talk=talk,
        display=display,
    )
    return run_until_stopped(_join(place, home, settings.with_seed(), wait))


async def _join(
    wanted: "GameName", home: Path | None, settings: "Settings", wait: float
) -> ExitCode:
    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.notations import check_network_words
    from ataxxd.cli.players import check_player
    from ataxxd.cli.say import say
    from ataxxd.cli.seat import TOPICS, numbered, opened_node, take_seat
    from ataxxd.node.errors import NoSuchGame
    from ataxxd.node.lobby import Lobby
    from ataxxd.session.ledger import Ledger
    from ataxxd.session.roles import Role
    from ataxxd.session.state import Phase
    from ataxxd.session.telling import game_of
    from ataxxd.transport.mqtt import MqttTransport

    async with opened_node(home) as node, chosen_broker(settings.broker, home=home) as broker:
        async with MqttTransport(broker.url) as transport:
            found = await Lobby(transport, TOPICS).find(wanted, seconds=wait, open_only=True)
        _check(node, wanted, found)
        check_player(settings.player, found.offer.ruleset.partition("/")[0])
        if settings.transcript is not None:
            check_network_words(Path(settings.transcript), game_of(Ledger(found.offer)))
        offer = found.offer
        for game in range(1, settings.games + 1):
            request = (secrets.token_hex(16), f"ataxxd/{__version__}")
            ledger = Ledger(offer)
            seat = replace(settings, transcript=numbered(settings.transcript, game))
            with node.home.lock(offer.digest, offer.name):
                stored = node.journal.begin(offer, Role.GUEST, settings.stored())
                code = await take_seat(node, stored, ledger, broker, seat, join=request)
            if code != ExitCode.OK or ledger.phase is not Phase.CLOSED or game == settings.games:
                return code
            say("Waiting for the next game …")
            async with MqttTransport(broker.url) as transport:
                rematch = await Lobby(transport, TOPICS).find_rematch(offer, _REMATCH_S)
            if rematch is None:
                raise NoSuchGame(
                    f'The host of "{offer.name}" did not open another game after number {game} '
                    f"of {settings.games}."
                )
            offer = rematch
    return ExitCode.OK


def _check(node: "Node", wanted: "GameName", found: "FoundGame") -> None:
    from ataxxd.cli.say import say
    from ataxxd.cli.terms import as_text
    from ataxxd.errors import UsageError
    from ataxxd.node.errors import NameInUse, SeatTaken
    from ataxxd.session.state import Phase
    from ataxxd_protocol import grouped

    offer = found.offer
    name = f"{offer.name}#{grouped(offer.host)}"
    if offer.host == node.key.node:
        raise UsageError(
            f'"{offer.name}" is hosted by this same node. To play against yourself give the '
            f"second node a home of its own: ataxxd join {offer.name} --home DIR"
        )
    if offer.access not in (None, "invited", node.key.node):
        raise SeatTaken(f"The seat in {name} is kept for {grouped(offer.access)}.")
    if offer.access == "invited" and not wanted.secret:
        raise SeatTaken(
            f"Only who has the invitation may join {name}. Ask the host for all of it: it ends "
            "with a point and a secret, NAME#ID.SECRET"
        )
    ours = node.journal.find(offer.digest)
    if ours is not None:
        phase = node.journal.ledger(ours).phase
        if not ours.finished and phase is not Phase.OPEN:
            raise NameInUse(
                f"You already have a seat in {name}. Go on with it: ataxxd resume {offer.name}"
            )
        if phase not in (Phase.OPEN, Phase.JOINED):
            raise SeatTaken(
                f"You have played {name} already; a new game needs a new offer. "
                f"Look at it: ataxxd watch {name}"
            )
    if found.phase is not Phase.OPEN:
        state = (
            "is over"
            if found.watched and found.watched.ledger.outcome
            else "is under way and its seat is taken"
        )
        raise SeatTaken(f'The game "{offer.name}" {state}. You can look at it: ataxxd watch {name}')
    if wanted.host_prefix and wanted.host_prefix != offer.host:
        whole = grouped(offer.host)
        say(f"Note: {wanted.host_prefix} is only the beginning of the host's id, {whole}.")
    known = node.journal.known_host(offer.name, offer.host)
    if known not in (None, offer.host) and wanted.host_prefix != offer.host:
        was = grouped(str(known))
        say(f'Note: "{offer.name}" was hosted by {was} before; now by {grouped(offer.host)}.')
    say(f'Joining "{offer.name}" ({offer.ruleset}) hosted by {grouped(offer.host)}.')
    if terms := as_text(offer):
        say(f"Terms: {terms}.")
