"""Recovery: a game from a backup or a damaged journal gets back this node's later messages.

A second message with the same number breaks the rules, whatever the reason. So before a restored
game continues, the host's retained state and the opponent's messages are read, as a spectator does,
and the opponent must state how many of our messages it has, in a signed request that echoes our
nonce, since anybody can repeat an old one. Until then nothing is written to the game's log.
"""

import asyncio
import secrets

from ataxxd.errors import ExitCode, GameError, RemoteProtocolError
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.presence import Announcer
from ataxxd.node.receiving import Admission, Incoming, Receiver, log_topics
from ataxxd.session.events import Ignored, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.transport.base import Connect, Connected, Transport
from ataxxd_protocol import TOPICS, encode, signature_holds, signed
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    LogMessage,
    Recall,
    StatePart,
    Sync,
    Who,
)
from ataxxd_protocol.topics import Address
from ataxxd_protocol.version import allows_sync_echoes

PATIENCE_S = 20.0
"""Seconds to wait for the opponent. One that is connected answers our presence at once."""
# Seconds between two requests.
_ASK_PAUSE_S = 2.0
# The most messages kept until those before them arrive.
_MAX_WAITING = 1024


class IncompleteGameError(GameError):
    """A restored game cannot continue: we may have sent more than is known."""

    exit_code = ExitCode.OPPONENT_GONE


def require_complete(stored: StoredGame, home: Home) -> None:
    """Refuse to continue a game in which we may have sent more than is known.

    Raises:
        IncompleteGameError: it came from a backup, or its journal has lost something.
    """
    if stored.restored:
        name = stored.offer.name
        raise IncompleteGameError(
            f'"{name}" comes from a backup or a damaged journal, and this node may have sent more '
            f"since. Find out from your opponent: {home.resume_command(name)}"
        )


class Recovery:
    """Finds out how far one restored game had come.

    Attributes:
        session: the game as a spectator would know it by now.
    """

    def __init__(
        self,
        stored: StoredGame,
        ledger: Ledger,
        announcer: Announcer,
        nonce: str,
        home_option: str = "",
    ) -> None:
        """Begin to learn about a game.

        Args:
            stored: the game.
            ledger: the game as the journal has it.
            announcer: announces our presence in it.
            nonce: 32 random hexadecimal digits, never used before.
            home_option: how errors name our home; see `Home.option`.
        """
        self.session = SpectatorSession(ledger.copy())
        self._home_option = home_option
        # Earlier protocol versions have no echo: in their games any request counts as an answer.
        self._nonce = nonce if allows_sync_echoes(stored.offer.v) else None
        self._role = stored.role
        self._announcer = announcer
        self._admission = Admission(lambda: self.session.ledger)
        self._opponent_has = 0
        self._answered = False
        self._contradiction = ""
        # Messages that cannot be accepted yet, by author and number.
        self._early: dict[tuple[str, int], AnyLogMessage] = {}
        # How often our own presence must still come back: the broker delivers it after everything
        # that it had for us before.
        self._echoes_due = 0
        self._next_part = 1

    @property
    def _ledger(self) -> Ledger:
        return self.session.ledger

    @property
    def _known(self) -> int:
        return len(self._ledger.log(self._role))

    @property
    def is_done(self) -> bool:
        """Whether none of our messages can be missing."""
        if self._ledger.phase is Phase.CLOSED:
            return True
        if not self._has_read_all:
            return False
        # Nobody can have heard us in a game that nobody has joined.
        open_still = self._ledger.phase is Phase.OPEN and self._role is Role.HOST
        return open_still or (self._answered and self._opponent_has <= self._known)

    @property
    def _has_read_all(self) -> bool:
        """Whether we have what the broker had for us."""
        return self._echoes_due <= 0 and not self.session.behind

    async def recover_ledger(self, transport: Transport, patience_s: float = PATIENCE_S) -> Ledger:
        """The game, once all of our messages in it are known.

        Args:
            transport: a connection to the game's broker.
            patience_s: how long to wait for the opponent, in seconds.

        Raises:
            IncompleteGameError: the opponent did not answer in time, or has more than was learnt.
            TransportError: the broker does not let us listen.
        """
        offer = self._ledger.offer
        for pattern in (self._announcer.topic, *log_topics(offer)):
            await transport.subscribe(pattern)
        try:
            async with asyncio.timeout(patience_s):
                await self._announce_presence(transport)
                async with asyncio.TaskGroup() as group:
                    asking = group.create_task(self._ask(transport), name="ask")
                    await self._listen(transport)
                    asking.cancel()
        except TimeoutError:
            raise IncompleteGameError(self._explain_failure()) from None
        return self._ledger

    async def _ask(self, transport: Transport) -> None:
        """Ask for what we lack, again and again; a request commits us to nothing."""
        who = TOPICS.who(self._ledger.offer.name)
        while True:
            if self._role is Role.GUEST:
                await transport.publish(who, encode(Who()))
            if self._ledger.phase not in (Phase.OPEN, Phase.JOINED):
                await self._publish(transport, self._sync(nonce=self._nonce))
            await asyncio.sleep(_ASK_PAUSE_S)

    def _sync(self, nonce: str | None = None, echo: str | None = None) -> Sync:
        key, need = self._announcer.key, len(self._ledger.log(self._role.other))
        return signed(
            Sync(
                game=self._ledger.game,
                author=key.node,
                need=need,
                head=self._known,
                nonce=nonce,
                echo=echo,
            ),
            key,
        )

    async def _publish(self, transport: Transport, sync: Sync) -> None:
        offer = self._ledger.offer
        out = TOPICS.out(offer.name, offer.host, sync.author)
        await transport.publish(out, encode(sync))

    async def _announce_presence(self, transport: Transport) -> None:
        self._echoes_due += 1
        await self._announcer.publish(transport, "online")

    async def _listen(self, transport: Transport) -> None:
        async for event in Receiver(transport):
            match event:
                case Incoming(address=Address(kind="status", writer=us)) if (
                    us == self._announcer.key.node
                ):
                    self._echoes_due -= event.payload == self._announcer.status("online")
                case Incoming():
                    await self._on_incoming(event, transport)
                case Connected(epoch) if epoch > 1:
                    self._echoes_due = 0
                    await self._announce_presence(transport)
                case _:
                    pass
            if self.is_done:
                return

    async def _on_incoming(self, incoming: Incoming, transport: Transport) -> None:
        address, message = incoming.address, self._admission.read(incoming)
        if message is None:
            return
        if address.kind == "state" and address.part == self._next_part - 1:
            # By its exact topic: some brokers deliver no retained messages to wildcards.
            offer = self._ledger.offer
            part = TOPICS.state(offer.name, offer.host, self._next_part)
            self._next_part += 1
            await transport.subscribe(part)
            await self._announce_presence(transport)
        self._receive(message)
        if isinstance(message, Sync):
            await self._on_sync(message, transport)

    def _receive(self, message: AnyMessage) -> None:
        match message:
            case Recall():
                # It does not matter who sends it: our own signature proves that it is ours.
                self._queue(message.message)
            case LogMessage():
                self._queue(message)
            case StatePart():
                for effect in self.session.receive(message):
                    if isinstance(effect, Ignored) and effect.code == "state/contradiction":
                        self._contradiction = effect.reason
            case _:
                pass
        while (kept := self._pop_next()) is not None:
            self.session.receive(kept)

    def _queue(self, message: AnyLogMessage) -> None:
        """Keep a message until those before it arrive: each player's messages come separately."""
        if message.game == self._ledger.game and len(self._early) < _MAX_WAITING:
            self._early.setdefault((message.author, message.n), message)

    def _pop_next(self) -> AnyLogMessage | None:
        """The next message of either player that answers what is known."""
        for role in Role:
            node = self._announcer.key.node if role is self._role else self._opponent
            kept = (node, len(self._ledger.log(role)))
            message = self._early.get(kept)
            if (
                message is not None
                and self._ledger.count_up_to(role.other, message.seen) is not None
            ):
                return self._early.pop(kept)
        return None

    @property
    def _opponent(self) -> str:
        if self._role is Role.GUEST:
            return self._ledger.offer.host
        return "" if self._ledger.join is None else self._ledger.join.author

    async def _on_sync(self, sync: Sync, transport: Transport) -> None:
        role = self._ledger.role_of(sync.author)
        key = self._ledger.key_of(self._role.other)
        if sync.game != self._ledger.game or role is not self._role.other or key is None:
            return
        try:
            self._ledger.check_sync(sync)
        except RemoteProtocolError:
            return
        if not signature_holds(sync, key):
            return
        # The most that it has ever stated: after a restore of its own it may know less than before.
        self._opponent_has = max(self._opponent_has, sync.need)
        self._answered |= sync.echo == self._nonce
        if sync.nonce is not None and self._has_read_all:
            # It may be recovering from a backup, too. If we are not ready yet, it will ask again.
            answer = self._sync(echo=sync.nonce)
            if self._admission.affordable([Send(answer)]):
                await self._publish(transport, answer)

    def _explain_failure(self) -> str:
        name = self._ledger.offer.name
        again = command_line(f"resume {name}", self._home_option)
        begin = (
            f'"{name}" came from a backup or a damaged journal, and what this node has said since '
            "is not known"
        )
        if self._opponent_has > self._known:
            return (
                f"{begin}: your opponent has {self._opponent_has} messages of it, the broker and "
                f"this home only {self._known}. Going on would break the rules. Restore a newer "
                "backup; else your opponent may claim the game."
            )
        if self._contradiction:
            return f"{begin}: {self._contradiction}. Restore a newer backup."
        return (
            f"{begin}: your opponent did not answer. Try again when they are there: `{again}`. "
            f"If nothing was said since the backup: {again} --as-restored"
        )


async def recover_game(
    stored: StoredGame,
    journal: Journal,
    announcer: Announcer,
    connect: Connect,
    patience_s: float = PATIENCE_S,
) -> StoredGame:
    """Complete a restored game, so that the journal has everything we sent in it.

    Args:
        stored: a game that is marked as restored; the caller holds its lock.
        journal: where it is.
        announcer: announces our presence in it.
        connect: opens a connection to the broker.
        patience_s: how long to wait for the opponent, in seconds.

    Returns:
        The game, no longer marked.

    Raises:
        IncompleteGameError: as for `Recovery.recover_ledger`; the game stays marked.
        GameError: it was an open offer, which is now withdrawn.
        StorageError: the journal cannot be used.
        TransportError: the broker cannot be reached, or refuses us.
    """
    ledger, offer = journal.ledger(stored), stored.offer
    async with connect(announcer.will) as transport:
        recovery = Recovery(stored, ledger, announcer, secrets.token_hex(16), journal.home_option)
        learnt = await recovery.recover_ledger(transport, patience_s)
        if learnt.phase is Phase.OPEN:
            for topic in (
                TOPICS.offer(offer.name, offer.host),
                TOPICS.state(offer.name, offer.host),
            ):
                await transport.publish(topic, b"", retain=True)
            journal.finish(stored)
            raise GameError(
                f'"{offer.name}" was an open offer when it was last saved, and is withdrawn. '
                f"Open it again: {command_line(f'host {offer.name}', journal.home_option)}"
            )
    ours = stored.role
    line = [
        # A state has only the newest signatures; signing ours again gives the same bytes.
        (role, signed(each, announcer.key) if role is ours and each.sig is None else each)
        for role, each in learnt.line
    ]
    return journal.adopt(stored, line)
