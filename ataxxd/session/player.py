"""A player's end of a game, as host or guest.

An incoming message is added to the ledger, answered, or ignored; nothing that a stranger, a broker
or a cheat sends makes `PlayerSession.receive` raise. The player's own acts raise
`LocalProtocolError` (or `IllegalMoveError`) if they are not allowed now, and then nothing has
changed. Its own messages pass through its own ledger first, as they will through everyone else's.
Knows no I/O and no clock.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import Move as BoardMove
from ataxxd.rules import Side, ruleset_info
from ataxxd.session.events import (
    Act,
    Asked,
    Effect,
    Ignored,
    Keep,
    PublishState,
    Refusing,
    Rejected,
    Request,
    Resigning,
    Said,
    Send,
    events_of,
)
from ataxxd.session.handshake import check_join, check_ticket, host_side, make_ticket
from ataxxd.session.ledger import CLAIMED, Ledger
from ataxxd.session.record import check_signatures, replay
from ataxxd.session.state import IN_PLAY, Phase, Reception, Role
from ataxxd.session.witnesses import add_statement
from ataxxd_protocol import SigningKey, signature_holds, signed
from ataxxd_protocol.messages import (
    MAX_UNREAD,
    Abort,
    AnyLogMessage,
    AnyMessage,
    Chat,
    Consent,
    Draw,
    DrawAnswer,
    Join,
    LogMessage,
    Move,
    Recall,
    Reject,
    Resign,
    Score,
    SignedMessage,
    Start,
    Statement,
    StatePart,
    Sync,
    Takeback,
    Unread,
)
from ataxxd_protocol.version import has_since_in_answers

# The most messages repeated for one sync; the next sync gets more.
RESEND_LIMIT = 64
# The most chat lines that we keep to send again.
MAX_KEPT_CHAT = 8

_MODELS: dict[str, type[AnyLogMessage]] = {
    "join": Join,
    "start": Start,
    "move": Move,
    "resign": Resign,
    "draw": Draw,
    "draw-answer": DrawAnswer,
    "takeback": Takeback,
    "abort": Abort,
    "score": Score,
}
# The chat line with which we refuse a request.
_REFUSALS = {
    "takeback": "I would rather not take the move back.",
    "abort": "I would rather not abort the game.",
}


@dataclass(frozen=True, slots=True)
class Times:
    """A player's own times for the silence that a claim accuses it of.

    Attributes:
        had_ms: the longest time that it can have had the message it was to answer, in milliseconds.
        since_ms: milliseconds from when it wrote the message that the claim names as ``seen``
            until the claim came.
    """

    had_ms: int
    since_ms: int


Timing: TypeAlias = Callable[[int, int], Times]
"""Returns our `Times` for a claim, given the number of our message that the claim names as ``seen``
and the number of the claimant's message before the claim."""


class PlayerSession:
    """One player's side of one game.

    Attributes:
        ledger: the game so far.
        role: which player this is.
        resigning: whether we resign as soon as it is our turn; only the player to move may write.
    """

    def __init__(
        self,
        ledger: Ledger,
        role: Role,
        key: SigningKey,
        secret: str = "",
        invitation: str = "",
        *,
        resigning: bool = False,
        refusals: Iterable[tuple[Consent, Chat]] = (),
        own_consent: Consent | None = None,
    ) -> None:
        """Take up a game, new or restored from its journal.

        Args:
            ledger: the game so far, every message of it accepted.
            role: our role in it.
            key: our key; its node must be the one the ledger has for `role`.
            secret: for the host, what the offer's ``commit`` commits to.
            invitation: the secret of the invitation; empty if anybody may join.
            resigning: whether we had decided to resign before a restart.
            refusals: requests refused before a restart, with our answer to each.
            own_consent: what we had asked for, or agreed to, before a restart.
        """
        self.ledger = ledger
        self.role = role
        self.resigning = resigning
        self._key = key
        self._secret = secret
        self._invitation = invitation
        # The number of the message that we last asked for. We ask for it again only after a silence
        # or on a new connection: two nodes that cannot agree would send syncs without pause.
        self._last_asked: int | None = None
        self._timing: Timing | None = None
        # The newest consent of each side; it holds until the next message of the game.
        self._own_consent = own_consent
        self._opponent_consent: Consent | None = None
        # The requests that we have refused, each with the chat line that said so.
        self._refusals = dict(refusals)
        self._chatted_ms = self._spoken_ms = 0
        # How many of our messages the opponent has, by its syncs.
        self._arrived_count = 0
        # Our chat that an opponent who was away, or reconnecting at the end, has missed.
        self._kept_chat: list[Chat] = []

    @property
    def node(self) -> str:
        """Our node id."""
        return self._key.node

    @property
    def side(self) -> Side | None:
        """Our side; None before the start."""
        return self.ledger.side_of(self.role)

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None while there is none."""
        if self.role is Role.GUEST:
            return self.ledger.offer.host
        return self.ledger.join.author if self.ledger.join else None

    @property
    def is_end_known_to_opponent(self) -> bool:
        """Whether the game is over, and the opponent has shown that it knows or has cheated."""
        if self.ledger.outcome is None or self.ledger.fault is not None:
            return self.ledger.outcome is not None
        if self.ledger.decision is self.role.other:
            return True
        ours, theirs = self.ledger.log(self.role), self.ledger.log(self.role.other)
        ends = [n for n, each in enumerate(ours) if not isinstance(each, Score) or each.decisive]
        return theirs[-1].seen in {each.digest for each in ours[ends[-1] :]}

    @property
    def unread(self) -> Sequence[AnyLogMessage]:
        """Our latest messages that the opponent is not known to have, in order."""
        ours, theirs = self.ledger.log(self.role), self.ledger.log(self.role.other)
        seen = self.ledger.count_up_to(self.role, theirs[-1].seen) if theirs else 0
        arrived = max(seen or 0, self._arrived_count)
        return ours[arrived : arrived + MAX_UNREAD]

    @property
    def receipt(self) -> Sync | None:
        """A receipt for the last score, if the host wrote that; else None.

        A guest's last score is confirmed by the host's state.
        """
        ledger = self.ledger
        host_was_last = ledger.phase is Phase.CLOSED and ledger.entries[-1].by == Role.HOST.value
        return self._sync() if host_was_last and self.role is Role.GUEST else None

    def is_signed_by_opponent(self, note: SignedMessage) -> bool:
        """Whether a note is signed by our opponent."""
        key = self.ledger.key_of(self.role.other)
        return key is not None and signature_holds(note, key)

    # The player's acts; `_NEEDS` has the conditions of each

    def refusal(
        self, act: Act, *, reason: str = "silence", waited_ms: int = 0
    ) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible.

        Args:
            act: the act.
            reason: the reason of a claim: ``silence`` or ``flag``.
            waited_ms: how long we have waited for the opponent, in milliseconds.
        """
        try:
            self._require(act, reason, waited_ms)
        except LocalProtocolError as error:
            return error
        return None

    def _require(self, act: Act, reason: str = "silence", waited_ms: int = 0) -> None:
        for need in self._NEEDS[act]:
            need(self)
        if act == "claim":
            self._require_wait(reason, waited_ms)

    def ask_to_join(self, nonce: str, agent: str) -> list[Effect]:
        """The guest's first message.

        Raises:
            LocalProtocolError: we are not the guest, have already asked, host the game ourselves,
                or lack the invitation.
        """
        if self.role is not Role.GUEST or self.ledger.phase is not Phase.OPEN:
            raise LocalProtocolError(
                "order/unexpected", "Only a guest who has not asked yet can ask to join."
            )
        if self._key.node == self.ledger.offer.host:
            raise LocalProtocolError(
                "join/self", "A node cannot join its own game; use another --home for a second one."
            )
        return self._write(
            "join",
            {
                "from": self._key.node,
                "key": self._key.public_key,
                "nonce": nonce,
                "agent": agent,
            }
            | self._ticket(nonce),
        )

    def _ticket(self, nonce: str) -> dict[str, str]:
        offer = self.ledger.offer
        if offer.access not in (None, "invited", self._key.node):
            raise LocalProtocolError("seat/reserved", f"The seat is kept for {offer.access}.")
        if offer.access != "invited":
            return {}
        if not self._invitation:
            raise LocalProtocolError(
                "seat/not-invited",
                "This game is by invitation only; give the whole invitation, NAME#ID.SECRET.",
            )
        return {"ticket": make_ticket(self._invitation, self.ledger.game, self._key.node, nonce)}

    def play(self, move: BoardMove, elapsed_ms: int) -> list[Effect]:
        """Make a move on our turn.

        Raises:
            LocalProtocolError: the game has not begun, is over, or it is not our turn.
            IllegalMoveError: the rules forbid it.
        """
        self._require("move")
        if self.ledger.judge(move.text).move != move:
            self.ledger.position.play(move)  # raises: it is a move of another game
        return self._write("move", {"move": move.text, "elapsed_ms": elapsed_ms})

    def resign(self) -> list[Effect]:
        """Resign: at once on our turn, else as soon as it is our turn.

        Raises:
            LocalProtocolError: the game has not begun or is over, a draw offered to us must be
                answered, or our own was rejected and we must move.
        """
        self._require("resign")
        if self.ledger.on_turn is self.role.other:
            self.resigning = True
            return [Resigning(held=True)]
        return self._write("resign", {})

    def keep_playing(self) -> list[Effect]:
        """Cancel a resignation that waits for our turn.

        Raises:
            LocalProtocolError: there is none.
        """
        self._require("keep_playing")
        self.resigning = False
        return [Resigning(held=False)]

    def offer_draw(self) -> list[Effect]:
        """Offer a draw on our turn, in place of a move.

        Raises:
            LocalProtocolError: it is not our turn, the game has no agreed draws, or our last
                offer was rejected and we have not moved since.
        """
        self._require("offer_draw")
        return self._write("draw", {})

    def answer_draw(self, *, accept: bool) -> list[Effect]:
        """Answer the opponent's offer of a draw.

        Raises:
            LocalProtocolError: no draw was offered to us.
        """
        self._require("answer_draw")
        return self._write("draw-answer", {"answer": "accept" if accept else "reject"})

    def ask(self, what: Request) -> list[Effect]:
        """Ask for a takeback of our last move, or for an abort.

        An abort before our first move needs no consent, and is written at once.

        Raises:
            LocalProtocolError: the game is not in play, there is nothing to take back, or we
                have already asked.
        """
        ledger = self.ledger
        self._require(what)
        to = self._wanted_ply(what)
        moved = any(isinstance(message, Move) for message in ledger.log(self.role))
        if what == "abort" and not moved and ledger.on_turn is self.role:
            return self._write("abort", {})
        return self._consent(what, to)

    def _wanted_ply(self, what: Request) -> int | None:
        return self.ledger.last_ply_of(self.role) if what == "takeback" else None

    def agree(self) -> list[Effect]:
        """Agree to what the opponent asks for.

        Raises:
            LocalProtocolError: it asks for nothing, or the game has moved on since.
        """
        heard = self._request()
        return self._consent(heard.what, heard.to)

    def refuse(self, at_ms: int) -> list[Effect]:
        """Refuse what the opponent asks for, and say so; `at_ms` is the time in Unix milliseconds.

        Raises:
            LocalProtocolError: it asks for nothing, the game has moved on since, or we have
                agreed.
        """
        self._require("refuse")
        heard = self._request()
        effects = self.say(_REFUSALS[heard.what], at_ms)
        said = next(each.message for each in effects if isinstance(each, Send))
        assert isinstance(said, Chat), "we have just said it"
        self._refusals = {
            each: was for each, was in self._refusals.items() if self._is_current(each)
        }
        self._refusals[heard] = said
        return [self._store_refusals(), *effects]

    def _store_refusals(self) -> Refusing:
        return Refusing(tuple(self._refusals.items()))

    @property
    def asked(self) -> Request | None:
        """What the opponent asks for now; None for nothing."""
        heard = self._opponent_consent
        waits = heard is not None and self._is_current(heard) and heard not in self._refusals
        return heard.what if heard is not None and waits else None

    @property
    def asking(self) -> Request | None:
        """What we ask the opponent for now; None for nothing."""
        given = self._own_consent
        return given.what if given is not None and self._is_current(given) else None

    def _request(self) -> Consent:
        heard = self._opponent_consent
        if heard is None or self.asked is None:
            if self.ledger.phase is Phase.ASKED:
                self._require_play()  # raises: a draw has an answer of its own
            raise LocalProtocolError(
                "consent/not-asked", "Your opponent has not asked for anything."
            )
        return heard

    def claim(self, reason: str, waited_ms: int) -> list[Effect]:
        """Claim the game: the opponent, whose turn it is, did not answer in time.

        Args:
            reason: ``silence`` or ``flag``.
            waited_ms: how long we have waited for it, in milliseconds.

        Raises:
            LocalProtocolError: it is our own turn, or too early.
        """
        self._require("claim", reason, waited_ms)
        score = "1-0" if self.side is Side.FIRST else "0-1"
        return self._write(
            "score",
            {
                "score": score,
                "termination": CLAIMED[reason],
                "claim": {"reason": reason, "waited_ms": waited_ms},
            },
        )

    def say(self, text: str, at_ms: int, *, keep: bool = False) -> list[Effect]:
        """Send the opponent a line of chat.

        Args:
            text: the line.
            at_ms: the time in Unix milliseconds.
            keep: whether to send it again on each connection, since the opponent is away. When the
                game is over, every line is.

        Raises:
            LocalProtocolError: there is no opponent yet, or the text is not one line of 1 to 500
                characters.
        """
        self._require("say")
        side = self.side
        assert side is not None, "it has begun"
        self._spoken_ms = max(at_ms, self._spoken_ms + 1)
        try:
            chat = Chat(
                game=self.ledger.game, author=self._key.node, at_ms=self._spoken_ms, text=text
            )
        except ValueError:
            raise LocalProtocolError(
                "chat/text", "A message is one line of 1 to 500 visible characters."
            ) from None
        chat = signed(chat, self._key)
        if keep or self.ledger.outcome is not None:
            self._kept_chat = [*self._kept_chat, chat][-MAX_KEPT_CHAT:]
        return [Send(chat), Said(side, text, self.role)]

    def _may_claim(self) -> str:
        silence = self.ledger.claimable_after_ms("silence")
        flag = self.ledger.claimable_after_ms("flag")
        allowed: list[str] = []
        if silence is not None:
            allowed.append(f"after {silence / 1000:g} s without an answer")
        if flag is not None:
            allowed.append(f"when your opponent has thought for {flag / 1000:g} s")
        if not allowed:
            return "The offer of this game allows no claims: wait, or leave and resume later."
        return f"You may claim the game {' or '.join(allowed)}."

    def _require_resigning(self) -> None:
        if not self.resigning or self.ledger.outcome is not None:
            raise LocalProtocolError(
                "resign/none", "No resignation of yours is waiting; one that was sent stands."
            )

    def _require_draws(self) -> None:
        if not ruleset_info(self.ledger.offer.ruleset).draw_offers:
            raise LocalProtocolError("draw/unknown-here", "This game has no agreed draws.")

    def _require_draw_offered(self) -> None:
        if self.ledger.phase is not Phase.ASKED or self.ledger.on_turn is not self.role:
            raise LocalProtocolError("draw/not-offered", "No draw was offered to you.")

    def _require_a_move_to_take_back(self) -> None:
        if self.ledger.last_ply_of(self.role) is None:
            raise LocalProtocolError("takeback/nothing", "You have made no move to take back.")
        if self.ledger.offer.takebacks == "never":
            raise LocalProtocolError("takeback/never", "This game is played without takebacks.")

    def _require_new_takeback(self) -> None:
        self._require_new("takeback")

    def _require_new_abort(self) -> None:
        self._require_new("abort")

    def _require_new(self, what: Request) -> None:
        given = self._own_consent
        to = self._wanted_ply(what)
        if given is not None and (given.what, given.to) == (what, to) and self._is_current(given):
            raise LocalProtocolError(
                "consent/asked",
                "You have asked for it already, and your opponent knows; ask again after the next "
                "move.",
            )

    def _require_not_agreed(self) -> None:
        heard, given = self._request(), self._own_consent
        agreed = given is not None and (given.what, given.to) == (heard.what, heard.to)
        if agreed and self._is_current(given):
            raise LocalProtocolError("consent/given", "You have agreed to it already.")

    def _require_waiting(self) -> None:
        if self.ledger.phase not in IN_PLAY or self.ledger.on_turn is self.role:
            raise LocalProtocolError(
                "claim/own-turn", "You can claim the game only while you wait for your opponent."
            )

    def _require_wait(self, reason: str, waited_ms: int) -> None:
        least = self.ledger.claimable_after_ms(reason)
        if least is None or waited_ms < least:
            raise LocalProtocolError("claim/too-early", self._may_claim())

    def _require_opponent(self) -> None:
        if self.side is None:
            raise LocalProtocolError("order/not-started", "There is nobody to talk to yet.")

    def _require_turn_to_resign(self) -> None:
        # On the opponent's turn we only note it, and resign when our turn comes.
        if self.ledger.on_turn is not self.role.other:
            self._require_turn()
            self._require_free_choice()

    def _require_free_choice(self) -> None:
        if self.ledger.must_move:
            raise LocalProtocolError(
                "draw/must-move", "Your offer of a draw was rejected: now you must move."
            )

    def _require_turn(self) -> None:
        self._require_play()
        if self.ledger.on_turn is not self.role:
            raise LocalProtocolError("order/not-your-turn", "It is your opponent's turn.")

    def _require_play(self) -> None:
        phase = self.ledger.phase
        if phase is Phase.ASKED:
            ours = self.ledger.on_turn is self.role
            raise LocalProtocolError(
                "draw/unanswered",
                "A draw is offered: accept or reject it first."
                if ours
                else "You offered a draw; wait for the answer.",
            )
        if phase in (Phase.OPEN, Phase.JOINED):
            raise LocalProtocolError(
                "order/not-started", "The game has not begun: nobody has the other seat yet."
            )
        if phase is not Phase.PLAYING:
            raise LocalProtocolError("order/over", "The game is over.")

    _NEEDS: ClassVar[Mapping[Act, tuple[Callable[..., object], ...]]] = {
        "move": (_require_turn,),
        "resign": (_require_turn_to_resign,),
        "keep_playing": (_require_resigning,),
        "offer_draw": (_require_turn, _require_free_choice, _require_draws),
        "answer_draw": (_require_draw_offered,),
        "say": (_require_opponent,),
        "takeback": (_require_play, _require_a_move_to_take_back, _require_new_takeback),
        "abort": (_require_play, _require_new_abort),
        "agree": (_request,),
        "refuse": (_require_not_agreed,),
        "claim": (_require_waiting,),
    }

    # Receiving

    def receive(self, message: AnyMessage, timing: Timing | None = None) -> list[Effect]:
        """Take in a message from the game's topics, from any sender; its content never raises.

        Args:
            message: the message.
            timing: our times, which are stated if this is a claim that we did not answer; None
                if they are not known.
        """
        self._timing = timing
        try:
            match message:
                case Join() if self.role is Role.HOST and message.n == 0:
                    return self._on_join(message)
                case LogMessage():
                    return self._on_log_message(message)
                case Sync():
                    return self._on_sync(message)
                case Unread():
                    return self._on_unread(message)
                case Reject():
                    return self._on_reject(message)
                case StatePart():
                    return self._on_state(message)
                case Consent():
                    return self._on_consent(message)
                case Chat():
                    return self._on_chat(message)
                case Statement():
                    add_statement(self.ledger, message)
                    return []
                case _:
                    return []
        except RemoteProtocolError as error:
            return [Ignored(error.code, str(error))]

    def on_connected(self, nonce: str | None = None) -> list[Effect]:
        """What to send on a new connection: a sync, and what may have been lost.

        With a `nonce` of 32 hexadecimal digits, the sync asks for an echo (MP-SYNC-11).
        """
        if self.ledger.phase is Phase.JOINED and self.role is Role.GUEST:
            return [Send(self.ledger.log(Role.GUEST)[0])]
        if self.opponent is None or self.ledger.phase is Phase.OPEN:
            return []
        newest = self.ledger.log(self.role)[-1:]
        given = self._own_consent
        asking = [Send(given)] if given is not None and self._is_current(given) else []
        return [*map(Send, newest), *asking, *self.resend_chat(), Send(self._sync(nonce=nonce))]

    def on_opponent_back(self) -> list[Effect]:
        """What to send to an opponent that has come back: what a new connection brings."""
        effects = self.on_connected()
        if self.ledger.outcome is None:
            self._kept_chat = []  # or a later restart of the opponent's would show it again
        return effects

    def resend_chat(self) -> list[Effect]:
        """The chat lines kept, to send again; an opponent that has them ignores them."""
        return [Send(chat) for chat in self._kept_chat]

    def complete_pending(self, timing: Timing | None = None) -> list[Effect]:
        """Write what was left to do before a restart: a start, a score, or a resignation.

        Args:
            timing: as for `receive`, in case a claim waits for our answer.
        """
        self._timing = timing
        ledger = self.ledger
        if ledger.phase is Phase.JOINED and self.role is Role.HOST and ledger.join is not None:
            return self._write_start(ledger.join)
        if ledger.scorer is self.role:
            return self._write_score()
        return self._resign_if_due()

    def _on_join(self, join: Join) -> list[Effect]:
        if join.game != self.ledger.game:
            raise RemoteProtocolError("chain/other-game", "the join is for another game")
        accepted = self.ledger.join
        if accepted is not None:
            if join.digest == accepted.digest:
                return self._resend(0)
            check_join(self.ledger.offer, join)
            # Even if this is the accepted guest, which has lost its journal: the first join stands.
            return [
                self._reject(
                    join,
                    "seat/taken",
                    f"the seat is taken by {accepted.author}; watch the game instead",
                )
            ]
        try:
            check_join(self.ledger.offer, join)
            check_ticket(self.ledger.offer, join, self._invitation)
        except RemoteProtocolError as error:
            if error.code.startswith(("handshake/", "seat/")):
                return [self._reject(join, error.code, str(error))]
            raise
        return [*self._accept(Role.GUEST, join), *self._write_start(join)]

    def _on_log_message(self, message: AnyLogMessage) -> list[Effect]:
        role = self.role.other
        if message.game != self.ledger.game or message.author != self.opponent:
            raise RemoteProtocolError(
                "chain/stranger", f"{message.author} has no seat in this game"
            )
        reception = self.ledger.reception(role, message)
        key = self.ledger.key_of(role)
        if reception is Reception.DUPLICATE:
            return []
        if key is None or not signature_holds(message, key):
            raise RemoteProtocolError(
                "chain/forged", f"message {message.n} in the {role}'s name is not signed by it"
            )
        if reception is Reception.GAP:
            return self._request_missing()
        if reception is Reception.CONFLICT:
            return self._accuse(message)
        return self._accept(role, message)

    def _accuse(self, message: AnyLogMessage) -> list[Effect]:
        if self.ledger.phase not in IN_PLAY:
            raise RemoteProtocolError(
                "chain/double-dealing", f"a second message {message.n}, after the game"
            )
        if isinstance(message, Join) or (isinstance(message, Score) and message.proof is not None):
            raise RemoteProtocolError(
                "chain/double-dealing",
                f"a second message {message.n}, but a {message.type} of this kind proves nothing",
            )
        side = self.side
        return self._write(
            "score",
            {
                "score": "1-0" if side is Side.FIRST else "0-1",
                "termination": "double-dealing",
                "proof": message.fields(),
            },
        )

    def _on_sync(self, sync: Sync) -> list[Effect]:
        key = self.ledger.key_of(self.role.other)
        if sync.game != self.ledger.game or sync.author != self.opponent or key is None:
            raise RemoteProtocolError("chain/stranger", f"{sync.author} has no seat in this game")
        if not signature_holds(sync, key):
            raise RemoteProtocolError(
                "chain/forged", "a request in the opponent's name is not signed by it"
            )
        self.ledger.check_sync(sync)
        self._arrived_count = max(
            self._arrived_count, min(sync.need, len(self.ledger.log(self.role)))
        )
        effects = [*self._resend(sync.need), *self._return_lost(sync.head)]
        if sync.nonce is not None:
            # After the messages that it lacks: if it gets the echo, it has got those, too.
            effects.append(Send(self._sync(echo=sync.nonce)))
        elif sync.head > len(self.ledger.log(self.role.other)):
            effects += self._request_missing()
        return effects

    def _on_unread(self, unread: Unread) -> list[Effect]:
        """Take in what the opponent, or a guest who wants the seat, sent while we were away."""
        first = unread.messages[0]
        opens = isinstance(first, Join) and self.ledger.phase is Phase.OPEN
        key = (
            first.key if isinstance(first, Join) and opens else self.ledger.key_of(self.role.other)
        )
        if unread.game != self.ledger.game or key is None or not signature_holds(unread, key):
            return []
        return [each for said in unread.messages for each in self.receive(said, self._timing)]

    def _on_reject(self, reject: Reject) -> list[Effect]:
        ours = self.ledger.log(Role.GUEST)
        if (
            self.role is not Role.GUEST
            or self.ledger.phase is not Phase.JOINED
            or reject.to != self._key.node
        ):
            return []
        if reject.game != self.ledger.game or reject.join != ours[0].digest:
            return []
        if reject.author != self.ledger.offer.host or not signature_holds(
            reject, self.ledger.offer.key
        ):
            raise RemoteProtocolError(
                "chain/forged", "a refusal in the host's name is not signed by it"
            )
        return [Rejected(reject.code, reject.reason)]

    def _on_state(self, part: StatePart) -> list[Effect]:
        """Take the host's last message, or its refusal, from its state: the host may be gone."""
        ledger = self.ledger
        known = len(ledger.log(Role.HOST))
        if self.role is Role.GUEST and known == 0 and self._is_seat_taken(part):
            return [Rejected("seat/taken", "the host has given the seat to somebody else")]
        count = sum(entry.by == Role.HOST.value for entry in part.entries)
        # A state has the host's signature only for its newest message; we lack exactly that one.
        if self.role is Role.HOST or part.first != 0 or count != known + 1:
            return []
        if part.game != ledger.game or not self.is_signed_by_opponent(part):
            return []
        told = Ledger(ledger.offer)
        replay(told, part.entries)
        check_signatures(told, part.sigs)
        told.add_signatures(part.sigs)
        return self._on_log_message(told.log(Role.HOST)[-1])

    def _is_seat_taken(self, part: StatePart) -> bool:
        waits = self.ledger.phase is Phase.JOINED
        if not waits or part.game != self.ledger.game or part.first != 0 or not part.entries:
            return False
        ours = self.ledger.log(Role.GUEST)[0].digest
        return not ours.startswith(part.entries[0].check) and self.is_signed_by_opponent(part)

    def _on_consent(self, consent: Consent) -> list[Effect]:
        if consent.game != self.ledger.game or consent.author != self.opponent:
            raise RemoteProtocolError("chain/stranger", f"{consent.author} has no seat here")
        if not self._is_current(consent):
            return []
        if (said := self._refusals.get(consent)) is not None:
            # The opponent ignores it if it has it; after a restart it may ask again without it.
            return [Send(said)]
        if consent == self._opponent_consent:
            return []
        if not self.is_signed_by_opponent(consent):
            raise RemoteProtocolError(
                "chain/forged", "a consent in the opponent's name is not signed by it"
            )
        self._opponent_consent = consent
        side = self.ledger.side_of(self.role.other)
        assert side is not None, "it is played"
        return self._write_agreed() or [Asked(side, consent.what, self.role.other, consent.to)]

    def _on_chat(self, chat: Chat) -> list[Effect]:
        if chat.game != self.ledger.game or chat.author != self.opponent:
            raise RemoteProtocolError("chain/stranger", f"{chat.author} has no seat here")
        side = self.ledger.side_of(self.role.other)
        if side is None or chat.at_ms <= self._chatted_ms or not self.is_signed_by_opponent(chat):
            return []
        self._chatted_ms = chat.at_ms
        return [Said(side, chat.text, self.role.other)]

    # Writing

    def _write(self, kind: str, free: Mapping[str, object]) -> list[Effect]:
        move = free.get("move")
        fields = self.ledger.predict(
            self.role, kind, str(move) if move is not None else None
        ) | dict(free)
        message = signed(_MODELS[kind].model_validate(fields), self._key)
        return self._accept(self.role, message)

    def _write_score(self) -> list[Effect]:
        return self._write("score", self._answer_to_claim())

    def _answer_to_claim(self) -> dict[str, int]:
        """Our times as fields of a score, if it answers the opponent's claim; else no fields."""
        ledger, place = self.ledger, self.ledger.decided_at
        if ledger.claim is None or place is None or self._timing is None:
            return {}
        claim = ledger.line[place][1]
        seen = ledger.count_up_to(self.role, claim.seen)
        if not seen or ledger.decision is self.role:
            return {}
        times = self._timing(seen - 1, claim.n - 1)
        if not has_since_in_answers(ledger.offer.v):
            # Older versions have no since_ms, so had_ms alone must keep to that bound.
            return {"had_ms": min(times.had_ms, times.since_ms)}
        return {"had_ms": times.had_ms, "since_ms": times.since_ms}

    def _write_start(self, join: Join) -> list[Effect]:
        side = host_side(self.ledger.offer, self._secret, join)
        return self._write("start", {"host_side": side, "secret": self._secret})

    def _accept(self, role: Role, message: AnyLogMessage) -> list[Effect]:
        before = self.ledger.copy()
        fault = self.ledger.accept(role, message)
        effects: list[Effect] = [Keep(role, message)]
        if role is self.role:
            effects.append(Send(message))
        effects += events_of(before, self.ledger, role, message)
        if fault is None and isinstance(message, Join):
            return effects
        if role is Role.HOST and (receipt := self.receipt) is not None:
            effects.append(Send(receipt))
        if self.ledger.scorer is self.role:
            return [*effects, *self._write_score()]
        if self.role is Role.HOST:
            effects.append(PublishState())
        return [*effects, *self._resign_if_due()]

    def _resign_if_due(self) -> list[Effect]:
        """Resign if we have decided to and it is our turn."""
        ledger = self.ledger
        ours = ledger.phase is Phase.PLAYING and ledger.on_turn is self.role
        if not self.resigning or not ours or ledger.must_move:
            return []
        self.resigning = False
        return self._write("resign", {})

    def _resend(self, need: int) -> list[Effect]:
        return [Send(message) for message in self.ledger.log(self.role)[need : need + RESEND_LIMIT]]

    def _return_lost(self, head: int) -> list[Effect]:
        """Return to the opponent the messages of its own that it has lost."""
        game, author = self.ledger.game, self._key.node
        lost = self.ledger.log(self.role.other)[head : head + RESEND_LIMIT]
        return [
            Send(signed(Recall(game=game, author=author, message=message), self._key))
            for message in lost
            # A message that we know only from a state has no signature; that state still has it.
            if message.sig is not None
        ]

    def _request_missing(self) -> list[Effect]:
        return (
            []
            if self._last_asked == len(self.ledger.log(self.role.other))
            else [Send(self._sync())]
        )

    def _sync(self, echo: str | None = None, nonce: str | None = None) -> Sync:
        need, head = len(self.ledger.log(self.role.other)), len(self.ledger.log(self.role))
        self._last_asked = need
        game, author = self.ledger.game, self._key.node
        sync = Sync(game=game, author=author, need=need, head=head, nonce=nonce, echo=echo)
        return signed(sync, self._key)

    def _reject(self, join: Join, code: str, reason: str) -> Send:
        reject = Reject(
            game=self.ledger.game,
            author=self._key.node,
            to=join.author,
            join=join.digest,
            code=code,
            reason=reason,
        )
        return Send(signed(reject, self._key))

    # Consent

    def _is_current(self, consent: Consent | None) -> bool:
        return (
            consent is not None
            and self.ledger.phase is Phase.PLAYING
            and consent.tip == self.ledger.tip
        )

    def _consent(self, what: str, to: int | None) -> list[Effect]:
        """Give our consent; if both have and it is our turn, carry out what was agreed."""
        game, tip = self.ledger.game, self.ledger.tip
        consent = Consent.model_validate(
            {"game": game, "from": self._key.node, "what": what, "to": to, "tip": tip}
        )
        self._own_consent = signed(consent, self._key)
        # We want it now, so an earlier refusal of the same is void.
        left = {
            each: said
            for each, said in self._refusals.items()
            if (each.what, each.to) != (what, to)
        }
        changed, self._refusals = left != self._refusals, left
        effects = self._write_agreed() or [Send(self._own_consent)]
        return [self._store_refusals(), *effects] if changed else effects

    def _write_agreed(self) -> list[Effect]:
        given, heard = self._own_consent, self._opponent_consent
        if given is None or heard is None or self.ledger.on_turn is not self.role:
            return []
        if not (self._is_current(given) and self._is_current(heard)):
            return []
        if (given.what, given.to) != (heard.what, heard.to):
            return []
        to = {} if heard.to is None else {"to": heard.to}
        return self._write(heard.what, to | {"consent": heard.fields()})
