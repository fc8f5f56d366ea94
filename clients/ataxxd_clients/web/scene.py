"""The state of a game for its pages: squares, moves to enter, players, sentences.

This turns a game's rules into data, so that the page needs none: every legal move comes with the
squares by which it is entered and the board after it.
"""

from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import TypeAlias

from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, Side
from ataxxd.rules.values import ending_text
from ataxxd.sanitize import sanitized
from ataxxd.session.events import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    MayBeClaimed,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    RematchAsked,
    Seat,
    TakenBack,
)
from ataxxd.times import format_duration
from ataxxd.wording import sentence
from ataxxd_clients.labels import (
    asked_text,
    begun_text,
    claim_warning_text,
    draw_text,
    end_squares,
    moved_text,
    own_side,
    person_on_turn,
    player_text,
    rejected_text,
)
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web import messages
from ataxxd_clients.web.messages import (
    Ability,
    Ending,
    Kind,
    LegalMove,
    PlayedMove,
    Player,
    Told,
)

_ORDER: tuple[Ability, ...] = (
    "answer_draw",
    "move",
    "premove",
    "keep_playing",
    "resign",
    "offer_draw",
    "new",
    "fill",
    "undo",
    "redo",
    "say",
    "rematch",
    "takeback",
    "abort",
    "agree",
    "refuse",
    "claim",
)


class History:
    """Caches the moves of a game with their boards."""

    def __init__(self) -> None:
        self._positions: list[Position] = []
        self._moves: list[Move] = []
        self._played: list[PlayedMove] = []

    def of(self, game: Game) -> Sequence[PlayedMove]:
        """The moves so far; those of the last call that still stand are the same objects."""
        self._update(game)
        return tuple(self._played)

    def positions(self, game: Game) -> Sequence[Position]:
        """The positions after 0, 1, 2, … of them, likewise."""
        self._update(game)
        return tuple(self._positions)

    def _update(self, game: Game) -> None:
        if not self._positions or self._positions[0] != game.start:
            self._positions, self._moves, self._played = [game.start], [], []
        moves = game.moves
        kept = common_prefix_length(self._moves, moves)
        del self._positions[kept + 1 :], self._moves[kept:], self._played[kept:]
        for move in moves[kept:]:
            before = self._positions[-1]
            after = before.play(move)
            self._played.append(
                PlayedMove(
                    side=before.turn,
                    name=str(move) if move.squares else None,
                    squares=[*end_squares(move)],
                    board=[*after.rows],
                )
            )
            self._positions.append(after)
            self._moves.append(move)


def common_prefix_length(old: Sequence[object], new: Sequence[object]) -> int:
    """The length of the common beginning of two sequences."""
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def legal_moves(position: Position, language: LineLanguage) -> list[LegalMove]:
    """The legal moves with the ways to enter them and what they lead to."""
    places = {
        name: (row, column)
        for row, names in enumerate(position.square_names)
        for column, name in enumerate(names)
        if name is not None
    }
    told = []
    for move in position.legal_moves:
        paths = language.paths(move, position)
        after = position.play(move)
        kind = _kind(position, after, [places[square] for square in paths[0]])
        told.append(LegalMove(move=move.text, paths=paths, kind=kind, board=[*after.rows]))
    return told


def find_move(text: str, position: Position, language: LineLanguage) -> Move:
    """The legal move that a text means; its first and last squares are enough.

    Raises:
        RulesError: there is none; the message says why.
    """
    squares = language.squares_in(text)
    ways = [
        (path, move) for move in position.legal_moves for path in language.paths(move, position)
    ]
    meant = {move for path, move in ways if path == squares}
    meant = meant or {move for path, move in ways if path[:1] + path[-1:] == squares}
    return meant.pop() if len(meant) == 1 else position.parse_move(text)


def _kind(before: Position, after: Position, path: list[tuple[int, int]]) -> Kind:
    """The kind of a move, by what it does to the board."""
    if len(path) < 2:
        return "place" if path else "pass"
    (row, column), side = path[0], before.turn
    if after.rows[row][column] == before.rows[row][column] and path[-1] != path[0]:
        return "clone"
    turned = after.counts[side] > before.counts[side]
    fewer = after.counts[side.opponent] < before.counts[side.opponent]
    return "capture" if fewer and not turned else "move"


def players(game: Game, names: tuple[str, str]) -> list[Player]:
    """Both sides as a page shows them."""
    counts = game.position.counts
    return [
        Player(
            name=names[side],
            who=player_text(game, side),
            seat=game.seat(side).value,
            pieces=counts[side],
            clock_ms=game.remaining_ms(side),
            starts_in_ms=game.starts_in_ms(side),
        )
        for side in Side
    ]


def abilities(game: Game) -> list[Ability]:
    """The commands that make sense now."""
    people = any(game.seat(side) is Seat.HUMAN for side in Side)
    can = game.can
    if game.broker is not None and not people:
        can &= {"talk"}  # a machine plays here, or nobody does
    told: set[str] = {"say" if act == "talk" else act for act in can}
    if game.outcome is None and people and not person_on_turn(game):
        told.add("premove")
    if "keep_playing" in told:
        told.discard("resign")
    return [*(each for each in _ORDER if each in told), "leave"]


def ending(game: Game) -> Ending | None:
    """How the game ended, or None."""
    outcome = game.outcome
    if outcome is None:
        return None
    text = ending_text(outcome, game.position, own_side(game))
    return Ending(winner=outcome.winner, termination=outcome.termination, text=text)


def explain(squares: Sequence[str], position: Position, language: LineLanguage) -> None:
    """Explain why a move with these squares is not legal.

    Raises:
        RulesError, CommandError: the explanation, unless there is nothing to explain.
    """
    if len(squares) > 1 or language.squares_are_moves:
        position.parse_move("-".join(squares))
        return
    targets = language.reached_from(squares[0], position)
    raise CommandError(f"From {squares[0]} you can reach {' '.join(targets)}.")


ShownEvent: TypeAlias = (
    Moved
    | DrawAsked
    | DrawRefused
    | Asked
    | TakenBack
    | MayClaim
    | MayBeClaimed
    | Over
    | RematchAsked
    | Begun
    | Named
    | Notice
)
"""What happens at a table, except chat."""


def event_message(
    event: ShownEvent, language: LineLanguage, position: Position, own: Side | None
) -> Told:
    """An event as a message for pages.

    Args:
        event: the event.
        language: the game's words.
        position: the position now.
        own: the reader's side, if the opponent is elsewhere; None otherwise.
    """
    names = language.names
    match event:
        case Moved(side):
            return Told(kind="moved", side=side, text=moved_text(event, names))
        case Over(outcome):
            return Told(kind="over", text=ending_text(outcome, position, own))
        case DrawAsked(side):
            return Told(kind="draw_asked", side=side, text=draw_text(names, side, own))
        case DrawRefused(side):
            return Told(kind="draw_refused", side=side, text=rejected_text(names, side))
        case Asked(side):
            return Told(kind="asked", side=side, text=asked_text(names, event))
        case TakenBack(taken, agreed):
            count = "The last move is" if len(taken) == 1 else f"{len(taken)} moves are"
            why = "as agreed" if agreed else "because the game was decided before"
            return Told(kind="taken_back", text=f"{count} taken back, {why}.")
        case MayClaim() | MayBeClaimed():
            return _claim_message(event)
        case RematchAsked():
            text = "Your opponent would like a rematch: press Rematch to play it, or leave."
            return Told(kind="rematch_asked", text=text)
        case Begun(side):
            return Told(kind="begun", side=side, text=begun_text(names, side))
        case Named(side, name):
            assert side is not None, "a game is shown when it has begun"
            return Told(kind="named", side=side, text=f"{names[side]} is {sanitized(name)}.")
        case Notice(text):
            return Told(kind="notice", text=sentence(sanitized(text)))


def _claim_message(event: MayClaim | MayBeClaimed) -> Told:
    match event:
        case MayClaim(waited_s):
            waited = format_duration(round(waited_s) * 1000)
            return Told(kind="may_claim", text=f"No answer for {waited}: wait, or claim the game.")
        case MayBeClaimed(left_s):
            return Told(kind="may_be_claimed", text=claim_warning_text(left_s))


# The most lines for a page that connects later; and names, which anybody can invent at will.
_MAX_LINES, _MAX_MUTED = 200, 200


class ChatHistory:
    """The chat of one game; pages that come later also get earlier lines."""

    def __init__(self) -> None:
        self._lines: deque[messages.Said] = deque(maxlen=_MAX_LINES)
        self._muted: list[str] = []
        self._number = 0

    @property
    def lines(self) -> Sequence[messages.Said]:
        """The lines so far, for a page that comes later."""
        return [line.model_copy(update={"earlier": True}) for line in self._lines]

    @property
    def muted(self) -> list[str]:
        """The speakers whom the person has muted."""
        return [*self._muted]

    def add(self, speaker: str, text: str, *, mine: bool = False) -> messages.Said:
        """Add a line."""
        self._number += 1
        said = messages.Said(number=self._number, speaker=speaker, text=sanitized(text), mine=mine)
        self._lines.append(said)
        return said

    def mute(self, speaker: str, *, muted: bool) -> None:
        """Mute a speaker, or no longer.

        Raises:
            CommandError: too many are muted already.
        """
        if speaker in self._muted:
            self._muted.remove(speaker)
        if muted:
            if len(self._muted) >= _MAX_MUTED:
                raise CommandError(
                    f"You have muted {_MAX_MUTED} already; unmute one of them first."
                )
            self._muted.append(speaker)
