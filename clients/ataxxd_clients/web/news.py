"""What pages are told in sentences: what happens in a game, and what is said beside it."""

from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

from ataxxd.rules import Position, Side
from ataxxd.rules.endings import ending_text
from ataxxd.sanitize import sanitized
from ataxxd.session.events import (
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
from ataxxd.wording import sentence
from ataxxd_clients.labels import draw_text
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web import messages
from ataxxd_clients.web.messages import (
    Told,
)

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
            return Told(kind="draw_asked", side=side, text=draw_text(names, side, own))
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
            text = "Your opponent would like a rematch: press Rematch to play it, or leave."
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


# What a page that comes later is told; and names, of which anybody can make up any number.
_MOST_LINES, _MOST_MUTED = 200, 200


class Talk:
    """The talk at one table; pages that come later hear what was said before."""

    def __init__(self) -> None:
        self._lines: deque[messages.Said] = deque(maxlen=_MOST_LINES)
        self._muted: list[str] = []
        self._number = 0

    @property
    def lines(self) -> Sequence[messages.Said]:
        """What was said, as it is told to a page that comes later."""
        return [line.model_copy(update={"earlier": True}) for line in self._lines]

    @property
    def muted(self) -> list[str]:
        """Whom the person does not want to hear."""
        return [*self._muted]

    def hear(self, speaker: str, text: str, *, mine: bool = False) -> messages.Said:
        """Keep what somebody said."""
        self._number += 1
        said = messages.Said(number=self._number, speaker=speaker, text=sanitized(text), mine=mine)
        self._lines.append(said)
        return said

    def mute(self, speaker: str, *, muted: bool) -> None:
        """Listen to somebody no more, or again.

        Raises:
            CommandError: there are too many already.
        """
        if speaker in self._muted:
            self._muted.remove(speaker)
        if muted:
            if len(self._muted) >= _MOST_MUTED:
                msg = f"You have muted {_MOST_MUTED} already; unmute one of them first."
                raise CommandError(msg)
            self._muted.append(speaker)
