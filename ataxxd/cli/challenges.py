"""``ataxxd challenges``: hear who challenges you, and decline."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.challenge import check_speech
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.invitation import address_of
from ataxxd.cli.messaging import messenger_at
from ataxxd.cli.names import known_names, learnt_names
from ataxxd.cli.options import NotifyOptions
from ataxxd.cli.say import say, tell
from ataxxd.cli.seat_settings import notifications
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, GameError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.messaging.challenges import UNWANTED, Refusal, declined
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import as_text
from ataxxd.node.seats import check_name
from ataxxd.notify import Notice, Occasion
from ataxxd.rules import rulesets
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Challenge

# So many digits of its digest are what a challenge is called.
_ID_DIGITS = 6
# How long to wait for what a challenger calls itself.
_NAMED_S = 0.5


def run(
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Appear under this name in `ataxxd players` meanwhile."
        ),
    ] = None,
    decline: Annotated[
        str | None, typer.Option("--decline", metavar="ID", help="Decline this challenge and exit.")
    ] = None,
    say_to_it: Annotated[
        str | None,
        typer.Option("--say", metavar="TEXT", help="With --decline: why, in your words."),
    ] = None,
    wait: Annotated[
        float | None,
        typer.Option("--wait", min=0.1, metavar="SECONDS", help="Stop listening after this long."),
    ] = None,
    first: Annotated[bool, typer.Option("--first", help="Exit after the first challenge.")] = False,
    home: options.Home = None,
    broker: options.Broker = None,
    as_json: options.Json = False,
    notify: options.Notify = None,
) -> int:
    """Listen for challenges, and show how to accept each.

    To accept a challenge, join its game. Open challenges are repeated every few seconds, so you
    also hear those made before you started.
    """
    if name is not None:
        check_name(name)
    check_speech(say_to_it, "--say")
    if decline is None:
        told = notifications(NotifyOptions(notify))
        return run_until_stopped(
            _listen(home, broker, name, wait, told, first=first, as_json=as_json)
        )
    return run_until_stopped(_decline(home, broker, decline, say_to_it, wait or 30.0))


async def _listen(
    home: Path | None,
    broker_url: str | None,
    name: str | None,
    wait: float | None,
    notifications: Notifications,
    *,
    first: bool,
    as_json: bool,
) -> ExitCode:
    key = load_identity(Home(home).identity)
    async with (
        chosen_broker(broker_url, home=home) as broker,
        learnt_names(home) as names,
        messenger_at(broker.url, key, has_card=name is not None, names=names) as messenger,
        notifications.opened(say) as notifier,
    ):
        at = f"@{address_of(broker)}" if broker.explicit else ""

        enough = asyncio.Event()
        heard = list[Challenge]()

        async def show(challenge: Challenge) -> None:
            heard.append(challenge)
            # Time for the challenger's nickname, if it has one.
            with suppress(TimeoutError):
                async with asyncio.timeout(_NAMED_S):
                    while names.name_of(challenge.author) is None:
                        await messenger.changed()
            shown = names.shown(challenge.author, whole=True)
            words = "\n".join(_in_words(challenge, key.node, shown, at))
            tell(json.dumps(_row(challenge)) if as_json else words)
            offer = challenge.offer
            text = f'{shown} challenges you to "{offer.name}" ({offer.ruleset}).'
            notifier.tell(Notice(Occasion.CHALLENGE, "A challenge", text, offer.name))
            if first:
                enough.set()

        messenger.on(Challenge, lambda challenge: messenger.spawn(show(challenge), "a challenge"))
        await messenger.read_post()
        if name is not None:
            await messenger.read_cards()
            messenger.card.put_up(**_card(name))
        say(f"Waiting for challenges to {grouped(key.node)} on {address_of(broker)} …")
        if not first:
            say("Answer one in another terminal, or here after Ctrl-C.")
        try:
            async with asyncio.timeout(wait):
                await enough.wait()
        except TimeoutError:
            if not heard and not as_json:
                say("No challenge came. See who is there to be challenged: ataxxd players")
        finally:
            if name is not None:
                await messenger.card.take_back()
    return ExitCode.OK


async def _decline(
    home: Path | None, broker_url: str | None, wanted: str, text: str | None, wait: float
) -> ExitCode:
    key = load_identity(Home(home).identity)
    async with (
        chosen_broker(broker_url, home=home) as broker,
        messenger_at(broker.url, key) as messenger,
    ):
        challenge = await _heard(messenger, wanted, wait)
        if challenge is None:
            raise GameError(
                f"No challenge {wanted!r} was heard within {wait:g} s: it has expired, or was "
                "withdrawn. See what comes: ataxxd challenges"
            )
        refusal = Refusal(UNWANTED, "The player does not want this game.", text)
        await messenger.send(declined(messenger, challenge, refusal))
    with known_names(home) as names:
        say(f'Declined "{challenge.offer.name}" of {names.shown(challenge.author)}.')
    return ExitCode.OK


async def _heard(messenger: Messenger, wanted: str, wait: float) -> Challenge | None:
    heard: asyncio.Future[Challenge] = asyncio.get_running_loop().create_future()

    def read(challenge: Challenge) -> None:
        if challenge.digest.startswith(wanted.lower()) and not heard.done():
            heard.set_result(challenge)

    messenger.on(Challenge, read)
    await messenger.read_post()
    await asyncio.wait({heard}, timeout=wait)
    return heard.result() if heard.done() else None


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


def _in_words(challenge: Challenge, us: str, shown: str, at: str) -> list[str]:
    offer, host = challenge.offer, grouped(challenge.author)
    said = f' It says: "{challenge.text}"' if challenge.text else ""
    lines = [f'{shown} challenges you to "{offer.name}" ({offer.ruleset}).{said}']
    if terms := as_text(offer, us=us):
        lines.append(f"  Terms: {terms}.")
    lines.append(f"  Take it:    ataxxd join {offer.name}#{host}{at}")
    lines.append(f"  Decline it: ataxxd challenges --decline {challenge.digest[:_ID_DIGITS]}")
    return lines
