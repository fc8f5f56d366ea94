"""``ataxxd host``: open a game, and wait for a guest."""

from dataclasses import replace
from functools import partial

from ataxxd.cli.announcements import print_invitation
from ataxxd.cli.commands.people import ChallengeOptions
from ataxxd.cli.commands.play import Color, HostOptions, SeekOptions
from ataxxd.cli.connect import (
    WARNING,
    check_lan,
    check_link,
    choose_broker,
    find_working_broker,
    public_brokers,
    with_links,
)
from ataxxd.cli.files import check_distinct_files, check_network_transcript
from ataxxd.cli.game_options import read_beginning
from ataxxd.cli.options import StartOptions
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import make_node, notifications, seat_settings, take_seat
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.offers import Terms, default_witnesses
from ataxxd.node.players import check_player
from ataxxd.node.profile import open_profile
from ataxxd.node.seats import free_name, parse_name
from ataxxd.node.settings import Settings
from ataxxd.rules import ruleset_info
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.state import Role
from ataxxd.times import parse_duration_ms

_SIDES = {
    Color.RED: "first",
    Color.BLACK: "first",
    Color.BLUE: "second",
    Color.WHITE: "second",
}


async def run_host(options: HostOptions) -> ExitCode:
    """Open the game NAME and wait for a guest."""
    check_lan(options.broker, lan=options.lan)
    if options.public and (options.lan or options.broker):
        raise UsageError(
            "--public takes a broker that lets everybody in; --lan and --broker choose another: "
            "choose one."
        )
    brokers = public_brokers(options.public_list) if options.public else []
    if options.link:
        wanted_brokers: list[str | None] = [*brokers] or [options.broker]
        for each in wanted_brokers:
            check_link(each, lan=options.lan, page=options.page)
    return await _host(options, brokers)


def game_to_offer(
    options: HostOptions | ChallengeOptions | SeekOptions, start: StartOptions, settings: Settings
) -> tuple[GameRecord, str]:
    """The game to offer, which must not be over, and the side of its host.

    Args:
        options: the options of the command.
        start: the options for the start of the game.
        settings: the settings of the host's seat.

    Returns:
        The game, and ``first``, ``second`` or ``random``.

    Raises:
        UsageError: there is no such game or side, or the options contradict each other.
        StorageError: a file cannot be read.
    """
    transcript, color = options.seat.transcript, options.color
    check_distinct_files(reads=[("--init", start.init)], writes=[("--transcript", transcript)])
    first = read_beginning(options.game, options.ruleset, start)
    if first.outcome is not None:
        raise UsageError(
            f"In {first.position.text!r} the game is over ({first.outcome.termination}): nobody "
            "could move."
        )
    if first.refused:
        print_message(
            "An offer carries moves alone: the draws that were rejected in --init are left out."
        )
    info = ruleset_info(first.start.ruleset)
    names = [side.lower() for side in info.side_names]
    if color in _SIDES and color.value not in names:
        raise UsageError(
            f"--color {color.value}: in {info.game} the sides are {' and '.join(names)}."
        )
    check_network_transcript(transcript, first)
    check_player(settings.player, info.game)
    return first, _SIDES.get(color, color.value)


async def _host(options: HostOptions, brokers: list[str]) -> ExitCode:
    settings = replace(
        seat_settings(options.seat),
        broker=options.broker,
        lan=options.lan,
        link=options.link,
        page=options.page,
        starts_broker=True,
        games=options.games,
        talk=options.talk,
        typed=options.name.strip(),
    )
    first, side = game_to_offer(options, options.start, settings)
    lasts_ms = parse_duration_ms(options.expires, "--expires", bare="m")
    name, ways = parse_name(options.name), notifications(options.seat.notify)
    async with open_profile(options.home) as profile:
        agreed = Terms.read(
            options.terms.clock,
            options.terms.grace,
            takebacks=options.terms.takebacks,
            guest=options.guest,
            invited=options.invited,
            witnesses=options.witness or default_witnesses(profile.key.node, options.guest),
        )
        if brokers:
            found = await find_working_broker(brokers, profile.key.node)
            settings = replace(settings, broker=found)
            print_message(WARNING)
        free_name(profile, name, new=options.new)
        async with choose_broker(
            settings.broker, home=options.home, lan=settings.lan, may_start=True
        ) as chosen:
            broker = with_links(chosen, settings.page) if settings.link else chosen
            node = make_node(broker, profile, settings)

            return await take_seat(
                node,
                broker,
                lambda player: node.new_game(
                    name, first, color=side, terms=agreed, lasts_ms=lasts_ms, player=player
                ),
                first.start.ruleset,
                Role.HOST,
                announce=partial(print_invitation, broker=broker, settings=settings),
                new=True,
                notifications=ways,
            )
