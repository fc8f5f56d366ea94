"""What whoever runs a serving node is told of, who does not read its log."""

from ataxxd.node.messaging.challenges import Refusal
from ataxxd.node.names import NameBook
from ataxxd.node.notices import Notifier
from ataxxd.notify import Notice, Occasion
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.roles import Role
from ataxxd_protocol.messages import Challenge


class OperatorNotices:
    """Tells of challenges, and of results that need a look."""

    def __init__(self, notifier: Notifier, names: NameBook) -> None:
        """Nothing is told yet.

        Args:
            notifier: sends what is told.
            names: what players are called.
        """
        self._notifier = notifier
        self._names = names
        # Games are over again each time that their ends are told to an opponent.
        self._disputed: dict[str, str] = {}

    def heard(self, challenge: Challenge, refusal: Refusal | None) -> None:
        """Tell of a challenge that was taken, or declined."""
        offer = challenge.offer
        who = self._names.shown(challenge.author, whole=True)
        answer = "A bot has taken it." if refusal is None else f"Declined: {refusal.reason}"
        text = f'{who} challenges this node to "{offer.name}" ({offer.ruleset}). {answer}'
        self._notifier.tell(Notice(Occasion.CHALLENGE, "A challenge", text, offer.name))

    def over(self, ledger: Ledger) -> None:
        """Tell of a game that is over, once, if its result needs a look."""
        why = doubt_of(ledger)
        if why is None or self._disputed.get(ledger.game) == why:
            return
        self._disputed[ledger.game] = why
        players = " and ".join(
            self._names.shown(node) for role in Role if (node := ledger.node_of(role)) is not None
        )
        name = ledger.offer.name
        text = f"{players}: {why} Look at its record: ataxxd archive {name}"
        self._notifier.tell(Notice(Occasion.DISPUTED, f"A disputed result: {name}", text, name))


def doubt_of(ledger: Ledger) -> str | None:
    """Why the result of a game that is over needs a look, as a sentence; None if it needs none."""
    if ledger.fault is not None:
        return "one of them broke the rules, which the record proves."
    if ledger.false_scores:
        return "one of them signed another score than the result."
    match standing_of(ledger):
        case Standing.DISPUTED:
            return "they have signed different results."
        case Standing.CONTESTED:
            return "the game was claimed, and the claim is contested."
        case _:
            return None
