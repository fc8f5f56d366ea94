"""What a player does of its own will: move, resign, offer, ask, agree, claim, say.

A call that the rules or the moment forbid raises `LocalProtocolError` (or
`IllegalMoveError`), and then nothing has changed.
"""

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import Move as BoardMove
from ataxxd.rules import Side, ruleset_info
from ataxxd.session.effects import (
    Effect,
    Resigning,
    Said,
    Send,
)
from ataxxd.session.handshake import ticket
from ataxxd.session.roles import Role
from ataxxd.session.rulings import CLAIMED
from ataxxd.session.seat import MOST_LAST_WORDS, Seat
from ataxxd.session.state import IN_PLAY, Phase
from ataxxd_protocol import signed
from ataxxd_protocol.messages import (
    Chat,
    Consent,
    Move,
)

# What the other player is told when we refuse what it asks for.
_REFUSALS = {
    "takeback": "I would rather not take the move back.",
    "abort": "I would rather not abort the game.",
}


class ActingSeat(Seat):
    """A place in a game whose player acts; see `ataxxd.session.player.PlayerSession`."""

    def ask_to_join(self, nonce: str, agent: str) -> list[Effect]:
        """The guest's first message.

        Raises:
            LocalProtocolError: not the guest, already asked, this is our own game, or only
                the invited may join it and we are not.
        """
        if self.role is not Role.GUEST or self.ledger.phase is not Phase.OPEN:
            raise LocalProtocolError(
                "order/unexpected", "only a guest who has not asked yet can ask to join"
            )
        if self._key.node == self.ledger.offer.host:
            raise LocalProtocolError(
                "join/self", "a node cannot join its own game; use another --home for a second one"
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
            raise LocalProtocolError("seat/reserved", f"the seat is kept for {offer.access}")
        if offer.access != "invited":
            return {}
        if not self._invitation:
            raise LocalProtocolError(
                "seat/not-invited",
                "this game is by invitation only; give the whole invitation, NAME#ID.SECRET",
            )
        return {"ticket": ticket(self._invitation, self.ledger.game, self._key.node, nonce)}

    def play(self, move: BoardMove, elapsed_ms: int) -> list[Effect]:
        """Make a move on our turn.

        Raises:
            LocalProtocolError: the game has not begun, is over, or it is not our turn.
            IllegalMoveError: the rules forbid it.
        """
        self._require_turn()
        self.ledger.position.play(move)
        return self._write("move", {"move": move.text, "elapsed_ms": elapsed_ms})

    def resign(self) -> list[Effect]:
        """Give the game up: at once on our turn, else as soon as our turn comes.

        Raises:
            LocalProtocolError: the game has not begun or is over, a draw offered to us must be
                answered, or our own was rejected and we must move.
        """
        if self.ledger.on_turn is self.role.other:
            self.resigning = True
            return [Resigning(held=True)]
        self._require_turn()
        self._require_free_choice()
        return self._write("resign", {})

    def keep_playing(self) -> list[Effect]:
        """Take back a decision to resign that has waited for our turn.

        Raises:
            LocalProtocolError: there is none.
        """
        if not self.resigning or self.ledger.outcome is not None:
            raise LocalProtocolError(
                "resign/none", "no resignation of yours is waiting; one that was sent stands"
            )
        self.resigning = False
        return [Resigning(held=False)]

    def offer_draw(self) -> list[Effect]:
        """Offer a draw on our turn, instead of moving.

        Raises:
            LocalProtocolError: not our turn, the game knows no agreed draws, or our last
                offer was rejected and we have not moved since.
        """
        self._require_turn()
        self._require_free_choice()
        if not ruleset_info(self.ledger.offer.ruleset).draw_offers:
            raise LocalProtocolError(
                "draw/unknown-here", f"{self.ledger.offer.ruleset} knows no agreed draws"
            )
        return self._write("draw", {})

    def answer_draw(self, *, accept: bool) -> list[Effect]:
        """Answer the opponent's offer of a draw.

        Raises:
            LocalProtocolError: no draw was offered to us.
        """
        if self.ledger.phase is not Phase.ASKED or self.ledger.on_turn is not self.role:
            raise LocalProtocolError("draw/not-offered", "no draw was offered to you")
        return self._write("draw-answer", {"answer": "accept" if accept else "reject"})

    def ask(self, what: str) -> list[Effect]:
        """Ask for a takeback of our newest move, or for an abort.

        Our own abort before our first move needs no consent and is written at once.

        Raises:
            LocalProtocolError: the game is not in play, or there is nothing to take back.
        """
        ledger = self.ledger
        self._require_play()
        to = ledger.last_ply_of(self.role) if what == "takeback" else None
        if what == "takeback" and to is None:
            raise LocalProtocolError("takeback/nothing", "you have made no move to take back")
        if what == "takeback" and ledger.offer.takebacks == "never":
            raise LocalProtocolError("takeback/never", "this game is played without takebacks")
        moved = any(isinstance(message, Move) for message in ledger.log(self.role))
        if what == "abort" and not moved and ledger.on_turn is self.role:
            return self._write("abort", {})
        return self._consent(what, to)

    def agree(self) -> list[Effect]:
        """Agree to what the opponent asks for.

        Raises:
            LocalProtocolError: it asks for nothing, or the game has gone on since.
        """
        heard = self._request()
        return self._consent(heard.what, heard.to)

    def refuse(self, at_ms: int) -> list[Effect]:
        """Refuse what the opponent asks for, and say so; `at_ms` is the time of day.

        Raises:
            LocalProtocolError: it asks for nothing, the game has gone on since, or we have
                agreed.
        """
        heard, given = self._request(), self._given
        agreed = given is not None and (given.what, given.to) == (heard.what, heard.to)
        if agreed and self._current(given):
            raise LocalProtocolError("consent/given", "you have agreed to it already")
        effects = self.say(_REFUSALS[heard.what], at_ms)
        self._refused = [*filter(self._current, self._refused), heard]
        return effects

    def _request(self) -> Consent:
        heard = self._heard
        if heard is None or not self._current(heard) or heard in self._refused:
            raise LocalProtocolError(
                "consent/not-asked", "your opponent has not asked for anything"
            )
        return heard

    def claim(self, reason: str, waited_ms: int) -> list[Effect]:
        """Claim the game: the opponent, whose turn it is, did not answer in time.

        Args:
            reason: ``silence`` or ``flag``.
            waited_ms: how long we have waited for it.

        Raises:
            LocalProtocolError: it is our own turn, or too early.
        """
        if self.ledger.phase not in IN_PLAY or self.ledger.on_turn is self.role:
            raise LocalProtocolError(
                "claim/own-turn", "you can claim the game only while you wait for your opponent"
            )
        least = self.ledger.claimable_after_ms(reason)
        if least is None or waited_ms < least:
            raise LocalProtocolError("claim/too-early", self._may_claim())
        score = "1-0" if self.side is Side.FIRST else "0-1"
        return self._write(
            "score",
            {
                "score": score,
                "termination": CLAIMED[reason],
                "claim": {"reason": reason, "waited_ms": waited_ms},
            },
        )

    def say(self, text: str, at_ms: int) -> list[Effect]:
        """Say something to the opponent; `at_ms` is the time of day.

        Raises:
            LocalProtocolError: there is nobody, or the text is not one line of 1 to 500
                characters.
        """
        if self.opponent is None:
            raise LocalProtocolError("order/not-started", "there is nobody to talk to yet")
        self._spoken_ms = max(at_ms, self._spoken_ms + 1)
        try:
            chat = Chat(
                game=self.ledger.game, author=self._key.node, at_ms=self._spoken_ms, text=text
            )
        except ValueError:
            raise LocalProtocolError(
                "chat/text", "a message is one line of 1 to 500 visible characters"
            ) from None
        chat = signed(chat, self._key)
        if self.ledger.outcome is not None:
            self._last_words = [*self._last_words, chat][-MOST_LAST_WORDS:]
        return [Send(chat), Said(self.role, text)]

    def _may_claim(self) -> str:
        silence = self.ledger.claimable_after_ms("silence")
        flag = self.ledger.claimable_after_ms("flag")
        allowed: list[str] = []
        if silence is not None:
            allowed.append(f"after {silence / 1000:g} s without an answer")
        if flag is not None:
            allowed.append(f"when your opponent has thought for {flag / 1000:g} s")
        if not allowed:
            return "the offer of this game allows no claims: wait, or leave and resume later"
        return f"you may claim the game {' or '.join(allowed)}"

    def _require_free_choice(self) -> None:
        if self.ledger.must_move:
            raise LocalProtocolError(
                "draw/must-move", "your offer of a draw was rejected: now you must move"
            )

    def _require_turn(self) -> None:
        self._require_play()
        if self.ledger.on_turn is not self.role:
            raise LocalProtocolError(
                "order/not-your-turn", "it is your opponent's turn; wait for the answer"
            )

    def _require_play(self) -> None:
        phase = self.ledger.phase
        if phase is Phase.ASKED:
            ours = self.ledger.on_turn is self.role
            raise LocalProtocolError(
                "draw/unanswered",
                "a draw is offered: accept or reject it first"
                if ours
                else "you offered a draw; wait for the answer",
            )
        if phase in (Phase.OPEN, Phase.JOINED):
            raise LocalProtocolError(
                "order/not-started", "the game has not begun: nobody has the other seat yet"
            )
        if phase is not Phase.PLAYING:
            raise LocalProtocolError("order/over", "the game is over")
