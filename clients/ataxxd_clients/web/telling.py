"""What happens at a table, as sentences for people."""

from typing import TypeAlias

from ataxxd.node.control import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    RematchAsked,
    TakenBack,
)
from ataxxd.rules import Position, Side
from ataxxd.rules.endings import ending_text
from ataxxd.sanitize import sanitized
from ataxxd.wording import sentence
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web.messages import Told

Happening: TypeAlias = (
    Moved
    | DrawAsked
    | DrawRefused
    | Asked
    | TakenBack
    | MayClaim
    | Over
    | RematchAsked
    | Begun
    | Named
    | Notice
)
"""What happens at a table, but for what is said there."""

_ASKS = {"takeback": "to take a move back", "abort": "to end without a result"}


def told(event: Happening, language: LineLanguage, position: Position, own: Side | None) -> Told:
    """An event for the page.

    Args:
        event: what happened.
        language: the game's words.
        position: of the table now.
        own: the side of whoever is told, where the other one is somebody elsewhere.
    """
    names = language.names
    match event:
        case Moved(side):
            return Told(kind="moved", side=side, text=_move_text(event, language))
        case Over(outcome):
            return Told(kind="over", text=ending_text(outcome, position, own))
        case DrawAsked(side):
            return Told(kind="draw_asked", side=side, text=f"{names[side]} offers a draw.")
        case DrawRefused(side):
            text = f"{names[side]} rejects the draw; {names[side.opponent]} must move."
            return Told(kind="draw_refused", side=side, text=text)
        case Asked(side, what):
            text = f"{names[side]} asks {_ASKS.get(what, what)}."
            return Told(kind="asked", side=side, text=text)
        case TakenBack(taken, agreed):
            count = "The last move is" if len(taken) == 1 else f"{len(taken)} moves are"
            why = "as agreed" if agreed else "because the game was decided before"
            return Told(kind="taken_back", text=f"{count} taken back, {why}.")
        case MayClaim(waited_s):
            text = f"No answer for {waited_s:.0f} s: wait, or claim the game."
            return Told(kind="may_claim", text=text)
        case RematchAsked():
            text = "Your opponent would like a rematch: agree, or leave."
            return Told(kind="rematch_asked", text=text)
        case Begun(side):
            ours = "" if side is None else f"; you play {names[side]}"
            text = f"A new game begins{ours}."
            return Told(kind="begun", side=side, text=text)
        case Named(side, name):
            assert side is not None, "a game is shown when it has begun"
            return Told(kind="named", side=side, text=f"{names[side]} is {sanitized(name)}.")
        case Notice(text):
            return Told(kind="notice", text=sentence(sanitized(text)))


def _move_text(event: Moved, language: LineLanguage) -> str:
    after = event.before.play(event.move)
    other = event.side.opponent
    taken = event.before.counts[other] - after.counts[other]
    said = f"plays {event.move}" if event.move.squares else "passes"
    text = f"{language.names[event.side]} {said}"
    return text + (f" and takes {taken}." if taken > 0 else ".")
