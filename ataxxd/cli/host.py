"""``ataxxd host``: open a game and wait for a guest."""

import re
import secrets
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ataxxd import __version__
from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, TransportError, UsageError

if TYPE_CHECKING:
    from ataxxd.cli.seat import Node, Settings
    from ataxxd.rules.notation.game import GameRecord
    from ataxxd.session.ledger import Ledger
    from ataxxd_protocol.messages import Offer

# How long a guest has to come to the next of several games.
_REMATCH_MS = 120_000


class Color(StrEnum):
    """Which side the host takes."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    RED = "red"
    BLUE = "blue"
    BLACK = "black"
    WHITE = "white"


_SIDES = {
    Color.RED: "first",
    Color.BLACK: "first",
    Color.BLUE: "second",
    Color.WHITE: "second",
}


def run(
    name: Annotated[str, typer.Argument(help="What others join: letters, digits and dashes.")],
    home: options.Home = None,
    broker: options.Broker = None,
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve and announce the game on the local network.")
    ] = False,
    game: options.Game = "ataxx",
    ruleset: options.Ruleset = None,
    auto: options.Auto = False,
    player: options.Player = None,
    engine: options.Engine = None,
    engine_protocol: options.EngineProtocol = None,
    level: options.Level = None,
    seed: options.Seed = None,
    color: Annotated[
        Color, typer.Option("--color", help="The side you take; red or black moves first.")
    ] = Color.FIRST,
    blocks: options.Blocks = None,
    position: options.Position = None,
    init: options.Init = None,
    transcript: options.Transcript = None,
    expires: Annotated[
        int, typer.Option("--expires", min=1, metavar="MINUTES", help="Wait this long for a guest.")
    ] = 1440,
    clock: Annotated[
        str,
        typer.Option(
            "--clock",
            metavar="TIME",
            help="How long each may think: 10m+5s, 10m, 30s/move, 3d/move or none.",
        ),
    ] = "none",
    grace: Annotated[
        str,
        typer.Option(
            "--grace",
            metavar="TIME",
            help="Who does not answer for so long can be made to lose: 15m, 3d or never.",
        ),
    ] = "15m",
    takebacks: Annotated[
        bool, typer.Option("--takebacks/--no-takebacks", help="Whether moves may be taken back.")
    ] = True,
    guest: Annotated[
        str | None, typer.Option("--guest", metavar="ID", help="Keep the seat for this node.")
    ] = None,
    invited: Annotated[
        bool, typer.Option("--invited", help="Only who has the printed invitation may join.")
    ] = False,
    games: Annotated[
        int, typer.Option("--games", min=1, metavar="N", help="Games in a row, colours swapped.")
    ] = 1,
    new: Annotated[
        bool, typer.Option("--new", help="Give up an unfinished game of this name first.")
    ] = False,
    talk: options.Talk = False,
    text: options.Text = False,
    tui: options.Tui = False,
    strict: options.Strict = False,
    display: options.Display = False,
) -> int:
    """Open a game under NAME and wait for a guest.

    You play in this terminal, or the engine does with --auto. Without a broker on this
    machine one is started. The invitation that is printed names your node's id, so that
    nobody can take the game over.
    """
    from ataxxd.cli.display import require_display
    from ataxxd.cli.notations import check_network_words
    from ataxxd.cli.players import check_player, chosen_player
    from ataxxd.cli.records import check_transcript
    from ataxxd.cli.screen import check_tui
    from ataxxd.cli.seat import Settings
    from ataxxd.cli.setup import beginning
    from ataxxd.cli.terms import offer_fields
    from ataxxd.rules import ruleset_info

    require_display(wanted=display)
    check_tui(tui=tui, text=text, display=display)
    if lan and broker:
        raise UsageError("--lan starts a broker of its own and --broker names another: choose one.")
    settings = Settings(
        broker=broker,
        lan=lan,
        player=chosen_player(player, auto=auto, engine=engine, protocol=engine_protocol),
        level=level,
        seed=seed,
        transcript=str(target) if (target := check_transcript(transcript)) else None,
        text=text,
        tui=tui,
        strict=strict,
        secret=secrets.token_hex(16),
        invitation=secrets.token_hex(8) if invited else "",
        games=games,
        talk=talk,
        display=display,
    )
    fields = offer_fields(clock, grace, takebacks=takebacks, guest=guest, invited=invited)
    first = beginning(game, ruleset, position, blocks, init)
    start = first.start
    names = [side.lower() for side in ruleset_info(start.ruleset).side_names]
    if color in _SIDES and color.value not in names:
        raise UsageError(
            f"--color {color.value}: in {start.game} the sides are {' and '.join(names)}."
        )
    if first.outcome is not None:
        raise UsageError(
            f"In {first.position.text!r} the game is over ({first.outcome.termination}): nobody "
            "could move."
        )
    check_network_words(transcript, first)
    check_player(settings.player, first.start.game)
    terms = _Terms(name, _SIDES.get(color, color.value), expires * 60_000, fields)
    return run_until_stopped(_host(terms, home, settings.with_seed(), first, new=new))


@dataclass(frozen=True, slots=True)
class _Terms:
    name: str
    side: str
    lasts_ms: int
    fields: dict[str, Any]


async def _host(
    terms: _Terms, home: Path | None, settings: "Settings", first: "GameRecord", *, new: bool
) -> ExitCode:
    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.invitation import invite
    from ataxxd.cli.seat import numbered, opened_node, take_seat
    from ataxxd.session.ledger import Ledger
    from ataxxd.session.roles import Role
    from ataxxd.session.state import Phase
    from ataxxd_protocol.fields import NAME_PATTERN

    if not re.fullmatch(NAME_PATTERN, terms.name):
        raise UsageError(
            f"{terms.name!r} is no name for a game: use up to 32 lower-case letters, digits and "
            "dashes, beginning with a letter or a digit, such as ourgame."
        )
    async with opened_node(home) as node:
        _make_room(node, terms.name, new=new)
        offer = _offer(node, terms, settings, first)
        with ExitStack() as locks:
            locks.enter_context(node.home.lock(offer.digest, offer.name))
            async with chosen_broker(
                settings.broker, home=home, lan=settings.lan, may_start=True
            ) as broker:
                for game in range(1, settings.games + 1):
                    stored = node.journal.begin(offer, Role.HOST, settings.stored())
                    announce = partial(
                        invite,
                        offer,
                        broker,
                        lan=settings.lan,
                        picture=sys.stderr.isatty(),
                        secret=settings.invitation,
                    )
                    ledger = Ledger(offer)
                    seat = replace(settings, transcript=numbered(settings.transcript, game))
                    try:
                        code = await take_seat(
                            node, stored, ledger, broker, seat, announce=announce
                        )
                    except TransportError:
                        # Nobody can have seen the offer: there is nothing to resume.
                        if node.journal.ledger(stored).phase is Phase.OPEN:
                            node.journal.finish(stored)
                        raise
                    if (
                        code != ExitCode.OK
                        or ledger.phase is not Phase.CLOSED
                        or game == settings.games
                    ):
                        return code
                    settings = replace(settings, secret=secrets.token_hex(16), invitation="")
                    offer = _rematch(node, ledger, terms, settings, first)
                    locks.enter_context(node.home.lock(offer.digest, offer.name))
    return ExitCode.OK


def _rematch(
    node: "Node", ledger: "Ledger", terms: _Terms, settings: "Settings", first: "GameRecord"
) -> "Offer":
    """The offer of the next game: colours swapped, the seat kept for the same guest."""
    assert ledger.host_side is not None
    assert ledger.join is not None
    fields = terms.fields | {"access": ledger.join.author, "rematch_of": ledger.game}
    side = ledger.host_side.opponent.name.lower()
    return _offer(node, _Terms(terms.name, side, _REMATCH_MS, fields), settings, first)


def _make_room(node: "Node", name: str, *, new: bool) -> None:
    from ataxxd.node.errors import NameInUse
    from ataxxd.session.roles import Role
    from ataxxd.session.state import UNDER_WAY

    for old in node.journal.unfinished(name, Role.HOST):
        with node.home.lock(old.offer.digest, name):
            if not new and node.journal.ledger(old).phase in UNDER_WAY:
                raise NameInUse(
                    f'You already host "{name}", which is not over. Go on: ataxxd resume {name}. '
                    f"Or give it up for a new one: ataxxd host {name} --new"
                )
            node.journal.finish(old)


def _offer(node: "Node", terms: _Terms, settings: "Settings", first: "GameRecord") -> "Offer":
    from ataxxd.session.handshake import commitment
    from ataxxd_protocol import PROTOCOL_VERSION, position_digest, signed
    from ataxxd_protocol.messages import Offer

    now = time.time_ns() // 1_000_000
    start = first.start
    opening = {"opening": [move.text for move in first.moves]} if first.moves else {}
    offer = Offer.model_validate(
        {
            "v": PROTOCOL_VERSION,
            "name": terms.name,
            "host": node.key.node,
            "key": node.key.public_key,
            "ruleset": start.ruleset,
            "start": start.text,
            **opening,
            **terms.fields,
            "start_hash": position_digest(start.ruleset, first.position.text),
            "color": terms.side,
            "commit": commitment(settings.secret),
            "agent": f"ataxxd/{__version__}",
            "created_ms": now,
            "expires_ms": now + terms.lasts_ms,
        }
    )
    return signed(offer, node.key)
