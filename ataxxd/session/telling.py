"""A judged game as the notations of `ataxxd.rules.notation` tell it, without its signatures."""

from ataxxd.rules import Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd_protocol.messages import Draw, DrawAnswer


def game_of(ledger: Ledger) -> GameRecord:
    """The game of a ledger as far as it goes; the players' names are their node ids."""
    return GameRecord(
        ledger.start,
        ledger.moves,
        ledger.outcome,
        refused=_refused(ledger),
        players=(_node(ledger, Side.FIRST), _node(ledger, Side.SECOND)),
        event=ledger.offer.name,
    )


def _refused(ledger: Ledger) -> tuple[int, ...]:
    log = (*ledger.log(Role.HOST), *ledger.log(Role.GUEST))
    plies = sorted(message.ply - 1 for message in log if isinstance(message, Draw))
    rejections = sum(isinstance(each, DrawAnswer) and each.answer == "reject" for each in log)
    refused = plies[:rejections]
    # Who does not move after a rejection has lost by that: the offer led to nothing.
    most = len(ledger.moves) - (ledger.outcome is not None)
    return tuple(ply for ply in refused if ply <= most)


def _node(ledger: Ledger, side: Side) -> str | None:
    if ledger.host_side is None:
        return None
    guest = ledger.join.author if ledger.join else None
    return ledger.offer.host if ledger.role_playing(side) is Role.HOST else guest
