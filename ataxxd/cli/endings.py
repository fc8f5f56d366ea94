"""How a network game ended, and who has signed it, in sentences for people."""

from ataxxd.rules.endings import ending_text
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing
from ataxxd.wording import sentence

_STANDINGS = {
    Standing.AGREED: "Both players have signed this result.",
    Standing.DISPUTED: "The players have signed different results.",
    Standing.CONTESTED: "It was claimed and the claim is contested: it counts as lost for both.",
    Standing.UNCONFIRMED: "One of the players has not signed this result.",
    Standing.UNFINISHED: "The game is not over.",
}


def result_text(ledger: Ledger) -> str:
    """The result of a game that is over, with the breach of the rules that decided it."""
    assert ledger.outcome is not None
    text = ending_text(ledger.outcome, ledger.position)
    return text if ledger.fault is None else f"{text} {sentence(ledger.fault.text)}"


def standing_text(standing: Standing) -> str:
    """Who stands by the result."""
    return _STANDINGS[standing]
