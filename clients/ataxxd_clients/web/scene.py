"""What a page shows of a game: squares, moves that can be entered, the players, the end.

This is where a game's rules become data, so that the page needs none: every legal move
comes with the squares it is entered by and the board after it.
"""

from collections.abc import Sequence
from itertools import takewhile

from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, RulesError, Side
from ataxxd.rules.endings import ending_text
from ataxxd.session.events import Seat
from ataxxd_clients.labels import ends, own_side, who_plays
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.web.messages import Ability, Ending, Kind, LegalMove, PlayedMove, Player

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
    """The moves of a game with their boards, made once each."""

    def __init__(self, language: LineLanguage) -> None:
        self._language = language
        self._positions: list[Position] = []
        self._moves: list[Move] = []
        self._told: list[PlayedMove] = []

    def of(self, game: Game) -> Sequence[PlayedMove]:
        """The moves so far; those that stood at the last call are the same objects."""
        self._follow(game)
        return tuple(self._told)

    def positions(self, game: Game) -> Sequence[Position]:
        """The positions after 0, 1, 2, … of them, likewise."""
        self._follow(game)
        return tuple(self._positions)

    def _follow(self, game: Game) -> None:
        if not self._positions or self._positions[0] != game.start:
            self._positions, self._moves, self._told = [game.start], [], []
        moves = game.moves
        kept = same(self._moves, moves)
        del self._positions[kept + 1 :], self._moves[kept:], self._told[kept:]
        for move in moves[kept:]:
            before = self._positions[-1]
            after = before.play(move)
            self._told.append(
                PlayedMove(
                    side=before.turn,
                    name=str(move) if move.squares else None,
                    squares=[*ends(move)],
                    board=[*after.rows],
                )
            )
            self._positions.append(after)
            self._moves.append(move)


def same(old: Sequence[object], new: Sequence[object]) -> int:
    """How many items two sequences have in common at their beginning."""
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


def meant_move(text: str, position: Position, language: LineLanguage) -> Move:
    """The legal move meant by a text, for which its first and its last square are enough.

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
    """What a move is, told by what it does to the board."""
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
            who=who_plays(game, side),
            seat=game.seat(side).value,
            pieces=counts[side],
            clock_ms=game.remaining_ms(side),
            starts_in_ms=game.starts_in_ms(side),
        )
        for side in Side
    ]


def person_on_turn(game: Game) -> bool:
    """Whether a person here acts next."""
    return game.outcome is None and game.seat(game.acting_side) is Seat.HUMAN


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
    """Say what stands against a move that was entered by these squares.

    Raises:
        RulesError, CommandError: the explanation, unless there is nothing to explain.
    """
    if len(squares) > 1 or language.squares_are_moves:
        position.parse_move("-".join(squares))
        return
    try:
        targets = language.targets(squares[0], position)
    except RulesError as error:
        # The sentence begins with the move from a square to itself, which nobody typed.
        text = str(error)
        text = text.partition(" is not legal: ")[2] or text
        if not text.startswith(squares[0]):
            text = text[0].upper() + text[1:]
        raise CommandError(text) from None
    msg = f"From {squares[0]} you can reach {' '.join(targets)}."
    raise CommandError(msg)
