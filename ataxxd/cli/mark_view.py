"""How a marking is shown: a table of the games, what went wrong, a table of the marks."""

from collections.abc import Iterator, Sequence

from ataxxd.engines.laboratory.marking import Mark, Played, Turn
from ataxxd.rules.reversi import laboratory_text
from ataxxd_clients.text.language import side_names

HEADING = "game  depth  side   opponent      score        moves  right  values  fast"


def game_line(game: Played, handicap: float) -> str:
    """A game as a line of the table below `HEADING`."""
    trial, turns = game.trial, game.turns
    before, after = game.scores
    counts = _counts(game, handicap)
    score = f"{before:+} to {after:+}"
    completed = f"{counts['completed']}/{len(turns)}"
    won = "won" if game.is_won else "not won"
    return (
        f"{trial.number:4}  {trial.scheme.depth:5}  {_side_name(game):5}  "
        f"{trial.scheme.opponent_name:12}  {score:11}  "
        f"{completed:5}  {counts['right_moves']:5}  "
        f"{counts['right_values']:6}  {counts['fast']:4}  {won}"
    )


def _counts(game: Played, handicap: float) -> dict[str, int]:
    turns = game.turns
    return {
        "completed": sum(turn.move is not None for turn in turns),
        "right_moves": sum(turn.is_right for turn in turns),
        "right_values": sum(turn.has_right_value for turn in turns),
        "fast": sum(turn.is_fast(handicap) for turn in turns),
    }


def _side_name(game: Played) -> str:
    return side_names(game.trial.start.ruleset)[game.trial.side]


def faults_of(game: Played) -> list[str]:
    """What went wrong in a game, a line each."""
    lines = []
    for turn in game.turns:
        where = f"game {game.trial.number}, move {turn.ply}:"
        if turn.value_trouble:
            lines.append(f"{where} boardEval: it {turn.value_trouble}")
        elif not turn.has_right_value:
            lines.append(
                f"{where} boardEval: {turn.value}; right is {turn.right_value}: "
                f'ataxxd lab eval "{_state(turn)}"'
            )
        if turn.move_trouble:
            lines.append(f"{where} chooseMove: it {turn.move_trouble}")
        elif turn.worth is not None:
            worth, best = turn.worth
            moves = _move(turn, right=False), _move(turn, right=True)
            lines.append(
                f"{where} chooseMove: {moves[0]}, worth {worth}; right is {moves[1]}, "
                + ("as good, and first in the list: " if worth == best else f"worth {best}: ")
                + f'ataxxd lab value "{_state(turn)}" --depth {game.trial.scheme.depth}'
            )
    return lines


def _state(turn: Turn) -> str:
    return laboratory_text(turn.position)


def _move(turn: Turn, *, right: bool) -> str | None:
    move = turn.right_move if right else turn.move
    return None if move is None else turn.position.format_move(move, "laboratory")


def mark_lines(marks: Sequence[Mark]) -> Iterator[str]:
    """The table of the marks, and their sum."""
    for mark in marks:
        share = 100 * mark.count / mark.of if mark.of else 0
        yield (
            f"{mark.marks:4} of {mark.most}   {mark.what:27} {mark.count} of {mark.of} "
            f"({share:.0f} %)"
        )
    yield f"{total_of(marks):4} of {sum(mark.most for mark in marks)}"


def total_of(marks: Sequence[Mark]) -> int:
    """All marks together."""
    return sum(mark.marks for mark in marks)


def game_row(game: Played, handicap: float) -> dict[str, object]:
    """A game as `--json` has it."""
    trial = game.trial
    before, after = game.scores
    return {
        "game": trial.number,
        "depth": trial.scheme.depth,
        "side": _side_name(game).lower(),
        "opponent": trial.scheme.opponent_name,
        "score_before": before,
        "score_after": after,
        "won": game.is_won,
        **_counts(game, handicap),
        "turns": [
            {
                "ply": turn.ply,
                "state": _state(turn),
                "move": _move(turn, right=False),
                "right_move": _move(turn, right=True),
                "move_fault": turn.move_trouble or None,
                "seconds": round(turn.seconds, 3),
                "reference_seconds": round(turn.reference_s * handicap, 3),
                "value": turn.value,
                "right_value": turn.right_value,
                "value_fault": turn.value_trouble or None,
            }
            for turn in game.turns
        ],
    }


def marks_row(name: str, seed: int, depth: int, marks: Sequence[Mark]) -> dict[str, object]:
    """The marks as `--json` has them, behind the games."""
    return {
        "program": name,
        "seed": seed,
        "depth": depth,
        "marks": total_of(marks),
        "of": sum(mark.most for mark in marks),
        "for": [
            {
                "what": mark.what,
                "marks": mark.marks,
                "of": mark.most,
                "count": mark.count,
                "turns_or_games": mark.of,
            }
            for mark in marks
        ],
    }
