"""``ataxxd challenges``: receive challenges, and decline them."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import replace

from ataxxd.cli.challenge import check_speech
from ataxxd.cli.commands.people import ChallengesOptions
from ataxxd.cli.connect import address_of, choose_broker
from ataxxd.cli.options import NotifyOptions
from ataxxd.cli.output import print_message, print_result
from ataxxd.cli.seat import notifications
from ataxxd.errors import ExitCode, GameError, UsageError
from ataxxd.nicknames import explain_invalid_nickname, parse_nickname
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NameInUse
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import StoredGame
from ataxxd.node.messaging.challenges import REPEAT_S, make_decline
from ataxxd.node.messaging.letters import UNWANTED, Refusal
from ataxxd.node.messaging.messenger import Messenger, messenger_at
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.notices import Notifier
from ataxxd.node.offers import describe_terms
from ataxxd.node.profile import own_game
from ataxxd.notify import Notice, Occasion
from ataxxd.rules import rulesets
from ataxxd.times import SYSTEM_CLOCK, format_age, format_local_time
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Challenge

# The number of digits of its digest that identify a challenge.
_ID_DIGITS = 6
# Seconds within which every open challenge arrives, since challengers repeat theirs.
_ARRIVAL_S = REPEAT_S + 3.0
# Seconds to wait for a challenger's nickname.
_NAMED_S = 0.5


async def run_challenges(options: ChallengesOptions) -> ExitCode:
    """Listen for challenges, and show how to accept each."""
    if options.name is not None:
        name = parse_nickname(options.name)
        if name is None:
            raise UsageError(explain_invalid_nickname(options.name))
        options = replace(options, name=name)
    check_speech(options.say_to_it)
    if options.decline is None:
        return await _listen(options)
    return await _decline(options, options.decline)


async def _listen(options: ChallengesOptions) -> ExitCode:
    ways = notifications(NotifyOptions(options.notify))
    home = Home(options.home)
    key, name = load_identity(home.identity), options.name
    with known_names(options.home, store_new=True) as names:
        async with (
            choose_broker(options.broker, home=options.home) as broker,
            messenger_at(broker.url, key, has_card=name is not None, names=names) as messenger,
            ways.run_notifier(print_message) as notifier,
        ):
            inbox = _Inbox(options, home, messenger, names, notifier)
            await inbox.open()
            if name is not None:
                await messenger.read_cards()
                messenger.card.publish(**_card(name))
            _print_waiting(options, names.name_of(key.node), grouped(key.node), address_of(broker))
            try:
                async with asyncio.timeout(options.wait):
                    await inbox.enough.wait()
            except TimeoutError:
                if not inbox.received and not options.as_json:
                    print_message(
                        "No challenge came. See who is there to be challenged: "
                        f"{command_line('players')}"
                    )
            finally:
                if name is not None:
                    await messenger.card.withdraw()
    return ExitCode.OK


class _Inbox:
    """Shows the challenges to us as they come.

    Attributes:
        received: whether a challenge has come.
        enough: set when a challenge was shown and ``--first`` was given.
    """

    def __init__(
        self,
        options: ChallengesOptions,
        home: Home,
        messenger: Messenger,
        names: NameBook,
        notifier: Notifier,
    ) -> None:
        """Create it.

        Args:
            options: the options of ``ataxxd challenges``.
            home: where our games are.
            messenger: receives the challenges.
            names: the nicknames of nodes.
            notifier: tells of challenges elsewhere.
        """
        self._options = options
        self._home = home
        self._messenger = messenger
        self._names = names
        self._notifier = notifier
        self.received = False
        self.enough = asyncio.Event()

    async def open(self) -> None:
        """Show what waits, and from now on what comes."""
        messenger = self._messenger
        messenger.on(
            Challenge, lambda challenge: messenger.spawn(self._show(challenge), "a challenge")
        )
        messenger.on_expired = lambda challenge: messenger.spawn(
            self._show_late(challenge), "a challenge"
        )
        await messenger.read_post()
        await messenger.read_retained_challenges()
        messenger.spawn(messenger.clear_old_declines(), "declines that were left")

    async def _show(self, challenge: Challenge) -> None:
        options, offer = self._options, challenge.offer
        taken = own_game(self._home, offer.digest)
        if taken is not None:
            if not taken.finished:
                _show_taken(challenge, taken, self._home, as_json=options.as_json)
            return
        shown = await self._challenger(challenge)
        if not options.first:
            # Before it is shown: it may be withdrawn at any time from then on.
            await self._messenger.watch_offer(
                offer,
                lambda: print_message(
                    f'The challenge of {shown} to "{offer.name}" is no longer open.'
                ),
            )
        own = self._messenger.key.node
        words = "\n".join(_describe(challenge, own, shown, self._home.option))
        print_result(json.dumps(_row(challenge)) if options.as_json else words)
        text = f'{shown} challenges you to "{offer.name}" ({offer.ruleset}).'
        self._notifier.queue(Notice(Occasion.CHALLENGE, "A challenge", text, offer.name))
        if options.first:
            self.enough.set()

    async def _show_late(self, challenge: Challenge) -> None:
        shown, offer = await self._challenger(challenge), challenge.offer
        ago = format_age(offer.expires_ms, SYSTEM_CLOCK.now_ms())
        print_message(f'{shown} challenged you to "{offer.name}"; the challenge expired {ago} ago.')

    async def _challenger(self, challenge: Challenge) -> str:
        """How to call the challenger, once there was time for its nickname to arrive."""
        self.received = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_NAMED_S):
                while self._names.name_of(challenge.author) is None:
                    await self._messenger.wait_for_change()
        return self._names.display_name(challenge.author, full_id=True)


async def _decline(options: ChallengesOptions, wanted: str) -> ExitCode:
    if not re.fullmatch(f"[0-9a-f]{{{_ID_DIGITS},64}}", wanted.lower()):
        raise UsageError(
            f'"{wanted}" is not the ID of a challenge, which is {_ID_DIGITS} digits from 0 to f. '
            f"See which there are: {command_line('challenges')}"
        )
    home, wait = Home(options.home), options.wait or _ARRIVAL_S
    key = load_identity(home.identity)
    async with (
        choose_broker(options.broker, home=options.home) as broker,
        messenger_at(broker.url, key) as messenger,
    ):
        print_message(
            f'Listening for the challenge "{wanted}" for up to {wait:g} s; an open one is '
            f"repeated every {REPEAT_S:g} s. Ctrl-C gives up."
        )
        challenge = await _wait_for_challenge(messenger, wanted, wait)
        taken = own_game(home, challenge.offer.digest)
        if taken is not None:
            raise NameInUse(f"You have taken this challenge; {_continue_text(taken, home)}")
        refusal = Refusal(UNWANTED, "The player does not want this game.", options.say_to_it)
        await messenger.decline(make_decline(messenger, challenge, refusal))
    with known_names(options.home) as names:
        print_message(
            f'Declined "{challenge.offer.name}" of {names.display_name(challenge.author)}.'
        )
    return ExitCode.OK


async def _wait_for_challenge(messenger: Messenger, wanted: str, wait: float) -> Challenge:
    """The challenge to us with the ID `wanted`.

    Raises:
        GameError: it is not open. The broker says so at once of one that was left there; of
            another, only silence does.
    """
    heard: asyncio.Future[Challenge | str] = asyncio.get_running_loop().create_future()

    def settle(digest: str, answer: Challenge | str) -> None:
        if digest.startswith(wanted.lower()) and not heard.done():
            heard.set_result(answer)

    def read_expired(challenge: Challenge) -> None:
        ago = format_age(challenge.offer.expires_ms, SYSTEM_CLOCK.now_ms())
        settle(challenge.digest, f'The challenge "{wanted}" expired {ago} ago.')

    messenger.on(Challenge, lambda challenge: settle(challenge.digest, challenge))
    messenger.on_expired = read_expired
    messenger.on_own_decline = lambda decline: settle(
        decline.answers, f'You have already declined the challenge "{wanted}".'
    )
    await messenger.read_post()
    await messenger.read_retained_challenges()
    await asyncio.wait({heard}, timeout=wait)
    settle(
        wanted.lower(),
        f'No challenge "{wanted}" was heard within {wait:g} s: it was answered before, has '
        "expired, or was withdrawn.",
    )
    answer = heard.result()
    if isinstance(answer, str):
        raise GameError(f"{answer} See which are open: {command_line('challenges')}")
    return answer


def _print_waiting(options: ChallengesOptions, called: str | None, node: str, broker: str) -> None:
    print_message(f"Waiting for challenges to {node} on {broker} …")
    if options.name is None:
        print_message(
            f"With --name {called or 'NAME'}, you are also on the list of players meanwhile."
        )
    if not options.first:
        print_message("Answer one in another terminal, or here after Ctrl-C.")


def _show_taken(challenge: Challenge, taken: StoredGame, home: Home, *, as_json: bool) -> None:
    """Show a challenge that we have taken, which stays until its host is back."""
    if as_json:
        print_result(json.dumps({**_row(challenge), "taken": True}))
    else:
        print_message(
            f'You have taken the challenge to "{taken.offer.name}"; {_continue_text(taken, home)}'
        )


def _continue_text(taken: StoredGame, home: Home) -> str:
    return f"continue with: {home.resume_command(taken.offer.name)}"


def _card(name: str) -> dict[str, object]:
    known = [info.id for info in rulesets()]
    return {"name": name, "kind": "person", "rulesets": known, "free": 1, "playing": 0}


def _row(challenge: Challenge) -> dict[str, object]:
    offer = challenge.offer
    row = {
        "id": challenge.digest[:_ID_DIGITS],
        "from": challenge.author,
        "name": offer.name,
        "ruleset": offer.ruleset,
        "color": offer.color,
        "clock": None if offer.clock is None else offer.clock.fields(),
        "text": challenge.text,
        "expires_ms": offer.expires_ms,
        "join": f"{offer.name}#{offer.host}",
    }
    return {name: value for name, value in row.items() if value is not None}


def _describe(challenge: Challenge, us: str, shown: str, home: str) -> list[str]:
    offer, host = challenge.offer, grouped(challenge.author)
    said = f' They say: "{challenge.text}"' if challenge.text else ""
    lines = [f'{shown} challenges you to "{offer.name}" ({offer.ruleset}).{said}']
    if terms := describe_terms(offer, us=us):
        lines.append(f"  Terms: {terms}.")
    lines.append(f"  Open until: {format_local_time(offer.expires_ms):%Y-%m-%d %H:%M}")
    lines.append(f"  Take it:    {command_line(f'join {offer.name}#{host}', home)}")
    digits = challenge.digest[:_ID_DIGITS]
    lines.append(f"  Decline it: {command_line(f'challenges --decline {digits}', home)}")
    return lines
