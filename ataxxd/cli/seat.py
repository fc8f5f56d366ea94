"""Taking a seat in a network game: what host, join and resume have in common."""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ataxxd.bots.base import Bot
from ataxxd.cli.connect import ChosenBroker
from ataxxd.cli.display import display
from ataxxd.cli.invitation import invitation_to
from ataxxd.cli.notations import print_game
from ataxxd.cli.players import bot_for
from ataxxd.cli.records import keep_record, keep_what_can_be_kept
from ataxxd.cli.say import say
from ataxxd.cli.screen import attend
from ataxxd.errors import AtaxxdError, ExitCode, GameError, StorageError
from ataxxd.node.errors import HostSilent
from ataxxd.node.events import Offered
from ataxxd.node.groups import plain_errors
from ataxxd.node.home import Home
from ataxxd.node.identity import load_identity
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.ledger_table import dated
from ataxxd.node.presence import Announcer, Presence
from ataxxd.node.runtime import PlayerRuntime
from ataxxd.node.table import NetworkTable
from ataxxd.node.talk import TalkRoom
from ataxxd.session.effects import Effect, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.games import line_language
from ataxxd_protocol import SigningKey, Topics, grouped

TOPICS = Topics()
# How long an engine may go on thinking about its move when the program is told to stop.
_LAST_MOVE_S = 30.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a seat was taken with; kept in the journal, so that `resume` goes on the same way.

    Attributes:
        broker: address as the user gave it; None for the default.
        lan: the host runs a broker for the local network.
        player: who plays our side; see `ataxxd.cli.players`.
        level: the engine's level; None for the default.
        seed: of a bot's choices.
        transcript: where the record goes in the end.
        text: a person has the line language on a terminal too.
        tui: a person has the terminal UI.
        strict: the first error of a person's input ends the program.
        secret: the host's, behind the offer's ``commit``.
        invitation: the secret that the invitation tells, where only the invited may join.
        games: how many games in a row, this one included.
        talk: the spectators' talk is shown.
        display: the board is in the browser.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    broker: str | None = field(default=None, repr=False)
    lan: bool = False
    player: str = "human"
    level: int | None = None
    seed: int | None = None
    transcript: str | None = None
    text: bool = False
    tui: bool = False
    strict: bool = False
    secret: str = field(default="", repr=False)
    invitation: str = field(default="", repr=False)
    games: int = 1
    talk: bool = False
    display: bool = False

    @classmethod
    def restored(cls, stored: Any) -> "Settings":
        """The settings as the journal has them.

        Raises:
            StorageError: they are from an incompatible version, or damaged.
        """
        try:
            return TypeAdapter(cls).validate_json(json.dumps(stored))
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, fault["loc"])) or "all of them"
            raise StorageError(
                "The journal's settings of this game cannot be read: "
                f"{where}: {fault['msg']}. Upgrade ataxxd."
            ) from None

    def stored(self) -> dict[str, Any]:
        """The settings for the journal."""
        return asdict(self)

    def with_seed(self) -> "Settings":
        """These settings with a seed chosen, so that a resumed bot goes on with the same one."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(48))


@dataclass(frozen=True, slots=True)
class Node:
    """This node: its home, key and journal."""

    home: Home
    key: SigningKey
    journal: Journal


@asynccontextmanager
async def opened_node(path: Path | None) -> AsyncIterator[Node]:
    """The node of a home folder, its journal open.

    Raises:
        StorageError: key or journal cannot be used.
    """
    home = Home(path)
    journal = Journal(home.journal)
    try:
        yield Node(home, load_identity(home.identity), journal)
    finally:
        journal.close()


async def take_seat(
    node: Node,
    stored: StoredGame,
    ledger: Ledger,
    broker: ChosenBroker,
    settings: Settings,
    *,
    join: tuple[str, str] | None = None,
    announce: Callable[[], None] | None = None,
) -> ExitCode:
    """Play a game to its end, or until the person leaves.

    Args:
        node: who plays; it holds the game's lock.
        stored: the game in the journal.
        ledger: the game so far.
        broker: where.
        settings: how.
        join: for a guest who has not asked yet, the nonce and the program's name.
        announce: tells people of the offer, once the broker has it.

    Returns:
        The exit code: `ExitCode.OK`, or `ExitCode.CHEATING_PROVED`.

    Raises:
        AtaxxdError: see `ataxxd.node.runtime.PlayerRuntime.run`; and `StorageError` when the
            transcript cannot be written, which says where the record is instead.
    """
    bot = bot_for(settings.player, settings.level, ledger.start.game)
    session = PlayerSession(ledger, stored.role, node.key, settings.secret, settings.invitation)
    first: Sequence[Effect] = session.ask_to_join(*join) if join else session.resumed()
    announcer = Announcer(TOPICS, stored.offer, node.key)
    async with MqttTransport(broker.url, will=announcer.will) as transport:
        runtime = PlayerRuntime(
            session,
            announcer,
            transport,
            node.journal,
            stored,
            claims=bot is not None,
            talk=TalkRoom(stored.offer, transport, TOPICS) if settings.talk else None,
        )
        try:
            with plain_errors():
                invitation = invitation_to(
                    stored.offer, broker, lan=settings.lan, secret=settings.invitation
                )
                await _play(runtime, first, settings, bot, announce, invitation)
        except HostSilent:
            raise
        except GameError:
            # The host refused us: there is nothing to resume.
            node.journal.finish(stored)
            raise
        except AtaxxdError:
            # The session may be ahead of the journal. Only what is kept has happened.
            keep_what_can_be_kept(node.home, node.journal, stored, settings.transcript)
            raise
        except asyncio.CancelledError:
            await runtime.leave()
            _farewell(runtime, stored)
            keep_what_can_be_kept(node.home, node.journal, stored, settings.transcript)
            raise
    keep_record(node.home, session.ledger, settings.transcript)
    # Not before: whoever is killed between the two would have neither game nor record.
    if runtime.settled:
        node.journal.finish(stored)
    language = line_language(ledger.start.ruleset)
    if bot is not None and settings.transcript is None and language.tells_by_transcript:
        print_game(dated(session.ledger), sys.stdout)
    await broker.linger()
    return _farewell(runtime, stored)


async def _play(
    runtime: PlayerRuntime,
    first: Sequence[Effect],
    settings: Settings,
    bot: Bot | None,
    announce: Callable[[], None] | None,
    invitation: Invitation,
) -> None:
    table: NetworkTable | None = None

    async def begin() -> NetworkTable | None:
        nonlocal table
        if await _started(runtime, announce):
            table = NetworkTable(runtime, bot, settings.seed or 0)
        return table

    async with asyncio.TaskGroup() as group:
        running = group.create_task(runtime.run(first), name="game")
        # A host's page is there before the guest.
        waits_in_sight = settings.display and runtime.session.role is Role.HOST
        if not waits_in_sight and await begin() is None:
            return
        attending = group.create_task(_attend(table or begin, settings, invitation), name="player")
        try:
            await asyncio.wait([running, attending], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if table is not None and table.thinking:
                say("Finishing this move first.")
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LAST_MOVE_S):
                        await table.finish_ply()
            raise
        if running.done() and runtime.session.ledger.outcome is None:
            attending.cancel()
        elif runtime.session.ledger.outcome is None:
            await runtime.leave()
            running.cancel()


async def _attend(
    table: NetworkTable | Callable[[], Awaitable[NetworkTable | None]],
    settings: Settings,
    invitation: Invitation,
) -> int:
    if settings.display:
        return await display(table, title=invitation.name, invitation=invitation)
    assert isinstance(table, NetworkTable)
    return await attend(table, strict=settings.strict, text=settings.text, tui=settings.tui)


async def _started(runtime: PlayerRuntime, announce: Callable[[], None] | None) -> bool:
    """Wait for the game to begin; False when it ended before it could."""
    while runtime.session.ledger.phase in (Phase.OPEN, Phase.JOINED):
        match await runtime.events.get():
            case None:
                return False
            case Offered():
                if announce is not None:
                    announce()
            case Started(guest, _):
                role = runtime.session.role
                say(f"{grouped(guest)} has joined." if role == "host" else "You have the seat.")
            case Presence(text):
                say(f"[{text}]")
            case _:
                pass
    return True


def numbered(transcript: str | None, game: int) -> str | None:
    """Where the record of one of several games goes: ``match.json``, ``match-2.json``."""
    if transcript is None or game == 1:
        return transcript
    path = Path(transcript)
    return str(path.with_stem(f"{path.stem}-{game}"))


def _farewell(runtime: PlayerRuntime, stored: StoredGame) -> ExitCode:
    session, ledger = runtime.session, runtime.session.ledger
    name = stored.offer.name
    if ledger.outcome is None:
        if ledger.phase is Phase.OPEN and session.role is Role.HOST:
            say(f"The offer is withdrawn. Open it again with: ataxxd resume {name}")
        if ledger.phase in (Phase.PLAYING, Phase.JOINED):
            say(f"The game is not over and is kept. Go on with: ataxxd resume {name}")
        return ExitCode.OK
    fault = ledger.fault
    if session.role.other in ledger.false_scores:
        say("Your opponent signed another score than the result; its own signature proves it.")
        return ExitCode.CHEATING_PROVED
    if fault is not None and fault.role is not session.role:
        say(f"Your opponent broke the rules: {fault.text.rstrip('.')}. You win.")
        return ExitCode.CHEATING_PROVED
    outcome, standing = ledger.outcome, standing_of(ledger).value
    say(f"Finished: {outcome.score} ({outcome.termination}), {standing}.")
    if not runtime.settled:
        say(f"The opponent has not confirmed it. To tell it again later: ataxxd resume {name}")
    return ExitCode.OK
