"""``ataxxd challenge``: challenge a player or a group to a game."""

import asyncio
import re
import secrets
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter, ValidationError

from ataxxd.cli.commands.people import ChallengeOptions
from ataxxd.cli.host import game_to_offer
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import notifications, open_node, seat_settings, take_seat
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NobodyCame
from ataxxd.node.messaging.challenges import (
    Challenged,
    OutgoingChallenge,
    find_challenged,
)
from ataxxd.node.messaging.messenger import Messenger, messenger_at
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.offers import Terms, default_witnesses, describe_terms, witnesses_field
from ataxxd.node.seats import check_no_challenge_waits, free_name, parse_name
from ataxxd.node.series import SeatPlayer
from ataxxd.session.state import Role
from ataxxd.times import (
    format_duration,
    parse_duration_ms,
)
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Decline, Speech


def check_speech(text: str | None) -> None:
    """Check that the text of ``--say`` can be sent.

    Raises:
        UsageError: it cannot; the text says why.
    """
    try:
        if text is not None:
            TypeAdapter(Speech).validate_python(text)
    except ValidationError:
        raise UsageError(
            "--say takes 1 to 500 characters, and no control characters such as line feeds."
        ) from None


async def run_challenge(options: ChallengeOptions) -> ExitCode:
    """Challenge WHO, a player or a group, to a game."""
    if options.name is not None:
        options = replace(options, name=parse_name(options.name))
    check_speech(options.say_to_it)
    settings = replace(
        seat_settings(options.seat),
        broker=options.broker,
        starts_broker=False,
        games=options.games,
        talk=options.talk,
        left=options.leave is not None,
    )
    agreed, lasts_ms = _read_terms(options)
    first, side = game_to_offer(options, options.start, settings)
    ways = notifications(options.seat.notify)
    async with (
        open_node(options.home, settings) as (node, broker),
        messenger_at(broker.url, node.profile.key, names=node.profile.names) as messenger,
    ):
        profile = node.profile
        challenged = await find_challenged(messenger, options.who, names=profile.names)
        if challenged.node == profile.key.node:
            raise UsageError("This is your own node. To play against the engine: ataxxd play")
        agreed = _with_witnesses(agreed, challenged, profile.key.node)
        name = options.name or _make_name(challenged)
        free_name(profile, name)
        if settings.left and challenged.node is not None:
            check_no_challenge_waits(profile, challenged.node, challenged.title)
        terms = replace(agreed, access=challenged.node)
        offer = partial(node.new_game, name, first, color=side, terms=terms, lasts_ms=lasts_ms)
        challenging = _ChallengeRun(node, messenger, challenged, offer, options.say_to_it)
        if settings.left:
            return await challenging.leave()
        try:
            return await take_seat(
                node,
                broker,
                challenging.take_seat,
                first.start.ruleset,
                Role.HOST,
                announce=challenging.announce,
                meanwhile=challenging.run,
                new=True,
                notifications=ways,
            )
        except NobodyCame:
            # The name on a card is gone when its owner leaves; the id holds.
            whom = options.who if challenged.node is None else grouped(challenged.node)
            longer, leave = (
                command_line(f"challenge {shlex.quote(whom)} {how}", profile.home.option)
                for how in ("--expires TIME", "--leave 7d")
            )
            if challenged.node is not None:
                longer = f"`{longer}`. Or leave it there, and go: {leave}"
            raise NobodyCame(
                f"{challenged.title} did not come within {format_duration(lasts_ms)}. See who is "
                f"there: `{command_line('players')}`. Or wait longer: {longer}"
            ) from None


def _read_terms(options: ChallengeOptions) -> tuple[Terms, int]:
    """The terms, and how many milliseconds the offer stands."""
    terms = Terms.read(
        options.terms.clock,
        options.terms.grace,
        takebacks=options.terms.takebacks,
        witnesses=options.witness or (),
    )
    if options.leave is None:
        return terms, parse_duration_ms(options.expires, "--expires", bare="m")
    lasts_ms = parse_duration_ms(options.leave, "--leave", bare="d")
    if terms.grace_ms is not None:
        terms = replace(terms, grace_ms=max(terms.grace_ms, lasts_ms))
    return terms, lasts_ms


def _with_witnesses(terms: Terms, challenged: Challenged, us: str) -> Terms:
    """The terms with their witnesses: the usual ones if none are named, but not against a bot."""
    if terms.witnesses is None and not challenged.is_bot:
        return replace(terms, witnesses=default_witnesses(us, challenged.node) or None)
    return replace(terms, witnesses=witnesses_field(terms.witnesses or (), challenged.node))


class _ChallengeRun:
    """One challenge from this command."""

    def __init__(
        self,
        node: Node,
        messenger: Messenger,
        challenged: Challenged,
        offer: Callable[..., NetworkGame],
        text: str | None,
    ) -> None:
        """Challenge somebody to a game, which `offer` makes for a player; `text` goes with it."""
        self._node = node
        self._messenger = messenger
        self._challenged = challenged
        self._offer = offer
        self._text = text
        self._offered = asyncio.Event()
        self._challenge: OutgoingChallenge | None = None

    def take_seat(self, player: SeatPlayer) -> NetworkGame:
        """Our seat, for a player; what `take_seat` wants."""
        game = self._offer(player=player)
        try:
            self._challenge = OutgoingChallenge(
                self._messenger,
                self._challenged,
                game.offer,
                text=self._text,
                on_decline=self._on_decline,
            )
        except ValueError as error:
            with game:
                self._node.profile.journal.finish(game.stored)
            raise UsageError(
                f"This challenge cannot be sent: {error}. Begin with fewer moves (--init), or "
                "say less (--say)."
            ) from None
        return game

    def announce(self, game: NetworkGame) -> None:
        """Say whom we challenge to what."""
        title = self._challenged.title
        print_message(f'Challenging {title} to "{game.name}" ({game.offer.ruleset}).')
        self._print_terms(game)
        if doubt := self._challenged.find_obstacle(game.offer.ruleset):
            print_message(f"Note: {doubt}")
        self._offered.set()

    async def run(self) -> None:
        """Challenge, once the broker has the offer, until somebody has come."""
        await self._offered.wait()
        assert self._challenge is not None, "it is taken"
        await self._challenge.run()

    async def leave(self) -> ExitCode:
        """Leave offer and challenge with the broker, for a player who is away."""
        if self._challenged.node is None:
            raise UsageError("--leave is for one player: name them by a nickname or an id.")
        with self.take_seat(SeatPlayer()) as game:
            assert self._challenge is not None, "it is taken"
            async with game.opened():
                await self._messenger.retain_challenge(self._challenge.challenge)
        title = self._challenged.title
        print_message(f'A challenge to "{game.name}" ({game.offer.ruleset}) is left for {title}.')
        self._print_terms(game)
        print_message("They find it with: ataxxd challenges")
        again = self._node.profile.home.resume_command(game.name)
        print_message(f"See whether it was taken: {again}")
        return ExitCode.OK

    def _print_terms(self, game: NetworkGame) -> None:
        # The message before has already said for whom the seat is kept.
        if terms := describe_terms(game.offer, taken=True):
            print_message(f"Terms: {terms}.")

    def _on_decline(self, decline: Decline) -> None:
        print_message(
            f"{self._node.profile.names.display_name(decline.author)} declines: {decline.reason}"
        )


def _make_name(challenged: Challenged) -> str:
    """A name for a game against somebody, which no other game of ours has."""
    card = challenged.cards[0].name if challenged.node and challenged.cards else ""
    whom = card or challenged.group or str(challenged.node)[:4]
    return f"{re.sub('[^a-z0-9-]', '', whom)[:20]}-{secrets.token_hex(3)}"
